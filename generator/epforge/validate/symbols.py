"""Names for offsets in a library, where binutils is there to say them."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

_OFFSET = re.compile(r"(?P<before>\ballocated in \S+, )(?P<offset>0x[0-9a-f]+)\b")
_UNKNOWN = ("", "??")
_ENDS_S = 20


def named(text: str, library: Path) -> str:
    """A text in which the offsets of a library's allocations have their functions, with file and
    line where the library has them; as it is where nobody can say."""

    def name(match: re.Match[str]) -> str:
        found = function_at(library, int(match["offset"], 16))
        return f"{match['before']}{found} at {match['offset']}" if found else match[0]

    return _OFFSET.sub(name, text)


@cache
def function_at(library: Path, offset: int) -> str:
    """The function that a call at an offset returns to; empty if nobody can say."""
    program = shutil.which("addr2line")
    if program is None or not library.is_file():
        return ""
    # What is returned to may be the next line, or even the next function.
    command = [program, "-f", "-C", "-e", str(library), hex(offset - 1)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_ENDS_S, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    function, place, *_ = [*done.stdout.splitlines(), "", ""]
    if function in _UNKNOWN:
        return ""
    file, _, line = place.rpartition(":")
    known = file not in _UNKNOWN and line.split(" ")[0].isdigit()
    return f"{short(function)}" + (f" ({file}:{line.split(' ')[0]})" if known else "")


def short(function: str) -> str:
    """A function's name without templates and arguments: what a reader looks for."""
    out, depth = "", 0
    for char in function:
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
        elif not depth:
            out += char
    return out.removesuffix("const").strip() or function[:100]
