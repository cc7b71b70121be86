"""Ending conflicts that were written with markers."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from epforge.errors import UsageError
from epforge.workspace.disk import in_the_ends_of, look
from epforge.workspace.exclusive import exclusive
from epforge.workspace.journal import change_in_place, recover
from epforge.workspace.ledger import ASIDE
from epforge.workspace.lock import LOCK, Lock, OpenConflict, read_lock
from epforge.workspace.merge import Favor, choose, merge_text, open_markers
from epforge.workspace.model import File, Owner
from epforge.workspace.outcome import OnConflict
from epforge.workspace.paths import check_inside
from epforge.workspace.staging import writing

_SIDES = {OnConflict.OURS: Favor.YOURS, OnConflict.THEIRS: Favor.EPFORGE}


@dataclass(frozen=True)
class Resolved:
    """What `resolve` did.

    Args:
        resolved: conflicts that are over.
        left: paths where markers are left, with the lines they are in.
    """

    resolved: tuple[str, ...]
    left: Mapping[str, tuple[int, ...]]


def open_conflicts(directory: Path) -> Mapping[str, OpenConflict]:
    """The conflicts that are not resolved, by path.

    Raises:
        UsageError: there is no project, or its lock cannot be read.
    """
    return _project(directory).conflicts


def resolve(
    directory: Path, paths: Collection[str] = (), *, side: OnConflict | None = None
) -> Resolved:
    """Ends open conflicts: those whose files have no markers left, or by choosing a side.

    Args:
        directory: the project.
        paths: which; all of them if there are none.
        side: `OnConflict.OURS` or `OnConflict.THEIRS` decides every line that is in conflict.

    Raises:
        UsageError: there is no project, or a path has no open conflict.
        WriteError: the machine does not let us write.
    """
    root = Path(os.path.abspath(directory)).resolve()
    with writing(root), exclusive(root):
        recover(root)
        lock = _project(root)
        wanted = _wanted(lock, paths)
        asides = {path: [f"{ASIDE}/{kind}/{path}" for kind in _KINDS] for path in wanted}
        check_inside(root, [*wanted, *chain.from_iterable(asides.values())])
        write: dict[str, File] = {}
        left: dict[str, tuple[int, ...]] = {}
        for path in wanted:
            disk = look(root, path)
            marker = lock.conflicts[path].marker
            if side is not None:
                content = _chosen(root, path, lock.conflicts[path], side)
            else:
                content = disk.content
                if content is not None and marker and (lines := open_markers(content, marker)):
                    left[path] = lines
            if content is not None and content != disk.content:
                write[path] = File(path, content, Owner.SHARED, disk.executable)
        done = tuple(path for path in wanted if path not in left)
        if done:
            kept = {path: row for path, row in lock.conflicts.items() if path not in done}
            after = replace(lock, conflicts=kept)
            write[LOCK] = File(LOCK, after.dump(), Owner.GENERATED)
            records = chain.from_iterable(asides[path] for path in done)
            gone = tuple(each for each in records if not look(root, each).is_absent)
            change_in_place(root, write, gone, lambda name: None)
        return Resolved(done, left)


_KINDS = ("yours", "base", "epforge")


def _project(directory: Path) -> Lock:
    lock = read_lock(directory)
    if lock is None:
        raise UsageError(f"{directory} is not a project of epforge", "Name the project.")
    return lock


def _wanted(lock: Lock, paths: Collection[str]) -> tuple[str, ...]:
    unknown = sorted(set(paths) - lock.conflicts.keys())
    if unknown:
        known = ", ".join(sorted(lock.conflicts)) or "none"
        raise UsageError(f"{unknown[0]} has no open conflict", f"Open are: {known}.")
    return tuple(sorted(paths or lock.conflicts, key=str.encode))


def _chosen(root: Path, path: str, conflict: OpenConflict, side: OnConflict) -> bytes | None:
    """The file with what is in conflict as that side has it; None: there shall be none.

    What its owner has done to it since the conflict was written stays.
    """
    here = look(root, path).content
    texts = {kind: look(root, f"{ASIDE}/{kind}/{path}").content for kind in _KINDS}
    yours, base, epforge = (texts[kind] for kind in _KINDS)
    if side is OnConflict.OURS and (here is None or not conflict.marker):
        return here
    if not conflict.marker:
        if epforge is None:
            raise _lost(path, "what epforge would write")
        return in_the_ends_of(here, epforge)
    if here is not None and not open_markers(here, conflict.marker):
        return here
    if yours is not None and base is not None and epforge is not None:
        written = merge_text(base, yours, epforge).content
        if here is None or here == written:
            return merge_text(base, yours, epforge, favor=_SIDES[side]).content
    if here is None:
        raise _lost(path, "what both sides had")
    try:
        return choose(here, conflict.marker, _SIDES[side])
    except ValueError as error:
        raise UsageError(
            f"{path}: the conflict markers are damaged: {error}",
            f"Edit the lines between them, and remove them; then: epforge resolve {path}",
        ) from error


def _lost(path: str, what: str) -> UsageError:
    return UsageError(
        f"{path}: {what} is not in {ASIDE} any more",
        f"Make the file what you want, then: epforge resolve {path}",
    )
