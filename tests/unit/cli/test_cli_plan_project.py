"""`plan` and `--dry-run` of a project: the list is what `regenerate` then does."""

import shutil
import subprocess
from pathlib import Path

import pytest
from cli_project import (
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
    drop_an_op,
    files,
    replaced,
    scaffolded,
    tree,
    written,
)

from epforge.verbs.change.diffs import diff_of
from epforge.workspace import Action, ActionKind

MODES = ("stop", "markers", "ours", "theirs")


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scaffolded(tmp_path_factory.mktemp("plan"))


@pytest.fixture
def project(pristine: Path, tmp_path: Path) -> Path:
    return copied(pristine, tmp_path / "npu")


def renamed(project: Path) -> None:
    (project / "docs").mkdir()
    (project / "README.md").rename(project / "docs/readme.md")


def without_records(project: Path) -> None:
    shutil.rmtree(project / ".epforge")


SCENARIOS: dict[str, list[Change]] = {
    "nothing": [],
    "added op": [add_an_op],
    "dropped op": [drop_an_op],
    "far edits": [add_an_op, appended("README.md", "\nOurs.\n"), appended(YOURS, "// mine\n")],
    "clash": [add_an_op, clash],
    "renamed": [add_an_op, renamed],
    "deleted": [add_an_op, deleted("README.md"), deleted(YOURS)],
    "edited generated file": [drop_an_op, appended(GENERATED, "// mine\n")],
    "in the way": [add_an_op, written("src/gen/kernels/mul.cc", b"// mine\n")],
    "no records": [add_an_op, clash, without_records],
    "own style": [add_an_op, replaced(".clang-format", "BasedOnStyle:", "IndentWidth: 3\n#")],
    "all at once": [add_an_op, clash, deleted(YOURS), appended("CMakeLists.txt", "# mine\n")],
}
# Each scenario once, and the richest in every mode; the lab runs them all.
CASES = [
    *((name, "stop") for name in SCENARIOS if name not in ("nothing", "added op", "clash")),
    *(("all at once", mode) for mode in MODES[1:]),
    ("in the way", "theirs"),
    ("no records", "markers"),
]


def holds(pristine: Path, place: Path, name: str, mode: str) -> None:
    """The preview's actions turn the old tree into what regenerating makes of it."""
    project = copied(pristine, place / "npu")
    for change in SCENARIOS[name]:
        change(project)
    before = tree(project)
    planned = asked("plan", project, "--on-conflict", mode)
    assert tree(project) == before
    wanted = files(project)
    if not planned["conflicts"]:
        for action in planned["actions"]:
            wanted.pop(action.get("source", action["path"]), None)
            wanted.pop(action["path"], None)
    done = asked("regenerate", project, "--on-conflict", mode)
    done = done.get("error", done)
    for part in ("actions", "conflicts", "notes", "open"):
        assert done[part] == planned[part], part
    after = files(project)
    touched = {each["path"] for each in planned["actions"]}
    if planned["conflicts"]:
        assert tree(project) == before
    else:
        assert {path: text for path, text in after.items() if path not in touched} == wanted
        gone = {each["path"] for each in planned["actions"] if each["kind"] == "remove"}
        assert touched - gone <= after.keys()
        assert not gone & after.keys()


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_the_list_equals_what_regenerating_does(
    pristine: Path, tmp_path: Path, name: str, mode: str
) -> None:
    holds(pristine, tmp_path, name, mode)


@pytest.mark.lab
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_list_equals_what_regenerating_does_in_every_mode(
    pristine: Path, tmp_path: Path, name: str, mode: str
) -> None:
    holds(pristine, tmp_path, name, mode)


def test_a_dry_run_says_the_same_and_writes_nothing(project: Path) -> None:
    add_an_op(project)
    before = tree(project)
    planned = call("plan", project)
    dry = call("regenerate", project, "--dry-run")
    assert dry.exit_code == planned.exit_code == 0
    assert dry.stdout == planned.stdout
    assert "create  src/gen/kernels/mul.cc" in dry.stdout
    assert tree(project) == before


def test_the_diff_is_a_patch_that_leads_to_the_same_tree(project: Path, tmp_path: Path) -> None:
    for change in SCENARIOS["far edits"]:
        change(project)
    patched = copied(project, tmp_path / "patched")
    patch = call("plan", project, "--diff").stdout
    subprocess.run(["git", "apply", "-"], cwd=patched, input=patch.encode(), check=True)
    assert call("regenerate", project).exit_code == 0
    assert files(patched) == files(project)


def test_a_diff_says_where_the_last_line_has_no_end_and_what_is_no_text() -> None:
    text = diff_of(Action("a.txt", ActionKind.UPDATE, b"one\ntwo", b"one\nthree\n"))
    assert text == (
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n"
        " one\n-two\n\\ No newline at end of file\n+three\n"
    )
    moved = diff_of(Action("b", ActionKind.MOVE, b"\0", b"\0\0", source="a"))
    assert "rename from a\nrename to b\nBinary files a/a and b/b differ\n" in moved
    assert "deleted file mode" in diff_of(Action("a", ActionKind.REMOVE, b"x\n", None))


def test_the_diff_of_one_file_is_of_that_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_an_op(project)
    monkeypatch.chdir(project.parent)
    for path in ("README.md", "npu/README.md"):
        shown = call("plan", "npu", path, "--diff")
        assert shown.exit_code == 0, shown.output
        assert shown.stdout.startswith("diff --git a/README.md b/README.md\n")
        assert shown.stdout.count("diff --git") == 1
    rows = asked("plan", "npu", "README.md", "--diff")["actions"]
    assert [row["path"] for row in rows] == ["README.md"]
    assert rows[0]["diff"] == shown.stdout


def test_what_would_stop_is_shown_with_its_place_and_the_commands(project: Path) -> None:
    add_an_op(project)
    clash(project)
    result = call("plan", project)
    assert result.exit_code == 3
    lines = (project / "README.md").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "two operators" in text)
    assert f"{project}/README.md:{line}: " in result.stdout
    assert f"epforge regenerate {project} --theirs README.md" in result.stdout
    assert f"epforge regenerate {project} --on-conflict markers" in result.stdout
    beside = call("plan", project, "--diff")
    assert beside.exit_code == 3
    assert beside.stdout.startswith("diff --git")
    assert f"{project}/README.md:{line}: " in beside.stderr


@pytest.mark.parametrize("args", [["--diff"], ["README.md"]])
def test_diffs_are_of_projects(tmp_path: Path, args: list[str]) -> None:
    (tmp_path / "b.yaml").write_text("epforge: 1\nname: contoso-npu\nvendor: C\nops: [Relu]\n")
    result = call("plan", tmp_path / "b.yaml", *args)
    assert result.exit_code == 2
    assert "for a project" in result.stderr


def test_a_path_that_the_project_does_not_have_is_a_wrong_call(project: Path) -> None:
    result = call("plan", project, "READNE.md")
    assert result.exit_code == 2
    assert "Did you mean README.md?" in result.stderr
