"""Times of programs, taken in turns, so that what else the machine does falls on all of them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

Timed = Callable[[], float]


def program(
    args: Sequence[str | Path],
    env: Mapping[str, str],
    before: Callable[[], None] = lambda: None,
    cwd: Path | None = None,
) -> Timed:
    """A run of a program, which must end well.

    Args:
        args: its command.
        env: its environment.
        before: done before each run, and not counted.
        cwd: where it runs.
    """

    def run() -> float:
        before()
        start = time.perf_counter()
        done = subprocess.run(
            args, env=env, cwd=cwd, capture_output=True, text=True, errors="replace", check=False
        )
        took = time.perf_counter() - start
        assert done.returncode == 0, f"{args}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return took

    return run


def in_turns(tasks: Mapping[str, Timed], rounds: int, warm: int = 1) -> dict[str, list[float]]:
    """The seconds of each task, in the order of the rounds; every second round goes backwards.

    Args:
        tasks: what is done in each round.
        rounds: how many count.
        warm: rounds before these.
    """
    took: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(warm + rounds):
        for name in list(tasks)[:: -1 if turn % 2 else 1]:
            seconds = tasks[name]()
            if turn >= warm:
                took[name].append(seconds)
    return took
