"""What `decide` writes its findings into: one place for actions, conflicts, notes and entries."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from epforge.workspace.base import Base
from epforge.workspace.disk import OnDisk, in_the_ends_of
from epforge.workspace.lock import Entry, OpenConflict
from epforge.workspace.merge import Favor
from epforge.workspace.model import File, sha256
from epforge.workspace.outcome import (
    ALL,
    Action,
    ActionKind,
    Conflict,
    ConflictKind,
    Hunk,
    Note,
    NoteKind,
    OnConflict,
    Request,
)

ASIDE = ".epforge/conflicts"


@dataclass
class Ledger:
    """Collects what happens to the files of one project.

    Args:
        request: what the owner allows.
        base: the texts that the files are based on.
        old: the lock's entries so far.
    """

    request: Request
    base: Base
    old: Mapping[str, Entry]
    actions: dict[str, Action] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    modes: dict[str, bool] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    open: dict[str, OpenConflict] = field(default_factory=dict)
    marked: list[Conflict] = field(default_factory=list)
    aside: dict[str, bytes] = field(default_factory=dict)

    def enter(self, file: File, based_on: bytes | None = None) -> None:
        """The file is part of the project, based on ``based_on``: by default on our new text."""
        text = file.content if based_on is None else based_on
        self.texts[file.path] = text
        self.entries[file.path] = Entry.of(file, text)

    def base_of(self, path: str, disk: OnDisk) -> bytes | None:
        """What the file at ``path`` is based on; None if that is not known."""
        text = self.base.text(path)
        return disk.text_of(self.old[path].sha256) if text is None else text

    def keep(self, file: File, old: str) -> None:
        """The file is part of the project, and stays based on what the one at ``old`` is."""
        entry, text, newest = self.old[old], self.base.text(old), sha256(file.content)
        self.texts[file.path] = file.content if text is None else text
        seen = newest if newest != entry.sha256 else ""
        self.entries[file.path] = replace(Entry.of(file), sha256=entry.sha256, seen=seen)

    def note_deleted(self, file: File, old: str, text: str) -> None:
        """The file is not there, and stays away; said once for each text of ours.

        It stays based on what it is based on: it may come back as it was.
        """
        is_new = self.old[old].seen != sha256(file.content)
        self.keep(file, old)
        self.note(file.path, NoteKind.STAYS_DELETED, text, new=is_new)
        self.saw(file)

    def saw(self, file: File) -> None:
        """The owner knows that this text of ours is not where it would be."""
        entry = self.entries[file.path]
        self.entries[file.path] = replace(entry, seen=sha256(file.content))

    def put(
        self,
        kind: ActionKind,
        file: File,
        disk: OnDisk,
        why: str = "",
        *,
        content: bytes | None = None,
        path: str | None = None,
        source: str | None = None,
    ) -> None:
        """The file gets ``content``: by default our new text in the owner's line ends."""
        place = file.path if path is None else path
        after = in_the_ends_of(disk.content, file.content) if content is None else content
        self.actions[place] = Action(place, kind, disk.content, after, why, source)
        self.modes[place] = file.executable or disk.executable

    def remove(self, path: str, disk: OnDisk, why: str) -> None:
        """The file goes."""
        self.actions[path] = Action(path, ActionKind.REMOVE, disk.content, None, why)

    def note(self, path: str, kind: NoteKind, text: str, diff: str = "", new: bool = True) -> None:
        """Something to announce."""
        self.notes.append(Note(path, kind, text, diff, new))

    def conflict(
        self,
        path: str,
        kind: ConflictKind,
        text: str,
        cure: str,
        *,
        hunks: tuple[Hunk, ...] = (),
        diff: str = "",
    ) -> None:
        """The owner has to decide first."""
        self.conflicts.append(Conflict(path, kind, text, cure, hunks, diff))

    def mode(self, *paths: str | None) -> OnConflict:
        """How a conflict in the file with these names is decided."""
        named = {path for path in paths if path is not None}
        if named & self.request.ours:
            return OnConflict.OURS
        if named & self.request.theirs:
            return OnConflict.THEIRS
        return self.request.on_conflict

    def favor(self, *paths: str | None) -> Favor | None:
        """The side that wins in lines that both changed; None: neither."""
        sides = {OnConflict.OURS: Favor.YOURS, OnConflict.THEIRS: Favor.EPFORGE}
        return sides.get(self.mode(*paths))

    def is_named(self, among: frozenset[str], path: str) -> bool:
        """Is the path one of these, or are they all?"""
        return path in among or ALL in among


def unified(before: bytes | None, after: bytes | None, path: str) -> str:
    """A unified diff; empty where one side is no text."""
    try:
        old, new = (
            (content or b"").decode("utf-8-sig").splitlines() for content in (before, after)
        )
    except UnicodeDecodeError:
        return ""
    rows = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")
    return "".join(f"{row}\n" for row in rows)
