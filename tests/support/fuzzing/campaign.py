"""Many cases, in worker processes with limits; what goes wrong is made small and shown as a test.

    python -m fuzzing.campaign --seed 1 --cases 20000

A worker writes a line for each case. It may take so long and so much memory; where it ends early,
the case that it was at is to blame.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from epforge.cache import cache_dir
from fuzzing.judge import Depth, judge
from fuzzing.shrink import as_test, kind_of, shrunk

_BATCH = 250
_STALL_S = 60  # of wall time; the machine may be busy
_MEMORY = 3 << 30
SLOW_S = 2.0  # of computing, in epforge itself
_TWICE, _FORMATTED, _SCAFFOLDED = 5, 97, 59  # every so many cases
_HANGS = "hangs"
_SUPPORT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with what became of a case.

    Args:
        number: of the case; of all with the same fault the first.
    """

    number: int
    what: str


@dataclass
class Tally:
    """What many cases came to.

    Args:
        faults: by what is wrong, without its numbers; the first case of each.
        worst: seconds of computing, and the case that took them.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: dict[str, Fault] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    worst: tuple[float, int] = (0.0, -1)
    seconds: float = 0.0

    def add(self, line: Mapping[str, Any]) -> None:
        number, seconds, what = int(line["case"]), float(line["seconds"]), str(line["what"])
        self.outcomes[str(line["outcome"])] += 1
        self.worst = max(self.worst, (seconds, number))
        if seconds > SLOW_S and not what:
            what = f"takes {seconds:.1f} s"
        if what:
            kind = kind_of(what)
            self.counts[kind] += 1
            self.faults.setdefault(kind, Fault(number, what))


# ---- a worker ----


def work(seed: int, numbers: Sequence[int], out: int) -> None:
    """Judges cases, one after the other, a line of JSON each."""
    from fuzzing.cases import case

    watch, cache = Watch(), os.environ["EPFORGE_CACHE"]
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGALRM, _hangs)
    with tempfile.TemporaryDirectory(prefix="epforge-fuzz-") as folder:
        for number in numbers:
            os.write(out, f'{{"begin": {number}}}\n'.encode())
            data = case(seed, number)
            depth = Depth(
                twice=number % _TWICE == 0,
                formatted=number % _FORMATTED == _FORMATTED - 1,
                folder=Path(folder) if number % _SCAFFOLDED == _SCAFFOLDED - 1 else None,
            )
            if os.environ.get("EPFORGE_FUZZ_ENDS_AT") == str(number):  # a test of the campaign
                os._exit(1)
            started = time.process_time()
            outcome, what = _within_limits(data, depth)
            if what == _HANGS:  # once more: the machine may have been busy
                outcome, what = _within_limits(data, depth)
            seconds = time.process_time() - started
            what = what or watch.astray((folder, tempfile.gettempdir(), cache, "/dev/null"))
            line = {"case": number, "seconds": seconds, "outcome": outcome, "what": what}
            os.write(out, (json.dumps(line) + "\n").encode())


def _within_limits(data: bytes, depth: Depth) -> tuple[str, str]:
    """What `judge` says, or which limit the case has met."""
    signal.alarm(_STALL_S)
    try:
        return judge(data, depth)
    except _HangsError:
        return "fault", _HANGS
    except MemoryError:
        return "fault", "takes too much memory"
    finally:
        signal.alarm(0)


class _HangsError(BaseException):
    pass


def _hangs(number: int, frame: FrameType | None) -> None:
    raise _HangsError


class Watch:
    """Notes which files are opened to be written, made, moved or removed."""

    def __init__(self) -> None:
        self._touched: list[str] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self._touched.append(os.fsdecode(path))
        elif event in ("os.mkdir", "os.remove", "os.rmdir", "os.symlink", "os.rename", "os.link"):
            self._touched += [os.fsdecode(a) for a in arguments if isinstance(a, str | bytes)]

    def astray(self, places: tuple[str, ...]) -> str:
        """What was touched that is in none of ``places``; forgets all."""
        found = [p for p in self._touched if os.path.isabs(p) and not p.startswith(places)]
        self._touched.clear()
        return f"touches {found[0]}" if found else ""


# ---- all of them ----


def run(
    seed: int,
    cases: int,
    *,
    jobs: int = 2,
    first: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Tally:
    """Judges cases ``first`` to ``first + cases`` of a seed."""
    started = time.monotonic()
    tally = Tally()
    batches = [
        range(start, min(start + _BATCH, first + cases))
        for start in range(first, first + cases, _BATCH)
    ]
    prefix = "epforge-fuzz-cache-"
    with tempfile.TemporaryDirectory(prefix=prefix) as cache, ThreadPoolExecutor(jobs) as pool:
        # Compiled templates are the same for all; formatted sources would only fill the cache.
        os.symlink(cache_dir("templates"), Path(cache) / "templates")
        for lines in pool.map(lambda batch: list(_batch(seed, batch, cache)), batches):
            for line in lines:
                tally.add(line)
            done = f"[{sum(tally.outcomes.values())}/{cases}] {sum(tally.counts.values())} faults"
            progress(f"{done}, longest {tally.worst[0]:.2f} s")
    tally.seconds = time.monotonic() - started
    return tally


def _batch(seed: int, numbers: range, cache: str) -> Iterator[Mapping[str, Any]]:
    """The lines of a batch: past a case in which the worker ends."""
    left = list(numbers)
    while left:
        lines = _worker(seed, left, cache)
        done = [line for line in lines if "case" in line]
        yield from done
        begun = lines[-1].get("begin") if lines else left[0]
        left = left[len(done) :]
        if left:
            what = "the process ends"
            yield {"case": begun, "seconds": 0.0, "outcome": "fault", "what": what}
            left = left[1:]


def _worker(seed: int, numbers: Sequence[int], cache: str) -> list[Mapping[str, Any]]:
    environment = {
        **os.environ,
        "EPFORGE_CACHE": cache,
        "PYTHONPATH": os.pathsep.join([str(_SUPPORT), *filter(None, sys.path)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "fuzzing.campaign", "--seed", str(seed), "--only"]
    done = subprocess.run(
        [*command, ",".join(map(str, numbers))],
        env=environment,
        capture_output=True,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.endswith(b"}")]
    if not lines:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return lines


def _show(tally: Tally, seed: int) -> None:
    from fuzzing.cases import case

    total = sum(tally.outcomes.values())
    parts = ", ".join(f"{count} {outcome}" for outcome, count in tally.outcomes.most_common())
    print(f"{total} cases in {tally.seconds:.0f} s: {parts}")
    print(f"longest: {tally.worst[0]:.2f} s of computing, case {tally.worst[1]}")
    for kind, fault in tally.faults.items():
        print(f"\n{tally.counts[kind]} times: case {fault.number}: {fault.what}")
        if not fault.what.startswith(("takes", "hangs", "the process")):
            print(as_test(shrunk(case(seed, fault.number), fault.what), fault.what))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    if given.only:
        work(given.seed, [int(number) for number in given.only.split(",")], sys.stdout.fileno())
        return
    tally = run(
        given.seed,
        given.cases,
        jobs=given.jobs,
        first=given.first,
        progress=lambda text: print(text, file=sys.stderr, flush=True),
    )
    _show(tally, given.seed)
    raise SystemExit(bool(tally.faults))


if __name__ == "__main__":
    main()
