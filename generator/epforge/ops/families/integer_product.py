"""Products of quantized matrices and convolutions of quantized images."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, Nested, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_BYTES = (DType.UINT8, DType.INT8)
_PRODUCT = (
    *CHECKS,
    "bytes.h",
    "device.h",
    "integer_product.cc",
    "integer_product.h",
    "math.h",
)
_WINDOW = ("choice.cc", "choice.h", "window.cc", "window.h")


def _f(data: Nested) -> Value:
    return value(data, DType.FLOAT32)


def _i(data: Nested) -> Value:
    return value(data, DType.INT32)


_A = value([[1, 2], [3, 4]], "T1")
_B = value([[5, 6], [7, 8]], "T2")
_MATMUL_SAMPLES = (
    Sample((_A, _B), (_i([[19, 22], [43, 50]]),)),
    Sample((_A, _B, value(1, "T1"), value(7, "T2")), (_i([[0, 1], [-4, 1]]),)),
    # A zero point for each column, and what a factor of one kind holds that the other does not.
    Sample(
        (value([[-128, 127]], DType.INT8), _B, None, value([5, 6], "T2")),
        (_i([[254, 254]]),),
    ),
    Sample(
        (value([[200, 255]], DType.UINT8), _B, value(0, DType.UINT8)),
        (_i([[2785, 3240]]),),
    ),
    # Stacks, no rows.
    Sample((value([[[1]], [[2]]], "T1"), value([[3, 4]], "T2")), (_i([[[3, 4]], [[6, 8]]]),)),
    Sample((value([], "T1", (0, 2)), value([[1], [2]], "T2")), (value([], DType.INT32, (0, 1)),)),
)

_Q_A = (value([[1, 2], [3, 4]], "T1"), _f(0.5), value(1, "T1"))
_Q_B = (value([[5, 6], [7, 8]], "T2"), _f(2.0), value(7, "T2"))
_Q_MATMUL_SAMPLES = (
    Sample((*_Q_A, *_Q_B, _f(0.5), value(10, "T3")), (value([[10, 12], [2, 12]], "T3"),)),
    Sample(
        (*_Q_A, _Q_B[0], _f([2.0, 4.0]), value([7, 6], "T2"), _f(2.0), value(3, "T3")),
        (value([[3, 5], [1, 9]], "T3"),),
    ),
    Sample(
        (*_Q_A, *_Q_B, _f(0.01), value(0, DType.UINT8)), (value([[0, 100], [0, 100]], DType.UINT8),)
    ),
    Sample(
        (*_Q_A, *_Q_B, _f(0.01), value(0, DType.INT8)),
        (value([[0, 100], [-128, 100]], DType.INT8),),
    ),
)

_IMAGE = value([[[[2, 3, 4], [5, 6, 7], [8, 9, 10]]]], "T1")
_KERNEL = value([[[[1, 1], [1, 1]]]], "T2")
_TWO = value([[[1, 2, 3], [4, 5, 6]]], "T1")
_CONV_SAMPLES = (
    Sample((_IMAGE, _KERNEL, value(1, "T1")), (_i([[[[12, 16], [24, 28]]]]),)),
    # Padding is as far from the zero point as the zero point.
    Sample(
        (_IMAGE, _KERNEL, value(1, "T1")),
        (_i([[[[1, 3, 5, 3], [5, 12, 16, 9], [11, 24, 28, 15], [7, 15, 17, 9]]]]),),
        {"pads": (1, 1, 1, 1)},
    ),
    Sample((_IMAGE, _KERNEL), (_i([[[[24]]]]),), {"dilations": (2, 2)}),
    Sample((_IMAGE, _KERNEL, None, value(1, "T2")), (_i([[[[0]]]]),), {"strides": (2, 2)}),
    Sample(
        (_TWO, value([[[1]], [[3]], [[2]], [[2]]], "T2"), None, value(1, "T2")),
        (_i([[[0, 0, 0], [2, 4, 6], [4, 5, 6], [4, 5, 6]]]),),
        {"group": 2},
    ),
)

_Q_IMAGE = (_IMAGE, _f(0.5), value(1, "T1"))
_Q_END = (_f(2.0), value(20, "T3"))
_Q_CONV_SAMPLES = (
    Sample(
        (*_Q_IMAGE, _KERNEL, _f(1.0), value(0, "T2"), *_Q_END),
        (value([[[[23, 24], [26, 27]]]], "T3"),),
    ),
    Sample(
        (*_Q_IMAGE, _KERNEL, _f([2.0]), value([0], "T2"), *_Q_END, _i([-16])),
        (value([[[[18, 16], [20, 16]]]], "T3"),),
        {"strides": (2, 2), "pads": (0, 0, 1, 1)},
    ),
    Sample(
        (
            _TWO,
            _f(1.0),
            value(0, "T1"),
            value([[[1]], [[3]]], "T2"),
            _f([1.0, 4.0]),
            value([0, 0], "T2"),
            *_Q_END,
            _i([3, -4]),
        ),
        (value([[[22, 22, 23], [36, 42, 48]]], "T3"),),
        {"group": 2},
    ),
)

_Q_MATMUL_PLACES = {
    "scaled": True,
    "a_scale": "1",
    "a_zero": "2",
    "b": "3",
    "b_scale": "4",
    "b_zero": "5",
    "y_scale": "6",
    "y_zero": "7",
}
_Q_CONV_PLACES = {
    "scaled": True,
    "x_scale": "1",
    "x_zero": "2",
    "w": "3",
    "w_scale": "4",
    "w_zero": "5",
    "y_scale": "6",
    "y_zero": "7",
    "bias": "8",
}

ROWS = (
    FamilyRow(
        op="MatMulInteger",
        family="integer_matmul",
        since=(10,),
        types={"T1": _BYTES, "T2": _BYTES, "T3": (DType.INT32,)},
        params={
            "header": "op",
            "support": _PRODUCT,
            "scaled": False,
            "a_zero": "2",
            "b": "1",
            "b_zero": "3",
        },
        samples=_MATMUL_SAMPLES,
    ),
    FamilyRow(
        op="QLinearMatMul",
        family="integer_matmul",
        since=(10, 21),
        types={"TS": (DType.FLOAT32,), "T1": _BYTES, "T2": _BYTES, "T3": _BYTES},
        params={"header": "op", "support": _PRODUCT, **_Q_MATMUL_PLACES},
        samples=_Q_MATMUL_SAMPLES,
    ),
    FamilyRow(
        op="ConvInteger",
        family="integer_conv",
        since=(10,),
        types={"T1": _BYTES, "T2": _BYTES, "T3": (DType.INT32,)},
        params={
            "header": "conv",
            "support": (*_PRODUCT, *_WINDOW),
            "scaled": False,
            "x_zero": "2",
            "w": "1",
            "w_zero": "3",
        },
        samples=_CONV_SAMPLES,
    ),
    FamilyRow(
        op="QLinearConv",
        family="integer_conv",
        since=(10,),
        types={"T1": _BYTES, "T2": _BYTES, "T3": _BYTES, "T4": (DType.INT32,)},
        params={"header": "conv", "support": (*_PRODUCT, *_WINDOW), **_Q_CONV_PLACES},
        samples=_Q_CONV_SAMPLES,
    ),
)
