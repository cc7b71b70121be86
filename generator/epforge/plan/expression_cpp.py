"""Prints a checked expression as C++, in the helpers of ``src/gen/kernels/support``.

What is printed computes one element. It is defined for all values: integers wrap around, NaN goes
through ``max`` and ``min``, a floating-point number that no integer can hold has a fixed result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from epforge.names import Identifier, Safe
from epforge.ops.expression.model import (
    BOOL,
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

(
    _TERNARY,
    _OR,
    _AND,
    _EQUALITY,
    _RELATION,
    _ADDITIVE,
    _MULTIPLICATIVE,
    _UNARY,
    _PRIMARY,
) = range(9)

_FLOATS = (DType.FLOAT32, DType.FLOAT64)
_ARITHMETIC = {"+": _ADDITIVE, "-": _ADDITIVE, "*": _MULTIPLICATIVE, "/": _MULTIPLICATIVE}
#: Of integers: in C++ an overflow is undefined, and small ones are promoted to int.
_WRAPPING = {"+": "Add", "-": "Subtract", "*": "Multiply", "/": "Divide"}
#: Of what the compiler can compare at a glance, and would warn of.
_COMPARED = {
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "==": "Equal",
    "!=": "Unequal",
}
_FUNCTIONS = {
    "abs": ("Magnitude", "arithmetic.h"),
    "acos": ("Acos", "math.h"),
    "asin": ("Asin", "math.h"),
    "atan": ("Atan", "math.h"),
    "ceil": ("Ceil", "math.h"),
    "cos": ("Cos", "math.h"),
    "cosh": ("Cosh", "math.h"),
    "erf": ("Erf", "math.h"),
    "exp": ("Exp", "math.h"),
    "floor": ("Floor", "math.h"),
    "log": ("Log", "math.h"),
    "max": ("Maximum", "arithmetic.h"),
    "min": ("Minimum", "arithmetic.h"),
    "pow": ("Pow", "math.h"),
    "round": ("Nearbyint", "math.h"),
    "sigmoid": ("Sigmoid", "math.h"),
    "sign": ("SignOf", "arithmetic.h"),
    "sin": ("Sin", "math.h"),
    "sinh": ("Sinh", "math.h"),
    "sqrt": ("Sqrt", "math.h"),
    "tan": ("Tan", "math.h"),
    "tanh": ("Tanh", "math.h"),
}
_FOLDS = {"max": "Maximum", "mean": "Mean", "min": "Minimum", "sum": "Sum"}

#: Names that stand for something else where an expression is printed.
TAKEN = frozenset(
    """
    Add Subtract Multiply Divide Negate Less LessOrEqual Greater GreaterOrEqual Equal Unequal
    Convert Mean Sum Elements FewElements ForElements IsNan IsInfinite Clamp IntegerPower
    IntegerRemainder Shift Truncate Acosh Asinh Atanh Expm1 Fmod Log1p
    """.split()  # noqa: SIM905 (a list of thirty strings reads worse)
    + [name for name, _ in _FUNCTIONS.values()]
)


@dataclass(frozen=True)
class Names:
    """What the things in an expression are called in C++.

    Args:
        types: type variable -> template parameter; element type -> its C++ type.
        dtypes: type variable -> the element types that it stands for.
        inputs: input -> parameter of the function; for a variadic one its `Elements`.
        attributes: attribute -> member of the function.
        kinds: attribute -> int, float or bool.
        flags: optional input -> the member that tells whether it is there.
    """

    types: Mapping[str, Safe | Identifier]
    dtypes: Mapping[str, tuple[DType, ...]]
    inputs: Mapping[str, Identifier]
    attributes: Mapping[str, Identifier]
    kinds: Mapping[str, str]
    flags: Mapping[str, Identifier]


@dataclass
class Printed:
    """An expression in C++.

    Args:
        code: the text.
        headers: the support files that it needs.
        cost: element operations that it takes, roughly.
    """

    code: Safe
    headers: frozenset[str]
    cost: int


def print_cpp(node: Node, names: Names) -> Printed:
    """``node`` in C++.

    Args:
        node: a checked expression.
        names: of everything that it uses.
    """
    printer = _Printer(names)
    code, _ = printer.spell(node)
    return Printed(Safe(code), frozenset(printer.headers), max(printer.cost, 1))


@dataclass
class _Printer:
    names: Names
    headers: set[str] = field(default_factory=set)
    cost: int = 0

    def spell(self, node: Node) -> tuple[str, int]:
        """The text, and how tightly it holds together."""
        match node:
            case Number():
                return self._number(node)
            case Input(name=name):
                return self.names.inputs[name], _PRIMARY
            case Attribute():
                return self._attribute(node), _PRIMARY
            case Negate():
                return self._negate(node)
            case Not(operand=operand):
                return f"!{self._within(operand, _UNARY)}", _UNARY
            case Arithmetic():
                return self._arithmetic(node)
            case Comparison():
                return self._comparison(node)
            case Logical(op=op, left=left, right=right):
                # Compilers warn of && in || without parentheses.
                rank, sign = (_OR, "||") if op == "or" else (_AND, "&&")
                parts = (self._logical(part, rank) for part in (left, right))
                return f" {sign} ".join(parts), rank
            case Call(function=function, arguments=arguments):
                return self._call(function, arguments), _PRIMARY
            case Select(condition=condition, then=then, otherwise=otherwise):
                self.cost += 1
                return self._choice(self._within(condition, _OR), then, otherwise)
            case Cast(operand=operand):
                return self._cast(operand, node.type)
            case Has(name=name):
                return self.names.flags[name], _PRIMARY
            case Default(name=name, otherwise=otherwise):
                there = Input(name, type=node.type)
                return self._choice(self.names.flags[name], there, otherwise)
            case Fold(function=function, name=name):
                self.cost += 4
                self.headers.add("elements.h")
                return f"{_FOLDS[function]}({self.names.inputs[name]})", _PRIMARY
            case Count(name=name):
                return f"{self._type(node)}({self.names.inputs[name]}.count)", _PRIMARY
            case _:
                raise TypeError(f"{type(node).__name__} is not of a checked expression")

    def _within(self, node: Node, rank: int) -> str:
        text, own = self.spell(node)
        return text if own >= rank else f"({text})"

    def _text(self, node: Node) -> str:
        return self.spell(node)[0]

    def _type(self, node: Node) -> str:
        return str(self.names.types[node.type])

    def _dtypes(self, type_: str) -> tuple[DType, ...]:
        return self.names.dtypes.get(type_) or (DType.parse(type_),)

    def _is_float(self, type_: str) -> bool:
        return all(dtype in _FLOATS for dtype in self._dtypes(type_))

    def _number(self, node: Number) -> tuple[str, int]:
        value = node.value
        if node.type in self.names.dtypes:
            return f"{self._type(node)}({_literal(value)})", _PRIMARY
        (dtype,) = self._dtypes(node.type)
        if dtype in _FLOATS:
            text = f"{float(value)!r}{'f' if dtype is DType.FLOAT32 else ''}"
            return text, _UNARY if text.startswith("-") else _PRIMARY
        return f"{self._type(node)}{{{_literal(value)}}}", _PRIMARY

    def _attribute(self, node: Attribute) -> str:
        name = self.names.attributes[node.name]
        kind = self.names.kinds[node.name]
        own = {"int": "int64", "float": "float32", "bool": BOOL}[kind]
        if node.type == own:
            return name
        if kind == "float" and not self._is_float(node.type):
            self.headers.add("convert.h")
            return f"Convert<{self._type(node)}>({name})"
        return f"{self._type(node)}({name})"

    def _negate(self, node: Negate) -> tuple[str, int]:
        self.cost += 1
        if self._is_float(node.type):
            text = self._within(node.operand, _UNARY)
            return f"-({text})" if text.startswith("-") else f"-{text}", _UNARY
        self.headers.add("arithmetic.h")
        return f"Negate({self._text(node.operand)})", _PRIMARY

    def _arithmetic(self, node: Arithmetic) -> tuple[str, int]:
        self.cost += 1
        if not self._is_float(node.type):
            self.headers.add("arithmetic.h")
            name = _WRAPPING[node.op]
            return f"{name}({self._text(node.left)}, {self._text(node.right)})", _PRIMARY
        rank = _ARITHMETIC[node.op]
        left = self._within(node.left, rank)
        right = self._within(node.right, rank + 1)
        if right.startswith("-"):
            right = f"({right})"
        return f"{left} {node.op} {right}", rank

    def _comparison(self, node: Comparison) -> tuple[str, int]:
        self.cost += 1
        left, right = self._within(node.left, _ADDITIVE), self._within(node.right, _ADDITIVE)
        type_ = node.left.type
        fixed = type_ not in self.names.dtypes and not self._is_float(type_)
        unsigned = any(dtype.text.startswith("u") for dtype in self._dtypes(type_))
        number = isinstance(node.left, Number) or isinstance(node.right, Number)
        if ((fixed or unsigned) and number) or (fixed and left == right):
            self.headers.add("compare.h")
            return f"{_COMPARED[node.op]}({left}, {right})", _PRIMARY
        return f"{left} {node.op} {right}", _EQUALITY if node.op in ("==", "!=") else _RELATION

    def _logical(self, node: Node, rank: int) -> str:
        self.cost += 1
        text, own = self.spell(node)
        return text if own == rank or own > _AND else f"({text})"

    def _call(self, function: str, arguments: tuple[Node, ...]) -> str:
        name, header = _FUNCTIONS[function]
        self.headers.add(header)
        self.cost += 1 if header == "arithmetic.h" else 10
        first, *others = (self._text(argument) for argument in arguments)
        if function not in ("max", "min"):
            return f"{name}({', '.join([first, *others])})"
        for other in others:
            first = f"{name}({first}, {other})"
        return first

    def _choice(self, condition: str, then: Node, otherwise: Node) -> tuple[str, int]:
        chosen = self._within(then, _OR)
        return f"{condition} ? {chosen} : {self._within(otherwise, _TERNARY)}", _TERNARY

    def _cast(self, operand: Node, type_: str) -> tuple[str, int]:
        if operand.type == type_:
            return self.spell(operand)
        self.headers.add("convert.h")
        return f"Convert<{self.names.types[type_]}>({self._text(operand)})", _PRIMARY


def _literal(value: int | float) -> str:
    """A number for a conversion: an int stays one, so that no digit is lost."""
    if isinstance(value, float):
        return repr(value)
    if value == -(2**63):
        return "-9223372036854775807 - 1"  # there is no literal for the smallest number
    return f"{value}u" if value >= 2**63 else str(value)
