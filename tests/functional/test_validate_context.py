"""Rung `context` on libraries that are right, and on ones that are wrong in one known way."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from projects import Project
from runtimes import runtime
from selection import plain
from toys import COMPILED, CONTEXTS, compiled_manifest, manifest, toy, toy_site

from epforge.validate import Check, Outcome, Rung, Runtime, context, validate

LINES = [
    "support",
    "embed",
    "external",
    "compatibility",
    "memory",
    "output",
    "share",
    "damage",
    "names",
]
NONE = dict.fromkeys(CONTEXTS, False)


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return compiled_manifest(tmp_path / "claims.json")


def climbed(library: Path, claims: Path | None) -> dict[str, Check]:
    return {check.name: check for check in context.run(toy_site(library, claims))}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Check]]:
    """What the rung finds in a toy with a fault; found out once."""
    claims = compiled_manifest(tmp_path_factory.mktemp("faulty") / "claims.json")
    return functools.cache(lambda fault: climbed(toy(f"FAULT_{fault}", source=COMPILED), claims))


@pytest.fixture(scope="module")
def undeclared() -> Callable[[str], dict[str, Check]]:
    """The same without a manifest."""
    return functools.cache(lambda fault: climbed(toy(f"FAULT_{fault}", source=COMPILED), None))


def outcomes(checks: Mapping[str, Check]) -> dict[str, Outcome]:
    return {name: check.outcome for name, check in checks.items()}


def test_a_good_library_passes_every_line(claims: Path) -> None:
    checks = climbed(toy(source=COMPILED), claims)
    assert list(checks) == LINES
    cases = [case for check in checks.values() for case in check.cases]
    assert all(case.outcome is Outcome.PASSED for case in cases), cases
    flips = [case for case in checks["damage"].cases if "file with bit" in case.label]
    assert len(flips) > 35
    assert checks["support"].detail == "embed and external"


def test_without_a_manifest_it_is_found_out() -> None:
    checks = climbed(toy(source=COMPILED), None)
    assert list(checks) == LINES
    assert set(outcomes(checks).values()) == {Outcome.PASSED}, checks


@pytest.mark.lab
@pytest.mark.parametrize("version", ["1.24.4", "1.26.0", "1.32.0"])
def test_other_runtimes(version: str, claims: Path) -> None:
    runtimes = [Runtime(version, runtime(version))]
    report = validate(toy(source=COMPILED), claims, rungs=[Rung.CONTEXT], runtimes=runtimes)
    assert [check.name for check in report.checks] == LINES
    assert report.passed, report.summary


# ---- libraries that compile no models ----


def test_a_refusal_is_a_pass_where_nothing_is_declared(tmp_path: Path) -> None:
    checks = climbed(toy(), manifest(tmp_path / "m.json"))
    assert outcomes(checks) == {"support": Outcome.PASSED}
    assert checks["support"].detail == "compiles no models: toy compiles no models"


def test_a_refusal_is_not_checked_without_a_manifest() -> None:
    checks = climbed(toy(), None)
    assert outcomes(checks) == {"support": Outcome.NOT_CHECKED}
    assert "toy compiles no models" in checks["support"].detail


def test_a_request_must_not_be_ignored(tmp_path: Path) -> None:
    library = toy("FAULT_CONTEXT_IGNORED")
    checks = climbed(library, manifest(tmp_path / "m.json"))
    assert outcomes(checks) == {"support": Outcome.FAILED}
    assert "embed is not refused" in checks["support"].detail
    assert outcomes(climbed(library, None)) == {"support": Outcome.NOT_CHECKED}


# ---- manifests that say something else ----


@pytest.mark.parametrize(
    ("fault", "declared", "says"),
    [
        ("", NONE, "embed is not declared, but done; external is not declared, but done"),
        ("", {**CONTEXTS, "embed": False}, "embed is not declared, but done"),
        ("REFUSES_EMBED", CONTEXTS, "embed is declared, but: toy embeds nothing"),
        ("NULL_NODES", CONTEXTS, "returned a NULL EPContext node"),
        ("GHOST_INPUT", CONTEXTS, "ghost"),
        ("FUSE_ALL", CONTEXTS, "nothing is compiled by options, and nothing said"),
    ],
)
def test_what_is_declared_must_be_done(
    fault: str, declared: Mapping[str, bool], says: str, tmp_path: Path
) -> None:
    claims = compiled_manifest(tmp_path / "m.json", ep_context=declared)
    library = toy(*([f"FAULT_{fault}"] if fault else []), source=COMPILED)
    checks = climbed(library, claims)
    assert outcomes(checks) == {"support": Outcome.FAILED}
    assert says in checks["support"].detail


@pytest.mark.parametrize("declared", [None, NONE])
def test_a_library_that_writes_no_node_has_not_refused(
    declared: Mapping[str, bool] | None, tmp_path: Path
) -> None:
    claims = None
    if declared is not None:
        claims = compiled_manifest(tmp_path / "m.json", ep_context=declared)
    checks = climbed(toy("FAULT_NULL_NODES", source=COMPILED), claims)
    assert outcomes(checks) == {"support": Outcome.FAILED}
    assert "embed is neither done nor refused" in checks["support"].detail


def test_half_of_it_can_be_declared(tmp_path: Path) -> None:
    claims = compiled_manifest(tmp_path / "m.json", ep_context={"external": True})
    checks = climbed(toy("FAULT_REFUSES_EMBED", source=COMPILED), claims)
    assert list(checks) == [line for line in LINES if line not in ("embed", "share")]
    assert set(outcomes(checks).values()) == {Outcome.PASSED}, checks
    assert checks["support"].detail == "external; embed is refused: toy embeds nothing"


def test_a_crash_while_compiling_is_a_result(claims: Path) -> None:
    checks = climbed(toy("FAULT_WRITE_CRASH", source=COMPILED), claims)
    assert outcomes(checks) == {"support": Outcome.CRASHED}
    assert "embed, by options: SIGABRT" in checks["support"].detail


# ---- libraries that do it wrong ----


#: One fault of each line is looked for in every run, the others in the lab.
EVERY_RUN = {"NO_SOURCE", "RELOAD_CRASH", "ABSOLUTE_NAME", "VAGUE_MEMORY", "OVERWRITES",
             "TWO_BLOBS", "NO_CHECKSUM", "FOLLOWS_NAMES"}  # fmt: skip
FAULTS = [
    ("EMBED_WRITES", "embed", "by options", "failed", "expected the model alone, found"),
    ("TEMP_FILE", "embed", "to bytes", "failed", "toy.tmp"),
    ("NO_SOURCE", "embed", "nodes, by options", "failed", "source is ''"),
    ("NO_MAIN", "embed", "nodes, by compiler", "failed", "no node has main_context=1"),
    ("NO_COMPATIBILITY", "embed", "metadata, by compiler", "failed", "ep_compatibility_info."),
    ("RELOAD_CRASH", "embed", "read, by options", "crashed", "SIGABRT"),
    ("ONE_SHAPE", "embed", "moved", "failed", "expected [5, 4]"),
    ("ANY_SOURCE", "embed", "of another source", "failed", "another library is taken"),
    ("FORBIDS", "embed", "compiling forbidden", "failed", "toy always compiles"),
    ("YIELDS", "embed", "compiling forbidden, not compiled", "failed", "not refused"),
    ("EXTRA_FILE", "external", "by compiler", "failed", ".tmp"),
    ("ABSOLUTE_NAME", "external", "nodes, by options", "failed", "no plain file name"),
    ("WORKING_FOLDER", "external", "read, by compiler", "failed", "no such blob"),
    ("VAGUE_MISSING", "external", "file missing", "failed", "refused without naming /"),
    ("VAGUE_MISSING", "external", "weights looked for elsewhere", "passed", ""),
    ("NEVER_OPTIMAL", "compatibility", "own", "failed", "UNSUPPORTED, expected OPTIMAL"),
    ("PREFIX_IS_ENOUGH", "compatibility", "twice", "failed", "OPTIMAL is the verdict"),
    ("VAGUE_MEMORY", "memory", "ep.context_file_path not set", "failed", "without naming ep."),
    ("OVERWRITES", "output", "file beside exists, by options", "failed", "not refused"),
    ("RECOMPILES", "output", "external, compiled already, by options", "failed", "not refused"),
    ("FIXED_NAME", "output", "temporary files, external", "failed", "toy.part has the same name"),
    ("LINK_FOLLOWED", "output", "temporary files, external", "failed", "a link that is called"),
    ("TWO_BLOBS", "share", "two models", "failed", "a.toy.bin, b.toy.bin"),
    ("GROUP_LIVES", "share", "after a group that failed", "failed", "its file has"),
    ("NO_CHECKSUM", "damage", "file of ones", "crashed", "SIGSEGV"),
    ("FOLLOWS_NAMES", "names", "parent folder", "failed", "'../outside/"),
    ("FOLLOWS_NAMES", "names", "absolute", "failed", "is followed"),
    ("FOLLOWS_NAMES", "names", "link to outside", "failed", "is followed"),
    ("FIFO", "names", "pipe", "timed out", "no progress"),
]


@pytest.mark.parametrize(
    ("fault", "line", "label", "outcome", "says"),
    [pytest.param(*row, marks=[] if row[0] in EVERY_RUN else pytest.mark.lab) for row in FAULTS],
)
def test_a_fault_is_found_where_it_is(
    fault: str,
    line: str,
    label: str,
    outcome: str,
    says: str,
    faulty: Callable[[str], dict[str, Check]],
) -> None:
    checks = faulty(fault)
    (case,) = (case for case in checks[line].cases if case.label == label)
    assert case.outcome == outcome, case
    assert says in case.detail
    assert checks[line].outcome.bad is case.outcome.bad or outcome == "passed"


@pytest.mark.lab
def test_damage_that_changes_results_is_found_without_a_manifest() -> None:
    checks = climbed(toy("FAULT_NO_CHECKSUM", source=COMPILED), None)
    assert checks["damage"].outcome.bad, checks["damage"]


@pytest.mark.lab
@pytest.mark.parametrize(
    ("fault", "line", "label"),
    [
        ("TWO_BLOBS", "share", "two models"),
        ("NO_COMPATIBILITY", "external", "metadata, by options"),
        ("NO_COMPATIBILITY", "compatibility", "own"),
        ("RECOMPILES", "output", "embed, compiled already, by options"),
    ],
)
def test_what_only_we_ask_for_is_no_failure_without_a_manifest(
    fault: str, line: str, label: str, undeclared: Callable[[str], dict[str, Check]]
) -> None:
    checks = undeclared(fault)
    (case,) = (case for case in checks[line].cases if case.label == label)
    assert case.outcome is Outcome.NOT_CHECKED, case
    assert not [check for check in checks.values() if check.outcome.bad]


@pytest.mark.parametrize("name", plain("compiled", of=["compiled", "compiled_virtual"]))
def test_generated_libraries_that_compile_pass(name: str, request: pytest.FixtureRequest) -> None:
    project: Project = request.getfixturevalue(name)
    report = validate(project.library, rungs=[Rung.CONTEXT])
    assert report.passed, report.summary
    declared = project.manifest["ep_context"]
    found = [check.name for check in report.checks]
    assert ("share" in found) == declared["share"]
    assert ("names" in found) == declared["external"]


@pytest.mark.parametrize("name", ["minimal", "device_memory"])
def test_generated_libraries_that_do_not_compile_refuse(
    name: str, request: pytest.FixtureRequest
) -> None:
    project: Project = request.getfixturevalue(name)
    report = validate(project.library, rungs=[Rung.CONTEXT])
    (check,) = report.checks
    assert check.outcome is Outcome.PASSED
    assert "ep.context_enable=1" in check.detail
