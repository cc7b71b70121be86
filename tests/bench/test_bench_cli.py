"""How long the command line takes to answer, beside what Python alone takes in the same rounds.

Run all benchmarks with ``python tests/bench/run.py``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_blueprints import blueprint
from rivals import emptied
from timing import Timed, in_turns, program

from conftest import Installed

pytestmark = pytest.mark.bench
Keep = Callable[..., object]
ROUNDS = 7
HEADER = "house.txt"


def test_what_answers_at_once(keep: Keep, installed: Installed, tmp_path: Path) -> None:
    forty = blueprint(40, tmp_path)
    words = {"_EPFORGE_COMPLETE": "complete_bash", "COMP_WORDS": "epforge sca", "COMP_CWORD": "1"}
    verbs: dict[str, tuple[list[str | Path], float | None]] = {
        "version": (["--version"], 0.2),
        "help": (["--help"], 0.4),
        "completion": ([], 0.4),
        "check": (["check", forty], None),
        "plan": (["plan", forty], None),
    }
    environment = dict.fromkeys(verbs, installed.environment)
    environment["completion"] = {**installed.environment, **words}
    tasks = {
        name: program([installed.program, *args], environment[name])
        for name, (args, _) in verbs.items()
    }
    tasks["python"] = program([sys.executable, "-c", "pass"], installed.environment)
    took = in_turns(tasks, ROUNDS)
    keep("python -c pass", took["python"])
    for name, (_, limit) in verbs.items():
        keep(name, took[name], beside=("python -c pass", took["python"]), limit=limit)


def test_nothing_to_regenerate(keep: Keep, installed: Installed, tmp_path: Path) -> None:
    """A project of a hundred operators that is up to date already."""
    out = tmp_path / "out"
    program([installed.program, "scaffold", blueprint(100, tmp_path), out], installed.environment)()
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    libraries = [sys.executable, "-c", "import jinja2, pydantic, ruamel.yaml, typer"]
    tasks = {
        "ours": program([installed.program, "regenerate", out], installed.environment),
        "libraries": program(libraries, installed.environment),
    }
    took = in_turns(tasks, ROUNDS)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    keep("import of its libraries", took["libraries"])
    beside = ("import of its libraries", took["libraries"])
    keep("regenerate/nothing to do", took["ours"], beside=beside, limit=0.7)


def test_merging_takes_hardly_longer_than_writing(
    keep: Keep, installed: Installed, tmp_path: Path
) -> None:
    """Every file of a project of 40 operators changes, and its owner has edited none, 1 or 20."""
    source = blueprint(40, tmp_path)
    source.write_text(f"{source.read_text()}overlays: [{{header: {HEADER}}}]\n")
    (tmp_path / HEADER).write_text("Of our house.\n")
    epforge, environment = installed.program, installed.environment
    tasks = {}
    for edits in (0, 1, 20):
        kept, place = tmp_path / f"kept {edits}", tmp_path / f"{edits}"
        program([epforge, "scaffold", source, kept], environment)()
        edited = sorted(kept.glob("src/gen/kernels/*.cc"))[:edits]
        assert len(edited) == edits
        for path in edited:
            path.write_text(path.read_text() + "// An edit of its owner.\n")
        program([epforge, "regenerate", kept, "--adopt", "all"], environment)()
        (kept / HEADER).write_text("Of our new house.\n")
        tasks[str(edits)] = merging(installed, kept, place)
    took = in_turns(tasks, 5)
    for edits in (0, 1, 20):
        merged = [
            path
            for path in (tmp_path / f"{edits}").glob("src/gen/kernels/*.cc")
            if "// An edit of its owner." in path.read_text()
        ]
        assert len(merged) == edits
        assert all("Of our new house." in path.read_text() for path in merged)
    keep("regenerate/all files, no edits", took["0"])
    beside = ("regenerate/all files, no edits", took["0"])
    keep("regenerate/all files, edits in 1", took["1"], beside=beside, ratio_limit=1.5)
    keep("regenerate/all files, edits in 20", took["20"], beside=beside, ratio_limit=2.0)


def merging(installed: Installed, kept: Path, place: Path) -> Timed:
    """Regenerates a copy of a project."""

    def before() -> None:
        emptied(place)
        shutil.copytree(kept, place)

    return program([installed.program, "regenerate", place], installed.environment, before)


def test_first_inference_of_a_blueprint(
    keep: Keep, installed: Installed, repository: Path, tmp_path: Path
) -> None:
    """From the minimal blueprint to a passed validation, with the headers cached."""
    out = tmp_path / "out"
    scaffold = [installed.program, "scaffold", repository / "blueprints/minimal.yaml", out]
    environment = installed.environment
    ours = program([*scaffold, "--build", "--validate"], environment)()
    start = time.perf_counter()
    subprocess.run(
        [installed.program, "validate", out], check=True, env=environment, capture_output=True
    )
    validation = time.perf_counter() - start
    keep("validate/again", [validation])
    keep("blueprint to proof", [ours], beside=("validate/again", [validation]), limit=60)
