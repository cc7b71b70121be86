"""Every broken blueprint of the table: the right places, exit status 2, nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from blueprint_cases import CASES, HEAD, Case

import epforge
from epforge.blueprint import BlueprintErrors, Diagnostic, apply_fix, load, parse
from epforge.errors import ExitStatus
from epforge.resolve import analyse, resolve

BROKEN = [case for case in CASES if case.errors]
# What hides the rest of the text, or of an expression: others may come to light behind it.
HIDING = {"yaml-syntax", "many-documents", "control-character", "bad-expression"}
# A few of each kind go through the real command, each its own process.
COMMANDS = [
    "name-shell",
    "name-traversal",
    "10-mb-of-anchors",
    "laughs",
    "nul",
    "many-at-once",
    "duplicate",
]


def errors_of(path: Path) -> tuple[Diagnostic, ...]:
    with pytest.raises(BlueprintErrors) as caught:
        resolve(load(path))
    assert caught.value.exit_status is ExitStatus.WRONG_INPUT
    return caught.value.diagnostics


def listing(directory: Path) -> list[str]:
    return sorted(str(path) for path in directory.rglob("*"))


def test_the_table_is_long_and_its_names_are_unique() -> None:
    assert len(BROKEN) >= 60
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.id)
def test_all_errors_have_their_place(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("blueprint.yaml")
    path.write_bytes(case.data)
    before = listing(tmp_path)
    found = errors_of(path)
    assert tuple((d.line, d.column, d.code) for d in found) == case.errors
    assert listing(tmp_path) == before


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.id)
def test_the_report_is_short_lines_without_control_characters(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_bytes(case.data)
    with pytest.raises(BlueprintErrors) as caught:
        resolve(load(path))
    report = str(caught.value)
    for diagnostic in caught.value.diagnostics:
        place = f"{path}:{diagnostic.line}:{diagnostic.column}: error: "
        assert place in report
        assert "\n" not in diagnostic.message + diagnostic.expected + diagnostic.hint
    assert all(char.isprintable() or char in "\n\t" for char in report)
    assert max(map(len, report.splitlines())) < 600


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.id)
def test_a_fix_removes_its_error_and_makes_none(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_bytes(case.data)
    found = errors_of(path)
    fixed = [diagnostic for diagnostic in found if diagnostic.fix]
    after = {d: errors_in(fixed_text(case, d), path) for d in fixed}
    assert [
        d for d, left in after.items() if len(left) >= len(found) and d.code not in HIDING
    ] == []
    assert [d for d, left in after.items() if d.message in {each.message for each in left}] == []


def errors_in(text: str, path: Path) -> tuple[Diagnostic, ...]:
    try:
        return analyse(parse(text, str(path))).errors
    except BlueprintErrors as error:
        return error.diagnostics


def fixed_text(case: Case, diagnostic: Diagnostic) -> str:
    assert diagnostic.fix is not None
    return apply_fix(case.data.decode().removeprefix("\ufeff"), diagnostic.fix)


def test_many_errors_can_be_fixed_by_a_program(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    count = 0
    for case in BROKEN:
        path.write_bytes(case.data)
        count += sum(diagnostic.fix is not None for diagnostic in errors_of(path))
    assert count > 60


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_ends_with_status_2_and_no_traceback(name: str, tmp_path: Path) -> None:
    case = next(case for case in BROKEN if case.id == name)
    (tmp_path / "b.yaml").write_bytes(case.data)
    home = Path(epforge.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "epforge", "check", "b.yaml"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr + done.stdout
    for line, column, _ in case.errors:
        assert f"b.yaml:{line}:{column}: error: " in done.stderr
    assert listing(tmp_path) == [str(tmp_path / "b.yaml")]


def test_errors_of_shape_and_of_meaning_come_together() -> None:
    text = HEAD + "colour: red\nops: [Rellu]\n"
    with pytest.raises(BlueprintErrors) as caught:
        resolve(parse(text))
    assert [d.code for d in caught.value.diagnostics] == ["unknown-key", "unknown-op"]


def test_one_wrong_entry_does_not_hide_the_others() -> None:
    text = HEAD + (
        "devices:\n"
        "  - {name: a b, type: tpu}\n"
        "options:\n"
        "  - {name: x, type: intt, range: [3, 0], default: 9, excludes: [z]}\n"
        "ops:\n"
        "  - {op: Rellu, kernel: mine, models: x}\n"
    )
    found = analyse(parse(text)).errors
    assert [(d.line, d.code) for d in found] == [
        (5, "bad-name"),
        (5, "unknown-value"),
        (7, "unknown-value"),
        (7, "bad-range"),
        (7, "bad-excludes"),
        (9, "unknown-op"),
        (9, "unknown-value"),
        (9, "bad-models"),
    ]
