"""Three-way merge of lines without git."""

from __future__ import annotations

from collections.abc import Iterator

from epforge.workspace.merge.diff import matching
from epforge.workspace.merge.layout import Lines, Texts
from epforge.workspace.merge.pieces import Clash, Piece


def diff3(texts: Texts) -> Iterator[Piece]:
    """Merges; edits clash unless a line that neither side touched lies between them."""
    base, ours, theirs = texts.base, texts.ours, texts.theirs
    mine, new = matching(base, ours), matching(base, theirs)
    at = our = their = 0
    for index in range(len(base) + 1):
        if index == len(base):
            next_our, next_their = len(ours), len(theirs)
        elif mine[index] >= 0 and new[index] >= 0:
            next_our, next_their = mine[index], new[index]
        else:
            continue
        yield _settle(base[at:index], ours[our:next_our], theirs[their:next_their])
        yield base[index : index + 1]
        at, our, their = index + 1, next_our + 1, next_their + 1


def two_way(texts: Texts) -> Iterator[Piece]:
    """Compares two texts that come from none: all in which they differ clashes."""
    ours, theirs = texts.ours, texts.theirs
    our = their = 0
    for index, match in enumerate([*matching(ours, theirs), len(theirs)]):
        if match < 0:
            continue
        if our < index or their < match:
            yield Clash(ours[our:index], (), theirs[their:match])
        yield ours[index : index + 1]
        our, their = index + 1, match + 1


def _settle(base: Lines, ours: Lines, theirs: Lines) -> Piece:
    """What becomes of a stretch that at least one side changed."""
    if theirs in (base, ours):
        return ours
    return theirs if ours == base else Clash(ours, base, theirs)
