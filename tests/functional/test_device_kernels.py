"""Device code computes what the host's kernels do: run on the host here, and compiled by nvcc."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from compiled import SANITIZERS
from compilers import sanitizing
from device_kernels import emulated, emulated_program, to_ptx, write_device_kernels
from kernel_calls import make_calls, spoilt
from kernel_project import CHECKED_TYPES, make_op
from kernel_runner import FLAGS, Runner
from launches import FORBIDDEN, LAUNCH, check_launches
from node_tests import check_node_tests

from epforge.assets import assets_dir
from epforge.names import Name
from epforge.ops import families
from epforge.ops.model import DType, FamilyRow
from epforge.resolve.model import Op

_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc on PATH")

#: Ops whose kernels launch nothing, and why.
_LAUNCHES_NOTHING = {
    **dict.fromkeys(("Shape", "Size"), "their outputs are the host's"),
    **dict.fromkeys(
        (
            "BitCast",
            "Concat",
            "ConstantOfShape",
            "Dropout",
            "Expand",
            "Flatten",
            "Reshape",
            "Slice",
            "Split",
            "Squeeze",
            "Tile",
            "Transpose",
            "Unsqueeze",
        ),
        "support/copy.cu does it for them",
    ),
}
#: ONNX's tests of these are of a version that the family leaves out.
_NEWER: frozenset[str] = frozenset()

_ROWS = [row for row in families.rows() if row.device]
_FAMILIES = sorted({row.family for row in _ROWS})
#: Always checked: an op of each family.
_SOME = [
    random.Random(f"{family} 1").choice([row for row in _ROWS if row.family == family])
    for family in _FAMILIES
]
#: One op of each template, the one that needs most of it.
_RICHEST = [
    max((r for r in _ROWS if r.family == f), key=lambda r: (len(str(r.params)), r.op))
    for f in _FAMILIES
]
_TYPES = (DType.FLOAT32, DType.INT64, DType.UINT8, DType.BOOL)
_EVERY = pytest.param(_ROWS, marks=pytest.mark.lab, id="all")
_SANITIZED = ("-O1", *SANITIZERS)


def _ops(rows: Sequence[FamilyRow], types: Sequence[DType] | None = None) -> list[Op]:
    return [make_op(row.op, types, domain=row.domain) for row in rows]


def test_a_family_with_a_template_for_devices_says_so() -> None:
    written = {path.stem for path in (assets_dir("templates") / "kernels").glob("*.cu")}
    assert written - {"stub", "expression"} <= set(_FAMILIES)


@pytest.mark.parametrize("rows", [pytest.param(_SOME, id="some"), _EVERY])
def test_samples_come_out_as_on_the_host(tmp_path: Path, rows: list[FamilyRow]) -> None:
    program = emulated_program(tmp_path, _ops(rows), ["kernels_test.cc"], "g++", FLAGS)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert " 0 failed" in done.stdout


@pytest.mark.lab
def test_samples_come_out_with_sanitizers(tmp_path: Path) -> None:
    ops = _ops(_ROWS, CHECKED_TYPES)
    program = emulated_program(tmp_path, ops, ["kernels_test.cc"], sanitizing(), _SANITIZED)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert " 0 failed" in done.stdout


@pytest.mark.lab
def test_spoilt_calls_are_computed_or_refused(tmp_path: Path) -> None:
    ops = _ops(_ROWS, CHECKED_TYPES)
    sources = ["kernel_runner.cc", "kernel_calls.cc"]
    program = emulated_program(tmp_path, ops, sources, sanitizing(), _SANITIZED)
    chance = random.Random(5)
    found = make_calls(program, [call for op in ops for call in spoilt(op, 20, chance)])
    assert {op for op, good in found if good} == {row.op for row in _ROWS}


@pytest.fixture(scope="session")
def some(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return emulated(tmp_path_factory.mktemp("some"), _ops(_SOME))


@pytest.fixture(scope="session")
def every(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return emulated(tmp_path_factory.mktemp("every"), _ops(_ROWS))


def _node_tests(kernels: Runner, row: FamilyRow) -> None:
    assert (check_node_tests(kernels, row.op, device=True) > 0) == (row.op not in _NEWER)


@pytest.mark.parametrize("row", _SOME, ids=lambda row: row.op)
def test_passes_the_node_tests_of_onnx(some: Runner, row: FamilyRow) -> None:
    _node_tests(some, row)


@pytest.mark.lab
@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row.op)
def test_every_op_passes_the_node_tests_of_onnx(every: Runner, row: FamilyRow) -> None:
    _node_tests(every, row)


def test_whatever_is_launched_is_on_the_given_stream(tmp_path: Path) -> None:
    assert check_launches(write_device_kernels(tmp_path, _ops(_SOME))) > 1


def test_the_scan_would_see_a_fault() -> None:
    assert FORBIDDEN.search("cudaDeviceSynchronize();")
    assert FORBIDDEN.search("cudaMemcpy(a, b, n, kind);")
    assert not FORBIDDEN.search("cudaMemcpyAsync(a, b, n, kind, stream);")
    assert LAUNCH.findall("F<<<blocks, 256>>>(x)") == ["blocks, 256"]


@_nvcc
@pytest.mark.parametrize("rows", [pytest.param(_RICHEST, id="richest"), _EVERY])
def test_nvcc_compiles_it_without_a_warning(tmp_path: Path, rows: list[FamilyRow]) -> None:
    written = write_device_kernels(tmp_path, _ops(rows, _TYPES if rows is _RICHEST else None))
    sources = [path for path in written if path.endswith(".cu")]

    def launches(source: str) -> bool:
        found = {".entry" in ptx for ptx in to_ptx(tmp_path, source)}
        assert len(found) == 1, f"{source}: not the same for all architectures"
        return found.pop()

    with ThreadPoolExecutor(2) as pool:
        silent = {
            s for s, any_ in zip(sources, pool.map(launches, sources), strict=True) if not any_
        }
    kernels = {f"src/gen/kernels/{Name.parse(f'{r.domain} {r.op}').snake}.cu": r.op for r in rows}
    assert set(kernels) <= set(sources)
    assert silent == {path for path, op in kernels.items() if op in _LAUNCHES_NOTHING}
