"""Operators that take axes away: sums, products, extremes, norms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from epforge.ops.families._common import BOOL, CHECKS, FLOATS, NUMBERS, ROWS_ON_DEVICE, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_SUPPORT = (*CHECKS, "arithmetic.h", "device.h", "reduce.cc", "reduce.h")
_CUDA_SUPPORT = (*_SUPPORT, "launch.h", "reduce_rows.cc", "reduce_rows.h", "rows.h")
_WIDE = (DType.INT32, DType.INT64, DType.UINT32, DType.UINT64)
_SUMMED = (*FLOATS, *_WIDE)
_ORDERED = (*_SUMMED, DType.INT8, DType.UINT8)
_SINCE = (1, 11, 13, 18)

#: The tensor of the samples: its rows sum up to 3 and 12, its columns to 5, 1 and 9.
_X = value([[1, -2, 4], [4, 3, 5]])


def _reduction(
    op: str,
    types: Sequence[DType],
    doc: str,
    rows: tuple[float, float],
    empty: float | None,
    *,
    since: tuple[int, ...] = _SINCE,
    input_since: int = 18,
    start: str = "Total(0)",
    term: str = "x",
    join: str = "Add(a, b)",
    finish: str = "total",
    x: Value = _X,
) -> FamilyRow:
    """A row of the family.

    Args:
        op: the operator.
        since: the versions that the kernel implements.
        types: of the elements.
        doc: what it makes of elements.
        rows: what it makes of the rows of ``x``.
        empty: what it makes of nothing; None where the types disagree.
        input_since: the version since which the axes are an input.
        start: C++: the total of nothing.
        term: C++: what an element, ``x`` of type ``Total``, adds to the total; may use ``shift``.
        join: C++: the total of two totals ``a`` and ``b``.
        finish: C++: the result of ``total``; may use ``count`` or ``shift``.
        x: the tensor of the samples.
    """
    shifted = "shift" in term
    extreme = "imum(a, b)" in join
    math_used = any(name in term + finish for name in ("Exp(", "Log(", "Sqrt("))
    more = ("math.h",) if math_used else ()
    return FamilyRow(
        op=op,
        family="reduction",
        since=since,
        types={"T": tuple(types)},
        host_inputs=(1,),
        device=True,
        params={
            "doc": doc,
            "start": start,
            "term": term,
            "join": join,
            "finish": finish,
            "shifted": shifted,
            "counted": "count" in finish,
            "widen": not extreme,
            "math": math_used,
            "support": (*_SUPPORT, *more),
            "cuda_template": True,
            "cuda_support": (*_CUDA_SUPPORT, *more),
        },
        samples=_samples(since, input_since, rows, empty, x),
    )


def _samples(
    since: tuple[int, ...],
    input_since: int,
    rows: tuple[float, float],
    empty: float | None,
    x: Value,
) -> tuple[Sample, ...]:
    """Along the rows, with axes as an attribute and as an input, and of nothing."""
    older = tuple(v for v in since if v < input_since)
    newer = tuple(v for v in since if v >= input_since)
    flat = value(list(rows))
    kept = value([[row] for row in rows])
    axis = value([-1], DType.INT64)
    samples = [
        Sample((x,), (kept,), {"axes": (1,)}, older),
        Sample((x,), (flat,), {"axes": (1,), "keepdims": 0}, older),
        Sample((x, axis), (kept,), {}, newer),
        Sample((x, axis), (flat,), {"keepdims": 0}, newer),
    ]
    if empty is not None:
        nothing = value([], shape=(2, 0))
        samples.append(Sample((nothing,), (value([[empty]]),)))
        samples.append(Sample((nothing, axis), (value([empty, empty]),), {"keepdims": 0}, newer))
    return tuple(samples)


def _extreme(op: str, better: str, doc: str, samples: tuple[Sample, ...]) -> FamilyRow:
    return FamilyRow(
        op=op,
        family="arg_extreme",
        since=(1, 11, 12, 13),
        types={"T": NUMBERS},
        device=True,
        params={
            "header": "op",
            "better": better,
            "doc": doc,
            "support": CHECKS,
            "cuda_template": True,
            "cuda_support": (*ROWS_ON_DEVICE, "extreme.h"),
        },
        samples=samples,
    )


def _indices(op: str, first: Sequence[int], last: Sequence[int]) -> tuple[Sample, ...]:
    """Samples on a tensor whose rows have their extremes more than once."""
    x = value([[2, 7, 7, 2], [3, 1, 3, 1]])
    int64 = DType.INT64
    columns = {"ArgMax": [1, 0, 0, 0], "ArgMin": [0, 1, 1, 1]}[op]
    return (
        Sample((x,), (value([columns], int64),)),
        Sample((x,), (value(list(first), int64),), {"axis": 1, "keepdims": 0}),
        Sample(
            (x,),
            (value([[i] for i in last], int64),),
            {"axis": -1, "select_last_index": 1},
            (12, 13),
        ),
        Sample((value([], shape=(2, 0)),), (value([], int64, (1, 0)),)),
    )


_EXTREMES = (1, 11, 12, 13, 18, 20)

ROWS = (
    _reduction("ReduceSum", _SUMMED, "The sum.", (3, 12), 0, since=(1, 11, 13), input_since=13),
    _reduction(
        "ReduceMean",
        _SUMMED,
        "The mean; of no integers it is 0.",
        (1, 4),
        None,
        finish="Divide(total, static_cast<Total>(count))",
    ),
    _reduction(
        "ReduceProd", _SUMMED, "The product.", (-8, 60), 1, start="Total(1)", join="Multiply(a, b)"
    ),
    _reduction(
        "ReduceMax",
        (*_ORDERED, *BOOL),
        "The largest element; NaN if there is one.",
        (4, 5),
        None,
        since=_EXTREMES,
        start="Lowest<T>()",
        join="Maximum(a, b)",
    ),
    _reduction(
        "ReduceMin",
        (*_ORDERED, *BOOL),
        "The smallest element; NaN if there is one.",
        (-2, 3),
        None,
        since=_EXTREMES,
        start="Highest<T>()",
        join="Minimum(a, b)",
    ),
    _reduction("ReduceL1", _SUMMED, "The sum of magnitudes.", (7, 12), 0, term="Magnitude(x)"),
    _reduction(
        "ReduceL2",
        FLOATS,
        "The square root of the sum of squares.",
        (21**0.5, 50**0.5),
        0,
        term="x * x",
        finish="Sqrt(total)",
    ),
    _reduction(
        "ReduceSumSquare", _SUMMED, "The sum of squares.", (21, 50), 0, term="Multiply(x, x)"
    ),
    _reduction(
        "ReduceLogSum",
        FLOATS,
        "The logarithm of the sum.",
        (math.log(3), math.log(12)),
        -math.inf,
        since=(*_SINCE, 28),
        finish="Log(total)",
    ),
    _reduction(
        "ReduceLogSumExp",
        FLOATS,
        "The logarithm of the sum of exp(x).",
        (math.log(4), 1000 + math.log(2)),
        -math.inf,
        since=(*_SINCE, 28),
        term="Exp(x - shift)",
        finish="Log(total) + shift",
        x=value([[0, math.log(3)], [1000, 1000]]),
    ),
    _extreme("ArgMax", ">", "the largest", _indices("ArgMax", (1, 0), (2, 2))),
    _extreme("ArgMin", "<", "the smallest", _indices("ArgMin", (0, 1), (3, 3))),
)
