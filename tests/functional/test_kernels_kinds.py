"""Kernels in every kind of project: shapes that depend on what a group computes itself, 16-bit
floats, numbers drawn at random. support/computed_sizes.py has the models."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from fresh import ok
from projects import Project

from epforge.validate import Outcome, Rung, validate

_HEAD = """
epforge: 1
name: contoso-kinds
vendor: {name: Contoso, pci_id: 0xB357}
types: [float32, float16, bfloat16, int64, bool]
ops: [Add, Bernoulli, BitCast, Cast, Compress, Concat, ConstantOfShape, CumSum, DFT, HannWindow,
  MatMul, Mul, NonMaxSuppression, NonZero, OneHot, RandomNormal, Range, ReduceSum, Reshape,
  Resize, STFT, Shape, Size, Slice, Squeeze, TopK, Trilu, Unique]
"""
_DEVICE = "devices: [{name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}]\n"
_QUEUES = f"{_DEVICE}memory: {{default: arena, streams: true}}\n"
KINDS = [
    pytest.param("paradigm: compiled\n", id="groups", marks=pytest.mark.lab),
    pytest.param(f"{_DEVICE}memory: {{default: arena}}\n", id="device", marks=pytest.mark.lab),
    pytest.param(_QUEUES, id="queues"),
    pytest.param(f"paradigm: virtual\n{_QUEUES}", id="groups in queues"),
]


@pytest.mark.lab
@pytest.mark.parametrize("kind", KINDS)
def test_shapes_follow_what_is_computed(project_of: Callable[..., Project], kind: str) -> None:
    project = project_of(_HEAD + kind)
    ok(project, "import computed_sizes\ncomputed_sizes.check(device)")
    ok(project, "import computed_sizes\ncomputed_sizes.check_drawing(device)")


@pytest.mark.lab
def test_a_result_that_numpy_has_no_type_for_is_no_failure(
    project_of: Callable[..., Project],
) -> None:
    """Of a bfloat16 that comes out where none goes in."""
    library = project_of(_HEAD + _QUEUES).library
    report = validate(library, rungs=[Rung.OPS], only=["RandomNormal"])
    (check,) = (each for each in report.checks if each.name == "RandomNormal")
    assert check.outcome is Outcome.PASSED, check.detail


@pytest.mark.lab
def test_the_project_s_own_tests_pass_for_16_bit_floats(
    project_of: Callable[..., Project],
) -> None:
    project = project_of(_HEAD + _QUEUES)
    wanted = ["-q", "-p", "no:cacheprovider", "-k", "float16"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *wanted, "tests/python/test_ops.py"],
        cwd=project.root,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_project_s_python_is_clean(project_of: Callable[..., Project]) -> None:
    root = project_of(_HEAD + _QUEUES).root
    for command in (["check"], ["format", "--check"]):
        arguments = [sys.executable, "-m", "ruff", *command, "--no-cache", "tests", "python"]
        done = subprocess.run(arguments, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
