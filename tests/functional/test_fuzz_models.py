"""Rung `fuzz`: compiled models that are spoilt at random."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from projects import Project, built
from toys import COMPILED, compiled_manifest, manifest, toy, toy_site

from epforge.validate import CaseResult, Check, Fuzzing, Outcome, Rung, fuzz, validate
from epforge.validate.process import Limits

COPIES = 60


def fuzzed(library: Path, claims: Path | None, output: Path) -> Check | None:
    site = dataclasses.replace(
        toy_site(library, claims), fuzzing=Fuzzing(2, COPIES, output), limits=Limits(stall_s=15)
    )
    output.mkdir()
    return next(iter(fuzz.compiled_models(site, output)), None)


def bad(check: Check) -> list[CaseResult]:
    return [case for case in check.cases if case.outcome.bad]


def test_a_project_refuses_what_is_spoilt(compiled: Project, tmp_path: Path) -> None:
    fuzzing = Fuzzing(2, 150, tmp_path)
    report = validate(compiled.library, rungs=[Rung.FUZZ], fuzzing=fuzzing)
    (line,) = (check for check in report.checks if check.name == "compiled models")
    assert line.outcome is Outcome.PASSED, [case.detail for case in bad(line)]
    assert line.detail.startswith("150 spoilt copies refused or harmless, embed and external")
    assert list(tmp_path.iterdir()) == []


def test_there_is_nothing_to_spoil_where_no_models_are_compiled(tmp_path: Path) -> None:
    assert fuzzed(toy(), manifest(tmp_path / "claims.json"), tmp_path / "found") is None


@pytest.mark.parametrize(
    ("fault", "outcome", "says"),
    [
        ("NO_CHECKSUM", Outcome.CRASHED, "SIGSEGV"),
        ("FOLLOWS_NAMES", Outcome.FAILED, "it is accepted"),
        pytest.param(
            *("FIFO", Outcome.TIMED_OUT, "no progress for too long"), marks=pytest.mark.lab
        ),
    ],
)
def test_a_fault_is_found(fault: str, outcome: Outcome, says: str, tmp_path: Path) -> None:
    claims = compiled_manifest(tmp_path / "claims.json")
    check = fuzzed(toy(f"FAULT_{fault}", source=COMPILED), claims, tmp_path / "found")
    assert check is not None
    found = [case for case in bad(check) if case.outcome is outcome and "copy " in case.label]
    assert found, [case.detail for case in bad(check)]
    assert says in found[0].detail
    (number,) = re.findall(r"copy (\d+)$", found[0].label)
    assert (tmp_path / "found" / f"copy-{number}").is_dir()


@pytest.mark.lab(sampled=False)
@pytest.mark.parametrize("preset", ["release", "asan"])
def test_thousands_of_spoilt_models(preset: str, repository: Path, tmp_path: Path) -> None:
    text = (repository / "blueprints/compiled.yaml").read_text(encoding="utf-8")
    fuzzing = Fuzzing(1, 3000, tmp_path)
    report = validate(built(text, preset=preset).library, rungs=[Rung.FUZZ], fuzzing=fuzzing)
    assert report.passed, [case.detail for check in report.failures for case in bad(check)]
