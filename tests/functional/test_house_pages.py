"""The pages of the house: versions agree, decisions are complete, and the commands work."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from terminal import typed

import epforge

REPOSITORY = Path(__file__).resolve().parents[2]
DECISIONS = sorted((REPOSITORY / "docs/decisions").glob("[0-9]*.md"))
PARTS = ["Context", "Decision", "Consequences", "What would change our mind"]
SETTING_UP = "python3 -m venv"


def page(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads(page("pyproject.toml"))


def commands(text: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def test_the_version_is_one() -> None:
    released = re.findall(r"^## (\d+\.\d+\.\d+)$", page("CHANGELOG.md"), re.M)
    assert project()["project"]["version"] == epforge.__version__ == released[0]
    assert released == sorted(released, key=lambda each: [*map(int, each.split("."))], reverse=True)


def test_the_source_distribution_has_the_pages() -> None:
    """Without a list of its own it has all that git has."""
    target = project()["tool"]["hatch"]["build"].get("targets", {}).get("sdist", {})
    pages = {f"/{path.name}" for path in REPOSITORY.glob("*.md")} | {"/docs"}
    assert pages <= set(target.get("include", pages))
    assert not pages & set(target.get("exclude", ()))


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_says_all_that_it_should(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    number = int(path.name[:4])
    title = re.match(rf"# {number}\. (.+)\n", text)
    assert title is not None
    assert re.findall(r"^## (.+)$", text, re.M) == PARTS
    assert all(part.strip() for part in re.split(r"^## .+$", text, flags=re.M))
    assert f"| [{number}]({path.name}) | {title[1]} |" in page("docs/decisions/README.md")


def test_decisions_are_numbered_without_a_gap() -> None:
    assert [int(path.name[:4]) for path in DECISIONS] == [*range(1, len(DECISIONS) + 1)]


def test_contributors_and_readers_are_told_the_same_command() -> None:
    (first,) = [line for line in commands(page("CONTRIBUTING.md")) if line.startswith(SETTING_UP)]
    assert first in commands(page("README.md"))


@pytest.mark.lab
@pytest.mark.parametrize(
    "line", [x for x in commands(page("CONTRIBUTING.md")) if not x.startswith(SETTING_UP)]
)
def test_a_command_for_contributors_works(line: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    at_the_top = {".git", ".venv", "build", "dist"}
    shutil.copytree(
        REPOSITORY,
        clone,
        ignore=lambda folder, names: (
            at_the_top if Path(folder) == REPOSITORY else {"__pycache__"}.intersection(names)
        ),
    )
    said = typed(line, clone)
    assert said.status == 0, f"$ {line}\n{said.text[-3000:]}"


@pytest.mark.parametrize(
    "command", re.findall(r"\| `(python [^`]+)` \|", page("CONTRIBUTING.md").split("## Pages")[1])
)
def test_a_page_is_made_by_its_command(command: str, tmp_path: Path) -> None:
    for name in ("generator", "tests/support", "docs", "templates", "blueprints"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    olds = [*tmp_path.glob("docs/reference/*.md"), *tmp_path.glob("docs/*.svg")]
    for old in olds:
        old.write_text("old")
    said = typed(command, tmp_path)
    assert said.status == 0, said.text
    made = [path for path in olds if path.read_text() != "old"]
    assert made
    for path in made:
        assert path.read_text() == page(str(path.relative_to(tmp_path)))
