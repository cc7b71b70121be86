"""Blueprints of many operators, for the benchmarks."""

from __future__ import annotations

from pathlib import Path

from epforge.ops import families


def blueprint(ops: int, folder: Path) -> Path:
    """A blueprint of so many operators, in a file of ``folder``."""
    names = sorted(row.op for row in families.rows() if not row.domain)[:ops]
    chosen = names if ops > 3 else ["Add", "MatMul", "Relu"]
    assert len(chosen) == ops
    path = folder / f"{ops}.yaml"
    path.write_text(f"epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [{', '.join(chosen)}]\n")
    return path
