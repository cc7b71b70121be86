"""What the tests of expressions share: a scope with everything, and trees made at random."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import strategies as st

from epforge.ops.expression import (
    ExpressionError,
    Formal,
    Scope,
    check,
    parse,
)
from epforge.ops.expression.model import (
    BOOL,
    FUNCTIONS,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    Comparison,
    Default,
    Fold,
    Has,
    Input,
    Logical,
    Negate,
    Node,
    Not,
    Number,
    Select,
)
from epforge.ops.model import DType

SCOPE = Scope(
    inputs=(
        Formal("x", "T"),
        Formal("y", "T"),
        Formal("d", "float64"),
        Formal("h", "H"),
        Formal("i", "int32"),
        Formal("k", "K"),
        Formal("u", "uint8"),
        Formal("m", "bool"),
        Formal("s", "string"),
        Formal("mixed", "Mixed"),
        Formal("bias", "T", "optional"),
        Formal("scale", "T", "optional"),
        Formal("xs", "T", "variadic"),
        Formal("flags", "bool", "variadic"),
        Formal("ints", "int32", "variadic"),
    ),
    attributes={
        "alpha": "float",
        "n": "int",
        "flag": "bool",
        "mode": "string",
        "axes": "ints",
    },
    types={
        "T": (DType.FLOAT32, DType.FLOAT64),
        "H": (DType.FLOAT16, DType.BFLOAT16),
        "K": (DType.FLOAT32, DType.INT64),
        "Mixed": (DType.FLOAT32, DType.BOOL),
    },
)


def checked(text: str, result: str = "T") -> Node:
    """The tree of ``text``, whose result is of type ``result``."""
    return check(parse(text), SCOPE, result)


def refused(text: str, result: str = "T") -> ExpressionError:
    """What is said of ``text``, which is none or a wrong expression."""
    with pytest.raises(ExpressionError) as caught:
        checked(text, result)
    error = caught.value
    assert 0 <= error.span.start <= error.span.end <= len(text)
    for line in (error.message, error.expected, error.hint):
        assert line.isprintable()
        assert len(line) < 300
    return error


def place(error: ExpressionError, text: str) -> str:
    """What of ``text`` an error points at."""
    return text[error.span.start : error.span.end]


@st.composite
def numbers(draw: st.DrawFn, depth: int = 4) -> Node:
    """A checked tree of type T, in `SCOPE`."""
    return _Maker(draw).number("T", depth, frozenset())


@st.composite
def conditions(draw: st.DrawFn, depth: int = 4) -> Node:
    """A checked tree of type bool, in `SCOPE`."""
    return _Maker(draw).condition(depth, frozenset())


_UNARY = sorted(name for name, function in FUNCTIONS.items() if function.arity == 1)
_LITERALS = st.one_of(
    st.integers(0, 100), st.floats(0.0625, 1e6).map(lambda value: round(value, 3))
)
_NODES = ("leaf", "negate", "binary", "quotient", "unary", "extreme", "power", "select", "guarded")
_KINDS = {"float64": _NODES, "T": (*_NODES, "cast", "default")}
_OPTIONAL = ("bias", "scale")


class _Maker:
    """Makes trees of what it draws. ``present``: optional inputs that may be used.

    ``anchored`` parts have a type of their own, where literals take that of the surroundings.
    """

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one(self, choices: Sequence[str]) -> str:
        return self._draw(st.sampled_from(choices))

    def number(
        self, type_: str, depth: int, present: frozenset[str], anchored: bool = False
    ) -> Node:
        def part(anchored: bool = False) -> Node:
            return self.number(type_, depth - 1, present, anchored)

        match self.one(_KINDS[type_]) if depth else "leaf":
            case "leaf":
                return self.leaf(type_, present, anchored)
            case "negate":
                operand = part(anchored)
                plain = isinstance(operand, Number)
                return operand if plain else Negate(operand, type=type_)
            case "binary":
                return Arithmetic(self.one("+-*"), part(anchored), part(), type=type_)
            case "quotient":
                return Arithmetic("/", part(), part(True), type=type_)
            case "unary":
                return Call(self.one(_UNARY), (part(True),), type=type_)
            case "extreme":
                more = [part() for _ in range(self._draw(st.integers(1, 3)))]
                return Call(self.one(["min", "max"]), (part(anchored), *more), type=type_)
            case "power":
                return Call("pow", (part(True), part()), type=type_)
            case "select":
                condition = self.condition(depth - 1, present)
                return Select(condition, part(anchored), part(), type=type_)
            case "guarded":
                return self.guarded(type_, depth - 1, present, anchored)
            case "cast":
                other = self.number("float64", depth - 1, present, anchored=True)
                return Cast(other, type=type_)
            case _:
                return Default(self.one(_OPTIONAL), part(), type=type_)

    def leaf(self, type_: str, present: frozenset[str], anchored: bool) -> Node:
        kind = self.one(["input", "fold"] if anchored else ["input", "fold", "number", "attribute"])
        if kind == "number":
            return Number(self._draw(_LITERALS), type=type_)
        if kind == "attribute":
            return Attribute(self.one(["alpha", "n"]), type=type_)
        if kind == "fold" and type_ == "T":
            return Fold(self.one(["max", "mean", "min", "sum"]), "xs", type=type_)
        return Input(self.one(["x", "y", *sorted(present)] if type_ == "T" else ["d"]), type=type_)

    def guarded(self, type_: str, depth: int, present: frozenset[str], anchored: bool) -> Node:
        """``select(has(bias), ...)`` with the bias in it, either way round."""
        name = self.one(_OPTIONAL)
        has = Has(name, type=BOOL)
        inside = self.number(type_, depth, present | {name}, anchored)
        outside = self.number(type_, depth, present)
        if self._draw(st.booleans()):
            return Select(has, inside, outside, type=type_)
        return Select(Not(has, type=BOOL), outside, inside, type=type_)

    def condition(self, depth: int, present: frozenset[str]) -> Node:
        def part() -> Node:
            return self.condition(depth - 1, present)

        kinds = ["input", "attribute", "has", "not", "logical", "order", "equal"]
        match self.one(kinds if depth else kinds[:3]):
            case "input":
                return Input("m", type=BOOL)
            case "attribute":
                return Attribute("flag", type=BOOL)
            case "has":
                return Has(self.one(_OPTIONAL), type=BOOL)
            case "not":
                return Not(part(), type=BOOL)
            case "logical":
                return Logical(self.one(["and", "or"]), part(), part(), type=BOOL)
            case "order":
                left = self.number("T", depth - 1, present, anchored=True)
                right = self.number("T", depth - 1, present)
                op = self.one(["<", "<=", ">", ">=", "==", "!="])
                return Comparison(op, left, right, type=BOOL)
            case _:
                return Comparison(self.one(["==", "!="]), part(), part(), type=BOOL)
