"""Three-way merges of texts and trees. No line of the user is lost without a word."""

from __future__ import annotations

from epforge.workspace.merge.layout import is_binary
from epforge.workspace.merge.model import (
    Engine,
    Fate,
    Favor,
    GitError,
    Merged,
    TextMerge,
)
from epforge.workspace.merge.pieces import choose, open_markers
from epforge.workspace.merge.renames import moves
from epforge.workspace.merge.text import best_engine, merge_text
from epforge.workspace.merge.trees import merge_trees

__all__ = [
    "Engine",
    "Fate",
    "Favor",
    "GitError",
    "Merged",
    "TextMerge",
    "best_engine",
    "choose",
    "is_binary",
    "merge_text",
    "merge_trees",
    "moves",
    "open_markers",
]
