"""Bytes <-> lines: byte order mark, line ends and the newline at the end are no part of a merge.

They are the user's: a file they keep with CRLF stays so, and does not conflict in every line.
A file that mixes line ends is the exception: there a line end is part of its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"

Lines = tuple[bytes, ...]


def is_binary(content: bytes) -> bool:
    """Whether ``content`` does not merge by lines: it holds a NUL, or is not UTF-8."""
    if b"\0" in content:
        return True
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


@dataclass(frozen=True)
class Texts:
    """Three texts as lines without their ends, and how to make bytes of lines again."""

    base: Lines
    ours: Lines
    theirs: Lines
    bom: bool
    crlf: bool
    newline: bool  # whether the last line of the result ends with a newline

    def content(self, lines: Sequence[bytes], *, newline: bool | None = None) -> bytes:
        """The bytes of ``lines`` in the user's layout; ``newline`` overrides what was decided."""
        wanted = self.newline if newline is None else newline
        # An empty last line is its newline: without it, it would be gone.
        text = b"\n".join(lines) + (b"\n" if lines and (wanted or not lines[-1]) else b"")
        if self.crlf:
            text = text.replace(b"\n", b"\r\n")
        return (BOM if self.bom else b"") + text


def prepare(base: bytes, ours: bytes, theirs: bytes) -> Texts:
    """Takes three texts apart. The user's line ends and byte order mark are kept.

    Whether the last line ends with a newline is itself merged: who changed it, decides.
    """
    ends = next((found for text in (ours, theirs, base) if (found := _ends(text))), b"\n")
    parts = [_split(text, keep=ends == _MIXED) for text in (base, ours, theirs)]
    (base_lines, was), (our_lines, mine), (their_lines, new) = parts
    return Texts(
        base=base_lines,
        ours=our_lines,
        theirs=their_lines,
        bom=(ours or theirs).startswith(BOM),
        crlf=ends == b"\r\n",
        newline=mine if mine != was else new,
    )


def same_text(one: bytes, other: bytes) -> bool:
    """Whether two contents differ at most in byte order mark and line ends."""
    return one == other or plain(one) == plain(other)


def plain(content: bytes) -> bytes:
    """A text without byte order mark and with LF; what is binary is left alone."""
    if b"\0" in content:
        return content
    return content.removeprefix(BOM).replace(b"\r\n", b"\n")


_MIXED = b"mixed"


def _ends(text: bytes) -> bytes:
    """How the lines of ``text`` end; empty if it has less than one whole line."""
    every, windows = text.count(b"\n"), text.count(b"\r\n")
    if not every:
        return b""
    if windows == 0:
        return b"\n"
    return b"\r\n" if windows == every else _MIXED


def _split(text: bytes, *, keep: bool) -> tuple[Lines, bool]:
    """The lines of ``text``, and whether its last one ends with a newline."""
    text = text.removeprefix(BOM)
    if not keep:
        text = text.replace(b"\r\n", b"\n")
    lines = text.split(b"\n")
    if lines[-1]:
        return tuple(lines), False
    return tuple(lines[:-1]), True
