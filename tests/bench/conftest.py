"""What the benchmarks share."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bench_history
import pytest
from bench_history import Figure, figure


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints a figure, whatever pytest captures."""

    def show(text: str) -> None:
        with capsys.disabled():
            print(f"\n  {text}")

    return show


@dataclass
class Recorder:
    """Takes the figures of a run."""

    figures: dict[str, Figure] = field(default_factory=dict)

    def add(
        self,
        name: str,
        seconds: Sequence[float],
        beside: tuple[str, Sequence[float]] | None = None,
        limit: float | None = None,
        ratio_limit: float | None = None,
    ) -> Figure:
        """Keeps a series; see `bench_history.figure`."""
        found = figure(name, seconds, beside, limit, ratio_limit)
        self.figures[name] = found
        return found


@pytest.fixture(scope="session")
def recorder() -> Iterator[Recorder]:
    """What is added here is in the history when the run has ended."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    made = Recorder()
    yield made
    if made.figures:
        path = bench_history.write(made.figures.values(), load)
        print(f"\n  history: {path}")


@pytest.fixture
def keep(recorder: Recorder, report: Callable[[str], None]) -> Iterator[Callable[..., None]]:
    """Adds a figure to the history and prints it; its limits are checked when all are there."""
    broken = []

    def add(name: str, seconds: Sequence[float], **more: Any) -> None:
        found = recorder.add(name, seconds, **more)
        report(str(found))
        if found.limit is not None and found.median > found.limit:
            broken.append(f"{found}: the limit is {found.limit} s")
        if found.ratio is not None and found.ratio > (found.ratio_limit or found.ratio):
            broken.append(f"{found}: the limit is {found.ratio_limit} x")

    yield add
    assert not broken, "\n".join(broken)


@dataclass(frozen=True)
class Installed:
    """epforge as its users have it.

    Args:
        program: the command.
        environment: what it runs in; its cache is the machine's.
    """

    program: Path
    environment: dict[str, str]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """This checkout's wheel in an environment; its dependencies are those of the tests."""
    repository = Path(__file__).parents[2]
    place = tmp_path_factory.mktemp("installed")
    build = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(place)]
    subprocess.run([sys.executable, *build, str(repository)], check=True, capture_output=True)
    venv.create(place / "venv", with_pip=False, symlinks=True)
    pip = ["-m", "pip", "-q", "--python", str(place / "venv/bin/python"), "install", "--no-deps"]
    subprocess.run([sys.executable, *pip, next(place.glob("*.whl"))], check=True)
    site = next((place / "venv").glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    ninja = Path(sys.executable).with_name("ninja")
    (place / "venv/bin/ninja").symlink_to(ninja)  # its package looks for it beside Python
    dropped = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "CMAKE_CXX_COMPILER_LAUNCHER")
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    return Installed(place / "venv/bin/epforge", environment)
