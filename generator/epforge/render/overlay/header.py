"""A header: a text, such as a licence's, that stands below the banner of every file."""

from __future__ import annotations

import re

from epforge.literals import printable
from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.find import Found

_MAX_LINES = 200
#: What would end a comment, go on in the next line, or mean something to a tool.
_TROUBLE = {
    r"\*/": "it ends a comment in C++",
    r"-->|--!>": "it ends a comment in Markdown",
    r"\\\s*$": "a backslash at the end of a line continues a comment in C++",
    r"\?\?/\s*$": "it is a backslash to some compilers, which continues a comment",
    r"<%|%>": "it is a mark of epforge's templates",
    r"coding[:=]\s*[-\w.]": "Python takes it for the encoding of the file",
    r"^\s*///": "installers of Python scripts read a block that begins so",
    r"clang-format\s+(off|on)": "it is a command to clang-format",
}


def read_header(found: Found) -> tuple[str, ...]:
    """The lines of a header.

    Raises:
        OverlayError: it is not plain text that can stand in a comment of every language.
    """
    ((name, item),) = found.files.items()
    try:
        text = item.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = item.content[: error.start].count(b"\n") + 1
        raise OverlayError(found.overlay, f"{name}:{line}: it is not UTF-8") from error
    lines = text.replace("\r\n", "\n").split("\n")
    if not text.strip():
        raise OverlayError(found.overlay, f"{name} is empty")
    if len(lines) > _MAX_LINES:
        raise OverlayError(found.overlay, f"{name} has more than {_MAX_LINES} lines")
    for number, row in enumerate(lines, 1):
        why = _trouble(row)
        if why:
            what = f"{name}:{number}: the line cannot stand in a comment of every file: {why}"
            raise OverlayError(found.overlay, what)
    return tuple("\n".join(row.rstrip() for row in lines).strip("\n").split("\n"))


def _trouble(line: str) -> str:
    for character in line:
        if not printable(character):
            return f"it has {character!a}, a character that cannot be seen"
    return next((why for mark, why in _TROUBLE.items() if re.search(mark, line)), "")
