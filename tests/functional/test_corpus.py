"""Projects as earlier states of epforge scaffolded them upgrade to today, with all their edits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from compilers import needed_nvcc
from projects import built_copy, sdk
from regeneration import contents
from typer.testing import CliRunner

from corpus import CORPUS, Kept
from corpus import projects as kept_projects
from epforge.cli.main import app
from epforge.ort.levels import known_levels
from epforge.workspace import Owner, read_lock

run = CliRunner().invoke
NEWEST = f"1.{max(known_levels())}"
_COMMANDS = {"upgrade": ("upgrade", "--ort", NEWEST), "regenerate": ("regenerate",)}
#: What an owner has to decide: lines of theirs where today's epforge has lines of its own.
_CONFLICTS = {("2026-11-30-5a483f1", "cuda"): ["CMakeLists.txt"]}
_each = pytest.mark.parametrize(
    "kept", kept_projects(), ids=lambda kept: f"{kept.state}/{kept.name}"
)


def _check_edits(kept: Kept, project: Path, before: dict[str, bytes]) -> None:
    after = contents(project)
    for path, edit in kept.edits().items():
        if edit.is_deleted:
            assert path not in after
        elif edit.is_new:
            assert after[path] == before[path]
        else:
            lines = set(after[path].decode().splitlines())
            assert [line for line in edit.added if line not in lines] == [], path


def _yours(project: Path) -> set[str]:
    lock = read_lock(project)
    assert lock is not None
    return {path for path, entry in lock.files.items() if entry.owner is Owner.YOURS}


def test_the_corpus_has_a_project_of_each_kind() -> None:
    for state in CORPUS.glob("*/state.json"):
        names = set(json.loads(state.read_text(encoding="utf-8"))["projects"])
        assert names == {kept.name for kept in kept_projects() if kept.state == state.parent.name}
        assert names >= {"minimal", "registry", "compiled", "custom-ops", "cuda"}


def _bring_to_today(kept: Kept, project: Path, verb: str, *options: str) -> None:
    """Upgrades; where there are conflicts, nothing is written, and then both sides are kept."""
    conflicts = _CONFLICTS.get((kept.state, kept.name), [])
    before = contents(project)
    result = run(app, [verb, str(project), *options])
    assert result.exit_code == (3 if conflicts else 0), result.output
    if not conflicts:
        return
    assert contents(project) == before
    marked = run(app, [verb, str(project), *options, "--on-conflict", "markers"])
    assert marked.exit_code == 3, marked.output
    for path in conflicts:
        assert path in result.output
        lines = (project / path).read_text(encoding="utf-8").splitlines(keepends=True)
        both = [
            line
            for line in lines
            if not line.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>"))
        ]
        (project / path).write_text("".join(both), encoding="utf-8")
    result = run(app, ["resolve", "--project", str(project), *conflicts])
    assert result.exit_code == 0, result.output


@_each
@pytest.mark.parametrize("command", _COMMANDS)
def test_a_project_of_then_is_one_of_today(kept: Kept, command: str, tmp_path: Path) -> None:
    project = kept.unpack(tmp_path / "project")
    before, yours = contents(project), _yours(project)
    _bring_to_today(kept, project, *_COMMANDS[command])
    _check_edits(kept, project, before)
    after = contents(project)
    for path in yours - {"blueprint.yaml"}:
        assert after.get(path) == before.get(path), path
    if command == "upgrade":
        assert f'target: "{NEWEST}"' in after["blueprint.yaml"].decode()
    else:
        assert after["blueprint.yaml"] == before["blueprint.yaml"]
    again = run(app, ["regenerate", str(project), "--json"])
    assert again.exit_code == 0, again.output
    assert contents(project) == after
    assert run(app, ["status", str(project)]).exit_code == 0


@_each
def test_what_the_owner_deleted_is_announced(kept: Kept, tmp_path: Path) -> None:
    deleted = {path for path, edit in kept.edits().items() if edit.is_deleted}
    project = kept.unpack(tmp_path / "project")
    result = run(app, ["regenerate", str(project), "--dry-run"])
    assert result.exit_code in (0, 3), result.output
    for path in deleted:
        assert path in result.output


def _upgraded(kept: Kept, folder: Path) -> Path:
    project = kept.unpack(folder / kept.name)
    before = contents(project)
    _bring_to_today(kept, project, "upgrade", "--ort", f"1.{sdk().level}")  # can be built here
    _check_edits(kept, project, before)
    return project


def _validate(project: Path, *options: str) -> None:
    command = [sys.executable, "-m", "epforge", "validate", str(project), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_smallest_builds_and_runs_with_its_owner_s_work(tmp_path: Path) -> None:
    kept = next(each for each in kept_projects() if each.name == "minimal")
    project = built_copy(_upgraded(kept, tmp_path))
    _validate(project, "--rung", "static", "--rung", "load")


@pytest.mark.lab
@_each
def test_each_builds_and_validates_with_its_owner_s_work(kept: Kept, tmp_path: Path) -> None:
    options = []
    if kept.name == "cuda":
        needed_nvcc()
        options = ["--rung", "static"]  # there may be no GPU
    project = built_copy(_upgraded(kept, tmp_path))
    _validate(project, *options)
