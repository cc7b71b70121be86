"""What a convolution's window does backwards, and blocks of pixels that become channels."""

from __future__ import annotations

from epforge.ops.families._common import ANY, CHECKS, FLOATS, NUMBERS, value
from epforge.ops.model import DType, FamilyRow, Sample

_WINDOW = (*CHECKS, "choice.cc", "choice.h", "device.h", "window.cc", "window.h")
_COLUMNS = ("arithmetic.h", "column_image.cc", "column_image.h")

_TRANSPOSED_SAMPLES = (
    Sample((value([[[1, 2]]]), value([[[1, 10]]])), (value([[[1, 12, 20]]]),)),
    Sample(
        (value([[[1, 2]]]), value([[[1, 10, 100]]]), value([0.5])),
        (value([[[10.5, 102.5, 20.5]]]),),
        {"strides": (2,), "pads": (1, 1)},
    ),
    Sample(
        (value([[[1, 2]]]), value([[[1, 10]]])),
        (value([[[1, 0, 12, 0, 20, 0]]]),),
        {"strides": (2,), "dilations": (2,), "output_padding": (1,)},
    ),
    Sample(
        (value([[[1, 2]]]), value([[[1, 10, 100]]])),
        (value([[[1, 10, 102, 20]]]),),
        {"strides": (2,), "auto_pad": "SAME_UPPER"},
    ),
    Sample(
        (value([[[1, 2]]]), value([[[1, 10, 100]]])),
        (value([[[10, 102, 20, 200]]]),),
        {"strides": (2,), "output_shape": (4,)},
    ),
    # Two groups, of which each makes two channels.
    Sample(
        (value([[[[1, 2]], [[3, 4]]]]), value([[[[1]], [[2]]], [[[3]], [[4]]]])),
        (value([[[[1, 2]], [[2, 4]], [[9, 12]], [[12, 16]]]]),),
        {"group": 2},
    ),
    Sample((value([], shape=(0, 1, 2)), value([[[1, 1]]])), (value([], shape=(0, 1, 3)),)),
)

_COL2IM_SAMPLES = (
    # Blocks of 2 x 2 that overlap: their sums.
    Sample(
        (
            value([[[1, 2], [10, 20], [3, 4], [30, 40]]]),
            value([2, 3], DType.INT64),
            value([2, 2], DType.INT64),
        ),
        (value([[[[1, 12, 20], [3, 34, 40]]]]),),
    ),
    Sample(
        (
            value([[[1, 2], [3, 4]]]),
            value([3], DType.INT64),
            value([2], DType.INT64),
        ),
        (value([[[3, 2, 4]]]),),
        {"pads": (1, 0), "strides": (2,)},
    ),
)

_BLOCK = value([[[[0, 1, 2, 3], [4, 5, 6, 7]]]])
_DEPTH = value([[[[0, 2]], [[1, 3]], [[4, 6]], [[5, 7]]]])
_PAIRS = value([[[[0]], [[1]], [[2]], [[3]], [[4]], [[5]], [[6]], [[7]]]])
_DCR = value([[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]])
_CRD = value([[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]])


def _blocks(op: str, since: tuple[int, ...], samples: tuple[Sample, ...]) -> FamilyRow:
    return FamilyRow(
        op=op,
        family="space_to_depth",
        since=since,
        types={"T": ANY},
        params={
            "to_space": op == "DepthToSpace",
            "support": (*CHECKS, "choice.cc", "choice.h"),
        },
        samples=samples,
    )


ROWS = (
    FamilyRow(
        op="ConvTranspose",
        family="conv_transpose",
        since=(1, 11, 22),
        types={"T": FLOATS},
        params={"support": (*_WINDOW, *_COLUMNS, "gemm.cc", "gemm.h")},
        samples=_TRANSPOSED_SAMPLES,
    ),
    FamilyRow(
        op="Col2Im",
        family="col2im",
        since=(18,),
        types={"T": NUMBERS},
        host_inputs=(1, 2),
        params={"support": (*_WINDOW, *_COLUMNS)},
        samples=_COL2IM_SAMPLES,
    ),
    _blocks(
        "DepthToSpace",
        (1, 11, 13, 28),
        (
            Sample((_DEPTH,), (_BLOCK,), {"blocksize": 2}),
            Sample((_PAIRS,), (_DCR,), {"blocksize": 2}),
            Sample((_PAIRS,), (_CRD,), {"blocksize": 2, "mode": "CRD"}, since=(11, 13, 28)),
        ),
    ),
    _blocks(
        "SpaceToDepth",
        (1, 13, 28),
        (
            Sample((_BLOCK,), (_DEPTH,), {"blocksize": 2}),
            Sample((_DCR,), (_PAIRS,), {"blocksize": 2}),
            Sample((_CRD,), (_PAIRS,), {"blocksize": 2, "mode": "CRD"}, since=(28,)),
        ),
    ),
)
