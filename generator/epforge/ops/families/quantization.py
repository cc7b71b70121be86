"""Quantization: numbers as 8- and 16-bit integers with a scale and a zero point."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, Nested, value
from epforge.ops.model import SMALL, DType, FamilyRow, Sample, Value

_FLOAT = (DType.FLOAT32,)
_BYTES = (DType.UINT8, DType.INT8)
_QUANTIZED = (*_BYTES, DType.UINT16, DType.INT16)
_SCALES = (*CHECKS, "scales.cc", "scales.h")
#: What has no type in C++; float8e8m0 is for scales alone.
_NO_TYPE = tuple(each for each in SMALL if each is not DType.FLOAT8E8M0)
#: Those of the versions whose constraint T2 is the result's, and the scale's of newer ones.
_OLDER = tuple(each for each in SMALL if each.text.startswith("float8") or each.text.endswith("4"))
#: Support files for that.
_CONVERSION = (
    *("conversion.cc", "conversion.h", "convert.h", "halves.cc", "halves.h"),
    *("small_floats.cc", "small_floats.h"),
)

_QUANTIZE_SINCE = (10, 13, 19, 21, 23, 24, 25, 28)
_BY_AXIS = _QUANTIZE_SINCE[1:]
_BY_BLOCK = _QUANTIZE_SINCE[3:]


def _f(data: Nested) -> Value:
    return value(data, DType.FLOAT32)


def _u(data: Nested) -> Value:
    return value(data, DType.UINT8)


_X = _f([[-3, -0.5, 0.5, 1.5], [2.5, 600, -600, 3]])
_QUANTIZE_SAMPLES = (
    Sample((_X, _f(1.0)), (_u([[0, 0, 0, 2], [2, 255, 0, 3]]),)),
    Sample((_X, _f(2.0), _u(10)), (_u([[8, 10, 10, 11], [11, 255, 0, 12]]),)),
    Sample(
        (_X, _f(2.0), value(-10, DType.INT8)),
        (value([[-12, -10, -10, -9], [-9, 127, -128, -8]], DType.INT8),),
    ),
    Sample(
        (_X, _f([1.0, 0.5]), _u([0, 1])),
        (_u([[0, 0, 0, 2], [6, 255, 0, 7]]),),
        {"axis": 0},
        since=_BY_AXIS,
    ),
    Sample(
        (_X, _f([1.0, 0.5, 2.0, 4.0]), _u([5, 6, 7, 8])),
        (_u([[2, 5, 7, 8], [7, 255, 0, 9]]),),
        since=_BY_AXIS,
    ),
    Sample(
        (_X, _f([[1.0, 0.5], [2.0, 100.0]]), value([[1, 2], [3, 4]], DType.INT16)),
        (value([[-2, 1, 3, 5], [4, 303, -2, 4]], DType.INT16),),
        {"block_size": 2, "axis": -1},
        since=_BY_BLOCK,
    ),
    Sample(
        (_X, _f([[1.0, 0.5, 2.0, 4.0]])),
        (value([[0, 0, 0, 0], [2, 1200, 0, 1]], DType.UINT16),),
        {"block_size": 2, "axis": 0, "output_dtype": DType.UINT16},
        since=_BY_BLOCK,
    ),
    Sample(
        (value([7, -7, 1000], DType.INT32), _f(2.0), value(0, DType.INT8)),
        (value([4, -4, 127], DType.INT8),),
        since=(10, 13),
    ),
)

_DEQUANTIZE_SAMPLES = (
    Sample((_u([[0, 1], [128, 255]]), _f(0.5), _u(128)), (_f([[-64, -63.5], [0, 63.5]]),)),
    Sample((value([-128, 127], DType.INT8), _f(2.0)), (_f([-256, 254]),)),
    Sample((value([-70000, 7], DType.INT32), _f(0.5)), (_f([-35000, 3.5]),)),
    Sample(
        (_u([[1, 2], [3, 4]]), _f([0.5, 2.0]), _u([1, 2])),
        (_f([[0, 0.5], [2, 4]]),),
        {"axis": 0},
        since=_BY_AXIS,
    ),
    Sample(
        (_u([[1, 2], [3, 4]]), _f([0.5, 2.0]), _u([1, 2])),
        (_f([[0, 0], [1, 4]]),),
        since=_BY_AXIS,
    ),
    Sample(
        (value([[1, -2, 3]], DType.INT16), _f([[0.5, 2.0]]), value([[0, 1]], DType.INT16)),
        (_f([[0.5, -1, 4]]),),
        {"block_size": 2},
        since=_BY_BLOCK,
    ),
    Sample(
        (value([[1, 2], [3, 40000]], DType.UINT16), _f([[0.5, 2.0]])),
        (_f([[0.5, 4], [1.5, 80000]]),),
        {"block_size": 2, "axis": 0},
        since=_BY_BLOCK,
    ),
)

_DYNAMIC_SAMPLES = (
    Sample(
        (_f([0, 2, -3, -2.5, 1.34, 0.5]),), (_u([153, 255, 0, 26, 221, 179]), _f(5 / 255), _u(153))
    ),
    Sample((_f([1, 5.1]),), (_u([50, 255]), _f(0.02), _u(0))),
    Sample((_f([[-2.55], [-1]]),), (_u([[0], [155]]), _f(0.01), _u(255))),
    Sample((_f([0, 0]),), (_u([0, 0]), _f(1.0), _u(0))),
)

ROWS = (
    FamilyRow(
        op="QuantizeLinear",
        family="quantize_linear",
        since=_QUANTIZE_SINCE,
        types={
            "T1": (*_FLOAT, DType.INT32),
            # The result in older versions, the scale in newer ones.
            "T2": (*_FLOAT, DType.INT32, *_QUANTIZED, *_OLDER),
            "T3": (*_QUANTIZED, *_NO_TYPE),
        },
        params={
            "support": (*_SCALES, "device.h", "math.h"),
            "half_support": _CONVERSION,
            "quantized": ("kUint8", "kInt8", "kUint16", "kInt16"),
        },
        samples=_QUANTIZE_SAMPLES,
    ),
    FamilyRow(
        op="DequantizeLinear",
        family="dequantize_linear",
        since=_QUANTIZE_SINCE,
        types={
            "T": (*_BYTES, DType.INT32),
            "T1": (*_QUANTIZED, DType.INT32, *_NO_TYPE),
            "T2": (*_FLOAT, DType.FLOAT8E8M0),
            "T3": _FLOAT,
        },
        params={
            "header": "quantize_linear",
            "support": _SCALES,
            "half_support": (*_CONVERSION, "device.h"),
            "integers": ("kUint8", "kInt8", "kUint16", "kInt16", "kInt32"),
        },
        samples=_DEQUANTIZE_SAMPLES,
    ),
    FamilyRow(
        op="DynamicQuantizeLinear",
        family="dynamic_quantize_linear",
        since=(11,),
        types={"T1": _FLOAT, "T2": (DType.UINT8,)},
        params={"header": "op", "support": (*CHECKS, "bytes.h", "device.h", "math.h")},
        samples=_DYNAMIC_SAMPLES,
    ),
)
