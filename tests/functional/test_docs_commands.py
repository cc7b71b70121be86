"""Every command in the documents runs as it is written, and what they quote is what is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from epforge.blueprint.shape import BlueprintShape
from epforge.cli.main import VERBS

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = sorted(REPOSITORY.glob("docs/*.md"))
# These make an environment of their own, so they are the lab's; see below.
BOOTSTRAP = "python3 -m venv"
# These install packages, or take compilers for other platforms.
SLOW = ("cross-building.md", "packaging.md")


def commands(document: Path) -> list[str]:
    """The lines of a document's shell blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", document.read_text(encoding="utf-8"), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def run(lines: list[str], place: Path) -> None:
    """Runs the lines one after the other in a directory that looks like the checkout."""
    tools = place / "bin"
    tools.mkdir()
    for name, module in (("epforge", "-m epforge "), ("python", "")):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module}"$@"\n', encoding="utf-8")
        tool.chmod(0o755)
    for name in ("blueprints", "examples"):
        shutil.copytree(REPOSITORY / name, place / name)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "generator"),
    }
    for line in lines:
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=place,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"$ {line}\n{result.stdout[-3000:]}{result.stderr[-3000:]}"


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.lab] if path.name in SLOW else [])
        for path in DOCS
    ],
)
def test_the_commands_of_a_document_run(document: Path, tmp_path: Path) -> None:
    lines = commands(document)
    assert lines
    run(lines, tmp_path)


@pytest.mark.lab
def test_the_commands_of_the_example_run(tmp_path: Path) -> None:
    run(commands(REPOSITORY / "examples/ocr-direction/README.md"), tmp_path)


@pytest.mark.lab
def test_the_readme_s_first_command_runs_in_a_fresh_clone(tmp_path: Path) -> None:
    first, second = commands(REPOSITORY / "README.md")
    assert first.startswith(BOOTSTRAP)
    assert second.startswith(BOOTSTRAP)
    clone = tmp_path / "clone"
    leave_out = shutil.ignore_patterns(".*", "build", "dist")
    shutil.copytree(
        REPOSITORY,
        clone,
        ignore=lambda folder, names: (
            leave_out(folder, names) if Path(folder) == REPOSITORY else {"__pycache__"}
        ),
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", first],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    assert "ops" in result.stdout


def test_the_readme_quotes_the_smallest_blueprint_whole() -> None:
    text = (REPOSITORY / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 8
    assert f"```yaml\n{text}```" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_blueprint_s_page_lists_every_key_once() -> None:
    text = (REPOSITORY / "docs/blueprint.md").read_text(encoding="utf-8")
    table = re.search(r"^## Keys\n(.*?)^## ", text + "\n## ", re.M | re.S)
    assert table is not None
    keys = re.findall(r"^\| `(\w+)` \|", table[1], re.M)
    assert sorted(keys) == sorted(BlueprintShape.model_fields)


@pytest.mark.parametrize("document", ["README.md", "docs/cli.md"])
def test_every_verb_is_listed(document: str) -> None:
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z]+)` \|", text, re.M)) == set(VERBS)


def test_ci_calls_the_readme_s_test_command() -> None:
    """`.ci/run` takes the line out of README, so what it runs is what a reader would type."""
    script = (REPOSITORY / ".ci/run").read_text(encoding="utf-8")
    pattern = re.search(r"grep -m1 -E '([^']+)' README\.md", script)
    assert pattern is not None
    lines = (REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.search(pattern[1], line)] == commands(
        REPOSITORY / "README.md"
    )[1:]
