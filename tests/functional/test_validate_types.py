"""Libraries that take nothing in float32: models are drawn in a type that they do take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from projects import Project

from epforge.validate import Check, Fuzzing, Outcome, Rung, validate

RUNGS = (Rung.OPS, Rung.GRAPHS, Rung.CONTEXT, Rung.THREADS)
COMPILED = """\
epforge: 1
name: contoso-double
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: compiled
features: {ep_context: {embed: true, external: true, share: true}}
types: [float64]
ops: [Relu, Add, Mul, MatMul, Clip]
"""
BYTES = """\
epforge: 1
name: contoso-bytes
vendor: Contoso
types: [int8, uint8]
ops: [Max, Min, Relu, MatMulInteger]
"""
QUANTIZED = """\
epforge: 1
name: contoso-quantized
vendor: Contoso
types: [int8, uint8]
ops: [MatMulInteger, QLinearMatMul]
"""

UNSURE = """\
epforge: 1
name: contoso-loss
vendor: Contoso
types: [float64]
ops: [Shrink, SoftmaxCrossEntropyLoss, HannWindow]
"""

pytestmark = pytest.mark.lab


def climbed(project: Project) -> Mapping[tuple[Rung, str], Check]:
    report = validate(project.library, rungs=RUNGS, keep_going=True)
    assert report.passed, report.summary
    return {(check.rung, check.name): check for check in report.checks}


def assert_taken(checks: Mapping[tuple[Rung, str], Check]) -> None:
    """Every graph is the library's where it should be: nothing passed without it."""
    for (rung, name), check in checks.items():
        if rung is Rung.GRAPHS:
            assert check.outcome is Outcome.PASSED, name
            taken = re.search(r"(\d+) of (\d+) nodes taken", check.detail)
            assert taken, name
            assert int(taken[1]) == int(taken[2]) > 0, name


def test_float64_alone(project_of: Callable[..., Project]) -> None:
    checks = climbed(project_of(COMPILED))
    assert_taken(checks)
    assert len([rung for rung, _ in checks if rung is Rung.CONTEXT]) == 9
    lacks_a_shim = {(Rung.THREADS, "concurrency"), (Rung.THREADS, "registry")}
    open_ = {key for key, check in checks.items() if check.outcome is not Outcome.PASSED}
    assert open_ <= lacks_a_shim


def test_bytes_alone(project_of: Callable[..., Project]) -> None:
    checks = climbed(project_of(BYTES))
    assert_taken(checks)
    assert checks[Rung.THREADS, "runs"].outcome is Outcome.PASSED


def test_what_no_graph_can_be_drawn_of_is_not_checked(project_of: Callable[..., Project]) -> None:
    checks = climbed(project_of(QUANTIZED))
    for key in ((Rung.GRAPHS, "all"), (Rung.CONTEXT, "support"), (Rung.THREADS, "all")):
        assert checks[key].outcome is Outcome.NOT_CHECKED
        assert "takes no op to build graphs of" in checks[key].detail
    assert checks[Rung.OPS, "QLinearMatMul"].outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("text", "cases"),
    [(COMPILED, 30), (UNSURE, 100)],
    ids=["what optimisers break", "where the CPU provider is no measure"],
)
def test_random_graphs_of_float64(
    text: str, cases: int, project_of: Callable[..., Project], tmp_path: Path
) -> None:
    """In float64 the runtime itself breaks Relu before Clip, and rounds before it compares."""
    for seed in (0, 1):
        fuzzing = Fuzzing(seed, cases, tmp_path)
        report = validate(project_of(text).library, rungs=[Rung.FUZZ], fuzzing=fuzzing)
        assert report.passed, report.summary


def test_its_own_tests_build_without_an_op_to_try(project_of: Callable[..., Project]) -> None:
    """Those in the real runtime compute with an op of float32, if there is one."""
    project = project_of(QUANTIZED, preset="debug")
    assert (project.library.parent / "tests/cpp/host_test").is_file()
