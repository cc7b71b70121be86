"""The rules of ownership: what becomes of every file. Reads the disk, writes nothing.

* ``generated``: replaced. A file that holds neither our old nor our new text was edited, and one
  that is gone was deleted: both are refused until the owner says `adopt` or `discard`.
* ``shared``: merged with what its owner made of it (`shared`).
* ``yours``: written once. What we would write today is announced, and merged on request.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from epforge.workspace import base as snapshot
from epforge.workspace.base import Base
from epforge.workspace.disk import OnDisk, look, plain_ends
from epforge.workspace.ledger import ASIDE, Ledger, unified
from epforge.workspace.lock import Entry, Lock
from epforge.workspace.merge import is_binary, merge_text
from epforge.workspace.model import File, Owner, sha256
from epforge.workspace.outcome import (
    ActionKind,
    ConflictKind,
    NoteKind,
    Outcome,
    Request,
)
from epforge.workspace.settling import Case, settle
from epforge.workspace.shared import decide_shared

# Where blanks and line breaks mean nothing, a change of them is no edit worth refusing.
_FREE_FORM = {".c", ".cc", ".cmake", ".cu", ".cuh", ".h", ".inc", ".json"}
_REFUSED = (
    "Move the edit to a file of your own, or decide: --adopt keeps the file as you have it and "
    "merges from now on, --discard gives the edit up."
)


def decide(
    directory: Path, files: Mapping[str, File], lock: Lock, old: Lock | None, request: Request
) -> Outcome:
    """What publishing ``files`` to ``directory`` comes to.

    Args:
        directory: the project, or an empty directory.
        files: the whole project by path, without the lock and ``.epforge/``.
        lock: what the lock shall say about tool, blueprint and inputs; its files do not matter.
        old: the lock that is there; None if there is none.
        request: what the owner allows.
    """
    known = old or Lock(lock.tool, lock.blueprint, {})
    ledger = Ledger(request, Base(directory, known), known.files)
    shared: dict[str, File] = {}
    for path, file in files.items():
        entry = known.files.get(path)
        if path in request.edits:
            _edit(ledger, file, look(directory, path))
        elif file.owner is Owner.GENERATED:
            _generated(ledger, file, entry, look(directory, path))
        elif file.owner is Owner.YOURS:
            _yours(ledger, directory, file, look(directory, path))
        else:
            shared[path] = file
    dropped: dict[str, Entry] = {}
    taken = {action.source for action in ledger.actions.values()}
    for path, entry in known.files.items():
        if path in files or path in taken:
            continue
        if entry.owner is Owner.SHARED:
            dropped[path] = entry
        else:
            _dropped(ledger, path, entry, look(directory, path))
    decide_shared(ledger, directory, shared, dropped)
    return _outcome(directory, ledger, lock, old, len(files))


def _outcome(directory: Path, ledger: Ledger, lock: Lock, old: Lock | None, count: int) -> Outcome:
    conflicts = dict(old.conflicts) if old else {}
    conflicts |= ledger.open
    after = Lock(lock.tool, lock.blueprint, ledger.entries, conflicts, lock.inputs)
    records = {
        f"{ASIDE}/{path}": File(f"{ASIDE}/{path}", content, Owner.GENERATED)
        for path, content in ledger.aside.items()
    }
    if not ledger.conflicts:
        records |= _base_records(directory, ledger, after)
    written = sum(1 for each in ledger.actions.values() if each.after is not None)
    return Outcome(
        actions=tuple(ledger.actions[path] for path in sorted(ledger.actions, key=str.encode)),
        conflicts=tuple(sorted(ledger.conflicts, key=lambda each: each.path.encode())),
        notes=tuple(sorted(ledger.notes, key=lambda each: each.path.encode())),
        unchanged=max(0, count - written),
        lock=after,
        records=records,
        forgotten=_forgotten(directory, after),
        created=old is None,
        open=tuple(ledger.marked),
        modes=dict(ledger.modes),
    )


def _base_records(directory: Path, ledger: Ledger, lock: Lock) -> dict[str, File]:
    """The records of the base snapshot that are not on disk as they shall be."""
    texts = dict(ledger.texts)
    for path in lock.files.keys() - texts.keys():
        text = ledger.base.text(path)
        if text is not None:
            texts[path] = text
    for path, entry in lock.files.items():
        if path in texts and sha256(texts[path]) != entry.sha256:
            text = ledger.base.text(path)
            if text is not None:
                texts[path] = text
    found = snapshot.records(texts, lock, packed=not snapshot.is_packed(ledger.base, texts, lock))
    return {
        path: file for path, file in found.items() if look(directory, path).content != file.content
    }


def _forgotten(directory: Path, lock: Lock) -> tuple[str, ...]:
    """Records of shared files that are none any more."""
    root = directory / snapshot.FOLDER
    there = {
        path.relative_to(directory).as_posix()
        for path in (root.rglob("*") if root.is_dir() and not root.is_symlink() else ())
        if path.is_symlink() or not path.is_dir()
    }
    kept = {
        f"{snapshot.FOLDER}/{path}"
        for path, entry in lock.files.items()
        if entry.owner is Owner.SHARED
    }
    return tuple(sorted(there - kept))


def _edit(ledger: Ledger, file: File, disk: OnDisk) -> None:
    ledger.enter(file)
    if disk.is_strange:
        ledger.conflict(
            file.path,
            ConflictKind.IN_THE_WAY,
            "is no regular file, and shall be changed",
            "Make it a regular file.",
        )
    elif disk.is_absent:
        ledger.put(ActionKind.CREATE, file, disk)
    elif disk.content != file.content:
        ledger.put(ActionKind.UPDATE, file, disk, "changed on your behalf", content=file.content)


def _generated(ledger: Ledger, file: File, entry: Entry | None, disk: OnDisk) -> None:
    path, request = file.path, ledger.request
    ledger.enter(file)
    discards = ledger.is_named(request.discard, path)
    if disk.is_strange:
        text = "is no regular file, but epforge writes one here"
        ledger.conflict(path, ConflictKind.IN_THE_WAY, text, "Move it away.")
    elif disk.same(file.content):
        return
    elif entry is None and disk.is_absent:
        ledger.put(ActionKind.CREATE, file, disk)
    elif entry is None:
        if path in request.discard | request.theirs:
            ledger.put(ActionKind.UPDATE, file, disk, "in place of a file of yours")
            diff = unified(disk.content, file.content, path)
            ledger.note(path, NoteKind.DECIDED, "yours was given up, as you said", diff)
            return
        text = "is a file of yours, and epforge now writes one here"
        cure = "Rename yours, or give it up: --theirs " + path
        ledger.conflict(path, ConflictKind.IN_THE_WAY, text, cure)
    elif disk.is_absent:
        if discards or path in request.restore:
            ledger.put(ActionKind.CREATE, file, disk, "written again")
            return
        text = "was deleted by you, and epforge generates it"
        cure = "--discard writes it again, --adopt leaves it out from now on."
        ledger.conflict(path, ConflictKind.DELETED, text, cure)
    elif disk.holds(entry.sha256):
        ledger.put(ActionKind.UPDATE, file, disk)
    else:
        _edited(ledger, file, entry, disk, discards)


def _edited(ledger: Ledger, file: File, entry: Entry, disk: OnDisk, discards: bool) -> None:
    path = file.path
    base = ledger.base.text(path)
    if base is None and sha256(file.content) == entry.sha256:
        base = file.content
    diff = unified(file.content if base is None else base, disk.content, path)
    if base is not None and _only_layout(path, base, disk.content or b""):
        ledger.put(ActionKind.UPDATE, file, disk, "edits of blanks are not kept")
        text = "differed in blanks only; replaced"
        ledger.note(path, NoteKind.LAYOUT, text, diff)
    elif discards:
        ledger.put(ActionKind.UPDATE, file, disk, "your edit is given up")
        ledger.note(path, NoteKind.DECIDED, "your edit was given up, as you said", diff)
    else:
        text = "is generated and was edited"
        ledger.conflict(path, ConflictKind.EDITED, text, _REFUSED, diff=diff)


def _only_layout(path: str, base: bytes, content: bytes) -> bool:
    if PurePosixPath(path).suffix not in _FREE_FORM and not path.endswith("CMakeLists.txt"):
        return False
    return b"".join(base.split()) == b"".join(plain_ends(content).split())


def _yours(ledger: Ledger, directory: Path, file: File, disk: OnDisk) -> None:
    if file.path in ledger.old:
        _known_yours(ledger, file, file.path, disk)
        return
    for old in file.was:
        if old not in ledger.old or ledger.old[old].owner is not Owner.YOURS:
            continue
        there = look(directory, old)
        if there.is_absent:  # deleted, or moved here by its owner already
            _known_yours(ledger, file, old, disk)
            return
        if there.content is not None and disk.is_absent:
            _moved_yours(ledger, file, old, there)
            return
    ledger.enter(file)
    if disk.is_absent:
        ledger.put(ActionKind.CREATE, file, disk)


def _known_yours(ledger: Ledger, file: File, old: str, disk: OnDisk) -> None:
    """A file that was written before, at ``old``."""
    entry = ledger.old[old]
    if disk.same(file.content):
        ledger.enter(file)
    elif disk.is_absent and {file.path, old} & ledger.request.restore:
        ledger.enter(file)
        ledger.put(ActionKind.CREATE, file, disk, "written again")
    elif disk.is_absent:
        text = "is yours and is gone; it is not written again (--restore does)"
        ledger.note_deleted(file, old, text)
    elif entry.owner is not Owner.YOURS and disk.holds(entry.sha256):
        ledger.enter(file)
        ledger.put(ActionKind.UPDATE, file, disk, "yours from now on")
    elif sha256(file.content) == entry.sha256 or disk.is_strange:
        ledger.keep(file, old)
    else:
        _behind(ledger, file, old, disk)


def _moved_yours(ledger: Ledger, file: File, old: str, there: OnDisk) -> None:
    """A file of the owner's that the template set has at another path by now."""
    text, diff, base = f"was {old}; your text is unchanged", "", ledger.base.text(old)
    if there.same(file.content) or _is_taken(base, there.content or b"", file.content):
        ledger.enter(file)  # it has what we would write today
    else:
        ledger.keep(file, old)
    if ledger.entries[file.path].seen:
        text += ", and epforge would write it differently today: --refresh"
        diff = "" if base is None else unified(base, file.content, file.path)
    why = f"from {old}, as it is"
    ledger.put(ActionKind.MOVE, file, there, why, content=there.content, source=old)
    ledger.note(file.path, NoteKind.MOVED, text, diff)


def _behind(ledger: Ledger, file: File, old: str, disk: OnDisk) -> None:
    """Our text of a file that is yours has changed since it was written, at ``old``."""
    path, content, entry = file.path, disk.content or b"", ledger.old[old]
    base = ledger.base_of(old, disk)
    if not disk.holds(entry.sha256) and _is_taken(base, content, file.content):
        ledger.enter(file)
        return
    if ledger.is_named(ledger.request.refresh, path):
        ledger.enter(file)
        settle(ledger, Case(file, disk, base, "refreshed as you asked"))
        return
    ledger.keep(file, old)
    diff = "" if base is None else unified(base, file.content, path)
    text = "epforge would write it differently today; --refresh merges that into yours"
    if disk.holds(entry.sha256):
        text = "epforge would write it differently today; you have not edited it: --refresh"
    ledger.note(path, NoteKind.BEHIND, text, diff, entry.seen != sha256(file.content))


def _is_taken(base: bytes | None, content: bytes, new: bytes) -> bool:
    """Has the owner taken over what changed, so that a merge would change nothing?"""
    if base is None or any(map(is_binary, (base, content, new))):
        return False
    merged = merge_text(base, content, new)
    return not merged.hunks and merged.content == content


def _dropped(ledger: Ledger, path: str, entry: Entry, disk: OnDisk) -> None:
    """A generated file, or one that is yours, is no longer part of the project."""
    request = ledger.request
    if disk.is_absent:
        return
    if entry.owner is Owner.YOURS:
        text = "is not part of the project any more; it stays, as it is yours"
        ledger.note(path, NoteKind.ORPHANED, text)
        return
    base = ledger.base.text(path)
    layout = base is not None and _only_layout(path, base, disk.content or b"")
    text = "is generated, was edited, and is no longer part of the project"
    diff = unified(base, disk.content, path)
    if disk.holds(entry.sha256) or layout:
        ledger.remove(path, disk, "no longer part of the project")
    elif ledger.is_named(request.discard, path) and not disk.is_strange:
        ledger.remove(path, disk, "no longer part of the project, and your edit is given up")
        ledger.note(path, NoteKind.DECIDED, f"{text}: removed, as you said", diff)
    elif disk.is_strange or ledger.is_named(request.adopt, path):
        text = "is not part of the project any more; it stays, and is yours now"
        ledger.note(path, NoteKind.ORPHANED, text)
    else:
        cure = "--adopt leaves it to you, --discard removes it."
        ledger.conflict(path, ConflictKind.EDITED, text, cure, diff=diff)
