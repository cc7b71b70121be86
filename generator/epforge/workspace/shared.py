"""Merging shared files: what their owner made of them with what we would write today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from epforge.workspace.disk import OnDisk, look
from epforge.workspace.ledger import Ledger, unified
from epforge.workspace.lock import Entry
from epforge.workspace.merge import Fate, Merged, merge_trees
from epforge.workspace.model import File, sha256
from epforge.workspace.moving import moved_here, others, planned_moves
from epforge.workspace.outcome import ActionKind, ConflictKind, NoteKind, OnConflict
from epforge.workspace.settling import Case, against, settle

_GONE = "is gone from where epforge wrote it; it is not written again (--restore does)"


@dataclass(frozen=True)
class _Side:
    """A shared file in need of a merge.

    Args:
        path: its path in the project as it was written.
        disk: what lies there.
        base: what that is based on; None if unknown.
        file: what we would write; None if it is no longer part of the project.
    """

    path: str
    disk: OnDisk
    base: bytes | None
    file: File | None


@dataclass
class _Trees:
    """What is left for the merge of trees.

    Args:
        sides: files that both may have changed.
        fresh: files that are new, by path.
        moved: old path -> new path, where the plan says so.
    """

    sides: list[_Side] = field(default_factory=list)
    fresh: dict[str, File] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)


def decide_shared(
    ledger: Ledger, directory: Path, files: Mapping[str, File], dropped: Mapping[str, Entry]
) -> None:
    """Decides on all shared files at once: a file may have been renamed by either side.

    Args:
        ledger: where to.
        directory: the project.
        files: the shared files of the project, by path.
        dropped: those that it had and has no longer.
    """
    renamed = planned_moves(directory, files, dropped, ledger.old)
    coming = {file.path for file in renamed.values()}
    left = {path: look(directory, path) for path in dropped}
    trees = _Trees()
    for path, file in files.items():
        if path in coming:
            continue
        disk = look(directory, path)
        if path not in ledger.old and disk.content is not None:
            bases = {old: ledger.base_of(old, left[old]) for old in left}
            gone = {old: text for old, text in bases.items() if text is not None}
            old = moved_here(directory, path, disk.content, gone)
            if old is not None:
                ledger.enter(file)
                settle(ledger, Case(file, disk, gone[old], f"was {old}", known_as=old))
                del left[old]
                continue
        side = _plain(ledger, file, ledger.old.get(path), disk)
        if side is not None:
            trees.sides.append(side)
        elif path not in ledger.old and path in ledger.actions and disk.is_absent:
            trees.fresh[path] = file
    for path, disk in left.items():
        _left_plan(ledger, trees, path, disk, renamed.get(path))
    if trees.sides:
        _merge(ledger, directory, trees)


def _left_plan(ledger: Ledger, trees: _Trees, path: str, disk: OnDisk, file: File | None) -> None:
    """A shared file that is no longer part of the project, or is ``file`` by now."""
    base = ledger.base_of(path, disk)
    names = {path} if file is None else {path, file.path}
    is_plain = base is None or not disk.is_absent or names & ledger.request.restore
    if file is not None and is_plain:
        _renamed(ledger, _Side(path, disk, base, file))
    elif disk.is_strange:
        text = "is not part of the project any more; it stays, as it is no regular file"
        ledger.note(path, NoteKind.ORPHANED, text)
    elif base is not None:
        trees.sides.append(_Side(path, disk, base, None))
        if file is not None:
            trees.fresh[file.path] = file
            trees.moved[path] = file.path
    elif not disk.is_absent:
        _dropped_edit(ledger, path, disk)


def _plain(ledger: Ledger, file: File, entry: Entry | None, disk: OnDisk) -> _Side | None:
    """Decides on a file where nothing has to be merged; else returns what has to."""
    path = file.path
    ledger.enter(file)
    if disk.same(file.content):
        return None
    if disk.is_strange:
        if entry is None or not _is_based_on(file, entry):
            text = "is no regular file, and epforge's text has changed"
            cure = f"Make it a regular file, or keep yours: --ours {path}"
            if ledger.mode(path) is not OnConflict.OURS:
                ledger.conflict(path, ConflictKind.IN_THE_WAY, text, cure)
        return None
    if entry is None:
        if disk.is_absent:
            ledger.put(ActionKind.CREATE, file, disk)
        else:
            text = "is a file of yours, and epforge now writes one here"
            against(ledger, Case(file, disk), ConflictKind.IN_THE_WAY, text)
        return None
    if disk.is_absent and path in ledger.request.restore:
        ledger.put(ActionKind.CREATE, file, disk, "written again")
        return None
    if disk.holds(entry.sha256):
        ledger.put(ActionKind.UPDATE, file, disk)
        return None
    base = ledger.base.text(path)
    if disk.is_absent and (base is None or sha256(file.content) in (entry.sha256, entry.seen)):
        ledger.note_deleted(file, path, _GONE)
        return None
    if _is_based_on(file, entry):
        return None  # the owner's edit of a text that has not changed
    if base is None:
        settle(ledger, Case(file, disk))
        return None
    return _Side(path, disk, base, file)


def _is_based_on(file: File, entry: Entry) -> bool:
    return sha256(file.content) == entry.sha256


def _renamed(ledger: Ledger, side: _Side) -> None:
    """A file whose new path the template set names: its owner's text moves along."""
    file, disk = side.file, side.disk
    assert file is not None
    if disk.is_absent and not {side.path, file.path} & ledger.request.restore:
        text = f"was {side.path} and was deleted by you; it is not written again (--restore does)"
        ledger.note_deleted(file, side.path, text)
        return
    ledger.enter(file)
    if disk.is_absent:
        ledger.put(ActionKind.CREATE, file, disk, "written again")
    elif disk.is_strange:
        text = f"is no regular file, and epforge would move it to {file.path}"
        ledger.conflict(side.path, ConflictKind.IN_THE_WAY, text, "Make it a regular file.")
    else:
        settle(ledger, Case(file, disk, side.base, f"was {side.path}", side.path))


def _merge(ledger: Ledger, directory: Path, trees: _Trees) -> None:
    sides = trees.sides
    base = {side.path: side.base for side in sides if side.base is not None}
    ours = {side.path: side.disk.content for side in sides if side.disk.content is not None}
    theirs = {side.path: side.file for side in sides if side.file is not None}
    if any(side.disk.is_absent for side in sides):
        ours |= dict(others(directory, {*ledger.old, *ledger.entries, *trees.fresh}))
    files = {**theirs, **trees.fresh}
    contents = {path: file.content for path, file in files.items()}
    for row in merge_trees(base, ours, contents, moved=trees.moved):
        if row.old is not None:  # a new file of ours is decided already
            _settle_row(ledger, directory, row, files.get(row.new or ""), base[row.old])


def _settle_row(
    ledger: Ledger, directory: Path, row: Merged, file: File | None, base: bytes
) -> None:
    """Turns one row of a merge of trees into what happens."""
    assert row.old is not None
    if row.fate is Fate.STAYS_DELETED:
        if file is not None:
            ledger.actions.pop(file.path, None)
            ledger.note_deleted(file, row.old, _GONE)
        return
    source = row.source or row.path
    if file is None:
        _dropped_row(ledger, directory, row.old, source, edited=row.fate is not Fate.REMOVED)
        return
    known_as, why, place = row.old, f"was {source}" if row.path != source else "", row.path
    if row.fate is Fate.RENAMED_TWICE:
        text = f"was renamed by you from {row.old}, and by epforge to {file.path}"
        if ledger.mode(source, file.path, row.old) is OnConflict.STOP:
            cure = f"Rename yours to {file.path}, or leave it where it is: --ours {source}"
            ledger.conflict(source, ConflictKind.RENAMED_TWICE, text, cure)
            return
        known_as, why, place = file.path, "", source
        ledger.note(source, NoteKind.DECIDED, f"{text}: it stays where you have it")
    elif row.path != file.path:
        text = f"is your {file.path}; epforge's changes follow it there"
        ledger.note(row.path, NoteKind.MOVED, text)
    ledger.enter(file)
    if place != file.path:
        ledger.actions.pop(file.path, None)  # not new: its owner has it elsewhere
        ledger.saw(file)
    moved_from = source if place != source else None
    target, disk = replace(file, path=place), look(directory, source)
    settle(ledger, Case(target, disk, base, why, moved_from, known_as))


def _dropped_row(ledger: Ledger, directory: Path, old: str, path: str, *, edited: bool) -> None:
    """A shared file that is no longer part of the project."""
    disk = look(directory, path)
    if path != old:
        text = f"was {old}, which is not part of the project any more; it stays, and is yours now"
        ledger.note(path, NoteKind.ORPHANED, text)
    elif edited:
        _dropped_edit(ledger, path, disk)
    else:
        ledger.remove(path, disk, "no longer part of the project")


def _dropped_edit(ledger: Ledger, path: str, disk: OnDisk) -> None:
    text = "was edited by you, and is no longer part of the project"
    diff = unified(ledger.base.text(path), disk.content, path)
    mode = ledger.mode(path)
    if mode is OnConflict.STOP:
        cure = f"Leave it to you: --ours {path}. Remove it: --theirs {path}."
        ledger.conflict(path, ConflictKind.DROPPED, text, cure, diff=diff)
    elif mode is OnConflict.THEIRS:
        ledger.remove(path, disk, "no longer part of the project, as you said")
        ledger.note(path, NoteKind.DECIDED, f"{text}: removed, as you said", diff)
    else:
        ledger.note(path, NoteKind.ORPHANED, f"{text}: it stays, and is yours now")
