"""Regions of images: which are kept, and what they hold."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample

_FLOAT = DType.FLOAT32
_INT64 = DType.INT64

_IMAGE = [[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]]]
_BOXES = value([[[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]], _FLOAT)
_SCORES = value([[[0.5, 0.75, 0.25]]], _FLOAT)
_THREE = value([3], _INT64)
_HALF = value([0.5], _FLOAT)

_NMS_SAMPLES = (
    Sample(
        (_BOXES, _SCORES, _THREE, _HALF),
        (value([[0, 0, 1], [0, 0, 2]], _INT64),),
    ),
    Sample(
        (_BOXES, _SCORES, _THREE, value([0.95], _FLOAT), value([0.25], _FLOAT)),
        (value([[0, 0, 1], [0, 0, 0]], _INT64),),
    ),
    Sample(
        (_BOXES, _SCORES, value([1], _INT64), _HALF),
        (value([[0, 0, 1]], _INT64),),
        {"center_point_box": 1},
    ),
    Sample((_BOXES, _SCORES), (value([], _INT64, (0, 3)),)),
)

_ROIS = value([[0, 0, 2, 2], [1, 1, 3, 3]], "T1")
_FIRST = value([0, 0], _INT64)

_ALIGN_SAMPLES = (
    Sample(
        (value(_IMAGE, "T1"), _ROIS, _FIRST),
        (value([[[[6]]], [[[11]]]], "T1"),),
        {"sampling_ratio": 1, "coordinate_transformation_mode": "output_half_pixel"},
        since=(16, 22),
    ),
    Sample(
        (value(_IMAGE, "T1"), _ROIS, _FIRST),
        (value([[[[3.5]]], [[[8.5]]]], "T1"),),
        {"sampling_ratio": 2},
        since=(16, 22),
    ),
    Sample(
        (value(_IMAGE, "T1"), _ROIS, _FIRST),
        (value([[[[6]]], [[[11]]]], "T1"),),
        {"sampling_ratio": 1},
        since=(10,),
    ),
)

ROWS = (
    FamilyRow(
        op="NonMaxSuppression",
        family="non_max_suppression",
        since=(10, 11),
        types={},
        host_inputs=(0, 1, 2, 3, 4),  # how many boxes are kept is the output's shape
        params={"support": CHECKS},
        samples=_NMS_SAMPLES,
    ),
    FamilyRow(
        op="RoiAlign",
        family="roi_align",
        since=(10, 16, 22),
        types={"T1": FLOATS, "T2": (_INT64,)},
        params={
            "support": (*CHECKS, "choice.cc", "choice.h", "device.h", "math.h"),
        },
        samples=_ALIGN_SAMPLES,
    ),
    FamilyRow(
        op="MaxRoiPool",
        family="max_roi_pool",
        since=(1, 22),
        types={"T": FLOATS},
        params={"support": (*CHECKS, "device.h", "math.h")},
        samples=(
            Sample(
                (value(_IMAGE), value([[0, 0, 0, 1, 1], [0, 1, 2, 3, 9]])),
                (value([[[[1, 2], [5, 6]]], [[[15, 16], [0, 0]]]]),),
                {"pooled_shape": (2, 2)},
            ),
        ),
    ),
)
