"""What has been found so far: told as it is known, and how long it took."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager

from epforge.validate.model import Check, Rung, RungTime


class Teller:
    """Tells of each check once, whoever finds it first; keeps the times of the rungs.

    Args:
        on_check: is told, one call at a time, from whichever thread.
    """

    def __init__(self, on_check: Callable[[Check], None] = lambda _: None) -> None:
        self._on_check = on_check
        self._told: dict[int, Check] = {}  # by identity; kept, so that no other gets the same
        self._lock = threading.Lock()
        self._times: list[RungTime] = []

    def tell(self, check: Check) -> None:
        """Tells of a check, unless it has been told of."""
        with self._lock:
            if id(check) not in self._told:
                self._told[id(check)] = check
                self._on_check(check)

    def tell_all(self, checks: Iterable[Check]) -> None:
        for check in checks:
            self.tell(check)

    @contextmanager
    def timed(self, rung: Rung, runtime: str = "") -> Iterator[None]:
        """Notes how long the block takes."""
        started = time.monotonic()
        yield
        self.note(rung, runtime, time.monotonic() - started)

    def note(self, rung: Rung, runtime: str, seconds: float) -> None:
        with self._lock:
            self._times.append(RungTime(rung, runtime, seconds))

    def of(self, rungs: Container[Rung]) -> tuple[RungTime, ...]:
        """The times of these rungs, as they ended."""
        return tuple(each for each in self._times if each.rung in rungs)
