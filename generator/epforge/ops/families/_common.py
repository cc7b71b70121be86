"""What the family modules share: groups of element types, support files, samples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from epforge.ops.model import DType, Value

FLOATS = (DType.FLOAT32, DType.FLOAT64)
SIGNED = (DType.INT8, DType.INT16, DType.INT32, DType.INT64)
UNSIGNED = (DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64)
INTS = (*SIGNED, *UNSIGNED)
NUMBERS = (*FLOATS, *INTS)
BOOL = (DType.BOOL,)
ALL = (*NUMBERS, *BOOL)
#: The 16-bit floats. Rows that compute do not list them: what has float32 gets them by conversion.
HALVES = (DType.FLOAT16, DType.BFLOAT16)
#: What kernels take that only move elements.
ANY = (*ALL, *HALVES)

#: Support files of every kernel: the texts of errors.
ERRORS = ("errors.cc", "errors.h", "text.cc", "text.h")
#: ... of kernels whose axes and shapes need checks.
CHECKS = (*ERRORS, "checks.cc", "checks.h")
#: ... of kernels that compute each element by itself.
ELEMENTWISE = (*ERRORS, "device.h", "elementwise.cc", "elementwise.h", "launch.h")
#: ... of those whose inputs broadcast against each other.
BROADCAST = (*ELEMENTWISE, *CHECKS, "broadcast.cc", "broadcast.h")
#: ... whose device code makes one result of many elements.
ROWS_ON_DEVICE = (*CHECKS, "device.h", "launch.h", "rows.h")

#: Functions that expressions may call, by the support file that has them.
_HELPERS = {
    "arithmetic.h": (
        "Add Clamp Divide IntegerPower IntegerRemainder IsInfinite IsNan IsNegative Magnitude "
        "Maximum Minimum Multiply Negate Shift SignOf Subtract"
    ),
    "math.h": (
        "Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Expm1 Floor Fmod Log Log1p "
        "Nearbyint Pow Sigmoid Sin Sinh Sqrt Tan Tanh"
    ),
}


def helpers_in(expression: str) -> tuple[str, ...]:
    """The support files whose functions a C++ expression calls."""
    called = set(re.findall(r"\b([A-Z]\w*)\(", expression))
    return tuple(name for name, known in _HELPERS.items() if called & set(known.split()))


Nested: TypeAlias = "float | Sequence[Nested]"


def value(data: Nested, type: DType | str = "T", shape: tuple[int, ...] | None = None) -> Value:
    """A tensor from nested lists; give ``shape`` where one with zeros in it is meant."""
    flat: list[float] = []
    found = _flatten(data, flat)
    return Value(tuple(flat), found if shape is None else shape, type)


def _flatten(data: Nested, flat: list[float]) -> tuple[int, ...]:
    if isinstance(data, int | float):
        flat.append(data)
        return ()
    shapes = {_flatten(item, flat) for item in data}
    if len(shapes) > 1:
        raise ValueError(f"ragged sample: {data!r}")
    return (len(data), *shapes.pop()) if shapes else (0,)
