"""Rung `graphs` on libraries that are right, and on ones that are wrong in one known way."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from projects import Project
from runtimes import runtime
from toys import COMPILED, EP, compiled_manifest, manifest, toy, toy_site

from epforge.validate import Check, Outcome, Rung, Runtime, graphs, validate

LINES = ["partitions", "inputs", "shapes", "subgraphs", "buffers", "sessions"]


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return compiled_manifest(tmp_path / "claims.json")


def climbed(library: Path, claims: Path | None) -> dict[str, Check]:
    return {check.name: check for check in graphs.run(toy_site(library, claims))}


def outcomes(checks: Mapping[str, Check]) -> dict[str, Outcome]:
    return {name: check.outcome for name, check in checks.items()}


def test_a_good_compiler_passes_every_line(claims: Path) -> None:
    checks = climbed(toy(source=COMPILED), claims)
    assert list(checks) == LINES
    assert set(outcomes(checks).values()) == {Outcome.PASSED}, checks
    cases = [case for check in checks.values() for case in check.cases]
    assert len(cases) > 25
    assert all(case.outcome is Outcome.PASSED for case in cases), cases
    # Chain, two parts, diamond, fan-out, fan-out to the CPU, branches, two parts without names;
    # each with and without optimisation. The toy makes one group of what lies together.
    assert "14 graphs right; 44 of 44 nodes taken, in 20 groups" in checks["partitions"].detail
    # A picture of each that keeps its nodes' names.
    pictures = {each.label: each.nodes for each in checks["partitions"].pictures}
    assert len(pictures) == 7
    parts = [(node.op, node.ep) for node in pictures["chain in two parts"]]
    assert [op for op, ep in parts if ep == EP] == ["Mul", "Relu", "Add", "Relu"]
    assert [ep for _, ep in parts] == [EP, EP, "CPUExecutionProvider", EP, EP]
    nameless = [node for node in pictures["nodes without names"] if not node.name]
    assert {(node.ep, node.group) for node in nameless} == {(EP, -1)}, "they are in two parts"
    (loop,) = (each.nodes for each in checks["subgraphs"].pictures if "loop" in each.label)
    outer = next(node for node in loop if not node.within)
    assert outer.op == "Loop"
    assert any(node.within == outer.name and node.ep == EP for node in loop)


def test_a_good_kernel_registry_passes_every_line(tmp_path: Path) -> None:
    checks = climbed(toy(), manifest(tmp_path / "m.json"))
    assert set(outcomes(checks).values()) == {Outcome.PASSED}, checks
    (absent,) = (c for c in checks["inputs"].cases if c.label == "absent optional")
    assert absent.outcome is Outcome.NOT_CHECKED
    assert "does not take Clip" in absent.detail


@pytest.mark.parametrize("version", ["1.24.4", "1.32.0"])
def test_other_runtimes(version: str, claims: Path) -> None:
    runtimes = [Runtime(version, runtime(version))]
    report = validate(toy(source=COMPILED), claims, rungs=[Rung.GRAPHS], runtimes=runtimes)
    assert [check.name for check in report.checks] == LINES
    assert report.passed, report.summary
    assert report.runtimes == (version,)


def test_without_a_manifest_placement_is_only_reported() -> None:
    checks = climbed(toy("FAULT_NO_MUL", source=COMPILED), None)
    assert set(outcomes(checks).values()) == {Outcome.PASSED}, checks


@pytest.mark.parametrize(
    ("fault", "line", "label", "outcome", "says"),
    [
        ("FUSE_ALL", "partitions", "diamond", "failed", "cannot be fused together"),
        ("DROP_OUTPUTS", "partitions", "fan-out", "failed", "is never computed"),
        ("NO_MUL", "partitions", "chain", "failed", "Mul is declared, but left to CPU"),
        ("BAKED", "inputs", "overridable initializer", "failed", "run 2"),
        ("ABSENT", "inputs", "absent optional", "crashed", "SIGSEGV"),
        ("NO_SCALAR", "shapes", "rank 0", "failed", "without dimensions"),
        ("NO_EMPTY", "shapes", "zero size", "failed", "nothing to launch"),
        ("ONE_SHAPE", "shapes", "batch 1, 16, 1, 3", "failed", "has shape [1, 4], expected [16"),
        ("SHARED_STATE", "shapes", "batch 1, 16, 1, 3 on 4 threads", "failed", "run "),
        ("NO_OUTER", "subgraphs", "loop in a loop", "failed", "cannot rebuild the subgraph"),
        ("BODY_CACHE", "subgraphs", "both branches", "failed", ""),
        ("ONE_SHAPE", "buffers", "8, 1, 8 with pattern off, reuse on", "failed", "expected [1, 4]"),
        ("IN_PLACE", "buffers", "8, 1, 8 with pattern on, reuse on", "failed", "its input X"),
        ("ONE_SESSION", "sessions", "two at once", "failed", "the device is busy"),
        ("ONE_REGISTRATION", "sessions", "two registrations", "failed", "nothing is registered"),
    ],
)
def test_a_fault_is_found_where_it_is(
    fault: str, line: str, label: str, outcome: str, says: str, claims: Path
) -> None:
    checks = climbed(toy(f"FAULT_{fault}", source=COMPILED), claims)
    assert checks[line].outcome.bad, checks[line]
    (case,) = (case for case in checks[line].cases if case.label == label)
    assert case.outcome == outcome, case
    assert says in case.detail


def test_a_crash_in_one_graph_does_not_hide_the_others(claims: Path) -> None:
    checks = climbed(toy("FAULT_ABSENT", source=COMPILED), claims)
    assert list(checks) == LINES
    bad = [name for name, outcome in outcomes(checks).items() if outcome.bad]
    assert bad == ["inputs"]


def test_ops_that_no_graph_can_be_built_of_are_not_checked(tmp_path: Path) -> None:
    ops = [{"domain": "", "op": "MatMul", "since": 13, "ready": True, "types": {"T": ["float32"]}}]
    checks = climbed(toy(), manifest(tmp_path / "m.json", ops=ops))
    assert outcomes(checks) == {"all": Outcome.NOT_CHECKED}
    assert "no op to build graphs of, such as Relu or Max in float32," in checks["all"].detail


def test_a_worker_that_dies_at_once_is_a_line(claims: Path) -> None:
    checks = climbed(toy("FAULT_CRASH_REGISTER"), claims)
    assert outcomes(checks) == {"worker": Outcome.CRASHED}
    assert "register: SIGABRT" in checks["worker"].detail


def test_the_rung_waits_for_the_lower_ones(tmp_path: Path) -> None:
    library, claims = toy("FAULT_WRONG"), manifest(tmp_path / "m.json")
    report = validate(library, claims)
    (skipped,) = (check for check in report.checks if check.rung is Rung.GRAPHS)
    assert skipped.outcome is Outcome.NOT_CHECKED
    assert "a lower rung failed" in skipped.detail
    report = validate(library, claims, keep_going=True)
    found = [check for check in report.checks if check.rung is Rung.GRAPHS]
    assert [check.name for check in found] == LINES
    assert found[0].outcome is Outcome.FAILED


@pytest.mark.parametrize("name", ["minimal", "device_memory", "compiled", "compiled_virtual"])
def test_generated_libraries_pass(name: str, request: pytest.FixtureRequest) -> None:
    project: Project = request.getfixturevalue(name)
    report = validate(project.library, rungs=[Rung.GRAPHS])
    assert [check.name for check in report.checks] == LINES, report.summary
    assert report.passed, report.summary
    assert {check.outcome for check in report.checks} == {Outcome.PASSED}


def test_the_command_line_knows_the_rung(claims: Path) -> None:
    command = [sys.executable, "-m", "epforge", "validate", "--rung", "graphs", "--json"]
    command += ["--library", str(toy(source=COMPILED)), "--manifest", str(claims)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert [check["name"] for check in json.loads(done.stdout)["checks"]] == LINES
