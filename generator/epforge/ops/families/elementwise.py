"""Elementwise operators with a template of their own, or one for a handful of them."""

from __future__ import annotations

import math

from epforge.ops.families._common import (
    ANY,
    BOOL,
    BROADCAST,
    ELEMENTWISE,
    FLOATS,
    INTS,
    NUMBERS,
    helpers_in,
    value,
)
from epforge.ops.model import DType, FamilyRow, Sample, Value

_NAN = math.nan


def _t1(data: float | list[float]) -> Value:
    return value(data, "T1")


def _variadic(
    op: str,
    since: tuple[int, ...],
    types: tuple[DType, ...],
    function: str,
    three: tuple[list[float], list[float], list[float], list[float]],
    broadcast: list[float],
    *,
    mean: bool = False,
) -> FamilyRow:
    """An operator that folds any number of inputs; ``three`` are three inputs and the output.

    ``broadcast`` is the output for a column of 1 and 4 against a row of 2 and 6.
    """
    a, b, c, y = (value(data) for data in three)
    helpers = helpers_in(function)
    return FamilyRow(
        op=op,
        family="variadic",
        since=since,
        types={"T": types},
        device=True,
        params={
            "header": "op",
            "support": (*BROADCAST, *helpers),
            "includes": ("broadcast.h", "elementwise.h", "errors.h", *helpers),
            "function": function,
            "mean": mean,
        },
        samples=(
            Sample((a, b, c), (y,)),
            Sample((a,), (a,)),
            Sample((value(7),), (value(7),)),
            Sample(
                (value([[1], [4]]), value([2, 6])),
                (value(broadcast, shape=(2, 2)),),
                since=tuple(v for v in since if v > 6),
            ),
            Sample((value([], shape=(0, 2)),) * 3, (value([], shape=(0, 2)),)),
        ),
    )


ROWS = (
    _variadic(
        "Sum", (6, 8, 13), FLOATS, "a + b", ([1, 2], [3, 5], [7, 9], [11, 16]), [3, 7, 6, 10]
    ),
    _variadic(
        "Mean",
        (6, 8, 13),
        FLOATS,
        "a + b",
        ([1, 2], [3, 6], [8, 4], [4, 4]),
        [1.5, 3.5, 3, 5],
        mean=True,
    ),
    _variadic(
        "Max",
        (6, 8, 12, 13),
        NUMBERS,
        "Maximum(a, b)",
        ([1, 2], [3, 0], [0, 9], [3, 9]),
        [2, 6, 4, 6],
    ),
    _variadic(
        "Min",
        (6, 8, 12, 13),
        NUMBERS,
        "Minimum(a, b)",
        ([1, 2], [3, 0], [7, 9], [1, 0]),
        [1, 1, 2, 4],
    ),
    FamilyRow(
        op="Pow",
        family="pow",
        since=(7, 12, 13, 15),
        types={
            "T": (*FLOATS, DType.INT32, DType.INT64),
            "T1": NUMBERS,
        },
        device=True,
        params={
            "header": "op",
            "support": (*BROADCAST, "arithmetic.h", "convert.h", "math.h"),
        },
        samples=(
            Sample((value([2, 3, -2]), value([3, 2, 3])), (value([8, 9, -8]),), since=(7,)),
            Sample((value([2, 3, -2]), _t1([3, 2, 3])), (value([8, 9, -8]),), since=(12, 13, 15)),
            Sample((value([4, 9]), _t1(0.5)), (value([2, 3]),), since=(12, 13, 15)),
            Sample((value([1, 2]), _t1(-1)), (value([1, 0.5]),), since=(12, 13, 15)),
            Sample(
                (value([2, -3]), value([5, 3], DType.UINT8)),
                (value([32, -27]),),
                since=(12, 13, 15),
            ),
            Sample(
                (value([], shape=(0, 2)), _t1(2)),
                (value([], shape=(0, 2)),),
                since=(12, 13, 15),
            ),
        ),
    ),
    FamilyRow(
        op="Mod",
        family="mod",
        since=(10, 13, 28),
        types={"T": NUMBERS},
        device=True,
        params={"header": "op", "support": (*BROADCAST, "arithmetic.h", "math.h")},
        samples=(
            Sample((value([5, 6, 0]), value(4)), (value([1, 2, 0]),), {"fmod": 1}),
            Sample((value([-5, 5, -5]), value([3, -3, -3])), (value([-2, 2, -2]),), {"fmod": 1}),
            Sample(
                (value([-5, 5, -5], DType.INT32), value([3, -3, -3], DType.INT32)),
                (value([1, -1, -2], DType.INT32),),
            ),
            Sample(
                (value([-5.5, 5.5, -6, 0]), value([3, -3, -3, -2])),
                (value([0.5, -0.5, -0.0, -0.0]),),
                since=(28,),
            ),
        ),
    ),
    FamilyRow(
        op="BitShift",
        family="bit_shift",
        since=(11, 28),
        types={"T": INTS},
        device=True,
        params={"support": (*BROADCAST, "arithmetic.h", "choice.cc", "choice.h")},
        samples=(
            Sample(
                (value([16, 4, 1]), value([1, 2, 64])), (value([8, 1, 0]),), {"direction": "RIGHT"}
            ),
            Sample((value([1, 3]), value([1, 2])), (value([2, 12]),), {"direction": "LEFT"}),
            Sample(
                (value([-8, -1, -8, 8, -8]), value([1, 3, 99, 99, -1])),
                (value([-4, -1, -1, 0, -1]),),
                {"direction": "RIGHT"},
            ),
            Sample(
                (value([-8, -1, 8, 8]), value([1, 3, 99, -1])),
                (value([-16, -8, 0, 0]),),
                {"direction": "LEFT"},
            ),
        ),
    ),
    FamilyRow(
        op="Where",
        family="where",
        since=(9, 16),
        types={"B": BOOL, "T": ANY},
        device=True,
        params={"header": "op", "main": "T", "support": BROADCAST},
        samples=(
            Sample(
                (value([1, 0, 1], "B"), value([1, 0, 1]), value([0, 1, 0])),
                (value([1, 1, 1]),),
            ),
            Sample(
                (value([[1], [0]], "B"), value([5, 6]), value(7)),
                (value([[5, 6], [7, 7]]),),
            ),
            Sample((value(0, "B"), value(3), value(4)), (value(4),)),
            Sample(
                (value(1, "B"), value([], shape=(0, 2)), value([[1, 2]])),
                (value([], shape=(0, 2)),),
            ),
        ),
    ),
    FamilyRow(
        op="Identity",
        family="identity",
        since=(1, 13, 14, 16, 19, 21, 23, 24, 25),
        types={"T": ANY, "V": ANY},
        device=True,
        params={"header": "op", "support": ELEMENTWISE},
        samples=tuple(
            Sample((value(data, name, shape),), (value(data, name, shape),), since=since)
            for name, since in (("T", (1, 13)), ("V", (14, 16, 19, 21, 23, 24, 25)))
            for data, shape in (([1, 0, 1], (3,)), ([-2.5, _NAN], (1, 2)), (1, ()), ([], (0, 3)))
        ),
    ),
    FamilyRow(
        op="Clip",
        family="clip",
        since=(6, 11, 12, 13),
        types={"T": NUMBERS},
        host_inputs=(1, 2),
        device=True,
        params={"support": (*ELEMENTWISE, "arithmetic.h")},
        samples=(
            Sample(
                (value([-3, 0.5, 4, _NAN]),),
                (value([-1, 0.5, 2, _NAN]),),
                {"min": -1.0, "max": 2.0},
                (6,),
            ),
            Sample((value([-3, 4]),), (value([-3, 2]),), {"max": 2.0}, (6,)),
            Sample((value([-3, 4]), value(-1), value(2)), (value([-1, 2]),), since=(11, 12, 13)),
            Sample((value([1, 9]), value(2), value(7)), (value([2, 7]),), since=(11, 12, 13)),
            Sample((value([1, 9]), value(7), value(2)), (value([2, 2]),), since=(11, 12, 13)),
            Sample((value([1, 9]), None, value(7)), (value([1, 7]),), since=(11, 12, 13)),
            Sample((value([1, 9]), value(2)), (value([2, 9]),), since=(11, 12, 13)),
            Sample((value([1, 9]),), (value([1, 9]),)),
            Sample((value([], shape=(0, 3)),), (value([], shape=(0, 3)),)),
        ),
    ),
)
