"""How long the command line takes, beside what Python alone takes in the same run.

Run with ``pytest -m bench tests/bench``; the figures are printed.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import epforge
from epforge.cache import cache_dir
from epforge.ops import families

pytestmark = pytest.mark.bench
Report = Callable[[str], None]
# Python keeps the modules that it has compiled, as it does for an installed tool.
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(epforge.__file__).parents[1]),
    "PYTHONDONTWRITEBYTECODE": "",
    "PYTHONPYCACHEPREFIX": str(cache_dir("bytecode")),
}


def seconds(args: list[str], before: Callable[[], None] = lambda: None) -> float:
    """Median wall time of seven runs of Python with ``args``, after one to warm up."""
    times = []
    for _ in range(8):
        before()
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, *args], check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL
        )
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def test_version(report: Report) -> None:
    alone = seconds(["-c", "pass"])
    ours = seconds(["-m", "epforge", "--version"])
    report(f"epforge --version: {ours:.3f} s, {ours / alone:.1f} x python -c pass")
    assert ours <= 0.3


def test_forty_ops(report: Report, tmp_path: Path) -> None:
    ops = sorted(row.op for row in families.rows() if not row.domain)[:40]
    assert len(ops) == 40
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text(
        f"epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [{', '.join(ops)}]\n"
    )
    out = tmp_path / "out"
    alone = seconds(["-c", "pass"])
    ours = seconds(
        ["-m", "epforge", "scaffold", str(blueprint), str(out)],
        before=lambda: shutil.rmtree(out, ignore_errors=True),
    )
    report(f"scaffold of 40 ops: {ours:.3f} s, {ours / alone:.1f} x python -c pass")
    assert ours <= 1.5


def test_nothing_to_regenerate(report: Report, tmp_path: Path) -> None:
    """A project of a hundred operators that is up to date already."""
    ops = sorted(row.op for row in families.rows() if not row.domain)[:100]
    assert len(ops) == 100
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text(
        f"epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [{', '.join(ops)}]\n"
    )
    out = tmp_path / "out"
    subprocess.run(
        [sys.executable, "-m", "epforge", "scaffold", blueprint, out],
        check=True,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
    )
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    libraries = seconds(["-c", "import jinja2, pydantic, ruamel.yaml, typer"])
    ours = seconds(["-m", "epforge", "regenerate", str(out)])
    report(f"regenerate, nothing to do: {ours:.3f} s, {ours / libraries:.1f} x its libraries")
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    assert ours <= 0.7


def test_first_inference(report: Report, repository: Path, tmp_path: Path) -> None:
    """From the minimal blueprint to a passed validation, with the headers cached."""
    out = tmp_path / "out"
    command = ["scaffold", str(repository / "blueprints/minimal.yaml"), str(out)]
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "epforge", *command, "--build", "--validate"],
        check=True,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
    )
    ours = time.perf_counter() - start
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "epforge", "validate", out], check=True, env=ENVIRONMENT)
    validation = time.perf_counter() - start
    report(f"blueprint to passed validation: {ours:.1f} s, {ours / validation:.1f} x validation")
    assert ours <= 60
