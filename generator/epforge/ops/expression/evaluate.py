"""The value of an expression at one element, in doubles."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from epforge.ops.expression.model import (
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
    Negate,
    Node,
    Not,
    Number,
    Select,
)
from epforge.ops.model import DType

#: The element of each input by name: None if it was left out, a tuple for a variadic one.
Values = Mapping[str, float | bool | tuple[float, ...] | None]

_NAN = math.nan
_FLOATS = (DType.FLOAT32, DType.FLOAT64, DType.FLOAT16, DType.BFLOAT16)
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def evaluate(
    node: Node,
    values: Values,
    attributes: Mapping[str, int | float | bool],
    types: Mapping[str, DType] | None = None,
) -> float | bool:
    """The value of a checked expression. Everything is a double or a bool; IEEE 754 rules.

    Args:
        values: the element of every input that the expression uses.
        attributes: the value of every attribute that the expression uses.
        types: what the type variables stand for: only ``cast`` to one asks, which cuts the
            fraction off for an integer type. A variable that is not in it is floating point.

    Returns:
        A bool for what is of type bool, else a float.
    """
    return _Evaluator(values, attributes, types or {}).value(node)


class _Evaluator:
    def __init__(
        self,
        values: Values,
        attributes: Mapping[str, int | float | bool],
        types: Mapping[str, DType],
    ) -> None:
        self._values = values
        self._attributes = attributes
        self._types = types

    def value(self, node: Node) -> float | bool:
        match node:
            case Number():
                return float(node.value)
            case Input(name=name):
                return _plain(self._values[name], name)
            case Attribute(name=name):
                return _plain(self._attributes[name], name)
            case Negate(operand=operand):
                return -self.value(operand)
            case Not(operand=operand):
                return not self.value(operand)
            case Arithmetic(op=op, left=left, right=right):
                return arithmetic(op, self.value(left), self.value(right))
            case Comparison(op=op, left=left, right=right):
                return _COMPARE[op](self.value(left), self.value(right))
            case Logical(op=op, left=left, right=right):
                first = self.value(left)
                decided = bool(first) == (op == "or")
                return bool(first if decided else self.value(right))
            case Call(function=function, arguments=arguments):
                return apply(function, *(self.value(argument) for argument in arguments))
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case Cast(operand=operand):
                return self._cast(self.value(operand), node.type)
            case Has(name=name):
                return self._values.get(name) is not None
            case Default(name=name, otherwise=otherwise):
                value = self._values.get(name)
                return self.value(otherwise) if value is None else _plain(value, name)
            case Fold(function=function, name=name):
                return _fold(function, self._tensors(name))
            case Count(name=name):
                return float(len(self._tensors(name)))
            case _:
                raise TypeError(f"{type(node).__name__} has no value")

    def _tensors(self, name: str) -> tuple[float, ...]:
        value = self._values[name]
        if not isinstance(value, tuple):
            raise TypeError(f"{name} is variadic: its value is a tuple")
        return value

    def _cast(self, value: float | bool, type_: str) -> float | bool:
        dtype = self._types.get(type_, DType.FLOAT64)
        dtype = next((known for known in DType if known.text == type_), dtype)
        if dtype is DType.BOOL:
            return value != 0
        if dtype in _FLOATS or not math.isfinite(value):
            return float(value)
        return float(math.trunc(value))


def _plain(value: float | bool | tuple[float, ...] | None, name: str) -> float | bool:
    if value is None or isinstance(value, tuple):
        raise TypeError(f"{name}: not the element of one tensor")
    return value if isinstance(value, bool) else float(value)


def arithmetic(op: str, left: float, right: float) -> float:
    """``left op right``: infinite or NaN where there is no number."""
    left, right = float(left), float(right)
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return _divide(left, right)


def _divide(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return _NAN
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def apply(function: str, *arguments: float) -> float:
    """One of the functions: infinite or NaN where there is no number."""
    values = [float(argument) for argument in arguments]
    if function in ("max", "min"):
        return _fold(function, values)
    if function == "pow":
        return _pow(*values)
    return _UNARY[function](values[0])


def _fold(function: str, values: list[float] | tuple[float, ...]) -> float:
    if function in ("max", "min"):
        if any(math.isnan(value) for value in values):
            return _NAN
        return max(values) if function == "max" else min(values)
    total = 0.0
    for value in values:
        total += value
    return total if function == "sum" else _divide(total, float(len(values)))


def _pow(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        odd = exponent == math.trunc(exponent) and math.fmod(exponent, 2) != 0
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:  # 0 to a negative power, or a root of a negative number
        if base != 0:
            return _NAN
        odd = exponent == math.trunc(exponent) and math.fmod(exponent, 2) != 0
        return math.copysign(math.inf, base) if odd else math.inf


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _log(value: float) -> float:
    if value == 0:
        return -math.inf
    return math.log(value) if value > 0 else _NAN


def _cosh(value: float) -> float:
    try:
        return math.cosh(value)
    except OverflowError:
        return math.inf


def _sinh(value: float) -> float:
    try:
        return math.sinh(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _sigmoid(value: float) -> float:
    # The exponent is never positive: no overflow on either side.
    if value >= 0:
        return 1 / (1 + _exp(-value))
    return _exp(value) / (1 + _exp(value))


def _sign(value: float) -> float:
    return value if value == 0 or math.isnan(value) else math.copysign(1.0, value)


def _where(function: Callable[[float], float]) -> Callable[[float], float]:
    """The function, NaN where Python's raises."""

    def call(value: float) -> float:
        try:
            return float(function(value))
        except ValueError:
            return _NAN

    return call


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function to the integers, that keeps what is none of them, and the sign of zero."""

    def call(value: float) -> float:
        return math.copysign(function(value), value) if math.isfinite(value) else value

    return call


_UNARY: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "acos": _where(math.acos),
    "asin": _where(math.asin),
    "atan": math.atan,
    "ceil": _whole(math.ceil),
    "cos": _where(math.cos),
    "cosh": _cosh,
    "erf": math.erf,
    "exp": _exp,
    "floor": _whole(math.floor),
    "log": _log,
    "round": _whole(round),
    "sigmoid": _sigmoid,
    "sign": _sign,
    "sin": _where(math.sin),
    "sinh": _sinh,
    "sqrt": _where(math.sqrt),
    "tan": _where(math.tan),
    "tanh": math.tanh,
}
