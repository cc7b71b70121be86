"""What the runtime logs about a graph, told from what the library logs and from the usual."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LINE = re.compile(r"^\S+ [\d:.]+ \[[WEF]:onnxruntime:[^,]*, ([^ \]:]+):\d+[^\]]*\] (.*)$")
# Said of every graph in which some node is the CPU's.
_USUAL = ("Some nodes were not assigned", "Rerunning with verbose output")


class Log:
    """The file into which this process's stderr goes."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def mark(self) -> int:
        """Where the log ends now."""
        return self._path.stat().st_size

    def since(self, mark: int) -> list[str]:
        """The lines that were written after ``mark``."""
        with self._path.open("rb") as file:
            file.seek(mark)
            return file.read().decode("utf-8", "replace").splitlines()


def complaints(
    lines: Iterable[str], usual: Iterable[str], of_runtime: Callable[[str], bool]
) -> list[str]:
    """Warnings and errors of the runtime's that a legal graph has no part in.

    Args:
        lines: what was logged with the library in the session.
        usual: what is logged about the same graph without it.
        of_runtime: is that source file one of the runtime's? The others are the library's.
    """
    known = {_shape(text) for _, text in _warnings(usual)}
    return [
        text
        for source, text in _warnings(lines)
        if _shape(text) not in known and not text.startswith(_USUAL) and of_runtime(source)
    ]


def _warnings(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Source file and text of the lines that are warnings or worse."""
    for line in lines:
        found = _LINE.match(_COLOUR.sub("", line))
        if found:
            yield found[1], found[2].strip()


def _shape(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+|\d+", "#", text)


@cache
def in_runtime(source: str) -> bool:
    """Was a source file of that name compiled into this process's runtime?"""
    from onnxruntime.capi import onnxruntime_pybind11_state as runtime

    with (
        Path(runtime.__file__).open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        name = source.encode()
        return any(content.find(slash + name + b"\0") >= 0 for slash in (b"/", b"\\"))
