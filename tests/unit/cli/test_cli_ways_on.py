"""What verbs say about the way on: commands that work when they are pasted, and nothing twice."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from cli_project import (
    README_LINE,
    YOURS,
    add_an_op,
    appended,
    asked,
    call,
    clash,
    copied,
    files,
    replaced,
    scaffolded,
)

from epforge.cli.main import VERBS
from epforge.workspace.journal import NEXT

rename = replaced("blueprint.yaml", "contoso-npu", "contoso-xpu")
SHARED = "CMakeLists.txt"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scaffolded(tmp_path_factory.mktemp("ways"))


@pytest.fixture
def project(pristine: Path, tmp_path: Path) -> Path:
    return copied(pristine, tmp_path / "an npu")


@pytest.fixture
def committed(project: Path) -> Path:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "all")
    return project


def git(project: Path, *args: str) -> str:
    identity = ("-c", "user.name=C", "-c", "user.email=c@contoso.invalid")
    done = subprocess.run(
        ["git", "-C", str(project), *identity, *args], check=True, capture_output=True, text=True
    )
    return done.stdout


def shown(output: str, *parts: str) -> list[str]:
    """The arguments of the first epforge command in an output that has these parts."""
    lines = [line for line in output.splitlines() if all(part in line for part in parts)]
    text = "epforge " + lines[0].rpartition("epforge ")[2].partition("  #")[0]
    return shlex.split(text)[1:]


def test_the_way_out_of_a_conflict_keeps_what_was_asked_for(project: Path) -> None:
    rename(project)
    add_an_op(project)
    clash(project)
    stopped = call("regenerate", project, "--refresh", "all")
    assert stopped.exit_code == 3
    done = call(*shown(stopped.stderr, "epforge regenerate", "--theirs README.md"))
    assert done.exit_code == 0, done.output
    assert "namespace contoso_xpu" in (project / YOURS).read_text()


def test_the_way_out_of_a_conflict_on_a_branch_stays_on_the_branch(committed: Path) -> None:
    clash(committed)
    add_an_op(committed)
    git(committed, "commit", "-q", "-a", "-m", "ours")
    before = files(committed)
    stopped = call("regenerate", committed, "--branch", "b")
    done = call(*shown(stopped.stderr, "--on-conflict markers"))
    assert done.exit_code == 3
    assert files(committed) == before
    assert "on branch b:" in done.stdout
    commands = [line.partition(": ")[2] for line in done.stdout.splitlines() if ": git -C" in line]
    for command in commands:  # to see it, and to go there
        subprocess.run(shlex.split(command), check=True, capture_output=True)
    assert call(*shown(done.stdout, "resolve"), "--theirs").exit_code == 0
    assert "It computes 3 operators:" in (committed / "README.md").read_text()


def test_open_conflicts_are_named_with_a_command_that_finds_them(project: Path) -> None:
    add_an_op(project)
    clash(project)
    left = call("regenerate", project, "--on-conflict", "markers")
    for verb in (
        ["regenerate", project],
        ["upgrade", project, "--ort", "1.28"],
        ["add", "op", "Sub", "--project", project],
        ["build", project],
    ):
        refused = call(*verb)
        assert refused.exit_code == 3
        assert refused.stdout == ""
        assert call(*shown(refused.stderr, "epforge resolve")).exit_code == 3  # markers are left
    assert call(*shown(left.stdout, "--theirs")).exit_code == 0
    assert call("status", project).exit_code == 0


def test_resolving_one_of_two_says_that_one_is_left(project: Path) -> None:
    add_an_op(project)
    clash(project)
    replaced(SHARED, "project(contoso_npu ", "project(contoso_npu_ours ")(project)
    rename(project)
    assert call("regenerate", project, "--on-conflict", "markers").exit_code == 3
    done = call("resolve", "README.md", "--theirs", "--project", project)
    assert done.stdout.endswith("1 file resolved; 1 file left\n")


def test_a_note_is_told_once_and_again_when_asked(project: Path) -> None:
    rename(project)
    first = call("regenerate", project)
    assert "+namespace contoso_xpu" in first.stdout
    again = call("regenerate", project)
    assert "note  " not in again.stdout
    told = call(*shown(again.stdout, "earlier notes"))
    assert "+namespace contoso_xpu" in told.stdout
    done = call(*shown(told.stdout, "--refresh", "To merge"))
    assert done.exit_code == 0, done.output
    assert "namespace contoso_xpu" in (project / YOURS).read_text()
    assert "earlier note" not in call("regenerate", project).stdout


def test_files_that_are_the_owner_s_to_write_are_marked(project: Path) -> None:
    done = call("add", "op", "TfIdfVectorizer", "--project", project)
    assert "create  src/kernels/tf_idf_vectorizer.cc  (yours)\n" in done.stdout


def test_a_change_of_the_record_alone_is_not_nothing(project: Path) -> None:
    appended("blueprint.yaml", "# a remark\n")(project)
    assert "record of them would be brought" in call("regenerate", project, "--dry-run").stdout
    assert "record of them was brought" in call("regenerate", project).stdout
    assert "record of them" not in call("regenerate", project).stdout


@pytest.mark.parametrize(
    ("option", "path", "says"),
    [
        ("--discard", SHARED, "is shared, not generated"),
        ("--discard", YOURS, "is yours, not generated"),
        ("--adopt", SHARED, "is shared, not generated"),
        ("--refresh", SHARED, "is shared, not yours"),
        ("--refresh", "src/abi/ep.cc", "is generated, not yours"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    project: Path, option: str, path: str, says: str
) -> None:
    refused = call("regenerate", project, option, path)
    assert refused.exit_code == 2
    assert f"{option} {path}: the file {says}" in refused.stderr


def test_a_plan_is_of_this_directory_where_none_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert "up to date" in call("plan").stdout


def test_ejecting_can_be_looked_at_first(project: Path) -> None:
    before = files(project)
    dry = call("eject", "op", "Relu", "--project", project, "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "create  src/kernels/relu.cc  (yours)" in dry.stdout
    assert "is yours now" not in dry.stdout
    assert files(project) == before


def test_the_way_to_a_kernel_of_an_op_that_is_listed(project: Path) -> None:
    refused = call("add", "op", "Relu", "--kernel", "yours", "--project", project)
    assert refused.exit_code == 2
    assert call(*shown(refused.stderr, "eject")).exit_code == 0
    assert (project / "src/kernels/relu.cc").is_file()


def test_an_op_that_cannot_be_had_is_reported_where_it_would_be(project: Path) -> None:
    refused = call("add", "op", "SequenceMap", "--project", project)
    assert refused.exit_code == 2
    assert f"{project}/blueprint.yaml (as it would be):" in refused.stderr


def test_a_crashed_command_is_named_with_its_place(project: Path) -> None:
    (project / NEXT).mkdir()
    refused = call("plan", project)
    assert refused.exit_code == 1
    assert shown(refused.stderr, "epforge regenerate") == ["regenerate", str(project)]


def test_markers_that_no_verb_can_resolve_have_no_command(project: Path) -> None:
    add_an_op(project)
    clash(project)
    lock = (project / "epforge.lock").read_bytes()
    call("regenerate", project, "--on-conflict", "markers")
    (project / "epforge.lock").write_bytes(lock)
    found = asked("status", project)
    assert found["exit_status"] == 3
    assert found["cure"] == ""
    assert "edit those lines" in found["findings"][0]["text"]
    assert README_LINE not in found["findings"][0]["text"]


def test_status_repeats_the_trust_that_it_was_given(project: Path) -> None:
    add_an_op(project)
    cure = json.loads(call("status", project, "--trust", "--json").stdout)["cure"]
    assert shlex.split(cure) == ["epforge", "regenerate", str(project), "--trust"]


@pytest.mark.parametrize("verb", VERBS)
def test_the_usage_of_a_verb_has_no_brackets_in_brackets(verb: str) -> None:
    usage = call(verb, "--help").stdout.partition("\n\n")[0]
    assert not re.search(r"\[\[|\]\]|\.\.\.[\]}]", usage), usage
