"""A project of 3, 40 and 150 operators, beside what other generators take for as much.

Each round runs all of them. "Cold" is a new process with an empty cache; copier and cookiecutter
keep nothing. Their templates have the files of the very project, its name in files and paths.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_blueprints import blueprint
from rivals import NAMES, cookiecutter_template, copier_template, emptied, files_of, schema
from timing import Timed, in_turns, program

import epforge
from conftest import Installed
from epforge.cache import cache_dir

pytestmark = pytest.mark.bench
BESIDE_PYTHON = Path(sys.executable).parent


@pytest.mark.parametrize("ops", [3, 40, 150])
def test_scaffold(
    ops: int, keep: Callable[..., object], installed: Installed, tmp_path: Path
) -> None:
    place = {name: tmp_path / name for name in ("warm", "cold", "checkout", "copier", "other")}
    wanted = blueprint(ops, tmp_path)
    cache = tmp_path / "cache"
    empty = {**installed.environment, "EPFORGE_CACHE": str(cache)}
    checkout = {
        **empty,
        "PYTHONPATH": str(Path(epforge.__file__).parents[1]),
        "PYTHONPYCACHEPREFIX": str(cache_dir("bytecode")),
    }

    def scaffold(name: str, env: dict[str, str], command: list[str | Path], cold: bool) -> Timed:
        def before() -> None:
            emptied(place[name])
            if cold:
                emptied(cache)

        return program([*command, "scaffold", wanted, place[name]], env, before)

    warm = scaffold("warm", installed.environment, [installed.program], False)
    warm()
    files = files_of(place["warm"])
    copier_template(files, tmp_path / "for copier")
    cookiecutter_template(files, tmp_path / "for cookiecutter")
    quiet = {**installed.environment, "HOME": str(tmp_path)}
    tasks = {
        "warm": warm,
        "cold": scaffold("cold", empty, [installed.program], True),
        "copier": program(
            [
                *(BESIDE_PYTHON / "copier", "copy", "--defaults", "--quiet"),
                *(tmp_path / "for copier", place["copier"]),
            ],
            quiet,
            lambda: emptied(place["copier"]),
        ),
        "cookiecutter": program(
            [
                *(BESIDE_PYTHON / "cookiecutter", "--no-input", "-o", place["other"]),
                tmp_path / "for cookiecutter",
            ],
            quiet,
            lambda: emptied(place["other"]),
        ),
    }
    if ops == 40:
        tasks["checkout"] = scaffold("checkout", checkout, [sys.executable, "-m", "epforge"], True)
    took = in_turns(tasks, 5)
    assert files_of(place["copier"]) == files
    assert files_of(place["other"] / NAMES["kebab"]) == files

    limits = {"warm": 1.0, "cold": 2.0} if ops == 40 else {}
    theirs = {"beside": (f"scaffold/{ops}/copier", took["copier"])}
    for name in ("copier", "cookiecutter"):
        keep(f"scaffold/{ops}/{name}", took[name])
    at_most = 0.5 if ops == 40 else None
    keep(
        f"scaffold/{ops}/warm",
        took["warm"],
        limit=limits.get("warm"),
        ratio_limit=at_most,
        **theirs,
    )
    keep(f"scaffold/{ops}/cold", took["cold"], limit=limits.get("cold"), **theirs)
    if ops == 40:
        keep("scaffold/40/cold, from a checkout", took["checkout"], limit=2.0, **theirs)
    lines = sum(text.count("\n") for text in files.values())
    models(lines, keep, quiet, ops, tmp_path)
    assert cache.is_dir()


def models(
    lines: int, keep: Callable[..., object], env: dict[str, str], ops: int, place: Path
) -> None:
    """What datamodel-code-generator takes for as many lines of Python: once, for it takes long."""
    schema(lines, place / "schema.json")
    command = [BESIDE_PYTHON / "datamodel-codegen", "--input", place / "schema.json"]
    command += ["--input-file-type", "jsonschema", "--output", place / "models.py"]
    took = in_turns({"models": program(command, env)}, 1, warm=0)
    made = (place / "models.py").read_text().count("\n")
    assert 0.9 * lines <= made <= 1.1 * lines
    keep(f"scaffold/{ops}/datamodel-code-generator", took["models"])
