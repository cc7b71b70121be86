"""The release notes of a generated project, in a real repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from epforge.verbs.scaffold import scaffold_project

BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu]
"""


def git(place: Path, *arguments: str) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=a@example.com", *arguments],
        cwd=place, env=kept, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip


def commit(place: Path, subject: str, *paths: str) -> None:
    for path in paths:
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        with open(place / path, "a", encoding="utf-8") as file:
            file.write("more\n")
    git(place, "add", "-A")
    git(place, "commit", "-qm", subject)


def notes(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(
        [sys.executable, project / "packaging/release_notes.py", *arguments],
        cwd="/", env=kept, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a project in a folder of it, released as v0.1.0."""
    repository = tmp_path_factory.mktemp("made")
    git(repository, "init", "-q", "--initial-branch=main")
    (repository / "blueprint.yaml").write_text(BLUEPRINT)
    scaffold_project(repository / "blueprint.yaml", repository / "plugins/npu")
    commit(repository, "first")
    git(repository, "tag", "v0.1.0")
    return repository


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """The project, for one test."""
    shutil.copytree(made, tmp_path / "repository", symlinks=True)
    return tmp_path / "repository/plugins/npu"


def test_every_path_is_one_of_the_project(project: Path) -> None:
    for line in (project / "packaging/paths.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "[")):
            assert (project / line).exists(), line


def test_commits_are_told_once_below_the_first_heading_they_concern(project: Path) -> None:
    commit(project, "Relu is faster", "src/kernels/relu.cc")
    commit(project, "register() says more", "python/x.py", "src/device/x.cc")
    commit(project, "A stricter wheel", "packaging/build_wheel.py")
    commit(project, "A test", "tests/python/test_more.py")
    commit(project, "Elsewhere", "../../src/other.cc", "../../packaging/x")
    done = notes(project, "--from", "v0.1.0")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.rpartition(" (")[0] if line.startswith("*") else line for line in lines] == [
        "Changes since v0.1.0", "",
        "## Library", "", "* register() says more", "* Relu is faster", "",
        "## Packages", "", "* A stricter wheel",
    ]  # fmt: skip
    short = lines[4].rpartition("(")[2].rstrip(")")
    assert git(project, "rev-parse", "HEAD~3").startswith(short)


def test_the_last_commit_may_be_named_and_nothing_is_said_plainly(project: Path) -> None:
    commit(project, "A test", "tests/python/test_more.py")
    commit(project, "Later", "src/x.cc")
    done = notes(project, "--from", "v0.1.0", "--to", "HEAD^")
    assert done.stdout == "Changes since v0.1.0\n\nNothing that concerns the packages.\n"


def test_a_subject_stays_a_line_of_text(project: Path) -> None:
    commit(project, "red\x1b[31m\ttabs and é", "src/x.cc")
    assert "* red [31m tabs and é (" in notes(project, "--from", "v0.1.0").stdout


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--from", "v9"], "there is no tag 'v9' here"),
        (["--from", "HEAD"], "there is no tag 'HEAD' here"),
        (["--from", ""], "there is no tag '' here"),
        (["--from=--output=x"], "there is no tag '--output=x' here"),
        (["--from", "v0.1.0", "--to", "nowhere"], "there is no commit 'nowhere' here"),
        (["--from", "v0.1.0", "--to=--all"], "there is no commit '--all' here"),
        (["--from", "v0.1.0", "--to", "HEAD..main"], "there is no commit 'HEAD..main' here"),
    ],
)
def test_a_name_that_is_no_tag_or_commit_is_an_error(
    arguments: list[str], error: str, project: Path
) -> None:
    done = notes(project, *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {error}")
    assert len(done.stderr.splitlines()) == 1


def test_odd_tags_are_tags(project: Path) -> None:
    """One that begins with a dash, one that a branch shares its name with, one with brackets."""
    commit(project, "A fix", "src/x.cc")
    first = git(project, "rev-parse", "v0.1.0")
    git(project, "branch", "release")
    for name in ("-q", "release", "ep/v1.0-(rc)'"):
        git(project, "update-ref", f"refs/tags/{name}", first)
        done = notes(project, f"--from={name}")
        assert "* A fix (" in done.stdout, (name, done.stderr)


def test_a_list_that_cannot_be_understood_is_an_error(project: Path) -> None:
    path = project / "packaging/paths.txt"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"src/\n{text}", encoding="utf-8")
    assert "paths.txt:1: src/ is below no heading" in notes(project, "--from", "v0.1.0").stderr
    path.write_text(f"{text}\n[Library]\n", encoding="utf-8")
    assert "a second heading [Library]" in notes(project, "--from", "v0.1.0").stderr
    path.write_text("[Library]\n:(nonsense)src\n", encoding="utf-8")
    assert notes(project, "--from", "v0.1.0").stderr.startswith("error: git log: ")


def test_outside_a_repository_git_says_so(project: Path, tmp_path: Path) -> None:
    shutil.move(project, tmp_path / "project")
    done = notes(tmp_path / "project", "--from", "v0.1.0")
    assert done.returncode == 1
    assert "not a git repository" in done.stderr
