"""Whether two results are the same, in the type that they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from epforge.validate.cases.model import Array, Ask

#: (relative, absolute) difference that is still the same answer; types not named must be equal.
USUAL = {
    "float16": (1e-2, 1e-2),
    "float32": (1e-4, 1e-5),
    "float64": (1e-6, 1e-8),
    "bfloat16": (2**-6, 2**-6),
}


# Attributes that say in which type an operator computes.
_STAGES = frozenset({"stash_type", "softmax_precision"})
# Operators that divide and round to integers. onnx's reference evaluator computes in other types
# than ONNX Runtime's CPU provider; and that one divides by a float16 as if it were a float32.
_ROUNDING = frozenset({"QLinearConv", "QLinearMatMul", "QuantizeLinear"})
_A_STEP = dict.fromkeys(("int8", "uint8", "int16", "uint16"), (1e-12, 1.0))
_SHORT = frozenset({"float32", "float16", "bfloat16"})
# Operators whose function in ONNX Runtime, which computes a float64, has coefficients of 6 digits,
# or in float32.
_COARSE = frozenset({"BlackmanWindow", "FastGelu"})


def tolerance_of(ask: Ask, by: str = "cpu") -> Mapping[str, tuple[float, float]]:
    """The difference that is none, by element type. A float64 may have been computed as a float32:
    where an operator has a type to compute in, which is that, and where inputs of both meet, or of
    float64 and a type that is computed in float32.

    Args:
        by: who has computed what is expected, as in `Reference`.
    """
    from epforge.validate.worker import schema

    if ask.op in _ROUNDING and (by == "onnx" or "float16" in ask.types.values()):
        return {**USUAL, **_A_STEP}
    known = schema.find(ask.domain, ask.op, ask.since)
    staged = known is not None and not _STAGES.isdisjoint(known.attributes)
    if by == "float32" or staged or ask.op in _COARSE or not _SHORT.isdisjoint(ask.types.values()):
        return {**USUAL, "float64": USUAL["float32"]}
    return USUAL


def unset(got: Sequence[Any], expected: Sequence[Any]) -> str:
    """Which output has been left without a value that should have one; empty if none has."""
    for index, (a, b) in enumerate(zip(got, expected, strict=True)):
        if a is None and b is not None:
            return f"output {index} has no value" if len(expected) > 1 else "output has no value"
    return ""


def difference(
    got: Sequence[Array],
    expected: Sequence[Array],
    values: bool = True,
    tolerance: Mapping[str, tuple[float, float]] = USUAL,
) -> str:
    """How two results differ, in one line; empty when they are the same.

    Args:
        values: compare the values too, not only types and shapes.
        tolerance: (relative, absolute) difference by element type; others must be equal.
    """
    for index, (a, b) in enumerate(zip(got, expected, strict=True)):
        where = f"output {index}" if len(expected) > 1 else "output"
        if a.dtype != b.dtype:
            return f"{where} is {a.dtype}, expected {b.dtype}"
        if a.shape != b.shape:
            return f"{where} has shape {list(a.shape)}, expected {list(b.shape)}"
        if not values:
            continue
        relative, absolute = tolerance.get(str(b.dtype), (0.0, 0.0))
        if relative or str(b.dtype).startswith(("float", "bfloat")):
            wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
            same = np.isclose(wide_a, wide_b, rtol=relative, atol=absolute, equal_nan=True)
        else:
            same = np.asarray(a == b)
        if not same.all():
            at = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])
            x, y = _short(np.atleast_1d(a)[at]), _short(np.atleast_1d(b)[at])
            wrong = int(np.size(same) - np.count_nonzero(same))
            return f"{where}{list(at)} is {x}, expected {y} ({wrong} of {np.size(same)} differ)"
    return ""


def _short(value: Any) -> str:
    """A number with the digits that tell float32 values apart."""
    return f"{value:.7g}" if isinstance(value, np.floating) else str(value)
