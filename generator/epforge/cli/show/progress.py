"""Progress on long work: one live line on a terminal, plain lines elsewhere, nothing for JSON."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_COUNTED = re.compile(r"\[\d+/\d+\] ")


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A function that shows what is being done now, on stderr.

    On a terminal, steps that are counted ("[3/40] ...") share one line that is wiped at the end;
    what is not counted stays.

    Args:
        quiet: show nothing.
    """
    if quiet:
        yield _nothing
        return
    live = sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"
    if not live:
        yield _line
        return
    try:
        yield _live
    finally:
        _wipe()


def _nothing(text: str) -> None:
    del text


def _line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _live(text: str) -> None:
    _wipe()
    if _COUNTED.match(text):
        width = shutil.get_terminal_size().columns - 1
        print(text[:width], end="", file=sys.stderr, flush=True)
    else:
        _line(text)


def _wipe() -> None:
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
