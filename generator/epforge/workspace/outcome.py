"""What a change of a project would do, decided and not yet done: actions, conflicts, notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from epforge.workspace.lock import Lock
from epforge.workspace.model import File

#: In place of paths: every path that it can apply to.
ALL = "all"


class OnConflict(StrEnum):
    """What to do where the owner's lines and ours cannot both be had."""

    STOP = "stop"  # write nothing, show the conflicts
    MARKERS = "markers"  # write both with markers; `resolve` ends the conflict
    OURS = "ours"  # the owner's lines stay
    THEIRS = "theirs"  # epforge's lines win


@dataclass(frozen=True)
class Request:
    """What the owner allows beyond what is safe. Paths are relative to the project.

    Args:
        on_conflict: for every conflict that no path below decides.
        ours: conflicts in these files are decided for the owner.
        theirs: conflicts in these files are decided for epforge.
        adopt: edited generated files that become shared; `ALL` for all of them.
        discard: edited generated files whose edits are given up; `ALL` for all of them.
        refresh: files of the owner to merge with what epforge would write today.
        restore: files that were deleted and shall be there again.
        edits: files of the owner that this command changes on the owner's behalf.
    """

    on_conflict: OnConflict = OnConflict.STOP
    ours: frozenset[str] = frozenset()
    theirs: frozenset[str] = frozenset()
    adopt: frozenset[str] = frozenset()
    discard: frozenset[str] = frozenset()
    refresh: frozenset[str] = frozenset()
    restore: frozenset[str] = frozenset()
    edits: frozenset[str] = frozenset()

    @property
    def named(self) -> frozenset[str]:
        """Every path that is named, without `ALL`."""
        every = self.ours | self.theirs | self.adopt | self.discard | self.refresh | self.restore
        return every - {ALL}


class ActionKind(StrEnum):
    """What happens to a file."""

    CREATE = "create"
    UPDATE = "update"  # epforge's text for epforge's text
    MERGE = "merge"  # the owner's lines and epforge's
    MOVE = "move"  # from `Action.source`, its text may be merged as well
    REMOVE = "remove"


@dataclass(frozen=True)
class Action:
    """One change of one file of the project; epforge's own records are not among them.

    Args:
        path: where the file is afterwards, or was before it is removed.
        kind: what happens to it.
        before: its bytes on disk, those of `source` if there is one; None if it is not there.
        after: its bytes afterwards; None if it is removed.
        why: a short clause.
        source: for `ActionKind.MOVE`: where it was.
    """

    path: str
    kind: ActionKind
    before: bytes | None
    after: bytes | None
    why: str = ""
    source: str | None = None


class ConflictKind(StrEnum):
    """Why a file cannot be had as both the owner and epforge want it."""

    CONTENT = "content"  # both changed the same lines
    EDITED = "edited"  # a generated file was edited
    DELETED = "deleted"  # a generated file was deleted by the owner
    DROPPED = "dropped"  # the owner edited a file that epforge no longer writes
    NO_BASE = "no-base"  # what the owner's text is based on is not known
    BINARY = "binary"  # both changed a file that has no lines
    RENAMED_TWICE = "renamed-twice"  # both renamed it, differently
    IN_THE_WAY = "in-the-way"  # a file of the owner's lies where a new one shall go


@dataclass(frozen=True)
class Hunk:
    """Lines that both changed.

    Args:
        line: 1-based line in the owner's file where they begin; one past the last line at its end.
        yours: the owner's lines.
        base: what both started from.
        epforge: epforge's lines.
    """

    line: int
    yours: tuple[str, ...]
    base: tuple[str, ...]
    epforge: tuple[str, ...]


@dataclass(frozen=True)
class Conflict:
    """A file that needs the owner's decision.

    Args:
        path: the owner's file.
        kind: what is wrong.
        text: one line: what the owner did, what epforge would do.
        cure: how to decide.
        hunks: for `ConflictKind.CONTENT`: the lines.
        diff: for edited files: the owner's edit, as a unified diff.
    """

    path: str
    kind: ConflictKind
    text: str
    cure: str
    hunks: tuple[Hunk, ...] = ()
    diff: str = ""


class NoteKind(StrEnum):
    """What the owner should know although nothing has to be decided."""

    BEHIND = "behind"  # epforge's text of a file that is yours has changed since it was written
    STAYS_DELETED = "stays-deleted"
    ORPHANED = "orphaned"  # no longer part of the project; the file stays
    LAYOUT = "layout"  # edits of blanks in a generated file were not kept
    MOVED = "moved"
    DECIDED = "decided"  # a conflict that the request has decided
    NO_BASE = "no-base"  # epforge's record of its own text is missing or damaged


@dataclass(frozen=True)
class Note:
    """Something to announce. ``diff`` is the text to paste, as a unified diff, where there is one.

    ``is_new`` is false when an earlier command has said so already.
    """

    path: str
    kind: NoteKind
    text: str
    diff: str = ""
    is_new: bool = True


@dataclass(frozen=True)
class Outcome:
    """What a change of a project comes to.

    Args:
        actions: changes of files, sorted by path.
        conflicts: what the owner has to decide first, sorted by path.
        notes: what the owner should know, sorted by path.
        unchanged: the number of files that stay as they are.
        records: epforge's own files below ``.epforge/`` to write.
        forgotten: epforge's own files to remove.
        lock: the lock afterwards.
        created: whether there was no project before.
        open: conflicts that are in the files afterwards, marked.
        modes: whether a file that is written has the x bits.
    """

    actions: tuple[Action, ...]
    conflicts: tuple[Conflict, ...]
    notes: tuple[Note, ...]
    unchanged: int
    lock: Lock
    records: Mapping[str, File] = field(default_factory=dict)
    forgotten: tuple[str, ...] = ()
    created: bool = False
    open: tuple[Conflict, ...] = ()
    modes: Mapping[str, bool] = field(default_factory=dict)

    @property
    def is_blocked(self) -> bool:
        """Must the owner decide before anything is written?"""
        return bool(self.conflicts)

    def paths(self, *kinds: ActionKind) -> tuple[str, ...]:
        """The paths of the actions of these kinds; of all actions without any."""
        return tuple(each.path for each in self.actions if not kinds or each.kind in kinds)
