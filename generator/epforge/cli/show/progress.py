"""Progress on long work: one live line on a terminal, plain lines elsewhere, nothing for JSON."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_COUNTED = re.compile(r"\[(\d+)/(\d+)\] ")
_TOO_SOON_S = 2.0  # of counted work, before which nothing is foretold


class Estimate:
    """Says how long counted steps ("[3/40] ...") will still take, by those that are done.

    Args:
        now: a clock in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._begun = now()
        self._before = 0  # steps that were done when it began
        self._last = (0, 0)

    def of(self, text: str) -> str:
        """The text of a step; where it is counted, with the time that the rest may take."""
        counted = _COUNTED.match(text)
        if not counted:  # the next count begins with what comes now
            self._begun, self._last = self._now(), (0, 0)
            return text
        done, total = int(counted[1]), int(counted[2])
        if total != self._last[1] or done < self._last[0]:
            self._before = done - 1  # the ones before it took no time
            if self._last[1]:
                self._begun = self._now()
        self._last = (done, total)
        passed = self._now() - self._begun
        if passed < _TOO_SOON_S or done >= total:
            return text
        left = passed / (done - self._before) * (total - done)
        return f"{text}; about {_spoken(left)} left"


def _spoken(seconds: float) -> str:
    """ "40 s", "3 min": nobody knows it better than that."""
    if seconds < 90:
        return f"{max(round(seconds, -1 if seconds > 20 else 0), 1):.0f} s"
    return f"{seconds / 60:.0f} min"


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A function that shows what is being done now, on stderr.

    On a terminal, steps that are counted ("[3/40] ...") share one line that is wiped at the end,
    with the time that the rest may take; what is not counted stays.

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
    estimate = Estimate()
    try:
        yield lambda text: _live(estimate.of(text))
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
