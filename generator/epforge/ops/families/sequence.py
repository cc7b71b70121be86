"""Operators about positions: running sums, ranges, triangles, reversed sequences."""

from __future__ import annotations

from epforge.ops.families._common import ALL, ANY, CHECKS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_INDEX = (DType.INT32, DType.INT64)
_SUMMED = (*FLOATS, *_INDEX, DType.UINT32, DType.UINT64)
_COPYING = ("copy.cc", "copy.h", "strides.cc", "strides.h")

_X = value([[1, 2, 3], [4, 5, 6]])
_AXIS_0 = value(0, "T2")
_AXIS_1 = value([-1], "T2")


def _cumulative(
    op: str, since: tuple[int, ...], start: str, join: str, results: tuple[Value, ...]
) -> FamilyRow:
    """``results``: along both axes; without each element itself; from the end; both."""
    down, along, exclusive, reverse, both = results
    return FamilyRow(
        op=op,
        family="cumulative",
        since=since,
        types={"T": _SUMMED, "T2": _INDEX},
        host_inputs=(1,),
        params={
            "header": "op",
            "start": start,
            "join": join,
            "support": (*CHECKS, "arithmetic.h", "device.h"),
        },
        samples=(
            Sample((_X, _AXIS_0), (down,)),
            Sample((_X, _AXIS_1), (along,)),
            Sample((_X, _AXIS_1), (exclusive,), {"exclusive": 1}),
            Sample((_X, _AXIS_1), (reverse,), {"reverse": 1}),
            Sample((_X, _AXIS_0), (both,), {"reverse": 1, "exclusive": 1}),
            Sample((value([], shape=(0, 3)), _AXIS_0), (value([], shape=(0, 3)),)),
        ),
    )


_CUM_SUM = _cumulative(
    "CumSum",
    (11, 14),
    "0",
    "Add",
    (
        value([[1, 2, 3], [5, 7, 9]]),
        value([[1, 3, 6], [4, 9, 15]]),
        value([[0, 1, 3], [0, 4, 9]]),
        value([[6, 5, 3], [15, 11, 6]]),
        value([[4, 5, 6], [0, 0, 0]]),
    ),
)
_CUM_PROD = _cumulative(
    "CumProd",
    (26,),
    "1",
    "Multiply",
    (
        value([[1, 2, 3], [4, 10, 18]]),
        value([[1, 2, 6], [4, 20, 120]]),
        value([[1, 1, 2], [1, 4, 20]]),
        value([[6, 6, 3], [120, 30, 6]]),
        value([[4, 5, 6], [1, 1, 1]]),
    ),
)
_RANGE = FamilyRow(
    op="Range",
    family="range",
    since=(11, 27),
    types={"T": (*FLOATS, DType.INT16, *_INDEX)},
    host_inputs=(0, 1, 2),
    params={"header": "op", "attributes": (), "support": (*CHECKS, "device.h", "math.h")},
    samples=(
        Sample((value(1), value(9), value(3)), (value([1, 4, 7]),)),
        Sample((value(10), value(4), value(-2)), (value([10, 8, 6]),)),
        Sample((value(1), value(2), value(0.25)), (value([1, 1.25, 1.5, 1.75]),)),
        Sample((value(3), value(3), value(1)), (value([]),)),
        Sample((value(3), value(9), value(-1)), (value([]),)),
    ),
)
_SQUARE = value([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
_K = DType.INT64
_TRILU = FamilyRow(
    op="Trilu",
    family="trilu",
    since=(14,),
    types={"T": ANY},
    host_inputs=(1,),
    params={"header": "op", "support": CHECKS},
    samples=(
        Sample((_SQUARE,), (value([[1, 2, 3], [0, 5, 6], [0, 0, 9]]),)),
        Sample((_SQUARE,), (value([[1, 0, 0], [4, 5, 0], [7, 8, 9]]),), {"upper": 0}),
        Sample((_SQUARE, value(1, _K)), (value([[0, 2, 3], [0, 0, 6], [0, 0, 0]]),)),
        Sample((_SQUARE, value(-1, _K)), (value([[1, 2, 3], [4, 5, 6], [0, 8, 9]]),)),
        Sample((_X, value(9, _K)), (value([[0, 0, 0], [0, 0, 0]]),)),
        Sample((_X, value(-9, _K)), (value([[0, 0, 0], [0, 0, 0]]),), {"upper": 0}),
        Sample((value([[[1, 2]], [[3, 4]]]),), (value([[[1, 0]], [[3, 0]]]),), {"upper": 0}),
        Sample((value([], shape=(0, 3)),), (value([], shape=(0, 3)),)),
    ),
)
_REVERSE_SEQUENCE = FamilyRow(
    op="ReverseSequence",
    family="reverse_sequence",
    since=(10, 28),
    types={"T": ANY},
    params={"header": "op", "support": CHECKS},
    samples=(
        Sample(
            (value([[1, 2], [3, 4], [5, 6]]), value([3, 2], _K)),
            (value([[5, 4], [3, 2], [1, 6]]),),
        ),
        Sample(
            (_X, value([2, 0], _K)),
            (value([[2, 1, 3], [4, 5, 6]]),),
            {"batch_axis": 0, "time_axis": 1},
        ),
        Sample(
            (value([[[1, 2]], [[3, 4]]]), value([2], _K)),
            (value([[[3, 4]], [[1, 2]]]),),
        ),
    ),
)
_LIKE = value([[0, 1, 0], [1, 0, 0]], "T1")
_EYE_LIKE = FamilyRow(
    op="EyeLike",
    family="eye_like",
    since=(9, 22),
    types={"T1": ANY, "T2": ALL},
    params={
        "header": "op",
        "attributes": ("k",),
        "main": "T2",
        "support": (*CHECKS, *_COPYING, "convert.h", "device.h", "numbers.cc", "numbers.h"),
    },
    samples=(
        Sample((_LIKE,), (value([[1, 0, 0], [0, 1, 0]], "T2"),), {"dtype": "type of T2"}),
        Sample((_LIKE,), (value([[0, 1, 0], [0, 0, 1]], "T2"),), {"dtype": "type of T2", "k": 1}),
        Sample((_LIKE,), (value([[0, 0, 0], [1, 0, 0]], "T2"),), {"dtype": "type of T2", "k": -1}),
        Sample((_LIKE,), (value([[0, 0, 0], [0, 0, 0]], "T2"),), {"dtype": "type of T2", "k": 9}),
        Sample((value([[1, 1]], DType.FLOAT32),), (value([[1, 0]], DType.FLOAT32),)),
    ),
)

ROWS = (_CUM_SUM, _CUM_PROD, _RANGE, _TRILU, _REVERSE_SEQUENCE, _EYE_LIKE)
