"""Unary elementwise operators: y[i] = f(x[i])."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from epforge.ops.families._common import (
    BOOL,
    ELEMENTWISE,
    FLOATS,
    INTS,
    NUMBERS,
    SIGNED,
    helpers_in,
    value,
)
from epforge.ops.model import DType, FamilyRow, Sample

_NAN = math.nan
_INF = math.inf
_SIGMOID = {0.0: 0.5, 1.0: 0.731058578, -1.0: 0.268941421, -200.0: 0.0, 200.0: 1.0, _NAN: _NAN}

#: softplus(x) = log(1 + exp(x)), written so that exp cannot overflow.
_SOFTPLUS = "x > T(0) ? x + Log1p(Exp(-x)) : Log1p(Exp(x))"
#: 1 / (1 + exp(-x)): exp may overflow to infinity, which gives the right 0.
_LOGISTIC = "T(1) / (T(1) + Exp(-{}))"


def _unary(
    op: str,
    since: tuple[int, ...],
    types: Sequence[DType],
    function: str,
    points: Mapping[float, float],
    *,
    doc: str = "",
    cost: int = 1,
    attributes: Mapping[str, object] | None = None,
    constraint: str = "T",
    out: str = "",
) -> FamilyRow:
    """A row of the family.

    Args:
        op: the operator.
        since: the versions that the kernel implements.
        types: of the elements of x.
        function: a C++ expression in ``x`` of type ``T`` and in the attributes by their names.
        points: x -> y for the tests.
        doc: a comment for the function, where the expression does not say it all.
        cost: element operations per element, roughly.
        attributes: of the node in the tests.
        constraint: the name of the type constraint on x.
        out: the type constraint on y if it is another one; y is bool then.
    """
    constraints = {constraint: tuple(types)} | ({out: BOOL} if out else {})
    helpers = helpers_in(function)
    return FamilyRow(
        op=op,
        family="unary",
        since=since,
        types=constraints,
        device=True,
        params={
            "header": "op",
            "support": (*ELEMENTWISE, *helpers),
            "function": function,
            "doc": doc,
            "cost": cost,
            "out": "bool" if out else "T",
            "includes": ("elementwise.h", "errors.h", *helpers),
        },
        samples=_samples(points, constraint, DType.BOOL if out else constraint, attributes or {}),
    )


def _samples(
    points: Mapping[float, float],
    x_type: str,
    y_type: DType | str,
    attributes: Mapping[str, object],
) -> tuple[Sample, ...]:
    """All points in one tensor, whole ones once more for integers, a scalar, an empty tensor."""
    whole = {x: y for x, y in points.items() if _is_whole(x) and _is_whole(y)}
    positive = {x: y for x, y in whole.items() if x >= 0 and y >= 0}
    chosen = [list(subset.items()) for subset in (points, whole, positive) if subset]
    chosen = [pairs for i, pairs in enumerate(chosen) if pairs not in chosen[:i]]
    samples = [
        Sample(
            (value([x for x, _ in pairs], x_type),),
            (value([y for _, y in pairs], y_type),),
            attributes,
        )
        for pairs in chosen
    ]
    x, y = chosen[-1][0]
    samples.append(Sample((value(x, x_type),), (value(y, y_type),), attributes))
    empty = (value([], x_type, (2, 0, 3)), value([], y_type, (2, 0, 3)))
    return (*samples, Sample(empty[:1], empty[1:], attributes))


def _is_whole(number: float) -> bool:
    return math.isfinite(number) and number == int(number)


ROWS = (
    _unary("Abs", (6, 13), NUMBERS, "Magnitude(x)", {-2: 2, 3: 3, 0: 0}),
    _unary("Neg", (6, 13), (*FLOATS, *SIGNED), "Negate(x)", {-2: 2, 3: -3, 0: 0}),
    _unary(
        "Relu",
        (6, 13, 14),
        (*FLOATS, *SIGNED),
        "x < T(0) ? T(0) : x",
        {-2: 0, 3: 3, 0: 0, _NAN: _NAN, _INF: _INF},
        doc="NaN stays NaN.",
    ),
    _unary("Sigmoid", (6, 13), FLOATS, _LOGISTIC.format("x"), _SIGMOID, cost=20),
    _unary("Tanh", (6, 13), FLOATS, "Tanh(x)", {0: 0, 1: 0.761594156, -40: -1}, cost=20),
    _unary("Exp", (6, 13), FLOATS, "Exp(x)", {0: 1, 1: 2.718281828, -_INF: 0}, cost=10),
    _unary("Log", (6, 13), FLOATS, "Log(x)", {1: 0, 2: 0.693147181, 0: -_INF}, cost=10),
    _unary("Sqrt", (6, 13), FLOATS, "Sqrt(x)", {4: 2, 0: 0, 2: 1.414213562, -1: _NAN}, cost=4),
    _unary("Reciprocal", (6, 13), FLOATS, "T(1) / x", {4: 0.25, -2: -0.5, 1: 1, 0: _INF}, cost=4),
    _unary("Floor", (6, 13), FLOATS, "Floor(x)", {1.5: 1, -1.5: -2, 2: 2}),
    _unary("Ceil", (6, 13), FLOATS, "Ceil(x)", {1.5: 2, -1.5: -1, 2: 2}),
    _unary(
        "Round",
        (11, 22),
        FLOATS,
        "Nearbyint(x)",
        {0.5: 0, 1.5: 2, 2.5: 2, -2.5: -2, 1.2: 1, -_INF: -_INF},
        doc="Halves go to the even neighbour.",
        cost=2,
    ),
    _unary("Sin", (7, 22), FLOATS, "Sin(x)", {0: 0, 1: 0.841470985}, cost=15),
    _unary("Cos", (7, 22), FLOATS, "Cos(x)", {0: 1, 1: 0.540302306}, cost=15),
    _unary("Tan", (7, 22), FLOATS, "Tan(x)", {0: 0, 1: 1.557407725}, cost=20),
    _unary("Asin", (7, 22), FLOATS, "Asin(x)", {0: 0, 1: 1.570796327, 2: _NAN}, cost=20),
    _unary("Acos", (7, 22), FLOATS, "Acos(x)", {1: 0, 0: 1.570796327, 2: _NAN}, cost=20),
    _unary("Atan", (7, 22), FLOATS, "Atan(x)", {0: 0, 1: 0.785398163}, cost=20),
    _unary("Sinh", (9, 22), FLOATS, "Sinh(x)", {0: 0, 1: 1.175201194}, cost=20),
    _unary("Cosh", (9, 22), FLOATS, "Cosh(x)", {0: 1, 1: 1.543080635}, cost=20),
    _unary("Asinh", (9, 22), FLOATS, "Asinh(x)", {0: 0, 1: 0.881373587}, cost=30),
    _unary("Acosh", (9, 22), FLOATS, "Acosh(x)", {1: 0, 2: 1.316957897}, cost=30),
    _unary("Atanh", (9, 22), FLOATS, "Atanh(x)", {0: 0, 0.5: 0.549306144}, cost=30),
    _unary("Erf", (9, 13), FLOATS, "Erf(x)", {0: 0, 1: 0.842700793, -9: -1}, cost=25),
    _unary(
        "Sign",
        (9, 13),
        NUMBERS,
        "SignOf(x)",
        {-2: -1, 3: 1, 0: 0, _NAN: _NAN},
    ),
    _unary(
        "LeakyRelu",
        (6, 16),
        FLOATS,
        "x < T(0) ? x * T(alpha) : x",
        {-2: -0.2, 3: 3, 0: 0},
        attributes={"alpha": 0.1},
    ),
    _unary(
        "Elu",
        (6, 22),
        FLOATS,
        "x < T(0) ? T(alpha) * Expm1(x) : x",
        {-1: -1.264241118, 2: 2, 0: 0},
        cost=15,
        attributes={"alpha": 2.0},
    ),
    _unary(
        "Celu",
        (12, 28),
        FLOATS,
        "x < T(0) ? T(alpha) * Expm1(x / T(alpha)) : x",
        {-2: -1.264241118, 3: 3, 0: 0},
        cost=20,
        attributes={"alpha": 2.0},
    ),
    _unary(
        "Selu",
        (6, 22),
        FLOATS,
        "T(gamma) * (x > T(0) ? x : T(alpha) * Expm1(x))",
        {-1: -1.111330738, 1: 1.050700987, 0: 0},
        cost=15,
    ),
    _unary(
        "HardSigmoid",
        (6, 22),
        FLOATS,
        "Clamp(T(alpha) * x + T(beta), T(0), T(1))",
        {-9: 0, 9: 1, 0: 0.5, 1: 0.75},
        attributes={"alpha": 0.25, "beta": 0.5},
        cost=2,
    ),
    _unary(
        "HardSwish",
        (14, 22),
        FLOATS,
        "x * Clamp(x / T(6) + T(0.5), T(0), T(1))",
        {-9: 0, 9: 9, 0: 0, 3: 3, 1.5: 1.125},
        cost=4,
    ),
    _unary("Softplus", (1, 22), FLOATS, _SOFTPLUS, {0: 0.693147181, 200: 200, -200: 0}, cost=25),
    _unary(
        "Softsign",
        (1, 22),
        FLOATS,
        "x / (T(1) + Magnitude(x))",
        {0: 0, 1: 0.5, -3: -0.75},
        cost=4,
    ),
    _unary(
        "Mish",
        (18, 22),
        FLOATS,
        f"x * Tanh({_SOFTPLUS})",
        {0: 0, 1: 0.865098388, -1: -0.303401461, 50: 50},
        cost=40,
    ),
    _unary(
        "ThresholdedRelu",
        (10, 22),
        FLOATS,
        "x > T(alpha) ? x : T(0)",
        {-3: 0, 1: 0, 2: 0, 3: 3},
        attributes={"alpha": 2.0},
    ),
    _unary(
        "Swish",
        (24,),
        FLOATS,
        f"x * ({_LOGISTIC.format('(T(alpha) * x)')})",
        {0: 0, 1: 0.880797078, -1: -0.119202922},
        cost=20,
        attributes={"alpha": 2.0},
    ),
    _unary(
        "Shrink",
        (9,),
        FLOATS,
        "x < T(-lambd) ? x + T(bias) : (x > T(lambd) ? x - T(bias) : T(0))",
        {-3: -2, 3: 2, 0.5: 0, -1: 0},
        attributes={"bias": 1.0, "lambd": 1.5},
    ),
    _unary("Not", (1,), BOOL, "!x", {0: 1, 1: 0}),
    _unary("BitwiseNot", (18,), INTS, "static_cast<T>(~x)", {0: -1, -2: 1, 5: -6}),
    _unary(
        "IsNaN",
        (9, 13, 20),
        FLOATS,
        "IsNan(x)",
        {_NAN: 1, 0: 0, _INF: 0},
        constraint="T1",
        out="T2",
    ),
    _unary(
        "IsInf",
        (10, 20),
        FLOATS,
        "IsInfinite(x) && (x > T(0) ? detect_positive : detect_negative) != 0",
        {_INF: 1, -_INF: 0, 0: 0, _NAN: 0},
        constraint="T1",
        out="T2",
        attributes={"detect_negative": 0},
    ),
)
