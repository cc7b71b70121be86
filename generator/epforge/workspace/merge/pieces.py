"""A merged text in pieces: lines that are settled, and clashes. Markers are made and read here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from epforge.workspace.merge.diff import matching
from epforge.workspace.merge.layout import BOM, Lines, Texts
from epforge.workspace.merge.model import Favor, TextMerge
from epforge.workspace.outcome import Hunk

YOURS, BASE, EPFORGE = "yours", "base", "epforge"
_SHORTEST = 7
_LIKE_A_MARKER = re.compile(rb"([<|=>])\1{6,}(?=[ \t\r]|$)")
_LABELLED = re.compile(rb"(?:(<{7,}) yours|(\|{7,}) base|(>{7,}) epforge)\r?")
_SEPARATOR = re.compile(rb"={7,}\r?")


@dataclass(frozen=True)
class Clash:
    """Lines that both sides changed, each in its way."""

    yours: Lines
    base: Lines
    epforge: Lines


Piece = Lines | Clash


def marker_length(texts: Texts) -> int:
    """How long markers must be, so that no line of the texts is mistaken for one."""
    lines = (line for side in (texts.base, texts.ours, texts.theirs) for line in side)
    lengths = (len(found[0].rstrip()) for line in lines if (found := _LIKE_A_MARKER.match(line)))
    return max(lengths, default=_SHORTEST - 1) + 1


def open_markers(content: bytes, size: int = 0) -> tuple[int, ...]:
    """The numbers of the lines of ``content`` that are conflict markers of epforge, from 1 on.

    A marker is known by its label, so a text about git is not mistaken for a conflict. A separator
    has none: it counts if a labelled marker of its length is there. ``size`` is how long the
    markers are, if that is known: a text about epforge is then not mistaken either.
    """
    if _LABELLED.search(content) is None:
        return ()
    lines = content.removeprefix(BOM).split(b"\n")
    labelled: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        if found := _LABELLED.fullmatch(line):
            length = len(found[found.lastindex or 0])
            if size in (0, length):
                labelled[number] = length
    separators = {
        number
        for number, line in enumerate(lines, 1)
        if _SEPARATOR.fullmatch(line) and len(line.rstrip(b"\r")) in labelled.values()
    }
    return tuple(sorted(labelled.keys() | separators))


def choose(content: bytes, size: int, favor: Favor) -> bytes:
    """A marked text as its owner has it by now, with every clash in it as one side has it.

    Raises ValueError if its markers are damaged.
    """
    text = content.removeprefix(BOM)
    end = b"" if text.endswith(b"\n") else b"\n"
    lines = [line for piece in _settled(parse(text + end, size), favor) for line in _plain(piece)]
    chosen = b"".join(line + b"\n" for line in lines)
    return content[: len(content) - len(text)] + (chosen[:-1] if end else chosen)


def _plain(piece: Piece) -> Lines:
    if isinstance(piece, Clash):
        raise ValueError("a conflict is not settled")
    return piece


def parse(output: bytes, size: int) -> Iterator[Piece]:
    """The pieces of a text with markers of ``size`` and any labels, as git writes it.

    Raises ValueError if it is no such text.
    """
    mark = re.compile(rb"([<|=>])\1{%d}(?: .*)?\r?" % (size - 1), re.DOTALL)
    parts: list[list[bytes]] = [[]]
    lines = output.split(b"\n")
    if lines.pop():
        raise ValueError("it ends within a line")
    for line in lines:
        found = mark.fullmatch(line)
        if found is None:
            parts[-1].append(line)
            continue
        if b"<|=>".index(found[1]) != len(parts) - 1:
            raise ValueError("its markers are out of order")
        parts.append([])
        if len(parts) == 5:
            settled, yours, base, epforge, _ = (tuple(part) for part in parts)
            yield settled
            yield Clash(yours, base, epforge)
            parts = [[]]
    if len(parts) != 1:
        raise ValueError("a conflict does not end")
    yield tuple(parts[0])


def assemble(texts: Texts, pieces: Iterable[Piece], favor: Favor | None) -> TextMerge:
    """Makes the merged text: settles clashes by ``favor``, writes markers around the others."""
    pieces = list(_settled(_trimmed(pieces), favor))
    clashes = [piece for piece in pieces if isinstance(piece, Clash)]
    if not clashes:
        lines = [line for piece in pieces if not isinstance(piece, Clash) for line in piece]
        return TextMerge(texts.content(lines))
    size = marker_length(texts)
    lines = []
    for piece in pieces:
        lines += _marked(piece, size) if isinstance(piece, Clash) else piece
    newline = texts.newline or isinstance(pieces[-1], Clash)
    hunks = tuple(
        Hunk(line, *(tuple(map(bytes.decode, side)) for side in (c.yours, c.base, c.epforge)))
        for c, line in zip(clashes, _places(texts.ours, pieces), strict=True)
    )
    return TextMerge(texts.content(lines, newline=newline), hunks, size)


def _marked(clash: Clash, size: int) -> Iterator[bytes]:
    yield b"<" * size + b" yours"
    yield from clash.yours
    yield b"|" * size + b" base"
    yield from clash.base
    yield b"=" * size
    yield from clash.epforge
    yield b">" * size + b" epforge"


def _trimmed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Takes out of the clashes what both sides begin and end with alike (git's zdiff3)."""
    for piece in pieces:
        if not isinstance(piece, Clash):
            yield piece
            continue
        yours, epforge = piece.yours, piece.epforge
        shorter = min(len(yours), len(epforge))
        head = 0
        while head < shorter and yours[head] == epforge[head]:
            head += 1
        tail = 0
        while tail < shorter - head and yours[-1 - tail] == epforge[-1 - tail]:
            tail += 1
        yield yours[:head]
        rest = Clash(
            yours[head : len(yours) - tail], piece.base, epforge[head : len(epforge) - tail]
        )
        if rest.yours or rest.epforge:
            yield rest
        yield yours[len(yours) - tail :]


def _settled(pieces: Iterable[Piece], favor: Favor | None) -> Iterator[Piece]:
    """Without empty pieces, and without clashes if a side is favoured."""
    for piece in pieces:
        if isinstance(piece, Clash) and favor is not None:
            piece = piece.yours if favor is Favor.YOURS else piece.epforge
        if piece:
            yield piece


def _places(ours: Lines, pieces: Sequence[Piece]) -> Iterator[int]:
    """The line of the user's file at which each clash begins."""
    lines: list[bytes] = []
    starts = []
    for piece in pieces:
        if isinstance(piece, Clash):
            starts.append((len(lines), piece))
            lines += piece.yours
        else:
            lines += piece
    match = matching(lines, ours)
    for start, clash in starts:
        place = match[start] if clash.yours else -1
        while place < 0 and start > 0:
            start -= 1
            place = match[start] + 1 if match[start] >= 0 else -1
        yield max(place, 0) + 1
