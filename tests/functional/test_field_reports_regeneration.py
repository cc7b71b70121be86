"""Field reports about generating anew where somebody has worked already."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from regeneration import BLUEPRINT, REWRITES, contents
from typer.testing import CliRunner

from epforge.cli.main import app

run = CliRunner().invoke
_KERNEL, _TEST = "src/kernels/com_microsoft_complex_mul.cc", "tests/python/test_sessions.py"


def _git(place: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Owner", "-c", "user.email=owner@contoso.example")
    command = ["git", "-C", str(place), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _repository(place: Path) -> Path:
    """A repository of the owner's with a project in a folder of it, committed."""
    (place / "notes.txt").parent.mkdir(parents=True)
    (place / "notes.txt").write_text("Contoso's own.\n")
    blueprint = place / "contoso.yaml"
    blueprint.write_text(BLUEPRINT)
    result = run(app, ["scaffold", str(blueprint), str(place / "ep")])
    assert result.exit_code == 0, result.output
    _git(place, "init", "--quiet")
    _git(place, "add", "--all")
    _git(place, "commit", "--quiet", "--message", "scaffold")
    return place / "ep"


def _edit(project: Path) -> None:
    """A kernel's body, the README, a file more, a generated file less; and another blueprint."""
    kernel, readme = project / _KERNEL, project / "README.md"
    kernel.write_text(kernel.read_text().replace("is not written yet", "is Contoso's"))
    readme.write_text(readme.read_text().replace("## Use\n", "## Contoso's boards\n\n## Use\n"))
    (project / "tuning.h").write_text("// Contoso's.\n")
    (project / _TEST).unlink()
    old, new = REWRITES["add op"]
    (project / "blueprint.yaml").write_text(BLUEPRINT.replace(old, new))


def _check_kept(project: Path, edited: dict[str, bytes]) -> None:
    after = contents(project)
    for path in (_KERNEL, "tuning.h", "blueprint.yaml"):
        assert after[path] == edited[path]
    readme = after["README.md"].decode()
    assert "## Contoso's boards\n" in readme
    assert "Add, Relu, Softmax, Sub, com.microsoft::ComplexMul.\n" in readme
    assert "src/gen/kernels/sub.cc" in after


def test_fr_80_edits_stay_when_a_project_is_generated_anew(tmp_path: Path) -> None:
    project = _repository(tmp_path / "repo")
    _edit(project)
    edited = contents(project)
    outside = contents(tmp_path / "repo")

    # The deletion is announced, and nothing is written before its owner has decided.
    refused = run(app, ["regenerate", str(project)])
    assert refused.exit_code == 3
    assert _TEST in refused.output
    assert contents(project) == edited

    foreseen = run(app, ["regenerate", str(project), "--adopt", _TEST, "--dry-run", "--json"])
    assert foreseen.exit_code == 0, foreseen.output
    assert contents(project) == edited
    done = run(app, ["regenerate", str(project), "--adopt", _TEST])
    assert done.exit_code == 0, done.output
    _check_kept(project, edited)
    after = contents(project)
    assert _TEST not in after
    assert after.keys() - edited.keys() == {"src/gen/kernels/sub.cc", "src/gen/kernels/sub.h"}
    changed = {path for path in after if after[path] != edited.get(path)}
    said = {row["path"] for row in json.loads(foreseen.stdout)["actions"]}
    assert said == changed | (edited.keys() - after.keys())

    # Nothing outside the project's folder, and nothing of git's, is any other.
    now = contents(tmp_path / "repo")
    assert {p: c for p, c in now.items() if not p.startswith("ep/")} == {
        p: c for p, c in outside.items() if not p.startswith("ep/")
    }
    assert _git(project, "diff", "--cached", "--name-only") == ""


def test_fr_80_what_is_not_committed_stays_as_well(tmp_path: Path) -> None:
    project = _repository(tmp_path / "repo")
    _edit(project)
    edited = contents(project)
    _git(project, "add", "--all")
    _git(project, "commit", "--quiet", "--message", "edit")
    (project / "README.md").write_text((project / "README.md").read_text() + "Uncommitted.\n")
    result = run(app, ["regenerate", str(project), "--discard", _TEST])
    assert result.exit_code == 0, result.output
    _check_kept(project, edited)
    assert contents(project)["README.md"].endswith(b"Uncommitted.\n")
    assert (project / _TEST).is_file()  # given up, as the owner said


def test_fr_80_a_second_time_changes_no_byte(tmp_path: Path) -> None:
    project = _repository(tmp_path / "repo")
    _edit(project)
    assert run(app, ["regenerate", str(project), "--adopt", _TEST]).exit_code == 0
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}
    again = run(app, ["regenerate", str(project)])
    assert again.exit_code == 0, again.output
    assert {p: p.stat().st_mtime_ns for p in project.rglob("*") if p.is_file()} == before
