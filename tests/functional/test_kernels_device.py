"""Elementwise kernels are device code as well: nvcc turns the same files into PTX."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kernel_project import make_op, write_kernels

from epforge.names import Name
from epforge.ops import families
from epforge.ops.model import DType, FamilyRow

_TYPES = [DType.FLOAT32, DType.INT64, DType.UINT8, DType.BOOL]


pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc on PATH")
_ROWS = [row for row in families.rows() if row.device]
#: One op of each template, the one that needs most of it.
_ONE_OF_EACH = [
    max((r for r in _ROWS if r.family == f), key=lambda r: (len(str(r.params)), r.op))
    for f in sorted({row.family for row in _ROWS})
]


def _compile(directory: Path, rows: list[FamilyRow]) -> None:
    written = write_kernels(directory, [make_op(r.op, _TYPES, domain=r.domain) for r in rows])

    def compile_one(op: str) -> str:
        source = f"src/gen/kernels/{Name.parse(op).snake}.cc"
        assert source in written
        ptx = directory / f"{op}.ptx"
        command = ["nvcc", "-x", "cu", "-std=c++17", "--ptx", "-I", "src", source, "-o", str(ptx)]
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        if result.returncode or result.stderr:
            return result.stderr
        return "" if ".entry" in ptx.read_text() else f"{source}: no kernel in the PTX"

    with ThreadPoolExecutor(2) as pool:
        said = [text for text in pool.map(compile_one, [row.op for row in rows]) if text]
    assert not said, "\n".join(said)


def test_a_kernel_of_each_template_compiles_to_ptx_without_a_warning(tmp_path: Path) -> None:
    assert len(_ONE_OF_EACH) > 5
    _compile(tmp_path, _ONE_OF_EACH)


@pytest.mark.lab
def test_device_kernels_compile_to_ptx_without_a_warning(tmp_path: Path) -> None:
    assert len(_ROWS) > 50
    _compile(tmp_path, _ROWS)
