"""`resolve`: conflicts in the files are over when their owner says so."""

from pathlib import Path

import pytest
from cli_project import (
    add_an_op,
    asked,
    call,
    clash,
    copied,
    replaced,
    scaffolded,
    tree,
)

TWO = ("README.md", "CMakeLists.txt")


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with conflicts in two files: the blueprint changes a name and the operators."""
    project = scaffolded(tmp_path_factory.mktemp("resolve"))
    add_an_op(project)
    replaced("blueprint.yaml", "vendor: Contoso", "vendor: Contoso\nversion: 0.2.0")(project)
    clash(project)
    replaced("CMakeLists.txt", "VERSION 0.1.0", "VERSION 0.1.0.7")(project)
    assert call("regenerate", project, "--on-conflict", "markers").exit_code == 3
    return project


@pytest.fixture
def project(marked: Path, tmp_path: Path) -> Path:
    project = copied(marked, tmp_path / "npu")
    assert {row["path"] for row in asked("status", project)["findings"]} == set(TWO)
    return project


def settle(path: Path) -> None:
    """Keeps the lines of both sides and takes the markers out, as an editor would."""
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if line[:7] not in MARKS))


MARKS = ("<" * 7, "|" * 7, "=" * 7, ">" * 7)


def test_edited_files_are_resolved_and_those_with_markers_are_not(project: Path) -> None:
    settle(project / "README.md")
    result = call("resolve", "--project", project)
    assert result.exit_code == 3
    assert "resolved README.md\n" in result.stdout
    line = (project / "CMakeLists.txt").read_text().splitlines().index("<<<<<<< yours") + 1
    assert f"{project}/CMakeLists.txt:{line}: conflict markers are left" in result.stderr
    settle(project / "CMakeLists.txt")
    assert call("resolve", "--project", project).exit_code == 0
    assert call("status", project).exit_code == 0
    assert "It computes two operators:" in (project / "README.md").read_text()


@pytest.mark.parametrize(
    ("side", "lines"),
    [
        ("--ours", ("It computes two operators:", "VERSION 0.1.0.7")),
        ("--theirs", ("It computes 3 operators:", "VERSION 0.2.0")),
    ],
)
def test_one_side_may_win(project: Path, side: str, lines: tuple[str, str]) -> None:
    assert call("resolve", "--project", project, side).exit_code == 0
    for path, line in zip(TWO, lines, strict=True):
        text = (project / path).read_text()
        assert line in text
        assert "<<<<<<<" not in text
    assert call("status", project).exit_code == 0


def test_one_file_at_a_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    data = asked("resolve", "./README.md", "--theirs")
    assert data == {
        "format": 1,
        "resolved": ["README.md"],
        "left": {},
        "open": ["CMakeLists.txt"],
    }
    assert [row["path"] for row in asked("status")["findings"]] == ["CMakeLists.txt"]
    left = asked("resolve")["left"]
    assert list(left) == ["CMakeLists.txt"]
    assert len(left["CMakeLists.txt"]) == 4


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--ours", "--theirs"], "exclude each other"),
        (["READNE.md"], "Did you mean README.md?"),
        (["LICENSE"], "no open conflict"),
    ],
)
def test_a_wrong_call_changes_nothing(project: Path, args: list[str], says: str) -> None:
    before = tree(project)
    result = call("resolve", *args, "--project", project)
    assert result.exit_code == 2
    assert says in result.stderr
    assert tree(project) == before


def test_there_may_be_nothing_to_resolve(project: Path, tmp_path: Path) -> None:
    assert call("resolve", "--project", project, "--theirs").exit_code == 0
    result = call("resolve", "--project", project)
    assert result.exit_code == 0
    assert "nothing is in conflict" in result.stdout
    assert call("resolve", "--project", tmp_path).exit_code == 2
