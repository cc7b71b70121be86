"""What the verbs share in wording: nouns with numbers, paths for a shell, text for a terminal."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

# Halves of surrogate pairs are none, but no output can hold them.
_CONTROLS = dict.fromkeys(
    (*range(9), *range(11, 32), 127, *range(128, 160), *range(0xD800, 0xE000)), "�"
)


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(path: Path) -> str:
    """A path as an argument of a command that is shown to be copied."""
    text = str(path)
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)


def printable(text: str) -> str:
    """The text without control characters: what a file's name, a model or a program's output
    brings along must not reach the terminal as commands to it."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """One line that a terminal can show, whatever a path or a file's text brings along."""
    return printable(text.replace("\n", "\0")).encode(errors="replace").decode()
