"""Fixes of ``epforge check --json``, applied as an editor would: by what its JSON says alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_END = re.compile(r"\r\n|\n|\r")
_MARK = "\ufeff"


def apply_fixes(data: bytes, diagnostics: Iterable[Mapping[str, Any]]) -> bytes:
    """A file with the fixes of all diagnostics made.

    Args:
        data: the file, UTF-8.
        diagnostics: those of the JSON. Lines and columns count from 1; columns are characters, and
            a byte order mark is none.

    Raises:
        ValueError: two fixes overlap, or a range is not in the text.
    """
    text = data.decode()
    mark = _MARK if text.startswith(_MARK) else ""
    text = text.removeprefix(_MARK)
    starts = [0, *(match.end() for match in _END.finditer(text))]
    ends = [*(match.start() for match in _END.finditer(text)), len(text)]

    def offset(place: Mapping[str, int]) -> int:
        line, column = place["line"], place["column"]
        if not 1 <= line <= len(starts) or column < 1:
            raise ValueError(f"{line}:{column} is not in the text")
        found = starts[line - 1] + column - 1
        if found > ends[line - 1]:
            raise ValueError(f"{line}:{column} is behind the line")
        return found

    fixes = [each["fix"] for each in diagnostics if each["fix"] is not None]
    changes = sorted(
        {(offset(f["range"]["start"]), offset(f["range"]["end"]), f["text"]) for f in fixes}
    )
    done, parts = 0, []
    for start, end, new in changes:
        if start < done or end < start:
            raise ValueError(f"two fixes overlap at offset {start}")
        parts += [text[done:start], new]
        done = end
    return (mark + "".join(parts) + text[done:]).encode()
