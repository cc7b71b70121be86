"""FR 7: files that are not what was asked for, each told apart in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from toys import toy
from wrong_files import THINGS, damaged_tables, text

from epforge.validate import Kind, Outcome, Report, Rung, read_binary, validate


def explanation(report: Report) -> str:
    assert not report.passed
    first = report.checks[0]
    assert (first.rung, first.name, first.outcome) == (Rung.STATIC, "file", Outcome.FAILED)
    assert all(check.outcome is Outcome.NOT_CHECKED for check in report.checks[1:])
    assert "\n" not in first.detail
    return first.detail


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said about each thing, by its name."""
    place = tmp_path_factory.mktemp("things")
    files = {name: make(place / f"{name}.so") for name, (make, _, _) in THINGS.items()}
    return {name: explanation(validate(file)) for name, file in files.items()}


@pytest.mark.parametrize("name", THINGS)
def test_says_what_it_is_and_what_was_expected(name: str, said: dict[str, str]) -> None:
    _, what, why = THINGS[name]
    assert what in said[name]
    assert why in said[name]


def test_all_explanations_differ(said: dict[str, str]) -> None:
    kinds = {text.split(" is ", 1)[1] for text in said.values()}
    assert len(kinds) == len(THINGS)


def test_a_plugin_ep_is_no_custom_op_library() -> None:
    detail = explanation(validate(toy(), expect=Kind.CUSTOM_OPS))
    assert "a plugin EP" in detail
    assert "RegisterCustomOps" in detail


def test_a_custom_op_library_is_no_plugin_ep() -> None:
    library = toy(source="custom_ops.c")
    detail = explanation(validate(library))
    assert "a custom-op library" in detail
    assert "CreateEpFactories" in detail
    report = validate(library, expect=Kind.CUSTOM_OPS)
    assert report.passed, report.summary


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's library is meant")
def test_a_library_that_may_be_run_too_is_a_library() -> None:
    mapped = Path("/proc/self/maps").read_text(encoding="utf-8").split()
    library = next((Path(word) for word in mapped if word.endswith("/libc.so.6")), None)
    if library is None:
        pytest.skip("no glibc")
    assert read_binary(library).shared
    assert not read_binary(Path(sys.executable).resolve()).shared


def test_nonsense_inside_an_elf_file_is_a_failure_not_a_crash(tmp_path: Path) -> None:
    report = validate(damaged_tables(tmp_path / "thing.so"))
    assert not report.passed
    assert report.runtimes == ()


def test_command_line_names_kind_and_status(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "epforge", "validate", "--json", "--library"]
    done = subprocess.run(
        [*command, str(text(tmp_path / "x.so"))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "a text file" in json.loads(done.stdout)["checks"][0]["detail"]
    assert done.stderr == ""
    absent = subprocess.run(
        [*command, str(tmp_path / "none.so")], capture_output=True, text=True, check=False
    )
    assert absent.returncode == 2
    assert "no such file" in absent.stdout
