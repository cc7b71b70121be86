"""Softmax and its kin, and normalisation by mean and variance."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS, ROWS_ON_DEVICE, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_MATH = (*CHECKS, "device.h", "math.h")
_ROWS_MATH = (*ROWS_ON_DEVICE, "math.h")

_LOG3 = 1.0986122887
_ROWS = value([[0, _LOG3], [1000, 1000]])


def _softmax(op: str, kind: str, doc: str, row: tuple[float, float], even: float) -> FamilyRow:
    """A row of the family.

    Args:
        op: the operator.
        kind: which of them the template makes.
        doc: what it does to a row.
        row: what comes of (0, log 3).
        even: what comes of each of two equal elements, but for Hardmax, which has the first one.
    """
    tie = (1.0, 0.0) if kind == "hardmax" else (even, even)
    column = value([[0, 5], [_LOG3, 5]])
    samples = (
        Sample((_ROWS,), (value([row, tie]),)),
        Sample(
            (column,),
            (value([[row[0], tie[0]], [row[1], tie[1]]]),),
            {"axis": 0},
            since=(13,),
        ),
        # Before version 13 all axes behind the first one are one row.
        Sample((value([[[0, _LOG3]]]),), (value([[row]]),), since=(1, 11)),
        Sample((value([], shape=(0, 2)),), (value([], shape=(0, 2)),)),
    )
    return FamilyRow(
        op=op,
        family="softmax",
        since=(1, 11, 13),
        types={"T": FLOATS},
        device=True,
        params={
            "kind": kind,
            "doc": doc,
            "support": CHECKS if kind == "hardmax" else _MATH,
            "cuda_template": True,
            "cuda_support": ((*ROWS_ON_DEVICE, "extreme.h") if kind == "hardmax" else _ROWS_MATH),
        },
        samples=samples,
    )


_X = value([[[1, 3], [2, 2]]])  # one image, two channels of two pixels
_EMPTY = value([], shape=(0, 2, 2))
_ONES = value([1, 1])
_UP = value([0, 1])


def _batch_inputs(x: Value, *types: DType | str) -> tuple[Value, ...]:
    scale, mean = types
    return (
        x,
        value([2, 1], scale),
        value([0, 1], scale),
        value([1, 0], mean),
        value([4, 1], mean),
    )


_BATCH = value([[[1, 3], [3, -1]], [[1, 3], [3, -1]]])
_BATCH_RESULT = value([[[0, 2], [3, 3]]])
_EXACT = {"epsilon": 0.0}
_BATCH_SAMPLES = (
    Sample(_batch_inputs(_X, "T", "U"), (_BATCH_RESULT,), _EXACT, since=(14,)),
    Sample(_batch_inputs(_X, "T1", "T2"), (_BATCH_RESULT,), _EXACT, since=(15,)),
    *(
        Sample(
            _batch_inputs(_BATCH, scale, mean),
            (
                value([[[-2, 2], [2, 0]], [[-2, 2], [2, 0]]]),
                value([1.5, 0.5], mean),
                value([2.5, 2.5], mean),
            ),
            {**_EXACT, "training_mode": 1, "momentum": 0.5},
            since=(since,),
        )
        for scale, mean, since in (("T", "U", 14), ("T1", "T2", 15))
    ),
    Sample(_batch_inputs(_X, "T", "T"), (_BATCH_RESULT,), _EXACT, since=(7, 9)),
    Sample(_batch_inputs(_X, "T", "T"), (_BATCH_RESULT,), {**_EXACT, "is_test": 1}, since=(1, 6)),
)

_LAYER_SAMPLES = (
    Sample(
        (value([[1, 3], [-6, 2]]), value([1, 2]), value([0, 1])),
        (value([[-1, 3], [-1, 3]]),),
        _EXACT,
    ),
    Sample(
        (value([[1, 3], [-6, 2]]), value([1, 1])),
        (
            value([[-1, 1], [-1, 1]]),
            value([[2], [-2]], DType.FLOAT32),
            value([[1], [0.25]], DType.FLOAT32),
        ),
        _EXACT,
    ),
    Sample((value([], shape=(0, 2)), _ONES), (value([], shape=(0, 2)),)),
)
_RMS_SAMPLES = (
    Sample(
        (value([[1, 7], [3, 3]]), value([1, 10])),
        (value([[0.2, 14], [1, 10]]),),
        _EXACT,
    ),
    Sample((value([], shape=(0, 2)), _ONES), (value([], shape=(0, 2)),)),
)
_INSTANCE_SAMPLES = (
    Sample((_X, value([1, 1]), _UP), (value([[[-1, 1], [1, 1]]]),), {"epsilon": 1e-7}),
    Sample((_EMPTY, _ONES, _UP), (_EMPTY,)),
)
_GROUP_SAMPLES = (
    Sample(
        (value([[[1, 1], [3, 3]]]), value([1, 2]), _UP),
        (value([[[-1, -1], [3, 3]]]),),
        {"num_groups": 1, **_EXACT},
    ),
    Sample(
        (value([[[1, 3], [2, 6]]]), _ONES, _UP),
        (value([[[-1, 1], [0, 2]]]),),
        {"num_groups": 2, **_EXACT},
    ),
    Sample((_EMPTY, _ONES, _UP), (_EMPTY,), {"num_groups": 2}),
)
_LRN_SAMPLES = (
    Sample(
        (value([[[1], [2], [2]]]),),
        (value([[[1 / 6], [0.2], [2 / 9]]]),),
        {"size": 3, "alpha": 3.0, "beta": 1.0, "bias": 1.0},
    ),
    Sample((_EMPTY,), (_EMPTY,), {"size": 1}),
)

ROWS = (
    _softmax("Softmax", "softmax", "exp(x) as a share of the row's sum.", (0.25, 0.75), 0.5),
    _softmax(
        "LogSoftmax",
        "log",
        "The logarithm of softmax.",
        (-1.3862943611, -0.2876820724),
        -0.6931471806,
    ),
    _softmax("Hardmax", "hardmax", "1 for the first of the largest elements, else 0.", (0, 1), 1),
    FamilyRow(
        op="BatchNormalization",
        family="batch_normalization",
        since=(1, 6, 7, 9, 14, 15),
        types={"T": FLOATS, "T1": FLOATS, "T2": FLOATS, "U": FLOATS},
        device=True,
        params={
            "support": _MATH,
            "cuda_template": True,
            "cuda_support": _ROWS_MATH,
        },
        samples=_BATCH_SAMPLES,
        channels_last=(7, 9, 14, 15),
    ),
    FamilyRow(
        op="LayerNormalization",
        family="layer_normalization",
        since=(17,),
        types={"T": FLOATS, "U": (DType.FLOAT32,)},
        device=True,
        params={
            "centered": True,
            "support": _MATH,
            "cuda_template": True,
            "cuda_support": _ROWS_MATH,
        },
        samples=_LAYER_SAMPLES,
    ),
    FamilyRow(
        op="RMSNormalization",
        family="layer_normalization",
        since=(23,),
        types={"T": (DType.FLOAT32,), "V": (DType.FLOAT32,)},  # the two may not be mixed
        device=True,
        params={
            "centered": False,
            "support": _MATH,
            "cuda_template": True,
            "cuda_support": _ROWS_MATH,
        },
        samples=_RMS_SAMPLES,
    ),
    FamilyRow(
        op="InstanceNormalization",
        family="group_normalization",
        since=(1, 6, 22),
        types={"T": FLOATS},
        device=True,
        params={
            "grouped": False,
            "support": _MATH,
            "cuda_template": True,
            "cuda_support": _ROWS_MATH,
        },
        samples=_INSTANCE_SAMPLES,
        channels_last=(6,),
    ),
    FamilyRow(
        op="GroupNormalization",
        family="group_normalization",
        since=(21,),
        types={"T": FLOATS},
        device=True,
        params={
            "grouped": True,
            "support": _MATH,
            "cuda_template": True,
            "cuda_support": _ROWS_MATH,
        },
        samples=_GROUP_SAMPLES,
    ),
    FamilyRow(
        op="LRN",
        family="lrn",
        since=(1, 13),
        types={"T": FLOATS},
        device=True,
        params={
            "header": "op",
            "support": _MATH,
            "cuda_template": True,
            "cuda_support": (*_MATH, "launch.h"),
        },
        samples=_LRN_SAMPLES,
        channels_last=(1, 13),
    ),
)
