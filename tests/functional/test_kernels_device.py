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
from epforge.ops.model import DType

_TYPES = [DType.FLOAT32, DType.INT64, DType.UINT8, DType.BOOL]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc on PATH")
def test_device_kernels_compile_to_ptx_without_a_warning(tmp_path: Path) -> None:
    rows = [row for row in families.rows() if row.device]
    written = write_kernels(tmp_path, [make_op(r.op, _TYPES, domain=r.domain) for r in rows])

    def compile_one(op: str) -> str:
        source = f"src/gen/kernels/{Name.parse(op).snake}.cc"
        assert source in written
        ptx = tmp_path / f"{op}.ptx"
        command = ["nvcc", "-x", "cu", "-std=c++17", "--ptx", "-I", "src", source, "-o", str(ptx)]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        if result.returncode or result.stderr:
            return result.stderr
        return "" if ".entry" in ptx.read_text() else f"{source}: no kernel in the PTX"

    with ThreadPoolExecutor(2) as pool:
        said = [text for text in pool.map(compile_one, [row.op for row in rows]) if text]
    assert len(rows) > 50
    assert not said, "\n".join(said)
