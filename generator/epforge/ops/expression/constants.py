"""Parts of an expression that are made of literals alone, and what they must not be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from epforge.ops.expression.evaluate import evaluate
from epforge.ops.expression.kinds import quote
from epforge.ops.expression.model import (
    Arithmetic,
    Attribute,
    Call,
    Count,
    Default,
    ExpressionError,
    Fold,
    Has,
    Input,
    Node,
    Number,
    children,
)

#: Function -> whether a number is one that it has a value for, and which those are.
_DOMAINS: Mapping[str, tuple[Callable[[float], bool], str]] = {
    "acos": (lambda x: abs(x) <= 1, "a number from -1 to 1"),
    "asin": (lambda x: abs(x) <= 1, "a number from -1 to 1"),
    "log": (lambda x: x > 0, "a number above 0"),
    "sqrt": (lambda x: x >= 0, "a number from 0 on"),
}


def constant(node: Node) -> float | None:
    """The value of a checked part that is made of literals alone; None of any other."""
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, Attribute | Input | Has | Default | Fold | Count):
            return None
        todo += children(part)
    value = evaluate(node, {}, {})
    return None if isinstance(value, bool) else value


def check_quotient(node: Arithmetic) -> None:
    """Raises ExpressionError for a division by a constant zero."""
    if constant(node.right) == 0:
        what = "a division by zero"
        if not isinstance(node.right, Number):
            what = f"a division by zero: {quote(node.right)} is 0"
        raise ExpressionError(what, node.right.span, "a divisor other than 0")


def check_call(node: Call) -> None:
    """Raises ExpressionError for a function of a constant that it has no value for."""
    values = [constant(argument) for argument in node.arguments]
    if node.function in _DOMAINS:
        defined, expected = _DOMAINS[node.function]
        value = values[0]
        if value is not None and not defined(value):
            what = f"{quote(node)} has no value"
            raise ExpressionError(what, node.arguments[0].span, expected)
    if node.function != "pow":
        return
    base, exponent = values
    if base == 0 and exponent is not None and exponent < 0:
        what = f"a division by zero: {quote(node)}"
        raise ExpressionError(what, node.span, "a base other than 0")
    if base is not None and exponent is not None and math.isnan(evaluate(node, {}, {})):
        what = f"{quote(node)} has no value"
        raise ExpressionError(what, node.span, "a base from 0 on, or a whole exponent")
