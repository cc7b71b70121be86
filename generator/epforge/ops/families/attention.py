"""Attention, and what stands around it in transformers."""

from __future__ import annotations

import math

from epforge.ops.families._common import (
    BOOL,
    BROADCAST,
    CHECKS,
    ELEMENTWISE,
    ERRORS,
    FLOATS,
    NUMBERS,
    value,
)
from epforge.ops.model import DType, FamilyRow, Sample

_FLOAT = (DType.FLOAT32,)
_MATH = (*CHECKS, "device.h", "math.h")
_CHOICE = ("choice.cc", "choice.h")

#: Two keys, and a query whose scores differ by log 3 at a scale of 1: the shares are 1/4 and 3/4.
_LOG3 = math.log(3)
_QUERY = value([[[[1, 0]]]], "T1")
_KEYS = value([[[[0, 1], [_LOG3, 1]]]], "T1")
_VALUES = value([[[[0, 4, 8], [4, 0, 8]]]], "T2")
_ONE = {"scale": 1.0}
_ATTENTION_SAMPLES = (
    Sample((_QUERY, _KEYS, _VALUES), (value([[[[3, 1, 8]]]], "T1"),), _ONE),
    # The same three ways: a mask, what is to the left, and the past.
    Sample(
        (_QUERY, _KEYS, _VALUES, value([[1, 0]], DType.BOOL)),
        (value([[[[0, 4, 8]]]], "T1"),),
        _ONE,
    ),
    Sample((_QUERY, _KEYS, _VALUES), (value([[[[0, 4, 8]]]], "T1"),), {**_ONE, "is_causal": 1}),
    Sample(
        (
            _QUERY,
            value([[[[_LOG3, 1]]]], "T1"),
            value([[[[4, 0, 8]]]], "T2"),
            None,
            value([[[[0, 1]]]], "T1"),
            value([[[[0, 4, 8]]]], "T2"),
        ),
        (
            value([[[[3, 1, 8]]]], "T1"),
            _KEYS,
            _VALUES,
            value([[[[0.25, 0.75]]]], "T1"),
        ),
        {**_ONE, "is_causal": 1, "qk_matmul_output_mode": 3},
    ),
    # Heads side by side: two of queries share one of keys.
    Sample(
        (
            value([[[1, 0, 0, 5]]], "T1"),
            value([[[0, 1], [_LOG3, 1]]], "T1"),
            value([[[0], [4]]], "T2"),
        ),
        (value([[[3, 2]]], "T1"),),
        {**_ONE, "q_num_heads": 2, "kv_num_heads": 1},
    ),
    # Nothing to see.
    Sample(
        (_QUERY, _KEYS, _VALUES, value([[0, 0]], DType.BOOL)),
        (value([[[[0, 0, 0]]]], "T1"),),
        _ONE,
    ),
    # A cache that is not full: of its two keys one is valid.
    Sample(
        (_QUERY, _KEYS, _VALUES, None, None, None, value([1], DType.INT64)),
        (value([[[[0, 4, 8]]]], "T1"),),
        _ONE,
        since=(24, 25),
    ),
    Sample(
        (_QUERY, _KEYS, _VALUES, None, None, None, value([2], DType.INT64)),
        (value([[[[4, 0, 8]]]], "T1"),),
        {**_ONE, "left_window_size": 0},
        since=(25,),
    ),
)

_COSINES = value([[1, 1], [0, -1]])
_SINES = value([[0, 0], [1, 0]])
_TOKENS = value([[[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]])
_POSITIONS = value([[0, 1]], DType.INT64)
_ROTARY_SAMPLES = (
    Sample(
        (_TOKENS, _COSINES, _SINES, _POSITIONS),
        (value([[[1, 2, 3, 4, 5], [-3, -2, 1, -4, 5]]]),),
        {"num_heads": 1, "rotary_embedding_dim": 4},
    ),
    Sample(
        (_TOKENS, _COSINES, _SINES, _POSITIONS),
        (value([[[1, 2, 3, 4, 5], [-2, 1, -3, -4, 5]]]),),
        {"num_heads": 1, "rotary_embedding_dim": 4, "interleaved": 1},
    ),
    # Two heads of one token, and a row of angles per token.
    Sample(
        (value([[[[1, 2]], [[3, 4]]]]), value([[[0]]]), value([[[1]]])),
        (value([[[[-2, 1]], [[-4, 3]]]]),),
    ),
)

_KEY = value([[[1, 0], [1, 1]]])  # two tokens
_VALUE = value([[[2], [4]]])
_RULE = {"q_num_heads": 1, "kv_num_heads": 1, "scale": 1.0}
_STATE = value([[[[1], [1]]]], "S")
_LINEAR_SAMPLES = (
    Sample(
        (_KEY, _KEY, _VALUE),
        (value([[[2], [10]]]), value([[[[6], [4]]]], "S")),
        {**_RULE, "update_rule": "linear"},
    ),
    Sample(
        (_KEY, _KEY, _VALUE, _STATE, value([[[0], [-math.log(2)]]])),
        (value([[[3], [10]]]), value([[[[5.5], [4.5]]]], "S")),
        {**_RULE, "update_rule": "gated"},
    ),
    Sample(
        (_KEY, _KEY, _VALUE, _STATE, None, value([[[1], [0.5]]])),
        (value([[[2], [4]]]), value([[[[2.5], [1.5]]]], "S")),
        {**_RULE, "update_rule": "delta"},
    ),
    # Two heads of queries share the one of keys.
    Sample(
        (value([[[1, 0, 1, 1]]]), value([[[1, 2]]]), value([[[3]]])),
        (value([[[3, 9]]]), value([[[[3], [6]]]], "S")),
        {**_RULE, "q_num_heads": 2, "update_rule": "linear"},
    ),
)

_CONV_SAMPLES = (
    Sample(
        (value([[[1, 2, 3], [1, 0, 0]]]), value([[[1, 10]], [[0, 2]]])),
        (value([[[10, 21, 32], [2, 0, 0]]]), value([[[3], [0]]])),
    ),
    Sample(
        (
            value([[[5]]]),
            value([[[1, 10, 100]]]),
            value([1000]),
            value([[[3, 4]]]),
        ),
        (value([[[1543]]]), value([[[4, 5]]])),
    ),
    Sample(
        (value([[[0, 1]]]), value([[[1]]])),
        (value([[[0, 0.731058579]]]), value([], shape=(1, 1, 0))),
        {"activation": "silu"},
    ),
)

_GELU_POINTS = {
    "none": {0: 0, 1: 0.841344746, -1: -0.158655254, 40: 40},
    "tanh": {0: 0, 1: 0.841191991, -1: -0.158808009, 40: 40},
}
_GELU_SAMPLES = tuple(
    Sample((value(list(points)),), (value(list(points.values())),), {"approximate": approximate})
    for approximate, points in _GELU_POINTS.items()
)

ROWS = (
    FamilyRow(
        op="Attention",
        family="attention",
        since=(23, 24, 25),
        types={"T1": FLOATS, "T2": FLOATS, "U": (*NUMBERS, *BOOL)},
        params={"support": (*_MATH, "attention.cc", "attention.h", "gemm.cc", "gemm.h")},
        samples=_ATTENTION_SAMPLES,
    ),
    FamilyRow(
        op="RotaryEmbedding",
        family="rotary_embedding",
        since=(23,),
        types={"T": _FLOAT, "M": (DType.INT64,)},
        params={"header": "op", "support": (*CHECKS, "rotary.h")},
        samples=_ROTARY_SAMPLES,
    ),
    FamilyRow(
        op="LinearAttention",
        family="linear_attention",
        since=(27,),
        types={"T": _FLOAT, "S": _FLOAT},
        params={"support": (*_MATH, *_CHOICE)},
        samples=_LINEAR_SAMPLES,
    ),
    FamilyRow(
        op="CausalConvWithState",
        family="causal_conv_with_state",
        since=(27,),
        types={"T": _FLOAT},
        params={"support": (*_MATH, *_CHOICE)},
        samples=_CONV_SAMPLES,
    ),
    FamilyRow(
        op="SwiGLU",
        family="binary",
        since=(28,),
        types={"T": FLOATS},
        device=True,
        params={
            "header": "op",
            "support": (*BROADCAST, "math.h"),
            "function": "a * Sigmoid(T(alpha) * a) * b",
            "doc": "Swish of the gate, times the value.",
            "cost": 20,
            "out": "T",
            "one_way": False,
            "same_shape": True,
            "includes": ("broadcast.h", "errors.h", "math.h"),
        },
        samples=(
            Sample(
                (value([0, 1, -1]), value([5, 10, 100])),
                (value([0, 8.80797078, -11.9202922]),),
                {"alpha": 2.0},
            ),
        ),
    ),
    FamilyRow(
        op="Gelu",
        family="gelu",
        since=(20,),
        types={"T": FLOATS},
        device=True,
        params={"support": (*ELEMENTWISE, *ERRORS, *_CHOICE, "math.h")},
        samples=_GELU_SAMPLES,
    ),
)
