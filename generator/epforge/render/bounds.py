"""Bounds of time and memory for templates that are not epforge's own, and run in its process."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

SECONDS = 60.0
BYTES = 1 << 30  # beside what the process has already


class TooLong(BaseException):
    """The time is over. No ``except Exception`` on the way ends it."""


@contextlib.contextmanager
def bounded(seconds: float | None = None) -> Iterator[None]:
    """Runs what is inside with a bound of time and of memory, where the system has such.

    Time is bounded in the main thread on POSIX, memory on Linux.

    Args:
        seconds: of time; `SECONDS` by default.

    Raises:
        TooLong: it took longer.
        MemoryError: it took more.
    """
    with _memory(), _time(SECONDS if seconds is None else seconds):
        yield


@contextlib.contextmanager
def _time(seconds: float) -> Iterator[None]:
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    left, again = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left < seconds:  # somebody's alarm comes first
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
        if left:
            gone = time.monotonic() - started
            signal.setitimer(signal.ITIMER_REAL, max(left - gone, 0.001), again)


@contextlib.contextmanager
def _memory() -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        wanted = pages * resource.getpagesize() + BYTES
        if soft == resource.RLIM_INFINITY or soft > wanted:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    except (OSError, ValueError):  # a sandbox without /proc, or a bound that is lower
        pass
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
