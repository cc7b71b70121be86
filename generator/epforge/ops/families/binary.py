"""Binary elementwise operators with broadcasting: y = f(a, b)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from epforge.ops.families._common import (
    BOOL,
    BROADCAST,
    FLOATS,
    INTS,
    NUMBERS,
    SIGNED,
    UNSIGNED,
    helpers_in,
    value,
)
from epforge.ops.model import DType, FamilyRow, Sample

_NAN = math.nan
_Points = Sequence[tuple[float, float, float]]


def _binary(
    op: str,
    since: tuple[int, ...],
    types: Sequence[DType],
    function: str,
    points: _Points,
    *,
    doc: str = "",
    cost: int = 1,
    attributes: Mapping[str, object] | None = None,
    out: str = "",
    one_way: bool = False,
) -> FamilyRow:
    """A row of the family.

    Args:
        op: the operator.
        since: the versions that the kernel implements.
        types: of the elements of a and b.
        function: a C++ expression in ``a`` and ``b`` of type ``T`` and in the attributes.
        points: (a, b, y) for the tests; the first two also serve to test broadcasting.
        doc: a comment for the function, where the expression does not say it all.
        cost: element operations per element, roughly.
        attributes: of the node in the tests.
        out: the type constraint on y if it is another one; y is bool then.
        one_way: b is broadcast to a, never a to b.
    """
    helpers = helpers_in(function)
    constraints = {"T": tuple(types)} | ({out: BOOL} if out else {})
    return FamilyRow(
        op=op,
        family="binary",
        since=since,
        types=constraints,
        device=True,
        params={
            "header": "op",
            "support": (*BROADCAST, *helpers),
            "function": function,
            "doc": doc,
            "cost": cost,
            "out": "bool" if out else "T",
            "one_way": one_way,
            "includes": ("broadcast.h", "errors.h", *helpers),
        },
        samples=_samples(points, DType.BOOL if out else "T", attributes or {}, one_way),
    )


def _samples(
    points: _Points, y_type: DType | str, attributes: Mapping[str, object], one_way: bool
) -> tuple[Sample, ...]:
    """All points at once, those that integers can hold, and shapes that broadcast.

    The broadcasting ones rely on a point alone: one value of a against one of b gives one of y,
    wherever it is repeated.
    """
    whole = [p for p in points if all(math.isfinite(n) and n == int(n) for n in p)]
    positive = [p for p in whole if min(p) >= 0]
    chosen: list[list[tuple[float, float, float]]] = []
    for subset in (list(points), whole, positive):
        if subset and subset not in chosen:
            chosen.append(subset)
    samples = [
        Sample(
            (value([a for a, _, _ in subset]), value([b for _, b, _ in subset])),
            (value([y for _, _, y in subset], y_type),),
            attributes,
        )
        for subset in chosen
    ]
    a, b, y = chosen[-1][0]

    def case(a_shape: tuple[int, ...], b_shape: tuple[int, ...], y_shape: tuple[int, ...]) -> None:
        filled = [
            value([number] * math.prod(shape), kind, shape)
            for number, shape, kind in ((a, a_shape, "T"), (b, b_shape, "T"), (y, y_shape, y_type))
        ]
        samples.append(Sample((filled[0], filled[1]), (filled[2],), attributes))

    case((), (), ())
    case((2, 3), (), (2, 3))
    case((2, 3, 2), (3, 1), (2, 3, 2))
    case((2, 0), (1,), (2, 0))
    if not one_way:
        case((2, 1, 2), (3, 1), (2, 3, 2))
        case((0, 1), (1, 3), (0, 3))
    return tuple(samples)


def _table(rows: str) -> list[tuple[float, float, float]]:
    """The truth table of a logical operator: y for (0, 0), (0, 1), (1, 0) and (1, 1)."""
    return [
        (a, b, float(y)) for (a, b), y in zip(((0, 0), (0, 1), (1, 0), (1, 1)), rows, strict=True)
    ]


_COMPARED = [(1, 2), (2, 1), (2, 2), (_NAN, 1), (1, _NAN)]


def _compared(rows: str) -> list[tuple[float, float, float]]:
    """y for 1 against 2, 2 against 1, 2 against 2, NaN against 1 and 1 against NaN."""
    return [(a, b, float(y)) for (a, b), y in zip(_COMPARED, rows, strict=True)]


ROWS = (
    _binary("Add", (7, 13, 14), NUMBERS, "Add(a, b)", [(1, 2, 3), (-5, 2, -3), (0.5, 0.25, 0.75)]),
    _binary("Sub", (7, 13, 14), NUMBERS, "Subtract(a, b)", [(3, 2, 1), (-5, 2, -7)]),
    _binary("Mul", (7, 13, 14), NUMBERS, "Multiply(a, b)", [(3, 2, 6), (-5, 2, -10)]),
    _binary(
        "Div",
        (7, 13, 14),
        NUMBERS,
        "Divide(a, b)",
        [(6, 2, 3), (-8, 2, -4), (1, 4, 0.25), (1, 0, math.inf)],
        cost=4,
    ),
    _binary(
        "PRelu",
        (7, 9, 16),
        (*FLOATS, *SIGNED[2:], *UNSIGNED[2:]),
        "IsNegative(a) ? Multiply(a, b) : a",
        [(3, 2, 3), (-5, 2, -10), (0, 7, 0)],
        one_way=True,
    ),
    _binary("BitwiseAnd", (18,), INTS, "static_cast<T>(a & b)", [(6, 3, 2), (-1, 5, 5)]),
    _binary("BitwiseOr", (18,), INTS, "static_cast<T>(a | b)", [(6, 3, 7), (-1, 5, -1)]),
    _binary("BitwiseXor", (18,), INTS, "static_cast<T>(a ^ b)", [(6, 3, 5), (-1, 5, -6)]),
    _binary("And", (7,), BOOL, "a && b", _table("0001"), out="T1"),
    _binary("Or", (7,), BOOL, "a || b", _table("0111"), out="T1"),
    _binary("Xor", (7,), BOOL, "a != b", _table("0110"), out="T1"),
    _binary("Equal", (7, 11, 13, 19), (*NUMBERS, *BOOL), "a == b", _compared("00100"), out="T1"),
    _binary("Greater", (7, 9, 13), NUMBERS, "a > b", _compared("01000"), out="T1"),
    _binary("GreaterOrEqual", (12, 16), NUMBERS, "a >= b", _compared("01100"), out="T1"),
    _binary("Less", (7, 9, 13), NUMBERS, "a < b", _compared("10000"), out="T1"),
    _binary("LessOrEqual", (12, 16), NUMBERS, "a <= b", _compared("10100"), out="T1"),
)
