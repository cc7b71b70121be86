"""Merging shared files: what their owner made of them with what we would write today."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from epforge.workspace.disk import OnDisk, look, plain_ends
from epforge.workspace.ledger import ASIDE, Ledger, unified
from epforge.workspace.lock import Entry, OpenConflict
from epforge.workspace.merge import Fate, Merged, is_binary, merge_text, merge_trees
from epforge.workspace.model import File, sha256
from epforge.workspace.outcome import (
    ActionKind,
    Conflict,
    ConflictKind,
    Hunk,
    NoteKind,
    OnConflict,
)

_CURE = "Decide with --ours, --theirs or --on-conflict markers, or edit the file."
# Where a file that its owner renamed is not looked for.
_NOT_SOURCES = {".git", ".hg", ".svn", ".epforge", ".venv", "venv", "node_modules", "__pycache__"}
_MOST_BYTES = 1 << 20
_MOST_FILES = 5000


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
    renamed = {old: file for file in files.values() for old in file.was if old in dropped}
    sides: list[_Side] = []
    fresh: dict[str, File] = {}
    for path, file in files.items():
        entry, disk = ledger.old.get(path), look(directory, path)
        if entry is None and any(renamed.get(old) is file for old in file.was):
            continue  # it comes with its old path
        side = _plain(ledger, file, entry, disk)
        if side is not None:
            sides.append(side)
        elif entry is None and path in ledger.actions:
            fresh[path] = file
    for path in dropped:
        disk, base = look(directory, path), ledger.base.text(path)
        if path in renamed:
            _renamed(ledger, _Side(path, disk, base, renamed[path]))
        elif disk.is_strange:
            text = "is not part of the project any more; it stays, as it is no regular file"
            ledger.note(path, NoteKind.ORPHANED, text)
        elif disk.holds(dropped[path].sha256) or not disk.is_absent or base is not None:
            sides.append(_Side(path, disk, base, None))
    if sides:
        _merge(ledger, directory, sides, fresh, dropped)


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
            _against(
                ledger,
                file,
                disk,
                ConflictKind.IN_THE_WAY,
                "is a file of yours, and epforge now writes one here",
            )
        return None
    if disk.is_absent and path in ledger.request.restore:
        ledger.put(ActionKind.CREATE, file, disk, "written again")
        return None
    if disk.holds(entry.sha256):
        ledger.put(ActionKind.UPDATE, file, disk)
        return None
    if _is_based_on(file, entry):
        if disk.is_absent:
            _note_deleted(ledger, file, entry)
        return None  # the owner's edit of a text that has not changed
    base = ledger.base.text(path)
    if base is None and not disk.is_absent:
        _no_base(ledger, file, disk)
        return None
    return _Side(path, disk, base, file)


def _is_based_on(file: File, entry: Entry) -> bool:
    return sha256(file.content) == entry.sha256


def _no_base(ledger: Ledger, file: File, disk: OnDisk) -> None:
    text = "was edited, and epforge's record of what it was is missing or damaged"
    _against(ledger, file, disk, ConflictKind.NO_BASE, text)


def _against(ledger: Ledger, file: File, disk: OnDisk, kind: ConflictKind, text: str) -> None:
    """One whole file against another: there is nothing to merge by."""
    path, mode = file.path, ledger.mode(file.path)
    diff = unified(disk.content, file.content, path)
    if mode is OnConflict.STOP:
        ledger.conflict(path, kind, text, _CURE, diff=diff)
    elif mode is OnConflict.THEIRS:
        ledger.put(ActionKind.UPDATE, file, disk, "epforge's, as you said")
        ledger.note(path, NoteKind.DECIDED, f"{text}: yours was given up, as you said", diff)
    elif mode is OnConflict.OURS:
        ledger.note(path, NoteKind.DECIDED, f"{text}: yours stays, as you said", diff)
    else:
        ledger.aside[f"epforge/{path}"] = file.content
        _leave_open(ledger, Conflict(path, kind, text, _open_cure(path), diff=diff), 0)


def _open_cure(path: str) -> str:
    return (
        f"{ASIDE}/epforge/{path} is epforge's. Make {path} what you want, then: "
        f"epforge resolve {path}"
    )


def _leave_open(ledger: Ledger, conflict: Conflict, marker: int) -> None:
    ledger.marked.append(conflict)
    ledger.open[conflict.path] = OpenConflict(conflict.kind.value, marker)


def _renamed(ledger: Ledger, side: _Side) -> None:
    """A file whose new path the template set names: its owner's text moves along."""
    file = side.file
    assert file is not None
    ledger.enter(file)
    if side.disk.is_absent:
        text = f"was {side.path} and was deleted by you; it is not written again"
        ledger.note(file.path, NoteKind.STAYS_DELETED, text)
    elif side.disk.is_strange:
        text = f"is no regular file, and epforge would move it to {file.path}"
        ledger.conflict(side.path, ConflictKind.IN_THE_WAY, text, "Make it a regular file.")
    else:
        settle(ledger, file, side.disk, side.base, f"was {side.path}", source=side.path)


def _merge(
    ledger: Ledger,
    directory: Path,
    sides: list[_Side],
    fresh: Mapping[str, File],
    dropped: Mapping[str, Entry],
) -> None:
    base = {side.path: side.base for side in sides if side.base is not None}
    ours = {side.path: side.disk.content for side in sides if side.disk.content is not None}
    theirs = {side.path: side.file for side in sides if side.file is not None}
    if any(side.disk.is_absent and side.base is not None for side in sides):
        known = {*ledger.old, *theirs, *fresh}
        ours |= dict(_others(directory, known))
    elsewhere = {path: file for path, file in fresh.items() if path not in ours}
    files = {**theirs, **elsewhere}
    contents = {path: file.content for path, file in files.items()}
    for row in merge_trees(base, ours, contents):
        if row.old is None and row.source is None:
            continue  # a new file of ours: decided already
        _settle_row(ledger, directory, row, files.get(row.new or ""), dropped, base)


def _others(directory: Path, known: set[str]) -> Iterator[tuple[str, bytes]]:
    """Files of the owner's own, one of which may be a file of ours under another name."""
    left = _MOST_FILES
    for folder, folders, names in os.walk(directory):
        here = Path(folder)
        if "CMakeCache.txt" in names:
            folders.clear()  # a build
            continue
        folders[:] = sorted(set(folders) - _NOT_SOURCES)
        for name in sorted(names):
            path = (here / name).relative_to(directory).as_posix()
            place = here / name
            if path in known or place.is_symlink() or place.stat().st_size > _MOST_BYTES:
                continue
            left -= 1
            content = look(directory, path).content
            if left < 0 or content is None:
                return
            yield path, content


def _settle_row(
    ledger: Ledger,
    directory: Path,
    row: Merged,
    file: File | None,
    dropped: Mapping[str, Entry],
    base: Mapping[str, bytes],
) -> None:
    """Turns one row of a merge of trees into what happens."""
    if row.fate is Fate.STAYS_DELETED:
        _stays_deleted(ledger, row, file)
    elif row.fate is Fate.REMOVED or file is None:
        _dropped_row(ledger, directory, row)
    elif row.fate is Fate.RENAMED_TWICE:
        source = row.source or row.path
        text = f"was renamed by you from {row.old}, and by epforge to {file.path}"
        if ledger.mode(source, file.path, row.old) is OnConflict.STOP:
            cure = f"Rename yours to {file.path}, or leave it where it is: --ours {source}"
            ledger.conflict(source, ConflictKind.RENAMED_TWICE, text, cure)
            return
        ledger.enter(file)
        disk = look(directory, source)
        old = base.get(row.old or "")
        settle(ledger, replace(file, path=source), disk, old, "", entered=True)
        ledger.actions.pop(file.path, None)
        ledger.note(source, NoteKind.DECIDED, f"{text}: it stays where you have it")
    else:
        ledger.enter(file)
        source = row.source or row.path
        moved = row.path != source
        if file.path in ledger.actions and row.path != file.path:
            ledger.actions.pop(file.path)  # not new: its owner has it elsewhere
        target = file if row.path == file.path else replace(file, path=row.path)
        if row.path != file.path:
            text = f"is your {file.path}; epforge's changes follow it there"
            ledger.note(row.path, NoteKind.MOVED, text)
        settle(
            ledger,
            target,
            look(directory, source),
            base.get(row.old or ""),
            f"was {source}" if moved else "",
            source=source if moved else None,
            entered=True,
        )


def _stays_deleted(ledger: Ledger, row: Merged, file: File | None) -> None:
    if file is None:
        return
    ledger.enter(file)
    ledger.actions.pop(file.path, None)
    _note_deleted(ledger, file, ledger.old.get(row.old or file.path))


def _note_deleted(ledger: Ledger, file: File, entry: Entry | None) -> None:
    digest = sha256(file.content)
    text = "is gone from where epforge wrote it; it is not written again (--restore does)"
    is_new = entry is None or entry.seen != digest
    ledger.note(file.path, NoteKind.STAYS_DELETED, text, new=is_new)
    ledger.entries[file.path] = replace(ledger.entries[file.path], seen=digest)


def _dropped_row(ledger: Ledger, directory: Path, row: Merged) -> None:
    """A shared file that is no longer part of the project."""
    path = row.source or row.path
    disk = look(directory, path)
    if disk.is_absent or path not in ledger.old:
        return
    if row.fate is Fate.REMOVED:
        ledger.remove(path, disk, "no longer part of the project")
        return
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


def settle(
    ledger: Ledger,
    file: File,
    disk: OnDisk,
    base: bytes | None,
    why: str,
    *,
    source: str | None = None,
    entered: bool = False,
) -> None:
    """Merges one file, by its base, and decides what happens where both changed the same lines.

    Args:
        ledger: where to.
        file: what we would write, at the path where the result shall lie.
        disk: what its owner made of it.
        base: what that is based on; None if that is not known.
        why: a short clause.
        source: where the owner's text lies, if not at that path.
        entered: whether the file is in the ledger already, under another path maybe.
    """
    path, content = file.path, disk.content
    assert content is not None
    if not entered:
        ledger.enter(file)
    kind = ActionKind.MOVE if source is not None else ActionKind.MERGE
    if base is None and (source is None or plain_ends(content) != file.content):
        _no_base(ledger, file, disk)
        return
    base = file.content if base is None else base
    if any(map(is_binary, (base, content, file.content))):
        _settle_binary(ledger, file, disk, base, why, source)
        return
    favor = ledger.favor(path, source)
    merged = merge_text(base, content, file.content, favor=favor)
    if not merged.hunks:
        if source is not None or merged.content != content:
            ledger.put(kind, file, disk, why, content=merged.content, source=source)
        if favor is not None:
            _note_decision(ledger, file, content, base, merged.content)
        return
    text = f"you and epforge changed the same lines, in {_places(merged.hunks)}"
    conflict = Conflict(source or path, ConflictKind.CONTENT, text, _CURE, merged.hunks)
    if ledger.mode(path, source) is OnConflict.STOP:
        ledger.conflicts.append(conflict)
        return
    ledger.put(kind, file, disk, "with conflict markers", content=merged.content, source=source)
    ledger.aside[f"yours/{path}"] = content
    ledger.aside[f"base/{path}"] = base
    ledger.aside[f"epforge/{path}"] = file.content
    cure = f"Edit the lines between the markers, then: epforge resolve {path}"
    _leave_open(ledger, replace(conflict, path=path, cure=cure), merged.marker)


def _settle_binary(
    ledger: Ledger, file: File, disk: OnDisk, base: bytes, why: str, source: str | None
) -> None:
    content = disk.content or b""
    if content == base:
        kind = ActionKind.UPDATE if source is None else ActionKind.MOVE
        ledger.put(kind, file, disk, why, content=file.content, source=source)
    elif file.content == base:
        if source is not None:
            ledger.put(ActionKind.MOVE, file, disk, why, content=content, source=source)
    else:
        text = "has no lines to merge, and both you and epforge changed it"
        _against(ledger, file, disk, ConflictKind.BINARY, text)


def _note_decision(ledger: Ledger, file: File, content: bytes, base: bytes, result: bytes) -> None:
    """Says which conflicts a decision has ended: nothing is given up in silence."""
    plain = merge_text(base, content, file.content)
    if plain.hunks:
        is_yours = ledger.mode(file.path) is OnConflict.OURS
        which, lost = ("yours", file.content) if is_yours else ("epforge's", content)
        text = f"you and epforge changed the same lines, in {_places(plain.hunks)}: {which} won"
        diff = unified(lost, result, file.path)
        ledger.note(file.path, NoteKind.DECIDED, f"{text}, as you said", diff)


def _places(hunks: tuple[Hunk, ...]) -> str:
    lines = ", ".join(str(hunk.line) for hunk in hunks)
    return f"line {lines}" if len(hunks) == 1 else f"lines {lines}"
