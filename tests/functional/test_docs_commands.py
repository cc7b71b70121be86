"""Every command in the documents runs as it is written, and what they quote is what is there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from documents import checkout, commands, follow

from epforge.cli.main import VERBS

REPOSITORY = Path(__file__).resolve().parents[2]
INDEX = "README.md"  # leads to the others
DOCS = sorted(path for path in REPOSITORY.glob("docs/*.md") if path.name != INDEX)
# These make an environment of their own, so they are the lab's; see below.
BOOTSTRAP = "python3 -m venv"
FIRST = "first-ep.md"
# These install packages, take compilers for other platforms, build several projects or validate.
SLOW = (
    "api.md",
    "cli.md",
    "compiling.md",
    "conformance.md",
    "cross-building.md",
    "custom-ops.md",
    "doctor.md",
    "fresh-machines.md",
    "generated-project.md",
    "init.md",
    "inspect.md",
    "kernels.md",
    "lab.md",
    "overlays.md",
    "own-compiler.md",
    "own-kernels.md",
    "packaging.md",
    "regeneration.md",
    "reports.md",
    "ship-it.md",
    "speed.md",
    "upgrade-it.md",
    "validating.md",
)
# Examples whose commands a test of their own runs, with what takes minutes to install kept.
EXAMPLES = {
    "compile-and-ship": None,
    "house-style": None,
    "ocr-direction": None,
    "peers": "test_example_peers.py",
    "torch-to-cpp": "test_example_torch.py",
}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.lab] if path.name in SLOW else [])
        for path in DOCS
        if path.name != FIRST
    ],
)
def test_the_commands_of_a_document_run(document: Path, tmp_path: Path) -> None:
    assert commands(document)
    follow(document, checkout(tmp_path))


@pytest.mark.lab
@pytest.mark.parametrize("name", [name for name, test in EXAMPLES.items() if test is None])
def test_the_commands_of_an_example_run(name: str, tmp_path: Path) -> None:
    follow(REPOSITORY / "examples" / name / "README.md", checkout(tmp_path))


def test_every_example_is_linked_and_run() -> None:
    assert EXAMPLES.keys() == {path.parent.name for path in REPOSITORY.glob("examples/*/README.md")}
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    for name, test in EXAMPLES.items():
        assert f"(examples/{name}/README.md)" in text
        if test is not None:
            program = (REPOSITORY / "tests/functional" / test).read_text(encoding="utf-8")
            assert f"examples/{name}" in program


@pytest.mark.lab
@pytest.mark.parametrize("document", ["README.md", f"docs/{FIRST}"])
def test_a_new_user_gets_along_in_a_fresh_clone(document: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    leave_out = shutil.ignore_patterns(".*", "build", "dist")
    shutil.copytree(
        REPOSITORY,
        clone,
        ignore=lambda folder, names: (
            leave_out(folder, names) if Path(folder) == REPOSITORY else {"__pycache__"}
        ),
    )
    follow(REPOSITORY / document, clone, tools=False, without=".venv/bin/pytest")


def test_the_readme_quotes_the_smallest_blueprint_whole() -> None:
    text = (REPOSITORY / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 8
    assert f"```yaml\n{text}```" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_index_leads_to_every_page_once() -> None:
    text = (REPOSITORY / "docs" / INDEX).read_text(encoding="utf-8")
    found = re.findall(r"\]\((\S+)\)", text)
    pages = {path.relative_to(REPOSITORY / "docs").as_posix() for path in DOCS}
    assert len(found) == len(set(found))
    assert pages <= set(found)


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
    first, second = (command.text for command in commands(REPOSITORY / "README.md"))
    assert first.startswith(BOOTSTRAP)
    assert second.startswith(BOOTSTRAP)
    assert [line for line in lines if re.search(pattern[1], line)] == [second]
