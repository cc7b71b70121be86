"""A broken blueprint: a good one, and the edits that break it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

GOOD = Path(__file__).parent / "good"

_MARK = re.compile("[«»]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Place:
    """A stretch of a text: its line and its columns, from 1; the end is behind the stretch."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Broken:
    """A good blueprint with one mistake, or with some.

    Args:
        name: of the case.
        good: the good blueprint's file in `GOOD`, without suffix.
        edits: what is replaced by what. The old text is there exactly once; « and » stand around
            each place where an error has to begin.
        unmendable: why no program may mend it; empty where one has to.
        ends: the line ends of the file.
        head: bytes before the text.
        encoding: of the file.
    """

    name: str
    good: str
    edits: tuple[tuple[str, str], ...]
    unmendable: str = ""
    ends: str = "\n"
    head: bytes = b""
    encoding: str = "utf-8"

    @cached_property
    def good_text(self) -> str:
        """The blueprint before the mistake."""
        return (GOOD / f"{self.good}.yaml").read_text(encoding="utf-8")

    @cached_property
    def _marked(self) -> str:
        text = self.good_text
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(f"{self.name}: {old!r} is in it {text.count(old)} times")
            text = text.replace(old, new)
        return text

    @cached_property
    def text(self) -> str:
        """The broken blueprint, with line ends of one character."""
        return _MARK.sub("", self._marked)

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.head + self.text.replace("\n", self.ends).encode(self.encoding)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where an error has to begin, in the order of the text."""
        found: list[Place] = []
        for number, line in enumerate(self._marked.split("\n"), 1):
            marks = [match.start() - index for index, match in enumerate(_MARK.finditer(line))]
            if len(marks) % 2:
                raise ValueError(f"{self.name}: a mark is missing in line {number}")
            pairs = zip(marks[::2], marks[1::2], strict=True)
            found += [Place(number, start + 1, end + 1) for start, end in pairs]
        return tuple(found)

    @cached_property
    def untouched(self) -> Counter[str]:
        """The words of the good blueprint that no edit touches."""
        text = self.good_text
        for old, _ in self.edits:
            text = text.replace(old, " ")
        return words(text)


def words(text: str) -> Counter[str]:
    """The words of a text, comments included."""
    return Counter(_WORD.findall(text))


def one(
    name: str, good: str, *edits: str, unmendable: str = "", ends: str = "\n", head: bytes = b""
) -> Broken:
    """A broken blueprint; ``edits`` are old and new texts in turn."""
    pairs = tuple(zip(edits[::2], edits[1::2], strict=True))
    return Broken(name, good, pairs, unmendable, ends, head)
