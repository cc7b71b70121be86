"""From a tree to its text."""

from __future__ import annotations

from epforge.ops.expression.model import (
    Apply,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    Comparison,
    Count,
    Default,
    Fold,
    Has,
    Input,
    Logical,
    Name,
    Negate,
    Node,
    Not,
    Number,
    Select,
)

_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _UNARY, _PRIMARY = range(8)
_BINARY = {"or": _OR, "and": _AND, "+": _ADD, "-": _ADD, "*": _MULTIPLY, "/": _MULTIPLY}


def text(node: Node) -> str:
    """The canonical spelling of a tree, checked or not: `parse` makes the same tree of it.

    A `Count`, which cannot be written, is spelled ``count(xs)``.
    """
    return _spell(node)[0]


def _spell(node: Node) -> tuple[str, int]:
    """The text, and how tightly it holds together."""
    match node:
        case Number(value=value):
            return repr(value), _UNARY if repr(value).startswith("-") else _PRIMARY
        case Name(name=name) | Input(name=name) | Attribute(name=name):
            return name, _PRIMARY
        case Negate(operand=operand):
            return f"-{_within(operand, _PRIMARY)}", _UNARY
        case Not(operand=operand):
            return f"not {_within(operand, _NOT)}", _NOT
        case Arithmetic(op=op, left=left, right=right) | Logical(op=op, left=left, right=right):
            rank = _BINARY[op]
            return f"{_within(left, rank)} {op} {_within(right, rank + 1)}", rank
        case Comparison(op=op, left=left, right=right):
            return f"{_within(left, _ADD)} {op} {_within(right, _ADD)}", _COMPARE
        case (
            Apply(function=function, arguments=arguments)
            | Call(function=function, arguments=arguments)
        ):
            return _call(function, *arguments), _PRIMARY
        case Select(condition=condition, then=then, otherwise=otherwise):
            return _call("select", condition, then, otherwise), _PRIMARY
        case Cast(operand=operand, type=type_):
            return f"cast({text(operand)}, {type_})", _PRIMARY
        case Has(name=name):
            return f"has({name})", _PRIMARY
        case Default(name=name, otherwise=otherwise):
            return f"default({name}, {text(otherwise)})", _PRIMARY
        case Fold(function=function, name=name):
            return f"{function}({name})", _PRIMARY
        case Count(name=name):
            return f"count({name})", _PRIMARY
        case _:
            raise TypeError(type(node).__name__)


def _within(node: Node, rank: int) -> str:
    spelled, own = _spell(node)
    return spelled if own >= rank else f"({spelled})"


def _call(function: str, *arguments: Node) -> str:
    return f"{function}({', '.join(text(argument) for argument in arguments)})"
