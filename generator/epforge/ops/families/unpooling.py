"""Pooling of whole planes by a norm, the reverse of pooling, and cutting out the middle."""

from __future__ import annotations

from epforge.ops.families._common import ANY, CHECKS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample

_INT64 = DType.INT64
_WINDOW = (*CHECKS, "choice.cc", "choice.h", "device.h", "window.cc", "window.h")

_MAXIMA = value([[[[5, 6]]]], "T1")
_PLACES = value([[[[1, 6]]]], _INT64)

_UNPOOL_SAMPLES = (
    Sample(
        (_MAXIMA, _PLACES),
        (value([[[[0, 5, 0, 0], [0, 0, 6, 0]]]], "T1"),),
        {"kernel_shape": (2, 2), "strides": (2, 2)},
    ),
    Sample(
        (_MAXIMA, _PLACES, value([1, 1, 2, 4], _INT64)),
        (value([[[[0, 5, 0, 0], [0, 0, 6, 0]]]], "T1"),),
        {"kernel_shape": (2, 2), "strides": (2, 2)},
    ),
)

ROWS = (
    FamilyRow(
        op="MaxUnpool",
        family="max_unpool",
        since=(9, 11, 22),
        types={"T1": FLOATS, "T2": (_INT64,)},
        host_inputs=(2,),
        params={"support": _WINDOW},
        samples=_UNPOOL_SAMPLES,
    ),
    FamilyRow(
        op="GlobalLpPool",
        family="global_lp_pool",
        since=(1, 2, 22),
        types={"T": FLOATS},
        params={"support": (*CHECKS, "arithmetic.h", "device.h", "math.h")},
        samples=(
            Sample((value([[[3, -4], [0, 0]]]),), (value([[[5], [0]]]),)),
            Sample((value([[[3, -4], [0, 0]]]),), (value([[[7], [0]]]),), {"p": 1}, (2, 22)),
            Sample((value([[[3, -4], [0, 0]]]),), (value([[[7], [0]]]),), {"p": 1.0}, (1,)),
            Sample((value([[[3, 4, 5]]]),), (value([[[6]]]),), {"p": 3}, (2, 22)),
        ),
    ),
    FamilyRow(
        op="CenterCropPad",
        family="center_crop_pad",
        since=(18,),
        types={"T": ANY, "Tind": (DType.INT32, _INT64)},
        host_inputs=(1,),
        params={"header": "op", "support": CHECKS},
        samples=(
            Sample(
                (value([[1, 2, 3], [4, 5, 6]]), value([4, 2], _INT64)),
                (value([[0, 0], [1, 2], [4, 5], [0, 0]]),),
            ),
            Sample(
                (value([[1, 2, 3], [4, 5, 6]]), value([4], _INT64)),
                (value([[1, 2, 3, 0], [4, 5, 6, 0]]),),
                {"axes": (-1,)},
            ),
        ),
    ),
)
