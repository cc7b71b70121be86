"""What merging deals in: engines, favours, fates and results."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from epforge.errors import MissingError
from epforge.workspace.outcome import Hunk


class Favor(StrEnum):
    """Whose lines are taken where both sides changed the same lines."""

    YOURS = "yours"
    EPFORGE = "epforge"


class Engine(StrEnum):
    """What merges lines."""

    MERGE_TREE = "merge-tree"  # git 2.38 and later: all files in one go
    MERGE_FILE = "merge-file"  # older git: file by file
    PYTHON = "python"  # no git


class Fate(StrEnum):
    """What became of a file."""

    MERGED = "merged"  # clean
    CONTENT = "content"  # a conflict in lines
    STAYS_DELETED = "stays-deleted"  # the user deleted it
    REMOVED = "removed"  # upstream deleted it, and the user had left it alone
    MODIFY_DELETE = "modify-delete"  # a conflict: upstream deleted what the user edited or moved
    ADD_ADD = "add-add"  # a conflict: two texts, and none that both come from
    BINARY = "binary"  # a conflict: both changed what does not merge by lines
    RENAMED_TWICE = "renamed-twice"  # a conflict: both moved it, to different places


class GitError(MissingError):
    """Git fails, hangs or answers nonsense; nothing has changed."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "Set EPFORGE_MERGE=python to merge without git.")


@dataclass(frozen=True)
class TextMerge:
    """A merged text.

    Args:
        content: its bytes, with markers around what is in conflict.
        hunks: the conflicts, top to bottom.
        marker: how long the markers are; 0 if there are none.
    """

    content: bytes
    hunks: tuple[Hunk, ...] = ()
    marker: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing is in conflict."""
        return not self.hunks


@dataclass(frozen=True)
class Merged:
    """What became of one file.

    Args:
        path: where the result lies.
        source: the user's file it was made from; None: there is none.
        new: its path in the new tree of epforge; None: it is not there.
        old: its path in the base; None: it was not there.
        fate: what became of it.
        content: its bytes; None: there shall be no file.
        hunks: the conflicts in its lines.
        marker: how long the conflict markers in ``content`` are; 0 if there are none.
    """

    path: str
    source: str | None
    new: str | None
    old: str | None
    fate: Fate
    content: bytes | None
    hunks: tuple[Hunk, ...] = ()
    marker: int = 0
