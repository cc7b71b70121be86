"""With ``--json`` every error is JSON on stdout with its exit status, of every verb."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from answers import check_schema
from typer.testing import CliRunner

import epforge
from epforge.cli.main import app


def verbs() -> Iterator[tuple[str, ...]]:
    """The words of every verb."""
    root: Any = typer.main.get_command(app)
    context = root.make_context("epforge", [], resilient_parsing=True)
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        yield from ((name, each) for each in getattr(command, "commands", ()))
        if not hasattr(command, "commands"):
            yield (name,)


VERBS = list(verbs())


def error_of(*args: str, status: int) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*args, "--json"])
    assert result.exit_code == status, result.output
    assert result.stderr == ""
    data: dict[str, Any] = json.loads(result.stdout)
    check_schema(data, "error")
    assert data["error"]["exit_status"] == status
    return data


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_wrong_call(verb: tuple[str, ...]) -> None:
    assert "--nope" in error_of(*verb, "--nope", status=2)["error"]["message"]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_an_interrupt(verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    # Whatever a verb does, its command is invoked by this.
    monkeypatch.setattr("typer.core.TyperCommand.invoke", interrupt)
    needed = ["x"] * 3
    for arguments in (needed[:count] for count in range(4)):
        result = CliRunner().invoke(app, [*verb, *arguments, *OPTIONS.get(verb, ()), "--json"])
        if result.exit_code != 2:  # the right number of arguments
            break
    assert result.exit_code == 130, result.output
    data = json.loads(result.stdout)
    check_schema(data, "error")
    assert data["error"] == {"message": "interrupted", "cure": "", "exit_status": 130}


# Options that must be given.
OPTIONS = {("add", "device"): ("--type", "npu"), ("templates", "eject"): ("--to", "x")}


def test_a_word_that_is_no_verb() -> None:
    error_of("nope", status=2)
    error_of(status=2)
    error_of("ops", "nope", status=2)
    error_of("add", status=2)


INTERRUPTED = """
import os, signal, sys
from epforge.verbs import check

# A shell has what it runs in the background ignore it, and that is handed down.
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupted(*args, **options):
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()

check.check_blueprint = interrupted
sys.argv = ["epforge", "check", "blueprint.yaml", "--json"]
from epforge.__main__ import main
main()
"""


def test_ctrl_c_at_work(tmp_path: Path) -> None:
    source = Path(epforge.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert done.returncode == 130, done.stderr
    assert json.loads(done.stdout)["error"]["exit_status"] == 130
    assert done.stderr == ""


@pytest.mark.parametrize(
    "call",
    [
        ("build", "PROJECT", "--compiler", "/nowhere/g++"),
        ("build", "PROJECT", "--ort-sdk", "/nowhere"),
        ("sdk", "path", "--ort-sdk", "/nowhere"),
        ("upgrade", "PROJECT", "--check"),
    ],
    ids=lambda call: " ".join(call[:1] + call[2:]),
)
def test_what_is_missing_on_the_machine(
    call: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b.yaml").write_text("{epforge: 1, name: a-b, vendor: C, ops: [Relu]}\n")
    project = tmp_path / "npu"
    epforge.scaffold_project(tmp_path / "b.yaml", project)
    for name in ("PIP_NO_INDEX", "PIP_DISABLE_PIP_VERSION_CHECK"):
        monkeypatch.setenv(name, "1")
    words = [str(project) if word == "PROJECT" else word for word in call]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code in (2, 4), result.output
    data = json.loads(result.stdout)
    check_schema(data, "error")
    assert data["error"]["exit_status"] == result.exit_code
    assert data["error"]["cure"]
