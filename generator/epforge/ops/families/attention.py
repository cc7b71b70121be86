"""Attention, and what stands around it in transformers."""

from __future__ import annotations

import math

from epforge.ops.families._common import BOOL, CHECKS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample

_MATH = (*CHECKS, "device.h", "math.h")
_CORE = (*_MATH, "attention.cc", "attention.h", "gemm.cc", "gemm.h")

_LOG2 = math.log(2)

ROWS = (
    FamilyRow(
        op="Attention",
        family="attention",
        since=(23, 24, 25),
        types={"T1": FLOATS, "T2": FLOATS, "U": (*FLOATS, *BOOL)},
        params={"support": _CORE},
        samples=(),
    ),
)
