"""Rung `threads` on libraries that are right, and on ones that threads break."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from cpp_tests import instrumented
from projects import expanded
from runtimes import SUPPORTED, runtime
from toys import manifest, toy, toy_site

from epforge.errors import MissingError
from epforge.ort.sdk import find_sdk
from epforge.shim import build_shim
from epforge.validate import Check, Instruments, Limits, Outcome, Runtime, races, threads
from epforge.validate.manifest import load
from epforge.validate.site import Site

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
        pytest.param("FAULT_ROUTED_BY_THREAD", "runs", marks=pytest.mark.lab),
        pytest.param("FAULT_LAST_IS_FIRST", "pool", marks=pytest.mark.lab),
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


def raced(site: Site, built: Path | None) -> Check:
    """The line about races of a library, given its build with ThreadSanitizer."""
    instruments = Instruments(sanitized=lambda _: built, headers=lambda: find_sdk(None, 24).include)
    site = dataclasses.replace(site, instruments=instruments, sanitize=True)
    return races.check(site, {"claims": site.claims.job(), "declared": True})


def raced_toy(claims: Path, *faults: str) -> Check:
    return raced(toy_site(toy(*faults), claims), toy(*faults, flags=("-fsanitize=thread", "-g")))


@pytest.mark.parametrize(
    ("fault", "function"),
    [
        ("FAULT_SHARED_SCRATCH", "Compute"),
        # The race is over with the first EPs; without sanitizers the line `registry` is sure of it.
        pytest.param("FAULT_LAZY_REGISTRY", "GetKernelRegistry", marks=pytest.mark.lab),
    ],
)
def test_a_data_race_has_its_place(fault: str, function: str, claims: Path) -> None:
    check = raced_toy(claims, fault)
    assert check.outcome is Outcome.FAILED
    assert re.search(rf"data race: \w+ in {function} \(\S+/toy_ep\.c:\d+\)", check.detail)


@pytest.mark.lab
@pytest.mark.parametrize("version", [SUPPORTED[0], SUPPORTED[-1]])
def test_the_runtime_is_blamed_on_nobody(version: str, claims: Path) -> None:
    site = toy_site(toy(), claims)
    site = dataclasses.replace(site, runtime=Runtime(version, runtime(version)), version=version)
    check = raced(site, toy(flags=("-fsanitize=thread", "-g")))
    assert check.outcome is Outcome.PASSED, check
    assert len(check.cases) == 4


@pytest.mark.lab
@pytest.mark.parametrize("name", ["minimal", "virtual-memory", "compiled"])
@pytest.mark.parametrize("version", [SUPPORTED[0], SUPPORTED[-1]])
def test_generated_projects_have_no_races(name: str, version: str, repository: Path) -> None:
    text = (repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8")
    project = instrumented(text, "tsan")
    library = project.library
    site = Site(
        library,
        load(library.with_name(f"{library.name}.manifest.json")),
        Runtime(version, runtime(version)),
        version,
        "races.virtual",
        expanded(text).blueprint.names.ep,
        Limits(),
    )
    check = raced(site, library)
    assert check.outcome is Outcome.PASSED, check


@pytest.mark.lab
def test_without_sources_races_are_not_looked_for(claims: Path) -> None:
    check = raced(toy_site(toy(), claims), None)
    assert check.outcome is Outcome.NOT_CHECKED
    assert "sources" in check.detail
