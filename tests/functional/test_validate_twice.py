"""Results that are kept, and ops that share a process: no fault is hidden by either."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from toys import OPS, manifest, toy

from epforge.validate import Limits, Outcome, Report, Rung, ops, validate

RUNGS = (Rung.OPS, Rung.GRAPHS)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))


def kept(library: Path, claims: Path) -> Report:
    return validate(library, claims, rungs=RUNGS, keep=True, only=["Relu"], thorough=False)


def cached(report: Report) -> set[str]:
    return {check.name for check in report.checks if check.cached}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copy(toy(), tmp_path / "libtoy.so"))


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return manifest(tmp_path / "claims.json")


def test_what_has_passed_is_not_run_again_until_a_byte_changes(copy: Path, claims: Path) -> None:
    first = kept(copy, claims)
    assert first.passed, first.summary
    assert not cached(first)
    second = kept(copy, claims)
    assert cached(second) >= {"Relu", "partitions", "sessions"}
    assert "cached" in second.summary
    assert [c.detail for c in second.checks] == [c.detail for c in first.checks]
    with copy.open("ab") as file:
        file.write(b"\0")
    assert not cached(kept(copy, claims))


@pytest.mark.lab
def test_a_failure_is_found_again_and_does_not_hide_behind_what_passed(claims: Path) -> None:
    library = toy("FAULT_WRONG")
    for known in (set[str](), {"Add"}):
        report = validate(library, claims, rungs=(Rung.OPS,), keep=True, only=["Relu", "Add"])
        assert cached(report) == known
        (relu,) = (check for check in report.checks if check.name == "Relu")
        assert relu.outcome is Outcome.FAILED


@pytest.mark.lab
def test_the_command_says_what_is_cached_and_can_do_without(copy: Path, claims: Path) -> None:
    command = [
        *(sys.executable, "-m", "epforge", "validate", "--library", str(copy), "--op", "Relu"),
        *("--manifest", str(claims), "--rung", "ops", "--report", "report.json"),
    ]

    def run(*more: str) -> tuple[str, bool]:
        done = subprocess.run(
            [*command, *more], cwd=copy.parent, env=os.environ, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        report = json.loads((copy.parent / "report.json").read_text(encoding="utf-8"))
        (relu,) = (check for check in report["checks"] if check["name"] == "Relu")
        return done.stdout, relu["cached"]

    assert not run()[1]
    text, was_cached = run()
    assert was_cached
    assert "(cached)" in text
    assert not run("--no-cache")[1]


@pytest.fixture
def _together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All ops in one process, however few."""
    monkeypatch.setattr(ops, "_BATCHES", 0.1)


@pytest.mark.usefixtures("_together")
@pytest.mark.parametrize(
    ("fault", "op", "outcome"),
    [
        pytest.param("", "", Outcome.PASSED, marks=pytest.mark.lab),
        ("FAULT_CRASH_COMPUTE", "Add", Outcome.CRASHED),
        pytest.param("FAULT_WRONG", "Relu", Outcome.FAILED, marks=pytest.mark.lab),
    ],
)
def test_no_op_answers_for_another(fault: str, op: str, outcome: Outcome, claims: Path) -> None:
    library = toy(fault) if fault else toy()
    report = validate(library, claims, rungs=(Rung.OPS,), thorough=False, limits=Limits(6))
    found = {c.name: c.outcome for c in report.checks if c.name in OPS}
    assert found == {name: outcome if name == op else Outcome.PASSED for name in OPS}


@pytest.mark.lab
@pytest.mark.usefixtures("_together")
def test_ops_that_are_well_only_alone_are_found(claims: Path) -> None:
    library = toy("FAULT_CRASH_TOGETHER")
    report = validate(library, claims, rungs=(Rung.OPS,), thorough=False)
    (line,) = report.failures
    assert (line.name, line.outcome) == ("together", Outcome.CRASHED)
    assert "each of them alone is well" in line.detail
    alone = validate(library, claims, rungs=(Rung.OPS,), only=["Relu"])
    assert [c.outcome for c in alone.checks if c.name == "Relu"] == [Outcome.PASSED]


@pytest.mark.lab
@pytest.mark.usefixtures("_together")
def test_models_left_out_are_counted(claims: Path) -> None:
    whole, usual = (
        validate(toy(), claims, rungs=(Rung.OPS,), thorough=thorough, only=["Add"]).checks[-2]
        for thorough in (True, False)
    )
    assert whole.name == usual.name == "Add"
    assert whole.models_left_out == 0
    assert len(usual.cases) + usual.models_left_out == len(whole.cases)
