"""Attention of com.microsoft."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, value
from epforge.ops.model import DType, FamilyRow, Sample
from epforge.ops.schemas import MICROSOFT

_FLOAT32 = (DType.FLOAT32,)
_SUPPORT = (*CHECKS, "attention.cc", "attention.h", "device.h", "gemm.cc", "gemm.h", "math.h")
_X = value([[[1, 2], [3, 4]]])
_MULTI_HEAD_SAMPLES = (Sample((_X, _X, _X), (_X,), {"num_heads": 2}),)

ROWS = (
    FamilyRow(
        op="MultiHeadAttention",
        domain=MICROSOFT,
        family="multi_head_attention",
        since=(1,),
        types={"T": _FLOAT32, "QK": _FLOAT32, "M": (DType.INT32,)},
        params={"support": _SUPPORT},
        samples=_MULTI_HEAD_SAMPLES,
    ),
    FamilyRow(
        op="GroupQueryAttention",
        domain=MICROSOFT,
        family="group_query_attention",
        since=(1,),
        types={"T": _FLOAT32, "T_CACHE": _FLOAT32, "T_KV_SCALE": _FLOAT32, "M": (DType.INT32,)},
        host_inputs=(5, 6, 16),
        params={"support": _SUPPORT},
        samples=_MULTI_HEAD_SAMPLES,
    ),
)
