"""Operators that look for elements: the largest, those that are not zero, each of them once."""

from __future__ import annotations

from epforge.ops.families._common import ALL, ANY, CHECKS, NUMBERS, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_SORTING = (*CHECKS, "arithmetic.h", "device.h", "sort.h")
_INT64 = (DType.INT64,)


def _ints(data: int | list[int] | list[list[int]]) -> Value:
    return value(data, DType.INT64)


def _indices(data: list[int] | list[list[int]]) -> Value:
    return value(data, "I")


_ROWS_OF_4 = value([[3, 1, 2, 3], [0, 5, 5, 4]])
_NAN = float("nan")
_FROM_INPUT = (10, 11, 24)
_NEW = (11, 24)
_TOP_K = FamilyRow(
    op="TopK",
    family="top_k",
    since=(1, 10, 11, 24),
    types={"T": NUMBERS, "I": _INT64},
    host_inputs=(1,),
    params={"support": _SORTING},
    samples=(
        Sample(
            (_ROWS_OF_4,),
            (value([[3, 3], [5, 5]]), _indices([[0, 3], [1, 2]])),
            {"k": 2},
            (1,),
        ),
        Sample(
            (_ROWS_OF_4, _ints([3])),
            (value([[3, 3, 2], [5, 5, 4]]), _indices([[0, 3, 2], [1, 2, 3]])),
            {},
            _FROM_INPUT,
        ),
        Sample(
            (_ROWS_OF_4, _ints([1])),
            (value([[3, 5, 5, 4]]), _indices([[0, 1, 1, 1]])),
            {"axis": 0},
            _FROM_INPUT,
        ),
        Sample(
            (_ROWS_OF_4, _ints([4])),
            (value([[1, 2, 3, 3], [0, 4, 5, 5]]), _indices([[1, 2, 0, 3], [0, 3, 1, 2]])),
            {"largest": 0},
            _NEW,
        ),
        Sample(
            (value([1, _NAN, 3]), _ints([2])),
            (value([_NAN, 3]), _indices([1, 2])),
            {"sorted": 1},
            _NEW,
        ),
        Sample(
            (_ROWS_OF_4, _ints([0])),
            (value([], shape=(2, 0)), value([], "I", (2, 0))),
            {},
            _FROM_INPUT,
        ),
    ),
)
_X = value([[1, 2, 3], [4, 5, 6]])
_COMPRESS = FamilyRow(
    op="Compress",
    family="compress",
    since=(9, 11, 28),
    types={"T": ANY, "T1": (DType.BOOL,)},
    host_inputs=(1,),
    params={"header": "op", "support": CHECKS},
    samples=(
        Sample((_X, value([0, 1, 0, 1, 1], "T1")), (value([2, 4, 5]),)),
        Sample((_X, value([0, 1], "T1")), (value([[4, 5, 6]]),), {"axis": 0}),
        Sample((_X, value([1, 0, 1], "T1")), (value([[1, 3], [4, 6]]),), {"axis": 1}),
        Sample((_X, value([0, 0], "T1")), (value([], shape=(0, 3)),), {"axis": 0}),
    ),
)
_NON_ZERO = FamilyRow(
    op="NonZero",
    family="non_zero",
    since=(9, 13),
    types={"T": ALL},
    host_inputs=(0,),
    params={"header": "op", "support": CHECKS},
    samples=(
        Sample((value([[0, 1, 1], [1, 0, 0]]),), (_ints([[0, 0, 1], [1, 2, 0]]),)),
        Sample((value([0, 7, -3]),), (_ints([[1, 2]]),)),
        Sample((value([0.0, -0.0, 0.5]),), (_ints([[2]]),)),
        Sample((value(3),), (_ints([[0]]),)),
        Sample((value([], shape=(0, 3)),), (value([], DType.INT64, (2, 0)),)),
    ),
)
_MIXED = value([2, 1, 1, 3, 4, 3])
_UNIQUE = FamilyRow(
    op="Unique",
    family="unique",
    since=(11, 28),
    types={"T": ALL},
    host_inputs=(0,),
    params={"header": "op", "support": _SORTING},
    samples=(
        Sample((_MIXED,), (value([1, 2, 3, 4]),)),
        Sample(
            (_MIXED,),
            (
                value([1, 2, 3, 4]),
                _ints([1, 0, 3, 4]),
                _ints([1, 0, 0, 2, 3, 2]),
                _ints([2, 1, 2, 1]),
            ),
        ),
        Sample(
            (_MIXED,),
            (
                value([2, 1, 3, 4]),
                _ints([0, 1, 3, 4]),
                _ints([0, 1, 1, 2, 3, 2]),
                _ints([1, 2, 2, 1]),
            ),
            {"sorted": 0},
        ),
        Sample(
            (value([[5, 0], [5, 0], [1, 7]]),),
            (value([[1, 7], [5, 0]]), _ints([2, 0]), _ints([1, 1, 0]), _ints([1, 2])),
            {"axis": 0},
        ),
        Sample(
            (value([[1, 0, 1], [2, 5, 2]]),),
            (value([[1, 0], [2, 5]]), _ints([0, 1]), _ints([0, 1, 0]), _ints([2, 1])),
            {"axis": -1, "sorted": 0},
        ),
    ),
)
_ONE_HOT = FamilyRow(
    op="OneHot",
    family="one_hot",
    since=(9, 11, 28),
    types={"T1": NUMBERS, "T2": NUMBERS, "T3": ANY},
    host_inputs=(1,),
    params={
        "header": "op",
        "main": "T3",
        "support": (
            *(*CHECKS, "convert.h", "copy.cc", "copy.h", "device.h", "numbers.cc", "numbers.h"),
            *("strides.cc", "strides.h"),
        ),
    },
    samples=(
        Sample(
            (value([1, 0, 3], "T1"), value(3, "T2"), value([0, 1], "T3")),
            (value([[0, 1, 0], [1, 0, 0], [0, 0, 0]], "T3"),),
        ),
        Sample(
            (value([1, -1, -4], "T1"), value([3], "T2"), value([2, 5], "T3")),
            (value([[2, 5, 2], [2, 2, 5], [2, 2, 2]], "T3"),),
            {},
            (11, 28),
        ),
        Sample(
            (value([[1, 0]], "T1"), value(2, "T2"), value([0, 1], "T3")),
            (value([[[0, 1]], [[1, 0]]], "T3"),),
            {"axis": 0},
        ),
    ),
)

ROWS = (_TOP_K, _COMPRESS, _NON_ZERO, _UNIQUE, _ONE_HOT)
