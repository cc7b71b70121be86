"""Makes typed trees, and leaves out of them what does nothing: ``0 + x``, ``1 * x``, ``--x``.

Only derivatives are made so. A factor that is a literal 0 makes a product 0, and literals are
computed in doubles; otherwise no value changes.
"""

from __future__ import annotations

import math
from dataclasses import replace

from epforge.ops.expression.evaluate import apply, arithmetic
from epforge.ops.expression.model import (
    BOOL,
    Arithmetic,
    Call,
    Cast,
    Comparison,
    Negate,
    Node,
    Number,
    Select,
)

#: What every floating-point type can hold.
_SMALL = 65504.0


def number(value: int | float, type_: str) -> Number:
    """A literal; a whole one is an int."""
    whole = math.isfinite(value) and value == int(value) and abs(value) <= _SMALL
    return Number(int(value) if whole else value, type=type_)


def is_number(node: Node, value: float) -> bool:
    """Whether the part is the literal ``value``."""
    return isinstance(node, Number) and node.value == value


def _folded(op: str, left: Node, right: Node) -> Number | None:
    """The value of two literals; None if one is none, or there is no finite value."""
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    value = arithmetic(op, left.value, right.value)
    return number(value, left.type) if abs(value) <= _SMALL else None


def add(left: Node, right: Node) -> Node:
    """``left + right``."""
    if is_number(left, 0):
        return right
    if is_number(right, 0):
        return left
    if isinstance(right, Negate):
        return subtract(left, right.operand)
    if isinstance(left, Negate):
        return subtract(right, left.operand)
    return _folded("+", left, right) or Arithmetic("+", left, right, type=left.type)


def subtract(left: Node, right: Node) -> Node:
    """``left - right``."""
    if is_number(right, 0):
        return left
    if is_number(left, 0):
        return negate(right)
    if isinstance(right, Negate):
        return add(left, right.operand)
    return _folded("-", left, right) or Arithmetic("-", left, right, type=left.type)


def multiply(left: Node, right: Node) -> Node:
    """``left * right``; 0 where one is a literal 0."""
    for factor, other in ((left, right), (right, left)):
        if is_number(factor, 0):
            return number(0, left.type)
        if is_number(factor, 1):
            return other
        if is_number(factor, -1):
            return negate(other)
    if isinstance(left, Negate):
        return negate(multiply(left.operand, right))
    if isinstance(right, Negate):
        return negate(multiply(left, right.operand))
    return _folded("*", left, right) or Arithmetic("*", left, right, type=left.type)


def divide(left: Node, right: Node) -> Node:
    """``left / right``; 0 where ``left`` is a literal 0."""
    if is_number(left, 0) or is_number(right, 1):
        return left
    if isinstance(left, Negate):
        return negate(divide(left.operand, right))
    if isinstance(left, Number) and left.value < 0:
        return negate(divide(negate(left), right))
    return _folded("/", left, right) or Arithmetic("/", left, right, type=left.type)


def negate(operand: Node) -> Node:
    """``-operand``."""
    if isinstance(operand, Negate):
        return operand.operand
    if isinstance(operand, Number):
        return replace(operand, value=-operand.value)
    return Negate(operand, type=operand.type)


def call(function: str, *arguments: Node) -> Node:
    """A function of parts of one type."""
    if function == "pow" and is_number(arguments[1], 0):
        return number(1, arguments[0].type)
    if function == "pow" and is_number(arguments[1], 1):
        return arguments[0]
    literals = [part.value for part in arguments if isinstance(part, Number)]
    if len(literals) == len(arguments):
        value = apply(function, *literals)
        if abs(value) <= _SMALL:
            return number(value, arguments[0].type)
    return Call(function, arguments, type=arguments[0].type)


def compare(op: str, left: Node, right: Node) -> Node:
    """``left op right``."""
    return Comparison(op, left, right, type=BOOL)


def select(condition: Node, then: Node, otherwise: Node) -> Node:
    """``then`` or ``otherwise``; either, where they are the same literal."""
    if isinstance(then, Number) and then == otherwise:
        return then
    return Select(condition, then, otherwise, type=then.type)


def cast(operand: Node, type_: str) -> Node:
    """``operand`` as another floating-point type."""
    if operand.type == type_:
        return operand
    if isinstance(operand, Number) and abs(operand.value) <= _SMALL:
        return replace(operand, type=type_)
    return Cast(operand, type=type_)
