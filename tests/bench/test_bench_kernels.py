"""What a kernel costs to compile, against a file that includes <vector> and nothing else."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest
from kernel_project import make_op, write_kernels

from epforge.ops import families
from epforge.ops.model import DType

pytestmark = pytest.mark.bench

_LIMIT = 4.0


def _cpu_seconds(directory: Path, source: str, times: int) -> float:
    """The least processor time of several compilations."""
    best = float("inf")
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = ["g++", "-std=c++17", "-O2", "-I", "src", "-c", source, "-o", "unit.o"]
        subprocess.run(command, cwd=directory, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def test_a_kernel_costs_at_most_four_times_what_vector_costs(tmp_path: Path) -> None:
    types = [DType.FLOAT32, DType.INT64, DType.BOOL]
    ops = [make_op(row.op, types, domain=row.domain) for row in families.rows()]
    written = write_kernels(tmp_path, ops)
    (tmp_path / "vector.cc").write_text("#include <vector>\n")
    base = _cpu_seconds(tmp_path, "vector.cc", 7)
    kernels = [p for p in written if p.startswith("src/gen/kernels/") and p.count("/") == 3]
    ratios = {p: _cpu_seconds(tmp_path, p, 3) / base for p in kernels if p.endswith(".cc")}
    for path, ratio in sorted(ratios.items(), key=lambda item: item[1]):
        print(f"{ratio:.2f}  {path}")
    assert ratios
    assert {path: ratio for path, ratio in ratios.items() if ratio > _LIMIT} == {}
