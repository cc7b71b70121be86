"""Operators that turn elements into those of another type."""

from __future__ import annotations

import math

from epforge.ops.families._common import ALL, ELEMENTWISE, ERRORS, HALVES, value
from epforge.ops.model import SMALL, DType, FamilyRow, Sample, Value

_NAN = math.nan
_TYPES = (*ALL, *HALVES, *SMALL)
_CAST_TYPES = {"T1": _TYPES, "T2": _TYPES}
#: Support files for the types that C++ has none for.
_CONVERSION = (
    *("choice.cc", "choice.h", "conversion.cc", "conversion.h", "halves.cc", "halves.h"),
    *("small_floats.cc", "small_floats.h"),
)


def _t1(data: float | list[float]) -> Value:
    return value(data, "T1")


ROWS = (
    FamilyRow(
        op="Cast",
        family="cast",
        since=(6, 9, 13, 19, 21, 23, 24, 25, 28),
        types=_CAST_TYPES,
        device=True,
        params={
            "header": "cast",
            "attributes": ("to",),
            "support": (*ELEMENTWISE, "convert.h"),
            "half_support": _CONVERSION,
        },
        samples=(
            Sample((_t1([0, 1]),), (value([0, 1], "T2"),), {"to": "type of T2"}),
            Sample((_t1([-2, 100]),), (value([-2, 100], "T2"),), {"to": "type of T2"}),
            Sample((_t1(1),), (value(1, "T2"),), {"to": "type of T2"}),
            Sample(
                (value([-1.75, 2.5, 0], DType.FLOAT32),),
                (value([-1, 2, 0], DType.INT64),),
                {"to": DType.INT64},
            ),
            Sample(
                (value([-1.75, _NAN, 0], DType.FLOAT32),),
                (value([1, 1, 0], DType.BOOL),),
                {"to": DType.BOOL},
            ),
            Sample((value([], "T1", (2, 0)),), (value([], "T2", (2, 0)),), {"to": "type of T2"}),
        ),
    ),
    FamilyRow(
        op="CastLike",
        family="cast",
        since=(15, 19, 21, 23, 24, 25),
        types=_CAST_TYPES,
        device=True,
        params={
            "header": "cast",
            "attributes": (),
            "support": (*ELEMENTWISE, "convert.h"),
            "half_support": _CONVERSION,
        },
        samples=(
            Sample((_t1([0, 1]), value([0], "T2")), (value([0, 1], "T2"),)),
            Sample((_t1([-2, 100]), value(0, "T2")), (value([-2, 100], "T2"),)),
        ),
    ),
    FamilyRow(
        op="BitCast",
        family="bit_cast",
        since=(26,),
        types=_CAST_TYPES,
        device=True,
        params={
            "header": "op",
            "attributes": (),
            "support": (*ERRORS, "copy.cc", "copy.h", "strides.cc", "strides.h"),
            "cuda_support": (
                *(*ERRORS, "copy.cu", "copy.h", "device.h", "device_strides.cc"),
                *("device_strides.h", "launch.h", "strides.cc", "strides.h", "units.h"),
            ),
        },
        samples=(
            Sample(
                (value([1, -2], DType.FLOAT32),),
                (value([1065353216, -1073741824], DType.INT32),),
                {"to": DType.INT32},
            ),
            Sample((value([255], DType.UINT8),), (value([-1], DType.INT8),), {"to": DType.INT8}),
        ),
    ),
)
