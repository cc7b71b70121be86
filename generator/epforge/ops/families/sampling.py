"""Images that are sampled between their pixels."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample

_WINDOW = (*CHECKS, "choice.cc", "choice.h", "device.h", "window.cc", "window.h")
_SQUARE = [[[[0, 2], [4, 8]]]]

_GRID_SAMPLES = (
    # From corner to corner, and the middle.
    Sample(
        (value(_SQUARE, "T1"), value([[[[-1, -1], [0, -1], [1, 1]]]], "T2")),
        (value([[[[0, 1, 8]]]], "T1"),),
        {"align_corners": 1},
    ),
    Sample(
        (value(_SQUARE, "T1"), value([[[[0.5, 0.5], [2.5, 0.5]]]], "T2")),
        (value([[[[8, 0]]]], "T1"),),
    ),
    Sample(
        (value(_SQUARE, "T1"), value([[[[2.5, 0.5], [-9, -9]]]], "T2")),
        (value([[[[8, 0]]]], "T1"),),
        {"mode": "nearest", "padding_mode": "border"},
    ),
    Sample(
        (value(_SQUARE, "T1"), value([[[[3.5, 0.5]]]], "T2")),
        (value([[[[4]]]], "T1"),),
        {"mode": "nearest", "padding_mode": "reflection"},
    ),
    Sample(
        (value(_SQUARE, "T1"), value([[[[0.5, -0.5]]]], "T2")),
        (value([[[[2]]]], "T1"),),
        {"mode": "bicubic"},
        since=(16,),
    ),
    Sample(
        (value([[[[[0, 2], [4, 6]], [[8, 10], [12, 14]]]]], "T1"), value([[[[[0, 0, 0]]]]], "T2")),
        (value([[[[[7]]]]], "T1"),),
        since=(20, 22),
    ),
    Sample(
        (value(_SQUARE, "T1"), value([[[[0.5, -0.5]]]], "T2")),
        (value([[[[2]]]], "T1"),),
        {"mode": "cubic"},
        since=(20, 22),
    ),
)

_THETA = value([[[1, 0, 0.5], [0, 2, 0]]], "T1")
_SIZE = value([1, 1, 2, 2], DType.INT64)

_DEFORM_SAMPLES = (
    Sample(
        (
            value([[[[1, 2, 3], [4, 5, 6]]]]),
            value([[[[2]]]]),
            # Half a line down, half a column to the right.
            value([[[[0.5, 0.5, 0], [0, 0, 0]], [[0, 0.5, 0], [0.5, 0, -9]]]]),
        ),
        (value([[[[5, 8, 6], [9, 10, 0]]]]),),
    ),
    Sample(
        (
            value([[[[1, 2], [3, 4]]]]),
            value([[[[1, 1]]]]),
            value([[[[0], [0]], [[0], [0]], [[0], [0]], [[0], [0]]]]),
            value([0.5]),
            value([[[[1], [2]], [[1], [0]]]]),
        ),
        (value([[[[3.5], [6.5]]]]),),
        {"kernel_shape": (1, 2)},
    ),
    Sample(
        (
            value([], shape=(0, 1, 2, 2)),
            value([[[[1]]]]),
            value([], shape=(0, 2, 2, 2)),
        ),
        (value([], shape=(0, 1, 2, 2)),),
    ),
)

ROWS = (
    FamilyRow(
        op="GridSample",
        family="grid_sample",
        since=(16, 20, 22),
        types={"T1": FLOATS, "T2": FLOATS},  # between integers there is no rule for fractions
        params={
            "support": (*CHECKS, "choice.cc", "choice.h", "device.h", "math.h"),
        },
        samples=_GRID_SAMPLES,
    ),
    FamilyRow(
        op="AffineGrid",
        family="affine_grid",
        since=(20,),
        types={"T1": FLOATS, "T2": (DType.INT64,)},
        host_inputs=(1,),
        params={"support": CHECKS},
        samples=(
            Sample(
                (_THETA, _SIZE),
                (value([[[[0, -1], [1, -1]], [[0, 1], [1, 1]]]], "T1"),),
            ),
            Sample(
                (_THETA, _SIZE),
                (value([[[[-0.5, -2], [1.5, -2]], [[-0.5, 2], [1.5, 2]]]], "T1"),),
                {"align_corners": 1},
            ),
        ),
    ),
    FamilyRow(
        op="DeformConv",
        family="deform_conv",
        since=(19, 22),
        types={"T": FLOATS},
        params={"support": (*_WINDOW, "gemm.cc", "gemm.h", "math.h")},
        samples=_DEFORM_SAMPLES,
    ),
)
