"""``epforge check --fix``: what is written, what stays, what is said."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from epforge.cli.main import app

BROKEN = """\
# The card.
epforge: 1
name: contoso-npu   # ours
vender: Contoso
ops: [Relu, add, Relu, MatMul
features: {profiler: yes}
options:
\t- {name: effort, type: integer}  # how hard
"""
MENDED = """\
# The card.
epforge: 1
name: contoso-npu   # ours
vendor: Contoso
ops: [Relu, Add, MatMul]
features: {profiler: true}
options:
  - {name: effort, type: int}  # how hard
"""


def check(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", *arguments])


def told(*arguments: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(check(*arguments, "--json").stdout)
    return body


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("blueprint.yaml")
    path.write_text(BROKEN)
    return path


def test_all_of_it_is_mended_and_the_change_is_shown(file: Path) -> None:
    done = check(str(file), "--fix")
    assert done.exit_code == 0
    assert file.read_text() == MENDED
    assert '4:1: fixed: unknown key "vender" (did you mean vendor?)' in done.stdout
    assert {"-vender: Contoso", "+vendor: Contoso"} <= set(done.stdout.splitlines())
    assert done.stdout.endswith("3 operators: fine\n")


@pytest.mark.parametrize("flags", [["--fix", "--dry-run"], ["--fix", "--diff"], ["--dry-run"]])
def test_a_dry_run_shows_the_same_and_writes_nothing(file: Path, flags: list[str]) -> None:
    done = check(str(file), *flags)
    assert done.exit_code == 2  # as it is, it cannot be used
    assert file.read_text() == BROKEN
    shown = told(str(file), *flags)
    assert (shown["written"], shown["errors"]) == (False, 1)
    assert shown["diff"] == told(str(file), "--fix")["diff"]
    assert shown["diff"] in done.stdout


def test_a_program_is_told_what_was_fixed_and_what_is_left(file: Path) -> None:
    file.write_text(BROKEN.replace("# The card.\n", "# The card.\ncolour: red\n"))
    body = told(str(file), "--fix")
    assert (body["ok"], body["written"], body["errors"]) == (False, True, 1)
    assert {each["code"] for each in body["fixed"]} >= {"yaml-syntax", "unknown-key", "unknown-op"}
    (left,) = body["diagnostics"]
    assert left["message"] == 'unknown key "colour"'
    assert file.read_text() == MENDED.replace("# The card.\n", "# The card.\ncolour: red\n")


def test_what_is_right_stays_as_it_is(file: Path) -> None:
    file.write_text(MENDED)
    before = file.stat().st_mtime_ns
    body = told(str(file), "--fix")
    assert (body["ok"], body["written"], body["fixed"], body["diff"]) == (True, False, [], "")
    assert file.stat().st_mtime_ns == before


def test_byte_order_mark_line_ends_rights_and_links_stay(file: Path) -> None:
    data = b"\xef\xbb\xbf" + BROKEN.replace("\n", "\r\n").encode()
    file.write_bytes(data)
    file.chmod(0o640)
    link = Path("link.yaml")
    link.symlink_to(file)
    assert check(str(link), "--fix").exit_code == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + MENDED.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert sorted(os.listdir()) == ["blueprint.yaml", "link.yaml"]


@pytest.mark.parametrize(
    "data", ["epforge: 1\nname: café\n".encode("latin-1"), BROKEN.encode("utf-16"), b""]
)
def test_what_is_no_text_is_left_alone(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    body = told(str(file), "--fix")
    assert (body["written"], body["fixed"], body["errors"]) == (False, [], 1)
    assert file.read_bytes() == data


def test_a_file_that_is_not_there_is_said_so(file: Path) -> None:
    assert check("nothing.yaml", "--fix").exit_code == 2


def test_a_directory_that_may_not_be_written_keeps_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    done = check(str(file), "--fix")
    assert done.exit_code == 4
    assert "No space left on device" in done.stderr
    assert os.listdir() == [str(file)]
    assert file.read_text() == BROKEN


def test_several_files_are_each_mended(file: Path) -> None:
    other = Path("other.yaml")
    other.write_text(BROKEN)
    assert check(str(file), str(other), "--fix").exit_code == 0
    assert file.read_text() == other.read_text() == MENDED
    shown = CliRunner().invoke(app, ["check", str(file), str(other), "--fix", "--json"])
    assert shown.exit_code == 2
