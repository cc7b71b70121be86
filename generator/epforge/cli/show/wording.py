"""What the verbs share in wording: numbers with their nouns, paths as a shell takes them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(path: Path) -> str:
    """A path as an argument of a command that is shown to be copied."""
    text = str(path)
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)
