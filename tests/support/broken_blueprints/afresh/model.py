"""A blueprint with a mistake, and the one that was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_PART = re.compile("⟪(?P<wrong>[^→]*)→(?P<right>[^⟫]*)⟫|(?P<mark>¦)|(?P<same>[^⟪¦]+)")


@dataclass(frozen=True)
class Spot:
    """A stretch of a line, from 1; ``last`` is its last column."""

    line: int
    first: int
    last: int


@dataclass(frozen=True)
class Mistake:
    """A blueprint with a mistake.

    Args:
        name: of the case.
        marked: the blueprint, with marks.
        unmendable: why no program may mend it; empty where one has to.
    """

    name: str
    marked: str
    unmendable: str

    @cached_property
    def text(self) -> str:
        """The broken blueprint."""
        return "".join(wrong for wrong, _, _ in self._parts).replace("¦", "")

    @cached_property
    def meant(self) -> str:
        """The blueprint that was meant; the broken one where only the author knows."""
        return "".join(right for _, right, _ in self._parts).replace("¦", "")

    @cached_property
    def wrong_lines(self) -> frozenset[int]:
        """The lines that are wrong, or that bear a mark."""
        marked = frozenset(spot.line for spot in self.spots)
        return marked | {line for line, last, _ in self._wrong for line in range(line, last + 1)}

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """Where an error has to begin; see `any_spot`."""
        places = [self._place(offset) for offset in self._marks]
        if not places:
            return tuple(spot for _, _, spot in self._wrong)
        lines = dict.fromkeys(line for line, _ in places)
        columns = {line: [column for at, column in places if at == line] for line in lines}
        return tuple(Spot(line, min(columns[line]), max(columns[line])) for line in lines)

    @property
    def any_spot(self) -> bool:
        """Is one error at any of the spots enough?"""
        return bool(self._marks)

    @cached_property
    def _parts(self) -> tuple[tuple[str, str, bool], ...]:
        """What is there, what was meant, and whether they are marked as different."""
        return tuple(self._read_parts())

    def _read_parts(self) -> Iterator[tuple[str, str, bool]]:
        for match in _PART.finditer(self.marked):
            if match["wrong"] is not None:
                yield match["wrong"], match["right"], True
            elif match["mark"]:
                yield "¦", "", False
            else:
                yield match["same"], match["same"], False

    @cached_property
    def _marks(self) -> tuple[int, ...]:
        text = "".join(wrong for wrong, _, _ in self._parts)
        found = (match.start() for match in re.finditer("¦", text))
        return tuple(offset - index for index, offset in enumerate(found))

    @cached_property
    def _wrong(self) -> tuple[tuple[int, int, Spot], ...]:
        """The first and the last line of everything wrong, and the stretch in the first."""
        found, offset = [], 0
        for wrong, _, differs in self._parts:
            bare = wrong.replace("¦", "")
            if differs and bare:
                line, column = self._place(offset)
                last, _ = self._place(offset + len(bare.removesuffix("\n")))
                width = len(bare.split("\n")[0])
                found.append((line, last, Spot(line, column, column + max(width - 1, 0))))
            offset += len(bare)
        return tuple(found)

    def _place(self, offset: int) -> tuple[int, int]:
        before = self.text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def read_mistakes(text: str) -> Iterator[Mistake]:
    """The mistakes of a file."""
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, marked = block.partition("\n")
        name, _, unmendable = head.partition(" | ")
        yield Mistake(name, marked, unmendable)
