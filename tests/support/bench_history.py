"""The history of what the benchmarks have measured: one JSON file for each run."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FORMAT = 1
REPOSITORY = Path(__file__).parents[2]
#: ``EPFORGE_BENCH_HISTORY`` names another place, for runs that are to leave no trace.
HISTORY = Path(os.environ.get("EPFORGE_BENCH_HISTORY") or REPOSITORY / "tests/bench/history")
#: What two runs of the same thing on the same machine may differ by.
NOISE = 0.15
_SMALL_S = 0.02


@dataclass(frozen=True)
class Figure:
    """What was measured of one thing.

    Args:
        name: such as ``scaffold/40/warm``.
        runs: how often.
        min: seconds, as are median and max.
        beside: what it is compared with, in the same run; empty for nothing.
        ratio: the median of the ratios of each round; None where it stands for itself.
        limit: the most seconds that it may take; None for no limit.
        ratio_limit: the most that the ratio may be.
    """

    name: str
    runs: int
    min: float
    median: float
    max: float
    beside: str = ""
    ratio: float | None = None
    limit: float | None = None
    ratio_limit: float | None = None

    @property
    def times(self) -> str:
        """Median, and least to most."""
        return f"{shown(self.median)} ({shown(self.min)} to {shown(self.max)})"

    def __str__(self) -> str:
        text = f"{self.name}: {self.times}"
        if self.ratio is not None:
            text += f", {self.ratio:.2f} x {self.beside}"
        return text


def shown(seconds: float) -> str:
    """A time for people."""
    return f"{seconds:.3f} s" if seconds >= 0.01 else f"{seconds * 1000:.3f} ms"


def figure(
    name: str,
    seconds: Sequence[float],
    beside: tuple[str, Sequence[float]] | None = None,
    limit: float | None = None,
    ratio_limit: float | None = None,
) -> Figure:
    """The figure of a series, and of another one that was measured in the same rounds."""
    ratio = None
    if beside:
        pairs = zip(seconds, beside[1], strict=True)
        ratio = round(statistics.median(ours / theirs for ours, theirs in pairs), 4)
    low, middle, high = min(seconds), statistics.median(seconds), max(seconds)
    return Figure(
        *(name, len(seconds), round(low, 7), round(middle, 7), round(high, 7)),
        *(beside[0] if beside else "", ratio, limit, ratio_limit),
    )


@dataclass(frozen=True)
class Entry:
    """A run of the benchmarks.

    Args:
        date: when it ended, in UTC.
        commit: what was measured; ends in ``+`` if files had changed since.
        machine: cpu, cores, python and system.
        load: the machine's load in the minute before the run; of the cores, 1 is all of one.
        figures: by name.
    """

    date: str
    commit: str
    machine: dict[str, Any]
    load: float
    figures: dict[str, Figure]

    @property
    def is_busy(self) -> bool:
        """Did the machine have other work when it began: half of its cores or more?"""
        return self.load >= self.machine["cores"] / 2


def this_machine() -> dict[str, Any]:
    """What the times of this machine depend on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = ".".join(platform.python_version_tuple()[:2])
    return {"cpu": model, "cores": cores, "python": python, "system": platform.system()}


def write(figures: Iterable[Figure], load: float, folder: Path = HISTORY) -> Path:
    """Appends a run to the history; returns its file."""
    now = datetime.now(UTC)
    entry = {
        "format": FORMAT,
        "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": _commit(),
        "machine": this_machine(),
        "load": round(load, 2),
        "figures": [asdict(figure) for figure in figures],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now.strftime('%Y-%m-%dT%H%M%SZ')}.json"
    path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
    return path


def read(folder: Path = HISTORY) -> list[Entry]:
    """The history, oldest first.

    Raises:
        ValueError: a file is of another format.
    """
    entries = []
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.pop("format") != FORMAT:
            raise ValueError(f"{path} is not of format {FORMAT}")
        data["figures"] = {row["name"]: Figure(**row) for row in data["figures"]}
        entries.append(Entry(**data))
    return sorted(entries, key=lambda entry: entry.date)


def of_one_machine(entries: Sequence[Entry]) -> list[Entry]:
    """The runs on the machine of the newest one, oldest first; without those that began while it
    had other work, unless all did."""
    same = [entry for entry in entries if entry.machine == entries[-1].machine]
    return [entry for entry in same if not entry.is_busy] or same


def regressions(old: Entry, new: Entry) -> list[str]:
    """What takes longer than before, beyond noise: a line for each.

    The least time of a figure is compared. It must have grown by more than `NOISE`, by more than
    the runs of either entry were apart, and by 0.02 s. Where there is a ratio, that must have grown
    so, too: a slower hour of the machine is slower for both.
    """
    found = []
    for name, now in new.figures.items():
        then = old.figures.get(name)
        if then is None:
            continue
        noise = 1 + max(NOISE, *((each.median - each.min) / each.min for each in (then, now)))
        slower = now.min > then.min * noise and now.min - then.min > _SMALL_S
        beside = None not in (now.ratio, then.ratio) and now.beside == then.beside
        if beside and now.ratio is not None and then.ratio is not None:
            slower = slower and now.ratio > then.ratio * noise
        if slower:
            found.append(
                f"{name}: {shown(now.min)}, was {shown(then.min)}; noise is {noise - 1:.0%}"
            )
    return found


def _commit() -> str:
    git = ["git", "-C", str(REPOSITORY)]
    done = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if done.returncode:
        return ""
    changed = ["diff", "--quiet", "HEAD", "--", "generator", "templates"]
    dirty = subprocess.run([*git, *changed], check=False).returncode
    return done.stdout.strip()[:12] + ("+" if dirty else "")
