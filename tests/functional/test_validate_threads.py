"""Rung `threads` on libraries that are right, and on ones that threads break."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from toys import manifest, toy, toy_site

from epforge.errors import MissingError
from epforge.shim import build_shim
from epforge.validate import Check, Instruments, Outcome, threads

NAMES = ("runs", "churn", "pool", "creation", "concurrency", "registry")


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return manifest(tmp_path / "claims.json")


def lines(library: Path, claims: Path | None) -> dict[str, Check]:
    instruments = Instruments(shim=build_shim)
    site = dataclasses.replace(toy_site(library, claims), instruments=instruments)
    return {check.name: check for check in threads.run(site)}


def bad(found: dict[str, Check]) -> dict[str, Check]:
    return {name: check for name, check in found.items() if check.outcome.bad}


def test_a_good_library_passes(claims: Path) -> None:
    found = lines(toy(), claims)
    assert tuple(found) == NAMES
    assert all(check.outcome is Outcome.PASSED for check in found.values()), found
    assert "4800 runs right, 15 nodes taken in each" in found["runs"].detail
    assert "may overlap" in found["concurrency"].detail
    assert found["registry"].detail == "8 for 8 EPs, made at once or one after the other"


@pytest.mark.parametrize(
    ("fault", "broken", "says"),
    [
        ("FAULT_LAZY_REGISTRY", "registry", "made by OrtEp.GetKernelRegistry"),
        pytest.param(
            "FAULT_UNSET_CONCURRENCY",
            "concurrency",
            "IsConcurrentRunSupported is null",
            marks=pytest.mark.lab,
        ),
    ],
)
def test_what_the_shim_sees(fault: str, broken: str, says: str, claims: Path) -> None:
    found = bad(lines(toy(fault), claims))
    assert list(found) == [broken]
    assert says in found[broken].detail


@pytest.mark.parametrize(
    ("fault", "broken"),
    [
        ("FAULT_SHARED_SCRATCH", "runs"),
        pytest.param("FAULT_ROUTED_BY_THREAD", "pool", marks=pytest.mark.lab),
    ],
)
def test_wrong_values(fault: str, broken: str, claims: Path) -> None:
    """Sequential runs of one thread are right with all of them: the rungs below see nothing."""
    found = bad(lines(toy(fault), claims))
    assert broken in found
    assert "expected" in found[broken].detail
    assert not {"concurrency", "registry"} & found.keys()


@pytest.mark.lab
def test_whose_runs_must_not_overlap_is_run_accordingly(claims: Path) -> None:
    found = lines(toy("SAYS_NO_CONCURRENCY"), claims)
    assert not bad(found)
    assert "one after the other" in found["concurrency"].detail


@pytest.mark.lab
def test_an_open_question_of_somebody_elses_library_is_a_note() -> None:
    found = lines(toy("FAULT_UNSET_CONCURRENCY"), None)
    assert found["concurrency"].outcome is Outcome.NOT_CHECKED
    assert "onnxruntime takes that for a yes" in found["concurrency"].detail


@pytest.mark.lab
def test_without_a_shim_the_rest_is_checked(claims: Path) -> None:
    def none() -> Path:
        raise MissingError("no compiler for the shim plugin", "Install g++.")

    site = toy_site(toy(), claims)
    site = dataclasses.replace(site, instruments=Instruments(shim=none))
    found = {check.name: check for check in threads.run(site)}
    assert not bad(found)
    assert found["runs"].outcome is Outcome.PASSED
    assert found["registry"].outcome is Outcome.NOT_CHECKED
    assert found["registry"].detail == "no compiler for the shim plugin"
