"""Publishing: all files of a project or none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from epforge.errors import EpforgeError, ExitStatus, UsageError
from epforge.workspace.base import records
from epforge.workspace.beside import check_free
from epforge.workspace.disk import look
from epforge.workspace.exclusive import exclusive
from epforge.workspace.journal import NEXT, Step, change_in_place, recover
from epforge.workspace.lock import LOCK, Entry, Lock, read_lock
from epforge.workspace.model import EditedError, File, Owner, Tool, sha256
from epforge.workspace.outcome import Action, ActionKind, Outcome, Request
from epforge.workspace.paths import check_inside, check_paths
from epforge.workspace.staging import create, writing

_NOTHING = Request()
Notify = Step


_OWN = ".epforge"


class State(StrEnum):
    """What a directory is to us."""

    ABSENT = "absent"
    EMPTY = "empty"
    OTHER = "other"  # it holds files of others, and no project
    OURS = "ours"


class ConflictsError(EditedError):
    """The owner has to decide about files first; nothing has changed.

    Args:
        outcome: what would happen, with the conflicts.
    """

    def __init__(self, outcome: Outcome) -> None:
        paths = tuple(dict.fromkeys(each.path for each in outcome.conflicts))
        cures = list(dict.fromkeys(each.cure for each in outcome.conflicts))
        super().__init__(paths, "\n  ".join(cures))
        rows = "".join(f"\n  {each.path}: {each.text}" for each in outcome.conflicts)
        self.message = f"these files need a decision of yours; nothing was written:{rows}"
        self.args = (self.message,)
        self.outcome = outcome

    def details(self) -> Mapping[str, object]:
        rows = [
            {
                "path": each.path,
                "kind": each.kind.value,
                "text": each.text,
                "cure": each.cure,
                "lines": [hunk.line for hunk in each.hunks],
            }
            for each in self.outcome.conflicts
        ]
        return {"files": list(self.paths), "conflicts": rows}


class OpenConflictsError(EpforgeError):
    """Conflicts that an earlier command has left are not resolved yet; nothing has changed."""

    exit_status = ExitStatus.CONFLICTS

    def __init__(self, directory: Path, paths: tuple[str, ...]) -> None:
        listed = "".join(f"\n  {path}" for path in paths)
        super().__init__(
            f"{directory} has conflicts that are not resolved:{listed}",
            "Edit these files, then run: epforge resolve",
        )
        self.paths = paths

    def details(self) -> Mapping[str, object]:
        return {"files": list(self.paths)}


class PendingError(EpforgeError):
    """A command crashed here, and what it left has to be finished first."""

    exit_status = ExitStatus.CHECK_FAILED


def check_target(directory: Path) -> State:
    """Says what a directory is that a project shall be published to; writes nothing.

    Raises:
        UsageError: it is not a directory, or cannot be read.
    """
    if not os.path.lexists(directory):
        for above in Path(os.path.abspath(directory)).parents:
            if os.path.lexists(above):
                if not above.is_dir():
                    raise UsageError(f"{above} is not a directory", "Choose another directory.")
                break
        return State.ABSENT
    if not directory.is_dir():
        raise UsageError(f"{directory} is not a directory", "Choose another directory.")
    try:
        names = {entry.name for entry in directory.iterdir()}
    except OSError as error:
        raise UsageError(f"{directory} cannot be read: {error.strerror}") from error
    if LOCK in names or (directory / NEXT).is_dir():
        return State.OURS
    if names == {_OWN} and is_empty_directory(directory / _OWN):
        return State.EMPTY  # a command was killed between making it and its content
    return State.OTHER if names else State.EMPTY


def is_empty_directory(place: Path) -> bool:
    """Is it a directory, no link to one, with nothing in it?"""
    return place.is_dir() and not place.is_symlink() and not any(place.iterdir())


def preview(
    directory: Path,
    files: Iterable[File],
    *,
    tool: Tool,
    blueprint: bytes,
    request: Request = _NOTHING,
    inputs: Mapping[str, str] | None = None,
) -> Outcome:
    """What `publish` would do; only reads.

    Raises:
        UsageError: like `publish`.
        PendingError: a command crashed here; publishing would finish its work first.
    """
    wanted = _checked(files)
    lock = Lock(tool, sha256(blueprint), {}, inputs=dict(inputs or {}))
    target = Path(os.path.abspath(directory))
    state = check_target(target)
    if (target / NEXT).is_dir():
        raise PendingError(
            f"a command is at work in {directory}, or crashed there: its work is not finished",
            "The next command that writes here waits for it, or finishes it: epforge regenerate",
        )
    if state is State.ABSENT:
        return _new(wanted, lock)
    root = target.resolve()
    _check_places(root, wanted)
    old = read_lock(root)
    if old is None:
        check_free(directory, wanted.values())
    return _decided(root, wanted, lock, old, request)


def publish(
    directory: Path,
    files: Iterable[File],
    *,
    tool: Tool,
    blueprint: bytes,
    request: Request = _NOTHING,
    inputs: Mapping[str, str] | None = None,
    step: Step = lambda name: None,
    notify: Notify = lambda text: None,
) -> Outcome:
    """Makes ``directory`` hold the project that consists of ``files``, by the rules of ownership.

    A new directory is staged beside its place and renamed. In one that exists, files are staged
    inside and renamed one by one under a journal, ``epforge.lock`` last; what a crash leaves is
    finished by the next call. Files of others in a directory that is no project stay, and none of
    them may be in the way. Files that would not change are not touched. (This is about a crash
    of the process; what a loss of power leaves is up to the file system. A crash while a new
    directory is staged leaves ``.NAME.epforge-*`` beside it, which nothing needs.)

    Args:
        directory: where to; absent, a project of ours, or one without a project.
        files: the whole project, without the lock and ``.epforge/``.
        tool: what made them.
        blueprint: the blueprint that they were made from.
        request: what the owner allows.
        inputs: hashes of what else they were made from, by name.
        step: called with a name before each step; a test may end the process there.
        notify: called with a sentence when there is something to wait for.

    Returns:
        What was done.

    Raises:
        UsageError: the directory is none, or a path is not portable or leads out of it.
        InTheWayError: there is no project yet, and files of others lie where it would have some.
        ConflictsError: the owner has to decide about files first.
        OpenConflictsError: conflicts of an earlier command are not resolved.
        EditedError: files were edited while this worked, or since a crash.
        WriteError: the machine does not let us write.
    """
    wanted = _checked(files)
    lock = Lock(tool, sha256(blueprint), {}, inputs=dict(inputs or {}))
    target = Path(os.path.abspath(directory))
    state = check_target(target)
    with writing(target):
        if state is State.ABSENT:
            return _create(target, wanted, lock, step)
        root = target.resolve()
        with exclusive(root, notify=notify):
            return _update(root, directory, wanted, lock, request, step)


def _checked(files: Iterable[File]) -> dict[str, File]:
    wanted = {file.path: file for file in sorted(files, key=lambda file: file.path.encode())}
    check_paths([*wanted, LOCK])
    check_paths([old for file in wanted.values() for old in file.was])
    if any(path == ".epforge" or path.startswith(".epforge/") for path in wanted):
        raise UsageError(".epforge/ is the workspace's own")
    return wanted


def _check_places(root: Path, files: Mapping[str, File]) -> None:
    own = [f"{NEXT}/x", ".epforge/base/x", ".epforge/conflicts/x"]
    shared = [f".epforge/base/{path}" for path, file in files.items() if _is_shared(file)]
    check_inside(root, [*files, *own, *shared])


def _is_shared(file: File) -> bool:
    return file.owner is Owner.SHARED


def _new(files: Mapping[str, File], lock: Lock) -> Outcome:
    """The outcome of a project where there is nothing yet."""
    after = replace(lock, files={path: Entry.of(file) for path, file in files.items()})
    return Outcome(
        actions=tuple(
            Action(path, ActionKind.CREATE, None, file.content) for path, file in files.items()
        ),
        conflicts=(),
        notes=(),
        unchanged=0,
        lock=after,
        records=records({path: file.content for path, file in files.items()}, after),
        created=True,
        modes={path: file.executable for path, file in files.items()},
    )


def _create(target: Path, files: Mapping[str, File], lock: Lock, step: Step) -> Outcome:
    outcome = _new(files, lock)
    create(target, [*files.values(), *outcome.records.values(), _lock_file(outcome.lock)], step)
    return outcome


def _update(
    root: Path, name: Path, files: Mapping[str, File], lock: Lock, request: Request, step: Step
) -> Outcome:
    """Updates what lies in ``root``, which its owner calls ``name``."""
    _check_places(root, files)
    recover(root)
    old = read_lock(root)
    if old is None:
        check_free(name, files.values())
    elif old.conflicts:
        raise OpenConflictsError(root, tuple(sorted(old.conflicts)))
    outcome = _decided(root, files, lock, old, request)
    if outcome.is_blocked:
        raise ConflictsError(outcome)
    apply(root, outcome, step)
    return outcome


def _decided(
    root: Path, files: Mapping[str, File], lock: Lock, old: Lock | None, request: Request
) -> Outcome:
    """The outcome, after a look that none of it lies behind a link."""
    from epforge.workspace.decide import decide  # it merges: a new project has no need of that

    check_inside(root, old.files if old else ())
    outcome = decide(root, files, lock, old, request)
    check_inside(root, [*outcome.paths(), *outcome.records, *outcome.forgotten])
    return outcome


def apply(root: Path, outcome: Outcome, step: Step) -> None:
    """Makes an outcome so, in one journalled change, the lock last; nothing if nothing changes.

    Raises:
        OSError: nothing has changed.
        EditedError: files were edited since the decision.
    """
    write: dict[str, File] = {}
    expected: dict[str, str | None] = {}
    remove: list[str] = []
    for action in outcome.actions:
        before = None if action.before is None else sha256(action.before)
        if action.after is None:
            remove.append(action.path)
        else:
            executable = outcome.modes.get(action.path, False)
            write[action.path] = File(action.path, action.after, Owner.GENERATED, executable)
        if action.source is not None:
            remove.append(action.source)
            expected[action.source], before = before, None
        expected[action.path] = before
    write |= {
        path: file
        for path, file in outcome.records.items()
        if look(root, path).content != file.content
    }
    remove += [path for path in outcome.forgotten if path not in write]
    lock = _lock_file(outcome.lock)
    if look(root, LOCK).content != lock.content:
        write[LOCK] = lock
    if write or remove:
        change_in_place(root, write, tuple(dict.fromkeys(remove)), step, expected)


def _lock_file(lock: Lock) -> File:
    return File(LOCK, lock.dump(), Owner.GENERATED)
