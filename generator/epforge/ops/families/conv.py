"""Convolution and pooling: windows that slide over the spatial dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from epforge.ops.families._common import BROADCAST, CHECKS, FLOATS, ROWS_ON_DEVICE, value
from epforge.ops.model import DType, FamilyRow, Sample

_WINDOW = (*CHECKS, "choice.cc", "choice.h", "device.h", "window.cc", "window.h")

_GEMM = ("gemm.cc", "gemm.h", "image_columns.cc", "image_columns.h")

_IMAGE = value([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]])
_TWO = value([[[1, 2, 3], [4, 5, 6]]])  # one image of one dimension, two channels

_CONV_SAMPLES = (
    Sample((_IMAGE, value([[[[1, 0], [0, 1]]]])), (value([[[[6, 8], [12, 14]]]]),)),
    Sample(
        (_IMAGE, value([[[[1, 1, 1], [1, 1, 1], [1, 1, 1]]]]), value([0.5])),
        (value([[[[12.5, 16.5], [24.5, 28.5]]]]),),
        {"pads": (1, 1, 1, 1), "strides": (2, 2)},
    ),
    Sample(
        (_IMAGE, value([[[[1, 1], [1, 1]]]])),
        (value([[[[12, 16, 9], [24, 28, 15], [15, 17, 9]]]]),),
        {"auto_pad": "SAME_UPPER"},
    ),
    Sample((_IMAGE, value([[[[1, 1], [1, 1]]]])), (value([[[[20]]]]),), {"dilations": (2, 2)}),
    # Depthwise.
    Sample(
        (_TWO, value([[[1, -1]], [[2, 0]]]), value([0, 1])),
        (value([[[-1, -1], [9, 11]]]),),
        {"group": 2},
    ),
    # A product of matrices: five output channels.
    Sample(
        (_TWO, value([[[1], [0]], [[0], [1]], [[1], [1]], [[2], [0]], [[0], [-1]]])),
        (value([[[1, 2, 3], [4, 5, 6], [5, 7, 9], [2, 4, 6], [-4, -5, -6]]]),),
    ),
    Sample(
        (value([], shape=(0, 1, 3)), value([[[1, 1]]])),
        (value([], shape=(0, 1, 2)),),
    ),
)


def _pool(
    op: str,
    kind: str,
    since: tuple[int, ...],
    types: Sequence[DType],
    samples: tuple[Sample, ...],
    channels_last: tuple[int, ...],
) -> FamilyRow:
    support = (*_WINDOW, *(("arithmetic.h", "math.h") if kind == "lp" else ()))
    return FamilyRow(
        op=op,
        family="pool",
        since=since,
        types={"T": tuple(types), **({"I": (DType.INT64,)} if kind == "max" else {})},
        device=True,
        params={
            "kind": kind,
            "support": support,
            "cuda_template": True,
            "cuda_support": (*support, "launch.h"),
        },
        samples=samples,
        channels_last=channels_last,
    )


def _global_pool(op: str, kind: str, doc: str, result: float) -> FamilyRow:
    samples = (
        Sample((_IMAGE,), (value([[[[result]]]]),)),
        Sample((value([], shape=(0, 2, 3)),), (value([], shape=(0, 2, 1)),)),
    )
    return FamilyRow(
        op=op,
        family="global_pool",
        since=(1, 22),
        types={"T": FLOATS},
        device=True,
        params={
            "header": "op",
            "kind": kind,
            "doc": doc,
            "support": CHECKS,
            "cuda_template": True,
            "cuda_support": ROWS_ON_DEVICE,
        },
        samples=samples,
        channels_last=(1,),
    )


_MAX_SAMPLES = (
    Sample((_IMAGE,), (value([[[[5, 6], [8, 9]]]]),), {"kernel_shape": (2, 2)}),
    Sample(
        (_IMAGE,),
        (value([[[[1, 3], [7, 9]]]]),),
        {"kernel_shape": (2, 2), "pads": (1, 1, 0, 0), "strides": (2, 2)},
    ),
    Sample(
        (_IMAGE,),
        (value([[[[5, 6], [8, 9]]]]), value([[[[4, 5], [7, 8]]]], DType.INT64)),
        {"kernel_shape": (2, 2)},
        since=(8, 10, 11, 12, 22),
    ),
    Sample(
        (_IMAGE,),
        (value([[[[5, 6], [8, 9]]]]), value([[[[4, 7], [5, 8]]]], DType.INT64)),
        {"kernel_shape": (2, 2), "storage_order": 1},
        since=(8, 10, 11, 12, 22),
    ),
    Sample(
        (_IMAGE,),
        (value([[[[5, 6], [8, 9]]]]),),
        {"kernel_shape": (2, 2), "strides": (2, 2), "ceil_mode": 1},
        since=(10, 11, 12, 22),
    ),
)
_AVERAGE_SAMPLES = (
    Sample((_IMAGE,), (value([[[[3, 4], [6, 7]]]]),), {"kernel_shape": (2, 2)}),
    Sample(
        (_IMAGE,),
        (value([[[[1, 2.5], [5.5, 7]]]]),),
        {"kernel_shape": (2, 2), "pads": (1, 1, 0, 0), "strides": (2, 2)},
    ),
    Sample(
        (_IMAGE,),
        (value([[[[0.25, 1.25], [2.75, 7]]]]),),
        {
            "kernel_shape": (2, 2),
            "pads": (1, 1, 0, 0),
            "strides": (2, 2),
            "count_include_pad": 1,
        },
        since=(7, 10, 11, 19, 22),
    ),
    Sample(
        (_IMAGE,),
        (value([[[[5]]]]),),
        {"kernel_shape": (2, 2), "dilations": (2, 2)},
        since=(19, 22),
    ),
)
_LP_SAMPLES = (
    Sample((value([[[3, 4, 0]]]),), (value([[[5, 4]]]),), {"kernel_shape": (2,)}),
    Sample((value([[[3, -4, 0]]]),), (value([[[7, 4]]]),), {"kernel_shape": (2,), "p": 1}),
)

ROWS = (
    FamilyRow(
        op="Conv",
        family="conv",
        since=(1, 11, 22),
        types={"T": FLOATS},
        device=True,
        params={
            "support": (*_WINDOW, *_GEMM),
            "packs": True,
            "cuda_template": True,
            "cuda_support": (*_WINDOW, *BROADCAST, "matrix_product.h"),
        },
        samples=_CONV_SAMPLES,
        channels_last=(1, 11),
    ),
    _pool(
        "MaxPool",
        "max",
        (1, 8, 10, 11, 12, 22),
        (*FLOATS, DType.INT8, DType.UINT8),
        _MAX_SAMPLES,
        (1, 8, 10, 11, 12),
    ),
    _pool(
        "AveragePool",
        "average",
        (1, 7, 10, 11, 19, 22),
        FLOATS,
        _AVERAGE_SAMPLES,
        (7, 10, 11, 19),
    ),
    _pool("LpPool", "lp", (2, 11, 18, 22), FLOATS, _LP_SAMPLES, (11, 18)),
    _global_pool("GlobalAveragePool", "average", "The mean of a plane.", 5),
    _global_pool("GlobalMaxPool", "max", "The largest element of a plane.", 9),
)
