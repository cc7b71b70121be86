"""Settling one file: its owner's text with what we would write, and who wins where they clash."""

from __future__ import annotations

from dataclasses import dataclass, replace

from epforge.workspace.disk import OnDisk
from epforge.workspace.ledger import ASIDE, Ledger, unified
from epforge.workspace.lock import OpenConflict
from epforge.workspace.merge import is_binary, merge_text
from epforge.workspace.model import File
from epforge.workspace.outcome import ActionKind, Conflict, ConflictKind, Hunk, NoteKind, OnConflict

_CURE = "Decide with --ours, --theirs or --on-conflict markers, or edit the file."


@dataclass(frozen=True)
class Case:
    """A file to settle.

    Args:
        file: what we would write, at the path where the result shall lie.
        disk: what its owner made of it.
        base: what that is based on; None if that is not known.
        why: a short clause.
        source: where the owner's text lies, if not at that path.
        known_as: its path in the project, where its owner has it elsewhere.
    """

    file: File
    disk: OnDisk
    base: bytes | None = None
    why: str = ""
    source: str | None = None
    known_as: str | None = None

    @property
    def path(self) -> str:
        """Where the result shall lie."""
        return self.file.path

    @property
    def names(self) -> tuple[str | None, ...]:
        """What its owner may call it in a decision."""
        return (self.path, self.source, self.known_as)

    @property
    def content(self) -> bytes:
        """The owner's text."""
        assert self.disk.content is not None
        return self.disk.content

    def write(self, ledger: Ledger, kind: ActionKind, why: str, content: bytes | None) -> None:
        """The file gets ``content``, by default our new text; it is moved if it lies elsewhere."""
        kind = kind if self.source is None else ActionKind.MOVE
        ledger.put(kind, self.file, self.disk, why, content=content, source=self.source)

    def stay(self, ledger: Ledger) -> None:
        """The owner's text stays as it is, at the path where the result shall lie."""
        if self.source is not None:
            self.write(ledger, ActionKind.MOVE, self.why, self.content)


def settle(ledger: Ledger, case: Case) -> None:
    """Merges one file, by its base, and decides what happens where both changed the same lines.

    Args:
        ledger: where to; the file is entered there already.
        case: the file.
    """
    content, new = case.content, case.file.content
    if case.disk.same(new):
        case.stay(ledger)
        return
    if case.base is None:
        text = "was edited, and epforge's record of what it was is missing or damaged"
        against(ledger, case, ConflictKind.NO_BASE, text)
        return
    if any(map(is_binary, (case.base, content, new))):
        _settle_binary(ledger, case)
        return
    favor = ledger.favor(*case.names)
    merged = merge_text(case.base, content, new, favor=favor)
    if not merged.hunks:
        if case.source is not None or merged.content != content:
            case.write(ledger, ActionKind.MERGE, case.why, merged.content)
        if favor is not None:
            _note_decision(ledger, case, merged.content)
        return
    text = f"you and epforge changed the same lines, in {_places(merged.hunks)}"
    conflict = Conflict(case.source or case.path, ConflictKind.CONTENT, text, _CURE, merged.hunks)
    if ledger.mode(*case.names) is OnConflict.STOP:
        ledger.conflicts.append(conflict)
        return
    case.write(ledger, ActionKind.MERGE, "with conflict markers", merged.content)
    ledger.aside[f"yours/{case.path}"] = content
    ledger.aside[f"base/{case.path}"] = case.base
    ledger.aside[f"epforge/{case.path}"] = new
    cure = f"Edit the lines between the markers, then: epforge resolve {case.path}"
    _leave_open(ledger, replace(conflict, path=case.path, cure=cure), merged.marker)


def against(ledger: Ledger, case: Case, kind: ConflictKind, text: str) -> None:
    """One whole file against another: there is nothing to merge by."""
    path, mode = case.path, ledger.mode(*case.names)
    diff = unified(case.content, case.file.content, path)
    if mode is OnConflict.STOP:
        ledger.conflict(case.source or path, kind, text, _CURE, diff=diff)
    elif mode is OnConflict.THEIRS:
        case.write(ledger, ActionKind.UPDATE, "epforge's, as you said", None)
        ledger.note(path, NoteKind.DECIDED, f"{text}: yours was given up, as you said", diff)
    elif mode is OnConflict.OURS:
        case.stay(ledger)
        ledger.note(path, NoteKind.DECIDED, f"{text}: yours stays, as you said", diff)
    else:
        case.stay(ledger)
        ledger.aside[f"epforge/{path}"] = case.file.content
        _leave_open(ledger, Conflict(path, kind, text, _open_cure(path), diff=diff), 0)


def _open_cure(path: str) -> str:
    return (
        f"{ASIDE}/epforge/{path} is epforge's. Make {path} what you want, then: "
        f"epforge resolve {path}"
    )


def _leave_open(ledger: Ledger, conflict: Conflict, marker: int) -> None:
    ledger.marked.append(conflict)
    ledger.open[conflict.path] = OpenConflict(conflict.kind.value, marker)


def _settle_binary(ledger: Ledger, case: Case) -> None:
    if case.content == case.base:
        case.write(ledger, ActionKind.UPDATE, case.why, None)
    elif case.file.content == case.base:
        case.stay(ledger)
    else:
        text = "has no lines to merge, and both you and epforge changed it"
        against(ledger, case, ConflictKind.BINARY, text)


def _note_decision(ledger: Ledger, case: Case, result: bytes) -> None:
    """Says which conflicts a decision has ended: nothing is given up in silence."""
    new = case.file.content
    plain = merge_text(case.base or b"", case.content, new)
    if plain.hunks:
        is_yours = ledger.mode(*case.names) is OnConflict.OURS
        which, lost = ("yours", new) if is_yours else ("epforge's", case.content)
        text = f"you and epforge changed the same lines, in {_places(plain.hunks)}: {which} won"
        diff = unified(lost, result, case.path)
        ledger.note(case.path, NoteKind.DECIDED, f"{text}, as you said", diff)


def _places(hunks: tuple[Hunk, ...]) -> str:
    lines = ", ".join(str(hunk.line) for hunk in hunks)
    return f"line {lines}" if len(hunks) == 1 else f"lines {lines}"
