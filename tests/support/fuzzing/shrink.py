"""A failing text made small: lines, then tokens, then characters are taken out while it fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from fuzzing.judge import Depth, judge

_MOST_TRIES = 600
_TOKEN = re.compile(rb"\w+|[ \t]+|[^\w \t]", re.ASCII)


def shrunk(data: bytes, what: str) -> bytes:
    """The smallest text found that fails in the same way."""
    kind = kind_of(what)
    depth = Depth(twice=kind.startswith("not the same"))
    return smaller(data, lambda text: kind_of(judge(text, depth)[1]) == kind)


def smaller(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """What is left of ``data`` while ``fails`` stays true."""
    if not fails(data):  # it needs more than the text: a folder, a formatter
        return data
    tries = [0]

    def counted(text: bytes) -> bool:
        tries[0] += 1
        return tries[0] <= _MOST_TRIES and fails(text)

    data = _without(data.splitlines(True), counted)
    return _without(_TOKEN.findall(data), counted)


def _without(parts: Sequence[bytes], fails: Callable[[bytes], bool]) -> bytes:
    """Takes out halves, then quarters, ... then single parts."""
    left, size = list(parts), max(len(parts) // 2, 1)
    while size:
        at = 0
        while at < len(left):
            fewer = left[:at] + left[at + size :]
            if fails(b"".join(fewer)):
                left = fewer
            else:
                at += size
        size //= 2
    return b"".join(left)


def kind_of(what: str) -> str:
    """What is wrong, without what differs from one text to the next."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\S*[\[\d]\S*", "", what)[:50]


def as_test(data: bytes, what: str) -> str:
    """A test of the case, ready to be put into a file."""
    return (
        "def test_found_by_fuzzing() -> None:\n"
        f"    # {what[:90]}\n"
        f"    assert judge({data!r}, Depth(twice=True))[1] == ''\n"
    )
