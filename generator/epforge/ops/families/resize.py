"""Resizing: nearest, linear and cubic, along any of the axes."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.ops.families._common import CHECKS, FLOATS, NUMBERS, Nested, value
from epforge.ops.model import DType, FamilyRow, Sample

_SUPPORT = (
    *CHECKS,
    *("choice.cc", "choice.h", "convert.h", "copy.cc", "copy.h", "device.h", "math.h"),
    *("resample.cc", "resample.h", "strides.cc", "strides.h"),
)
#: Of the versions that only ONNX Runtime computes, the types that it has.
_OLD = (*FLOATS, DType.INT8, DType.INT32, DType.UINT8)
_NEWEST = (18, 19)
_SINCE_11 = (11, 13, *_NEWEST)

_ROW = [[[[1, 3, 7]]]]
_SQUARE = [[[[1, 2], [3, 4]]]]
_TWICE = [[[[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]]]]


def _scaled(
    x: Nested,
    scales: Nested,
    y: Nested,
    attributes: Mapping[str, object],
    since: tuple[int, ...] = _SINCE_11,
) -> Sample:
    inputs = (value(x, "T1"), value([], DType.FLOAT32), value(scales, DType.FLOAT32))
    return Sample(inputs, (value(y, "T1"),), attributes, since)


def _sized(
    x: Nested,
    sizes: Nested,
    y: Nested,
    attributes: Mapping[str, object],
    *,
    roi: Nested | None = None,
    since: tuple[int, ...] = (13, *_NEWEST),
) -> Sample:
    region = None if roi is None else value(roi, DType.FLOAT32)
    inputs = (value(x, "T1"), region, None, value(sizes, DType.INT64))
    return Sample(inputs, (value(y, "T1"),), attributes, since)


_RESIZE_SAMPLES = (
    Sample(
        (value(_SQUARE), value([1, 1, 2, 2], DType.FLOAT32)),
        (value(_TWICE),),
        {"mode": "nearest"},
        since=(10,),
    ),
    Sample(
        (value([[[[2, 4]]]]), value([1, 1, 1, 2], DType.FLOAT32)),
        (value([[[[2, 3, 4, 4]]]]),),
        {"mode": "linear"},
        since=(10,),
    ),
    _scaled(_SQUARE, [1, 1, 2, 2], _TWICE, {"mode": "nearest"}),
    _scaled([[[[4, 8]]]], [1, 1, 1, 2], [[[[4, 5, 7, 8]]]], {"mode": "linear"}),
    _scaled(
        _ROW,
        [1, 1, 1, 2],
        [[[[1, 2, 3, 5, 7, 7]]]],
        {"mode": "linear", "coordinate_transformation_mode": "asymmetric"},
    ),
    _scaled(
        _ROW,
        [1, 1, 1, 2],
        [[[[1, 1, 3, 3, 7, 7]]]],
        {
            "mode": "nearest",
            "nearest_mode": "floor",
            "coordinate_transformation_mode": "asymmetric",
        },
    ),
    _scaled(
        [[[[64, 0, 0, 64]]]],
        [1, 1, 1, 2],
        [[[[64, 32, 0, -12, 0, 32, 64, 70]]]],
        {"mode": "cubic", "coordinate_transformation_mode": "asymmetric"},
    ),
    _sized(
        [[[[2, 4, 6]]]],
        [1, 1, 1, 5],
        [[[[2, 4, 6, 9, 9]]]],
        {
            "mode": "linear",
            "coordinate_transformation_mode": "tf_crop_and_resize",
            "extrapolation_value": 9.0,
        },
        roi=[0, 0, 0, 0, 1, 1, 1, 2],
    ),
    _sized([[[[1, 2, 3]]]], [1, 1, 1, 1], [[[[2]]]], {"mode": "nearest"}),
    _sized(
        [[[[4, 8]]]],
        [2],
        [[[[4, 8], [4, 8]]]],
        {"mode": "nearest", "axes": (2,)},
        since=_NEWEST,
    ),
    _sized(
        _SQUARE,
        [4, 9],
        _TWICE,
        {"mode": "nearest", "axes": (2, 3), "keep_aspect_ratio_policy": "not_larger"},
        since=_NEWEST,
    ),
    _sized(
        [[[[2, 4, 6, 8]]]],
        [1, 1, 1, 2],
        [[[[3, 7]]]],
        {"mode": "linear"},
    ),
)

ROWS = (
    FamilyRow(
        op="Resize",
        family="resize",
        since=(10, *_SINCE_11),
        types={"T1": NUMBERS, "T": _OLD, "T2": FLOATS},
        host_inputs=(1, 2, 3),
        params={"upsample": False, "support": _SUPPORT},
        samples=_RESIZE_SAMPLES,
    ),
    FamilyRow(
        op="Upsample",
        family="resize",
        since=(1, 7, 9),  # version 10 only says that the operator is deprecated
        types={"T": _OLD},
        host_inputs=(1,),
        params={"upsample": True, "support": _SUPPORT},
        samples=(
            Sample(
                (value(_SQUARE),),
                (value(_TWICE),),
                {"height_scale": 2.0, "width_scale": 2.0},
                since=(1,),
            ),
            Sample((value(_SQUARE),), (value(_TWICE),), {"scales": (1.0, 1.0, 2.0, 2.0)}, (7,)),
            Sample(
                (value([[[[2, 4]]]]),),
                (value([[[[2, 3, 4, 4]]]]),),
                {"scales": (1.0, 1.0, 1.0, 2.0), "mode": "linear"},
                since=(7,),
            ),
            Sample(
                (value(_SQUARE), value([1, 1, 2, 2], DType.FLOAT32)),
                (value(_TWICE),),
                since=(9,),
            ),
        ),
    ),
)
