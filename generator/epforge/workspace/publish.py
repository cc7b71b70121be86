"""Publishing: all files of a project or none."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from epforge.errors import UsageError
from epforge.workspace.changes import base_files, find_changes, lock_file, with_base
from epforge.workspace.journal import NEXT, Step, change_in_place, recover, write_file
from epforge.workspace.lock import LOCK, Lock, read_lock
from epforge.workspace.model import File, Tool, WriteError
from epforge.workspace.paths import check_inside, check_paths


class State(StrEnum):
    """What a directory is to us."""

    ABSENT = "absent"
    EMPTY = "empty"
    OURS = "ours"


@dataclass(frozen=True)
class Published:
    """What publishing did.

    Args:
        kept: files that stay as their owner has them.
        absent: files of the owner that were written once and are gone; they are not written again.
    """

    directory: Path
    created: bool
    written: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    absent: tuple[str, ...]


def check_target(directory: Path) -> State:
    """Says whether a project can be published to ``directory``; writes nothing.

    Raises:
        UsageError: it is neither absent nor empty nor ours, or not a directory.
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
    if names:
        raise UsageError(
            f"{directory} is neither empty nor a project of epforge: it has {min(names)}",
            "Choose another directory.",
        )
    return State.EMPTY


def publish(
    directory: Path,
    files: Iterable[File],
    *,
    tool: Tool,
    blueprint: bytes,
    edits: Collection[str] = (),
    step: Step = lambda name: None,
) -> Published:
    """Makes ``directory`` hold the project that consists of ``files``.

    A new directory is staged beside its place and renamed. In one that exists, files are staged
    inside and renamed one by one under a journal, ``epforge.lock`` last; what a crash leaves is
    finished by the next call. Files that would not change are not touched. (This is about a crash
    of the process; what a loss of power leaves is up to the file system. A crash while a new
    directory is staged leaves ``.NAME.epforge-*`` beside it, which nothing needs.)

    Args:
        directory: where to; absent, empty, or a project of ours.
        files: the whole project, without the lock and ``.epforge/``.
        tool: what made them.
        blueprint: the blueprint that they were made from.
        edits: files of the owner that this call changes on the owner's behalf.
        step: called with a name before each step; a test may end the process there.

    Raises:
        UsageError: the directory is not ours, or a path is not portable or leads out of it.
        EditedError: files that would be replaced were edited.
        WriteError: the machine does not let us write.
    """
    wanted = {file.path: file for file in sorted(files, key=lambda file: file.path.encode())}
    check_paths([*wanted, LOCK])
    if any(path == ".epforge" or path.startswith(".epforge/") for path in wanted):
        raise UsageError(".epforge/ is the workspace's own")
    lock = Lock.of(wanted, tool, blueprint)
    target = Path(os.path.abspath(directory))
    state = check_target(target)
    try:
        if state is State.ABSENT:
            return _create(target, wanted, lock, step)
        return _update(target.resolve(), wanted, lock, edits, step)
    except OSError as error:
        place = error.filename2 or error.filename or target
        raise WriteError(
            f"cannot write {place}: {error.strerror or error}",
            "Nothing was changed. Make room or give yourself the right to write there.",
        ) from error


def _create(target: Path, files: Mapping[str, File], lock: Lock, step: Step) -> Published:
    made = _make_parents(target.parent)
    staging = target.parent / f".{target.name}.epforge-{secrets.token_hex(6)}"
    try:
        step("stage")
        staging.mkdir()
        for file in [*files.values(), *base_files(files).values(), lock_file(lock)]:
            step(f"stage {file.path}")
            write_file(staging / file.path, file.content, file.executable)
        step("publish")
        os.rename(staging, target)
    except BaseException as error:
        shutil.rmtree(staging, ignore_errors=True)
        for parent in made:
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(error, FileExistsError | NotADirectoryError) or (
            isinstance(error, OSError) and error.errno == errno.ENOTEMPTY
        ):
            raise UsageError(
                f"{target} was made by another command meanwhile", "Look at it, then try again."
            ) from error
        raise
    return Published(target, True, tuple(files), (), (), ())


def _make_parents(parent: Path) -> list[Path]:
    """Makes a directory and its parents; returns those that were made, innermost first."""
    missing = []
    while not parent.exists():
        missing.append(parent)
        parent = parent.parent
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
    return missing


def _update(
    root: Path, files: Mapping[str, File], lock: Lock, edits: Collection[str], step: Step
) -> Published:
    check_inside(root, [*files, f"{NEXT}/x", *base_files(files)])
    recover(root)
    old = read_lock(root)
    if old is None:
        check_target(root)
    known = old or Lock(lock.tool, lock.blueprint, {})
    check_inside(root, known.files)
    changes = with_base(root, files, find_changes(root, files, known, edits))
    write = dict(changes.write)
    if not (root / LOCK).is_file() or (root / LOCK).read_bytes() != lock.dump():
        write[LOCK] = lock_file(lock)
    if write or changes.remove:
        change_in_place(root, write, changes.remove, step)
    return Published(
        directory=root,
        created=old is None,
        written=tuple(path for path in files if path in write),
        removed=tuple(path for path in changes.remove if path in known.files),
        kept=tuple(path for path in changes.kept if os.path.lexists(root / path)),
        absent=tuple(path for path in changes.kept if not os.path.lexists(root / path)),
    )
