"""Libraries that take nothing in float32: models are drawn in a type that they do take."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from projects import Project

from epforge.build.toolchain import from_pypi
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


@pytest.mark.parametrize("text", [QUANTIZED, COMPILED], ids=["no op to try", "float64"])
def test_its_own_tests_pass(text: str, project_of: Callable[..., Project]) -> None:
    """They compute in float32 where the library does."""
    project = project_of(text, preset="debug")
    ctest = from_pypi("cmake").with_name("ctest")
    done = subprocess.run(
        [ctest, "--test-dir", project.library.parent, "--output-on-failure"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " host " in done.stdout


def test_the_tests_of_a_compiler_are_not_left_out_where_it_has_float32(
    project_of: Callable[..., Project],
) -> None:
    def checks(text: str) -> int:
        program = project_of(text, preset="debug").library.parent / "tests/cpp/program_test"
        done = subprocess.run([program], capture_output=True, text=True, check=True)
        found = re.search(r"(\d+) checks, 0 failed", done.stdout + done.stderr)
        assert found, done.stdout
        return int(found[1])

    assert checks(COMPILED.replace("float64", "float32")) > checks(COMPILED)
