"""The command line's frame: help, versions, errors and exit statuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import epforge
from epforge.cli.main import VERBS, app

run = CliRunner().invoke


def test_version() -> None:
    result = run(app, ["--version"])
    assert result.stdout == f"epforge {epforge.__version__}\n"
    assert result.exit_code == 0


def test_help_lists_every_verb_with_what_it_does() -> None:
    result = run(app, ["-h"])
    assert result.exit_code == 0
    for verb in VERBS:
        line = next(row for row in result.stdout.splitlines() if row.strip().startswith(verb + " "))
        assert len(line.split()) > 3, line
    assert "..." not in result.stdout.partition("Commands:")[2]


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_every_verb_has_an_example(verb: str) -> None:
    result = run(app, [verb, "--help"])
    assert result.exit_code == 0
    pages = [result.stdout]
    if "Commands:" in result.stdout:
        names = [
            row.split()[0]
            for row in result.stdout.split("Commands:")[1].splitlines()[1:]
            if row[2:3].strip()
        ]
        pages += [run(app, [verb, name, "--help"]).stdout for name in names]
    assert any(f"epforge {verb}" in page.split("Usage:")[1].split("\n", 1)[1] for page in pages)


@pytest.mark.parametrize(
    "args", [["nope"], ["scaffold"], ["resolve", "--project"], ["plan", "--nope", "a"]]
)
def test_a_wrong_call_is_exit_status_2(args: list[str]) -> None:
    result = run(app, args)
    assert result.exit_code == 2
    assert "Error" in result.output


@pytest.mark.parametrize(
    ("args", "meant"), [(["scafold", "a"], "scaffold"), (["ops", "shw", "Relu"], "show")]
)
def test_a_verb_that_is_misspelt_is_proposed_right(args: list[str], meant: str) -> None:
    result = run(app, args)
    assert result.exit_code == 2
    assert f"Did you mean '{meant}'?" in result.output
    error = json.loads(run(app, [*args, "--json"]).stdout)["error"]
    assert f"Did you mean '{meant}'?" in error["message"]


def test_files_of_a_project_are_not_asked_of_a_blueprint() -> None:
    result = run(app, ["plan", "a", "b"])
    assert result.exit_code == 2
    assert "a is not the directory of a project" in result.stderr


def test_a_directory_stands_for_the_blueprint_in_it(tmp_path: Path) -> None:
    file = tmp_path / "blueprint.yaml"
    file.write_text("epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\nlicence: MIT\n")
    assert run(app, ["check", str(tmp_path)]).exit_code == 2
    result = run(app, ["check", str(tmp_path), "--fix"])
    assert result.exit_code == 0, result.output
    assert "license: MIT\n" in file.read_text()
    assert f"{file}: ContosoNpuExecutionProvider" in result.stdout


@pytest.mark.parametrize(
    "call", [["status"], ["regenerate"], ["build"], ["eject", "op", "Relu", "--project"]]
)
def test_what_is_only_a_blueprint_yet_is_told_the_next_command(
    call: list[str], tmp_path: Path
) -> None:
    (tmp_path / "blueprint.yaml").touch()
    assert f"epforge scaffold {tmp_path}\n" in run(app, [*call, str(tmp_path)]).stderr
    (tmp_path / "blueprint.yaml").unlink()
    assert "epforge scaffold BLUEPRINT DIR\n" in run(app, [*call, str(tmp_path)]).stderr


def test_a_missing_blueprint_is_an_error_without_traceback(tmp_path: Path) -> None:
    result = run(app, ["plan", str(tmp_path / "absent.yaml")])
    assert result.exit_code == 2
    assert "does not exist" in result.stderr
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)


def test_errors_are_json_for_a_program(tmp_path: Path) -> None:
    result = run(app, ["plan", "--json", str(tmp_path / "absent.yaml")])
    assert result.exit_code == 2
    assert "does not exist" in json.loads(result.stdout)["error"]["message"]


def test_errors_of_a_blueprint_are_located_in_text_and_json(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_text("epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\nlayuot: NCHW\n")
    text = run(app, ["plan", str(path)])
    assert text.exit_code == 2
    assert f"{path}:5:1: error:" in text.stderr
    found = json.loads(run(app, ["plan", str(path), "--json"]).stdout)["error"]["diagnostics"]
    assert found[0]["range"]["start"] == {"line": 5, "column": 1}
    assert found[0]["fix"]["text"] == "layout"


def test_an_interrupt_is_exit_status_130(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("epforge.verbs.change.project.read", interrupt)
    result = run(app, ["plan", str(tmp_path / "b.yaml")])
    assert result.exit_code == 130
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "args",
    [
        ["nope"],
        ["--nope"],
        ["check"],
        ["plan", "a", "b"],
        ["build", "--jobs", "x"],
        ["validate", "--time-limit", "0"],
        ["sdk", "nope"],
        ["eject", "op"],
        ["api", "show", "--nope"],
    ],
)
def test_a_wrong_call_is_json_for_a_program(args: list[str]) -> None:
    result = run(app, [*args, "--json"])
    assert result.exit_code == 2
    error = json.loads(result.stdout)["error"]
    assert error["exit_status"] == 2
    assert error["message"]


def test_an_output_that_cannot_be_written_is_no_traceback(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "epforge", "schema"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 4
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_name_does_not_command_the_terminal() -> None:
    result = run(app, ["check", "b\x1b[31m.yaml"])
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "[31m.yaml" in result.stderr


@pytest.mark.parametrize(
    ("name", "says"),
    [("pipe", "not a regular file"), ("dir", "has no blueprint.yaml"), ("no", "not exist")],
)
def test_what_is_no_blueprint_is_called_what_it_is(name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    os.mkfifo(tmp_path / "pipe")
    result = run(app, ["check", str(tmp_path / name)])
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_user_without_a_home_is_told_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    for variable in ("EPFORGE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    result = run(app, ["sdk", "list"])
    assert result.exit_code == 4
    assert "EPFORGE_CACHE" in result.stderr
