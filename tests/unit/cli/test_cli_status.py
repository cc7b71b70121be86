"""`status`: in sync, drift, a wrong blueprint, open conflicts; it only reads."""

import os
from pathlib import Path

import pytest
from cli_project import (
    BLUEPRINT,
    GENERATED,
    YOURS,
    Change,
    add_an_op,
    appended,
    asked,
    call,
    clash,
    copied,
    deleted,
    replaced,
    scaffolded,
    tree,
    written,
)

from epforge.blueprint import parse
from epforge.resolve import resolve_supported
from epforge.verbs.change.expanding import change_of
from epforge.verbs.change.project import expand
from epforge.workspace import Request, publish

MARKED = b"<<<<<<< yours\na\n||||||| base\nb\n=======\nc\n>>>>>>> epforge\n"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scaffolded(tmp_path_factory.mktemp("status"))


@pytest.fixture
def project(pristine: Path, tmp_path: Path) -> Path:
    return copied(pristine, tmp_path / "npu")


def crlf(project: Path) -> None:
    path = project / "README.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def other_tool(project: Path) -> None:
    lock = (project / "epforge.lock").read_text()
    rows = [
        '  "tool": {"templates": "0", "version": "9.9.9"}' if '"tool"' in row else row
        for row in lock.splitlines()
    ]
    (project / "epforge.lock").write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [appended("README.md", "\nOurs.\n"), appended(YOURS, "// mine\n"), crlf],
        [deleted(YOURS), written("src/kernels/own.cc", b"// mine\n"), other_tool],
    ],
    ids=["untouched", "the owner's files", "deleted, own, other version"],
)
def test_what_is_the_owner_s_is_no_drift(project: Path, changes: list[Change]) -> None:
    for change in changes:
        change(project)
    result = call("status", project)
    assert result.exit_code == 0, result.output
    assert "in sync" in result.stdout


@pytest.mark.parametrize(
    ("change", "path", "says"),
    [
        (add_an_op, "src/gen/kernels/mul.cc", "would be created"),
        (replaced("blueprint.yaml", "# What", "# All that"), "blueprint.yaml", "has changed"),
        (appended(GENERATED, "// mine\n"), GENERATED, "was edited"),
        (deleted(GENERATED), GENERATED, "was deleted"),
        (deleted(".epforge/base.tar.xz"), ".epforge/base.tar.xz", "record"),
        (replaced("epforge.lock", "plugin/README", "x"), "epforge.lock", "would write"),
    ],
    ids=["blueprint", "comment", "edited", "deleted", "records", "lock"],
)
def test_drift_is_named_with_the_command_against_it(
    project: Path, change: Change, path: str, says: str
) -> None:
    change(project)
    data = asked("status", project)
    assert data["exit_status"] == 1
    assert data["status"] == "drift"
    assert says in next(row["text"] for row in data["findings"] if row["path"] == path)
    assert data["cure"] == f"epforge regenerate {project}"


def test_people_read_what_programs_are_told(project: Path) -> None:
    add_an_op(project)
    appended(GENERATED, "// mine\n")(project)
    result = call("status", project)
    assert result.exit_code == 1
    assert f"{project}/{GENERATED}: is generated and was edited\n" in result.stdout
    assert "create  src/gen/kernels/mul.cc\n" in result.stdout
    assert result.stdout.endswith(f"{project}: drift\nRun: epforge regenerate {project}\n")


def test_a_wrong_blueprint_is_2_and_so_is_what_is_no_project(project: Path, tmp_path: Path) -> None:
    replaced("blueprint.yaml", "ops:", "opps:")(project)
    result = call("status", project)
    assert result.exit_code == 2
    assert "blueprint.yaml:5:1: error:" in result.stderr
    assert call("status", tmp_path).exit_code == 2
    assert asked("status", tmp_path)["error"]["exit_status"] == 2


def test_open_conflicts_are_3_until_they_are_resolved(project: Path) -> None:
    add_an_op(project)
    clash(project)
    assert call("status", project).exit_code == 1
    assert call("regenerate", project, "--on-conflict", "markers").exit_code == 3
    data = asked("status", project)
    assert data["exit_status"] == 3
    (row,) = data["findings"]
    assert row["path"] == "README.md"
    assert len(row["lines"]) == 4
    assert data["cure"] == f"epforge resolve --project {project}"
    assert call("resolve", "--project", project, "--ours").exit_code == 0
    assert call("status", project).exit_code == 0


def test_a_file_that_is_about_markers_is_in_no_conflict(project: Path) -> None:
    written("CMakeLists.txt", MARKED)(project)
    assert asked("status", project)["exit_status"] == 0


def test_what_a_crash_left_is_drift(project: Path) -> None:
    written(".epforge/next/new/README.md", b"half")(project)
    before = tree(project)
    result = call("status", project)
    assert result.exit_code == 1
    assert "crashed" in result.stdout
    assert call("plan", project).exit_code == 1
    assert tree(project) == before
    assert call("regenerate", project).exit_code == 0
    assert call("status", project).exit_code == 0


class Crash(BaseException):
    """Ends a command where no handler of an error sees it."""


def test_what_a_crashed_edit_of_the_blueprint_left_is_finished_first(project: Path) -> None:
    def crash(step: str) -> None:
        if step.startswith("apply"):
            raise Crash

    new = resolve_supported(parse(BLUEPRINT.replace("Add]", "Add, Mul]")))
    expansion = expand(new)
    change = change_of(expansion, Request(edits=frozenset({"blueprint.yaml"})))
    with pytest.raises(Crash):
        publish(project, expansion.files, step=crash, **change)
    assert call("status", project).exit_code == 1
    assert call("regenerate", project).exit_code == 0
    assert "Mul]" in (project / "blueprint.yaml").read_text()
    assert (project / "src/gen/kernels/mul.cc").is_file()
    assert call("status", project).exit_code == 0


def test_it_only_reads_the_project(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_an_op(project)
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))
    for path in [project, *project.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in [project, *project.rglob("*")]}
    try:
        assert call("status", project).exit_code == 1
        assert {path: path.stat().st_mtime_ns for path in [project, *project.rglob("*")]} == before
    finally:
        for folder in [project, *(path for path in project.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)


def test_the_current_directory_is_the_default(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert call("status").exit_code == 0
    os.remove(GENERATED)
    assert call("status").exit_code == 1
