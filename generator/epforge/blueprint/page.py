"""The lines of a text that is edited, and changes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.text import SourceText

_END = re.compile(r"\r\n|\n|\r")
_BLANK = re.compile(r"(\r\n|\n|\r(?!\n))[ \t]*(\r\n|\n|\r)")
_COMMENT = re.compile(r"(?:^|[ \t])#.*")


@dataclass(frozen=True)
class Change:
    """Put ``text`` in place of what is between two offsets."""

    start: int
    end: int
    text: str


def insertion(place: int, text: str) -> Change:
    """A change that adds ``text`` at an offset."""
    return Change(place, place, text)


class Page:
    """A text with its lines; places are offsets in characters.

    Args:
        text: the text, without a byte order mark.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        ends = [match.end() for match in _END.finditer(text)]
        self._starts = [0, *ends]
        first = _END.search(text)
        self.end_of_lines = first.group() if first else "\n"

    def line_start(self, place: int) -> int:
        """Where the line begins that ``place`` is in."""
        return max(start for start in self._starts if start <= place)

    def line_end(self, place: int) -> int:
        """Where the line ends that ``place`` is in; its line end comes after that."""
        match = _END.search(self.text, place)
        return match.start() if match else len(self.text)

    def column(self, place: int) -> int:
        """Characters before ``place`` in its line."""
        return place - self.line_start(place)

    def before(self, place: int) -> str:
        """What is before ``place`` in its line."""
        return self.text[self.line_start(place) : place]

    def rest(self, place: int) -> str:
        """What is behind ``place`` in its line."""
        return self.text[place : self.line_end(place)]

    def indent(self, place: int) -> str:
        """Blanks that begin a line at the column of ``place``."""
        before = self.before(place)
        return before if not before.strip() else " " * len(before)

    def width(self, place: int) -> int:
        """Columns of the line that ``place`` is in, without a comment behind ``place``."""
        return self.column(place) + len(_COMMENT.sub("", self.rest(place)).rstrip())

    def has_blank_line(self, start: int, end: int) -> bool:
        """Is there an empty line between two places?"""
        return _BLANK.search(self.text, start, end) is not None

    def significant(self, place: int) -> int:
        """The first place from ``place`` on that is neither blank nor in a comment."""
        while place < len(self.text):
            char = self.text[place]
            if char == "#":
                place = self.line_end(place)
            elif char in " \t\r\n":
                place += 1
            else:
                break
        return place

    def block_end(self, place: int, column: int) -> int:
        """The end of the line in which a block ends at ``place``, behind comments of its own:
        those on the next lines that are indented beyond ``column``."""
        end = self.line_end(place)
        while end < len(self.text):
            match = _END.match(self.text, end)
            following = match.end() if match else len(self.text)
            line = self.rest(following)
            depth = len(line) - len(line.lstrip(" \t"))
            if not line.lstrip(" \t").startswith("#") or depth <= column:
                break
            end = self.line_end(following)
        return end

    def changed(self, changes: Iterable[Change]) -> str:
        """The text with changes that do not overlap; those at one place in their order."""
        parts, done = [], 0
        for change in sorted(changes, key=lambda change: change.start):
            parts += [self.text[done : change.start], change.text]
            done = change.end
        return "".join([*parts, self.text[done:]])


def as_fix(source: SourceText, changes: Sequence[Change]) -> Fix | None:
    """Changes that do not overlap as one; None if there are none."""
    if not changes:
        return None
    start = min(change.start for change in changes)
    end = max(change.end for change in changes)
    within = [replace(c, start=c.start - start, end=c.end - start) for c in changes]
    return Fix(source.span(start, end), Page(source.text[start:end]).changed(within))
