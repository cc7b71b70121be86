"""`regenerate` on disk: what is replaced, what is merged, what stops it, and how to go on."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from cli_project import (
    BLUEPRINT,
    GENERATED,
    YOURS,
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
)

from epforge.errors import UsageError
from epforge.render.clang import format_all, is_formatted
from epforge.verbs.change.rewriting import rewrite
from epforge.workspace import Lock, Request, read_lock, sha256
from epforge.workspace.lock import LOCK

TABLE = "src/gen/kernel_table.cc"
SHARED_LINE = "// Shared: edit freely; epforge merges its own changes into yours."


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scaffolded(tmp_path_factory.mktemp("regenerate"))


@pytest.fixture
def project(pristine: Path, tmp_path: Path) -> Path:
    return copied(pristine, tmp_path / "npu")


def git(project: Path, *args: str) -> str:
    identity = ("-c", "user.name=C", "-c", "user.email=c@contoso.invalid")
    done = subprocess.run(
        ["git", *identity, *args], cwd=project, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_nothing_is_touched_when_there_is_nothing_to_do(project: Path) -> None:
    appended("README.md", "\nOurs.\n")(project)
    appended(YOURS, "// mine\n")(project)
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    result = call("regenerate", project)
    assert result.exit_code == 0, result.output
    assert "up to date" in result.stdout
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before


def test_a_project_follows_its_blueprint_and_keeps_what_is_its_owner_s(project: Path) -> None:
    add_an_op(project)
    appended("README.md", "\nOurs.\n")(project)
    appended(YOURS, "// mine\n")(project)
    result = call("regenerate", project)
    assert result.exit_code == 0, result.output
    readme = (project / "README.md").read_text()
    assert "It computes 3 operators:" in readme
    assert readme.endswith("\nOurs.\n")
    assert (project / YOURS).read_text().endswith("// mine\n")
    assert (project / "src/gen/kernels/mul.cc").is_file()
    assert "merge   README.md" in result.stdout
    assert call("status", project).exit_code == 0


def test_many_generated_files_are_summed_up_and_can_be_listed(project: Path) -> None:
    replaced("blueprint.yaml", "contoso-npu", "contoso-xpu")(project)
    short = call("plan", project).stdout
    assert "generated files below src/gen\n" in short
    assert "update  src/gen/api/status.cc" not in short
    assert "update  src/gen/api/status.cc" in call("plan", project, "--verbose").stdout


# Conflicts


def test_lines_that_both_changed_stop_it_and_both_are_shown(project: Path) -> None:
    add_an_op(project)
    clash(project)
    before = tree(project)
    result = call("regenerate", project)
    assert result.exit_code == 3
    assert tree(project) == before
    assert "It computes two operators:" in result.stderr
    assert "It computes 3 operators:" in result.stderr
    error = asked("regenerate", project)["error"]
    assert error["exit_status"] == 3
    assert error["files"] == ["README.md"]
    (hunk,) = error["conflicts"][0]["hunks"]
    assert hunk["yours"][0].endswith("It computes two operators:")
    assert hunk["epforge"][0].endswith("It computes 3 operators:")


@pytest.mark.parametrize(
    ("option", "line"), [("--ours", "computes two operators"), ("--theirs", "computes 3 operators")]
)
def test_the_command_that_is_shown_decides_the_file(project: Path, option: str, line: str) -> None:
    add_an_op(project)
    clash(project)
    shown = call("regenerate", project).stderr.splitlines()
    text = next(row for row in shown if option in row).partition("#")[0]
    result = call(*shlex.split(text)[1:])
    assert result.exit_code == 0, result.output
    assert line in (project / "README.md").read_text()
    assert call("status", project).exit_code == 0


def test_markers_are_left_in_the_file_and_every_verb_that_writes_waits(project: Path) -> None:
    add_an_op(project)
    clash(project)
    result = call("regenerate", project, "--on-conflict", "markers", "--build")
    assert result.exit_code == 3
    assert "README.md:" in result.stdout
    assert f"epforge resolve --project {project}" in result.stdout
    assert not (project / "build").exists()
    assert "<<<<<<< " in (project / "README.md").read_text()
    before = tree(project)
    for args in (
        ["regenerate", project],
        ["plan", project],
        ["scaffold", project / "blueprint.yaml", project],
        ["eject", "op", "Relu", "--project", project],
        ["build", project],
    ):
        refused = call(*args)
        assert refused.exit_code == 3, args
        assert "README.md" in refused.stderr
        assert "epforge resolve" in refused.stderr
    assert tree(project) == before


def test_what_a_file_brings_along_does_not_reach_the_terminal(project: Path) -> None:
    add_an_op(project)
    replaced("README.md", "It computes 2 operators:", "It \x1b[2J computes\r two:")(project)
    for args in (["regenerate", project], ["plan", project], ["plan", project, "--diff"]):
        result = call(*args)
        assert result.exit_code == 3
        assert "\x1b" not in result.output
        assert "\r" not in result.output


# Generated files


def test_an_edit_of_a_generated_file_is_refused_and_shown(project: Path) -> None:
    appended(GENERATED, "// mine\n")(project)
    before = tree(project)
    result = call("regenerate", project)
    assert result.exit_code == 3
    assert "+// mine" in result.stderr
    assert f"epforge regenerate {project} --adopt {GENERATED}" in result.stderr
    assert tree(project) == before


@pytest.mark.parametrize("which", [TABLE, "all"])
def test_an_adopted_file_is_shared_from_then_on(project: Path, which: str) -> None:
    appended(TABLE, "// mine\n")(project)
    result = call("regenerate", project, "--adopt", which)
    assert result.exit_code == 0, result.output
    assert (project / TABLE).read_text().splitlines()[0] == SHARED_LINE
    assert call("status", project).exit_code == 0
    add_an_op(project)
    assert call("regenerate", project).exit_code == 0
    text = (project / TABLE).read_text()
    assert text.endswith("// mine\n")
    assert "mul.h" in text
    assert text.splitlines()[0] == SHARED_LINE
    assert asked("regenerate", project)["actions"] == []


def test_an_adopted_file_can_be_given_back(pristine: Path, project: Path) -> None:
    appended(TABLE, "// mine\n")(project)
    assert call("regenerate", project, "--adopt", TABLE).exit_code == 0
    assert call("regenerate", project, "--discard", "all").exit_code == 0
    assert (project / TABLE).read_text().endswith("// mine\n")
    result = call("regenerate", project, "--discard", TABLE)
    assert result.exit_code == 0, result.output
    assert tree(project) == tree(pristine)


@pytest.mark.parametrize("which", [GENERATED, "all"])
def test_a_discarded_edit_is_gone_and_was_shown(pristine: Path, project: Path, which: str) -> None:
    appended(GENERATED, "// mine\n")(project)
    result = call("regenerate", project, "--discard", which)
    assert result.exit_code == 0, result.output
    assert "+// mine" in result.stdout
    assert tree(project) == tree(pristine)


def test_what_was_deleted_comes_back_only_on_request(pristine: Path, project: Path) -> None:
    for path in (GENERATED, YOURS, "README.md"):
        deleted(path)(project)
    assert call("regenerate", project).exit_code == 3
    paths = (word for path in (GENERATED, YOURS, "README.md") for word in ("--restore", path))
    result = call("regenerate", project, *paths)
    assert result.exit_code == 0, result.output
    assert files(project) == files(pristine)


# The request


@pytest.mark.parametrize("option", ["--ours", "--adopt", "--refresh", "--restore"])
def test_a_path_that_is_not_there_gets_a_proposal(project: Path, option: str) -> None:
    before = tree(project)
    result = call("regenerate", project, option, "src/abi/eq.cc")
    assert result.exit_code == 2
    assert f"{option} src/abi/eq.cc" in result.stderr
    assert "src/abi/ep.cc" in result.stderr
    assert tree(project) == before


def test_paths_are_taken_from_the_project_the_current_directory_or_the_root(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    for path in (f"./{GENERATED}", f"npu/{GENERATED}", project / "src/../src/abi/ep.cc"):
        appended(GENERATED, "// mine\n")(project)
        assert call("regenerate", "npu", "--discard", path).exit_code == 0
    (project.parent / "npu.txt").touch()
    assert call("regenerate", "npu", "--ours", "../npu.txt").exit_code == 2


def test_no_file_is_decided_in_two_ways(project: Path) -> None:
    for one, other in (("--ours", "--theirs"), ("--adopt", "--discard")):
        result = call("regenerate", project, one, GENERATED, other, f"./{GENERATED}")
        assert result.exit_code == 2
        assert "Choose one" in result.stderr


def test_what_is_no_project_is_a_wrong_call(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent"):
        result = call("regenerate", place)
        assert result.exit_code == 2
        assert "not a project of epforge" in result.stderr
    assert os.listdir(tmp_path) == []


def test_a_blueprint_that_is_gone_or_wrong_changes_nothing(project: Path) -> None:
    replaced("blueprint.yaml", "ops:", "opps:")(project)
    before = tree(project)
    wrong = call("regenerate", project)
    assert wrong.exit_code == 2
    assert f"{project}/blueprint.yaml:5:1: error:" in wrong.stderr
    deleted("blueprint.yaml")(project)
    del before["blueprint.yaml"]
    gone = call("regenerate", project)
    assert gone.exit_code == 2
    assert "blueprint.yaml is missing" in gone.stderr
    assert tree(project) == before


# Branches


def test_a_branch_has_the_result_and_the_work_tree_has_not(project: Path) -> None:
    add_an_op(project)
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    git(project, "config", "user.name", "C")
    git(project, "config", "user.email", "c@contoso.invalid")
    appended("README.md", "\nNot committed.\n")(project)
    before = files(project)
    result = call("regenerate", project, "--branch", "more-ops")
    assert result.exit_code == 0, result.output
    assert "README.md" in result.stderr
    assert files(project) == before
    assert "src/gen/kernels/mul.cc" in git(project, "ls-tree", "-r", "--name-only", "more-ops")
    git(project, "checkout", "-q", "--", "README.md")
    git(project, "checkout", "-q", "more-ops")
    assert call("status", project).exit_code == 0
    again = asked("regenerate", project, "--branch", "even-more")
    assert again["branch"]["name"] == ""


def test_a_branch_does_not_start_from_a_blueprint_that_is_not_committed(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    add_an_op(project)
    result = call("regenerate", project, "--branch", "more-ops")
    assert result.exit_code == 2
    assert "not committed" in result.stderr
    assert "more-ops" not in git(project, "branch", "--list")


# The owner's style


def test_code_is_written_in_the_project_s_own_style(project: Path) -> None:
    style = (project / ".clang-format").read_text()
    (project / ".clang-format").write_text(style + "IndentWidth: 7\n")
    result = call("regenerate", project)
    assert result.exit_code == 0, result.output
    assert "\n       " in (project / GENERATED).read_text()
    assert read(project).inputs == {"style": sha256((style + "IndentWidth: 7\n").encode())}
    assert call("status", project).exit_code == 0
    (project / ".clang-format").write_text(style)
    assert call("status", project).exit_code == 1


def test_a_reformat_of_the_whole_project_is_no_edit(project: Path) -> None:
    style = (project / ".clang-format").read_text() + "IndentWidth: 7\n"
    (project / ".clang-format").write_text(style)
    code = {p: text.decode() for p, text in files(project).items() if is_formatted(p)}
    for path, text in format_all(code, style).items():
        (project / path).write_text(text)
    appended(YOURS, "// mine\n")(project)
    before = files(project)
    result = call("regenerate", project)
    assert result.exit_code == 0, result.output
    assert files(project) == before
    assert "note" not in result.stdout


def test_a_style_that_is_none_is_an_error_with_its_place(project: Path) -> None:
    appended(".clang-format", "Indent: 7\n")(project)
    line = (project / ".clang-format").read_text().count("\n")
    before = tree(project)
    result = call("regenerate", project)
    assert result.exit_code == 2
    assert f"{project}/.clang-format:{line}:1: " in result.stderr
    assert "unknown key 'Indent'" in result.stderr
    assert tree(project) == before


def test_the_style_is_the_merged_one_when_epforge_s_changed_as_well(project: Path) -> None:
    """The project was written by an epforge with another style, and its owner changed that."""
    style = (project / ".clang-format").read_text()
    old = style + "SpaceBeforeParens: Always\n"
    (project / ".clang-format").write_text("# Ours.\nIndentWidth: 7\n" + old)
    (project / ".epforge/base/.clang-format").write_text(old)
    lock = (project / LOCK).read_text().replace(sha256(style.encode()), sha256(old.encode()))
    (project / LOCK).write_text(lock)
    result = call("regenerate", project)
    assert result.exit_code == 0, result.output
    assert (project / ".clang-format").read_text() == "# Ours.\nIndentWidth: 7\n" + style
    again = asked("regenerate", project)
    assert again["actions"] == []
    assert call("status", project).exit_code == 0


def read(project: Path) -> Lock:
    lock = read_lock(project)
    assert lock is not None
    return lock


# Two at once


def test_two_changes_of_the_blueprint_at_once_are_both_kept(project: Path) -> None:
    """Another command adds an operator between the moment this one reads and writes."""
    calls = 0

    def add_neg(text: str) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            add_an_op(project)
            assert call("regenerate", project).exit_code == 0
        return text.replace("[Relu", "[Neg, Relu")

    rewrite(project, add_neg, Request())
    assert "ops: [Neg, Relu, Add, Mul]" in (project / "blueprint.yaml").read_text()
    assert call("status", project).exit_code == 0
    assert calls > 1


def test_a_text_made_from_a_blueprint_that_has_changed_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epforge.verbs.change import expanding

    real = expanding.change_of

    def slow(*args: object) -> object:
        add_an_op(project)
        monkeypatch.undo()
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("epforge.verbs.change.rewriting.change_of", slow)
    with pytest.raises(UsageError, match="meanwhile"):
        rewrite(project, BLUEPRINT.replace("[Relu", "[Neg, Relu"), Request())
    assert "ops: [Relu, Add, Mul]" in (project / "blueprint.yaml").read_text()


# For programs


def test_the_answer_for_a_program_has_a_format(project: Path) -> None:
    drop_an_op(project)
    appended("README.md", "\nOurs.\n")(project)
    deleted(YOURS)(project)
    data = asked("regenerate", project)
    assert data["format"] == 1
    assert data["directory"] == str(project)
    rows = {row["path"]: row for row in data["actions"]}
    assert rows["README.md"]["kind"] == "merge"
    assert rows["README.md"]["owner"] == "shared"
    assert rows["src/gen/kernels/add.cc"]["kind"] == "remove"
    assert [(note["path"], note["kind"]) for note in data["notes"]] == [(YOURS, "stays-deleted")]
    assert data["conflicts"] == data["open"] == []
    assert json.loads((project / LOCK).read_text())["format"] == 2
