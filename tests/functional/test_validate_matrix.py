"""Rung `matrix`: one binary on many runtimes, and refused on one that is too old."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project
from runtimes import SUPPORTED, TOO_OLD, runtime
from toys import manifest, toy, toy_site

from epforge.validate import Check, Outcome, Rung, validate
from epforge.validate.kept import NOTHING
from epforge.validate.matrix import Matrix
from epforge.validate.releases import Releases

OLDEST, NEWEST = SUPPORTED[0], SUPPORTED[-1]


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return manifest(tmp_path / "claims.json")


def lines(
    library: Path, claims: Path | None, *versions: str, lacking: str = ""
) -> dict[tuple[str, str], Check]:
    for version in versions:
        if version[0] != "0":
            runtime(version)  # installed under the tests' lock
    site = dataclasses.replace(toy_site(library, claims), name="", ep="", version="")
    found = Matrix(site, False, lambda *_: NOTHING, lambda: Releases(versions, lacking)).run()
    return {(check.name, check.runtime): check for check in found}


def test_works_from_the_oldest_to_the_newest_and_is_refused_below(claims: Path) -> None:
    found = lines(toy(), claims, TOO_OLD, OLDEST, NEWEST)
    assert list(found) == [("too old", TOO_OLD), ("works", OLDEST), ("works", NEWEST)]
    assert all(check.outcome is Outcome.PASSED for check in found.values()), found
    assert "it says so" in found["too old", TOO_OLD].detail
    assert "1.24, this is 1.23.2" in found["too old", TOO_OLD].detail
    assert found["works", OLDEST].detail == "loads; 9 models of ops and 5 graphs right"


@pytest.mark.parametrize(
    ("fault", "outcome", "says"),
    [
        ("SILENT_WHEN_OLD", Outcome.FAILED, "yet it registers"),
        ("VAGUE_WHEN_OLD", Outcome.FAILED, "does not name 1.24 and 1.23: "),
        ("UNCHECKED_API", Outcome.CRASHED, "register as epforge-check: SIGSEGV"),
    ],
)
def test_bad_manners_on_an_old_runtime(
    fault: str, outcome: Outcome, says: str, claims: Path
) -> None:
    found = lines(toy(f"FAULT_{fault}"), claims, TOO_OLD)
    (check,) = (check for check in found.values() if check.runtime == TOO_OLD)
    assert check.outcome is outcome
    assert says in check.detail


@pytest.mark.lab
@pytest.mark.parametrize(
    ("fault", "outcome", "says"),
    [
        ("WRONG", Outcome.FAILED, "Relu since 6"),
        ("CRASH_COMPUTE", Outcome.CRASHED, "load surroundings: round 1"),
        ("NO_DEVICES", Outcome.FAILED, "none is offered"),
        ("NO_EMPTY", Outcome.FAILED, "zero size"),
    ],
)
def test_what_is_wrong_on_a_runtime_has_its_place(
    fault: str, outcome: Outcome, says: str, claims: Path
) -> None:
    check = lines(toy(f"FAULT_{fault}"), claims, TOO_OLD, OLDEST)["works", OLDEST]
    assert check.outcome is outcome
    assert says in check.detail


def test_a_release_that_cannot_be_had_is_said_with_the_reason(claims: Path) -> None:
    found = lines(toy(), manifest(claims, ort={"min": "0.0.1", "target": 24}), "0.0.99")
    check = found["works", "0.0.99"]
    assert check.outcome is Outcome.NOT_CHECKED
    assert "cannot install onnxruntime 0.0.99" in check.detail
    assert found["too old", ""].outcome is Outcome.NOT_CHECKED


def test_without_an_index_the_reason_is_said(claims: Path) -> None:
    found = lines(toy(), claims, lacking="No matching distribution found")
    assert found["releases", ""].outcome is Outcome.NOT_CHECKED
    assert "No matching distribution found" in found["releases", ""].detail


@pytest.mark.lab
def test_somebody_elses_library_is_run_on_what_it_loads_in(tmp_path: Path) -> None:
    found = lines(toy(), None, OLDEST, NEWEST)
    assert [check.outcome for check in found.values()] == [Outcome.PASSED, Outcome.PASSED]


def test_it_is_not_climbed_after_a_failure(claims: Path) -> None:
    rungs = (Rung.STATIC, Rung.MATRIX)
    checks = validate(toy("FAULT_EXTRA_EXPORT"), claims, rungs=rungs).checks
    (matrix,) = (check for check in checks if check.rung is Rung.MATRIX)
    assert (matrix.outcome, matrix.detail) == (Outcome.NOT_CHECKED, "a lower rung failed")


@pytest.mark.lab
def test_the_command_runs_all_releases_once(minimal: Project, tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "epforge", "validate", "--library", str(minimal.library)),
        *("--rung", "matrix", "--json"),
    ]

    def run() -> dict[str, list[bool]]:
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:]
        found: dict[str, list[bool]] = {}
        for check in json.loads(done.stdout)["checks"]:
            found.setdefault(check["name"], []).append(check["cached"])
        return found

    first, second = run(), run()
    assert len(first["works"]) >= len(SUPPORTED)
    assert len(first["too old"]) == 1
    assert all(flag for flags in second.values() for flag in flags)
