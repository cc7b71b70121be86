"""Attention of com.microsoft."""

from __future__ import annotations

import math

from epforge.ops.families._common import CHECKS, value
from epforge.ops.model import DType, FamilyRow, Sample, Value
from epforge.ops.schemas import MICROSOFT

_FLOAT32 = (DType.FLOAT32,)
_SUPPORT = (
    *CHECKS,
    "attention.cc",
    "attention.h",
    "device.h",
    "gemm.cc",
    "gemm.h",
    "head_rows.h",
    "math.h",
)
_M = "M"


def _zeros(*shape: int) -> Value:
    return Value((0.0,) * math.prod(shape), shape)


def _heads(*rows: float, shape: tuple[int, ...]) -> Value:
    """Rows of 16 equal elements, the least that a head has on the CPU."""
    return Value(tuple(x for row in rows for x in (row,) * 16), shape)


# Queries of zeros give every key the same share, and the result is a mean.
_NONE = value([], shape=(0, 2, 2))
_Q = _zeros(1, 2, 2)
_K = value([[[1, 2], [3, 4]]])
_V = value([[[2, 4], [6, 8]]])
_MULTI_HEAD_SAMPLES = (
    Sample((_Q, _K, _V), (value([[[4, 6], [4, 6]]]),), {"num_heads": 2}),
    # Keys 0 and log 3: shares of a quarter and of three quarters.
    Sample(
        (value([[[1]]]), value([[[0], [1]]]), value([[[0], [4]]])),
        (value([[[3]]]),),
        {"num_heads": 1, "scale": 1.0986122887},
    ),
    Sample(
        (_Q, _K, _V, value([0, 0, 0, 0, 1, 2]), value([[1, 0]], _M)),
        (value([[[3, 6], [3, 6]]]),),
        {"num_heads": 2},
    ),
    Sample(
        (_Q, _K, _V, None, value([1], _M), value([[[[1, 5], [5, 1]]]])),
        (value([[[2, 4], [2, 4]]]),),
        {"num_heads": 1},
    ),
    Sample(
        (_Q, _K, _V, None, None, None, value([[[[9, 9]]]]), value([[[[5, 9]]]])),
        (
            value([[[3.5, 6.5], [13 / 3, 7]]]),
            value([[[[9, 9], [1, 2], [3, 4]]]]),
            value([[[[5, 9], [2, 4], [6, 8]]]]),
        ),
        {"num_heads": 1, "unidirectional": 1},
    ),
    Sample((_NONE, _NONE, _NONE), (_NONE,), {"num_heads": 2}),
)

_GROUPS = {"num_heads": 2, "kv_num_heads": 1}
_TWO = _heads(2, 6, shape=(1, 2, 16))
_TURN = Value((0.0,) * 8 + (0.0,) * 8, (2, 8))
_QUARTER = Value((1.0,) * 8 + (1.0,) * 8, (2, 8))
_GROUP_SAMPLES = (
    # A prompt: the first token sees itself, the second sees both.
    Sample(
        (_zeros(1, 2, 32), _TWO, _TWO, None, None, value([1], _M), value([2], _M)),
        (
            _heads(2, 2, 4, 4, shape=(1, 2, 32)),
            Value(_TWO.data, (1, 1, 2, 16), "T_CACHE"),
            Value(_TWO.data, (1, 1, 2, 16), "T_CACHE"),
        ),
        _GROUPS,
    ),
    # One more token: query, key and value in one, and all are turned by a right angle.
    Sample(
        (
            _heads(0, 0, 3, 7, shape=(1, 1, 64)),
            None,
            None,
            Value((0.0,) * 16, (1, 1, 1, 16), "T_CACHE"),
            Value((1.0,) * 16, (1, 1, 1, 16), "T_CACHE"),
            value([1], _M),
            value([2], _M),
            _TURN,
            _QUARTER,
        ),
        (
            _heads(4, 4, shape=(1, 1, 32)),
            Value((0.0,) * 16 + (-3.0,) * 8 + (3.0,) * 8, (1, 1, 2, 16), "T_CACHE"),
            Value((1.0,) * 16 + (7.0,) * 16, (1, 1, 2, 16), "T_CACHE"),
        ),
        {**_GROUPS, "do_rotary": 1},
    ),
    # A window of one token, and a sink as large as its score.
    Sample(
        (
            _zeros(1, 2, 32),
            _TWO,
            _TWO,
            None,
            None,
            value([1], _M),
            value([2], _M),
            None,
            None,
            None,
            Value((1.0,) * 4, (1, 1, 2, 2)),
            value([1, 1]),
        ),
        (
            _heads(1, 1, 3, 3, shape=(1, 2, 32)),
            Value(_TWO.data, (1, 1, 2, 16), "T_CACHE"),
            Value(_TWO.data, (1, 1, 2, 16), "T_CACHE"),
        ),
        {**_GROUPS, "local_window_size": 1, "softcap": 2.0},
    ),
    # A cache of one row, which is the window: the token of the call takes it.
    Sample(
        (
            _zeros(1, 1, 32),
            _heads(3, shape=(1, 1, 16)),
            _heads(7, shape=(1, 1, 16)),
            Value((1.0,) * 16, (1, 1, 1, 16), "T_CACHE"),
            Value((5.0,) * 16, (1, 1, 1, 16), "T_CACHE"),
            value([4], _M),
            value([5], _M),
        ),
        (
            _heads(7, 7, shape=(1, 1, 32)),
            Value((3.0,) * 16, (1, 1, 1, 16), "T_CACHE"),
            Value((7.0,) * 16, (1, 1, 1, 16), "T_CACHE"),
        ),
        {**_GROUPS, "local_window_size": 1, "sliding_window_cache": 1},
    ),
)


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
        newer=("T_CACHE", "T_KV_SCALE"),  # runtime 1.24 has T for all of them
        params={"support": (*_SUPPORT, "kv_cache.cc", "kv_cache.h", "rotary.h")},
        samples=_GROUP_SAMPLES,
    ),
)
