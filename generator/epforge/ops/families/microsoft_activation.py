"""Activations of com.microsoft: Gelu and its kin."""

from __future__ import annotations

import math

from epforge.ops.families._common import CHECKS, ELEMENTWISE, FLOATS, helpers_in, value
from epforge.ops.model import FamilyRow, Sample
from epforge.ops.schemas import MICROSOFT

#: x times the share of a normal distribution that lies below x.
_GELU = "x * T(0.5) * (T(1) + Erf(x * T(0.70710678118654752)))"
#: The share by a polynomial in tanh: sqrt(2 / pi) * (x + 0.044715 * x^3).
_FAST = "x * T(0.5) * (T(1) + Tanh(x * (T(0.79788456080286536) + T(0.035677408136300125) * x * x)))"
_QUICK = "x * Sigmoid(T(alpha) * x)"


def _gelu(x: float) -> float:
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def _fast(x: float) -> float:
    return x * 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _quick(x: float, alpha: float) -> float:
    return x / (1 + math.exp(-alpha * x))


def _unary(op: str, function: str, samples: tuple[Sample, ...]) -> FamilyRow:
    helpers = helpers_in(function)
    return FamilyRow(
        op=op,
        domain=MICROSOFT,
        family="unary",
        since=(1,),
        types={"T": FLOATS},
        device=True,
        params={
            "header": "op",
            "support": (*ELEMENTWISE, *helpers),
            "function": function,
            "doc": "",
            "cost": 10,
            "out": "T",
            "includes": ("elementwise.h", "errors.h", *helpers),
        },
        samples=samples,
    )


def _biased(op: str, function: str, doc: str, samples: tuple[Sample, ...]) -> FamilyRow:
    return FamilyRow(
        op=op,
        domain=MICROSOFT,
        family="bias_gelu",
        since=(1,),
        types={"T": FLOATS},
        params={
            "header": "op",
            "support": (*CHECKS, "device.h", "math.h"),
            "function": function,
            "doc": doc,
        },
        samples=samples,
    )


_POINTS = (-20.0, -1.5, -0.0, 0.25, 1.0, 3.0)
_X = value(_POINTS)
_NONE = value([], shape=(0, 2))
_MATRIX = value([[1, 2], [-1, 0.5]])
_BIAS = value([0.5, -1])
_SUMS = ((1.5, 1.0), (-0.5, -0.5))

ROWS = (
    _unary(
        "Gelu",
        _GELU,
        (Sample((_X,), (value([_gelu(x) for x in _POINTS]),)), Sample((_NONE,), (_NONE,))),
    ),
    _unary(
        "QuickGelu",
        _QUICK,
        (
            Sample((_X,), (value([_quick(x, 1.702) for x in _POINTS]),)),
            Sample((_X,), (value([_quick(x, -0.5) for x in _POINTS]),), {"alpha": -0.5}),
            Sample((_NONE,), (_NONE,)),
        ),
    ),
    _biased(
        "BiasGelu",
        _GELU,
        "x times the share of a normal distribution that lies below x.",
        (
            Sample((_MATRIX, _BIAS), (value([[_gelu(x) for x in row] for row in _SUMS]),)),
            Sample((_NONE, _BIAS), (_NONE,)),
        ),
    ),
    _biased(
        "FastGelu",
        _FAST,
        "Gelu, but for a polynomial in tanh in place of erf.",
        (
            Sample((_X,), (value([_fast(x) for x in _POINTS]),)),
            Sample((_MATRIX, _BIAS), (value([[_fast(x) for x in row] for row in _SUMS]),)),
            Sample((_NONE, _BIAS), (_NONE,)),
        ),
    ),
)
