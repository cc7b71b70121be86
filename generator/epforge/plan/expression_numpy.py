"""Prints a checked expression as NumPy: short statements, and the value they end in.

What is printed computes whole tensors in the types of the expression: every literal and every
attribute is a scalar of the type that its node has, so NumPy never promotes anything. Inputs that
were left out are zeros of their type there, and ``present`` names those that were not: both sides
of a choice are computed, and the side that was not chosen does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

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

_LONGEST = 80  # characters of an expression in a statement

# How tightly Python binds, loosest first.
_COMPARED, _SUM, _PRODUCT, _UNARY, _ATOM = range(5)
_ARITHMETIC = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_FUNCTIONS = {
    "abs": "np.abs",
    "acos": "np.arccos",
    "asin": "np.arcsin",
    "atan": "np.arctan",
    "ceil": "np.ceil",
    "cos": "np.cos",
    "cosh": "np.cosh",
    "erf": "_erf",
    "exp": "np.exp",
    "floor": "np.floor",
    "log": "np.log",
    "max": "np.maximum",
    "min": "np.minimum",
    "pow": "np.power",
    "round": "np.rint",
    "sigmoid": "_sigmoid",
    "sign": "np.sign",
    "sin": "np.sin",
    "sinh": "np.sinh",
    "sqrt": "np.sqrt",
    "tan": "np.tan",
    "tanh": "np.tanh",
}
_FOLDS = {"max": "np.maximum", "mean": "np.add", "min": "np.minimum", "sum": "np.add"}
#: An attribute as the kernels hold it.
_HELD = {"int": "int64", "float": "float32", "bool": "bool"}


@dataclass(frozen=True)
class NumpyCode:
    """A printed expression.

    Args:
        lines: statements to execute first, without indentation.
        value: an expression of one line.
        helpers: the functions beside it that it calls: ``_convert``, ``_erf``, ``_sigmoid``.
        functools: it needs that module.
    """

    lines: tuple[str, ...]
    value: str
    helpers: frozenset[str]
    functools: bool


def print_numpy(node: Node, kinds: Mapping[str, str], first: int = 1) -> NumpyCode:
    """``node``, a checked expression, as NumPy.

    The text finds tensors (lists of them for variadic inputs) in ``i``, attributes in ``a``, NumPy
    types by type variable in ``t``, and the names of the inputs that are there in ``present``.

    Args:
        kinds: attribute -> int, float or bool.
        first: number of the first variable.
    """
    printer = _Printer(kinds, first)
    part = printer.spell(node)
    return NumpyCode(
        lines=tuple(printer.lines),
        value=part.text,
        helpers=frozenset(printer.helpers),
        functools=printer.functools,
    )


@dataclass(frozen=True)
class _Part:
    text: str
    binding: int = _ATOM
    bound: bool = False  # it is a variable

    def within(self, binding: int) -> str:
        """The text as a part of what binds so tightly."""
        return self.text if self.binding >= binding else f"({self.text})"


@dataclass
class _Printer:
    kinds: Mapping[str, str]
    number: int
    lines: list[str] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    functools: bool = False

    def spell(self, node: Node) -> _Part:
        match node:
            case Number(value=value):
                return self._made([], lambda: f"{_type(node.type)}({value!r})")
            case Input(name=name):
                return _Part(f'i["{name}"]')
            case Attribute(name=name):
                return self._attribute(name, node.type)
            case Negate(operand=operand):
                parts = [self.spell(operand)]
                return self._made(parts, lambda: f"-{parts[0].within(_ATOM)}", _UNARY)
            case Not(operand=operand):
                return self._call("np.logical_not", operand)
            case Arithmetic(op=op, left=left, right=right):
                return self._infix(op, _ARITHMETIC[op], left, right)
            case Comparison(op=op, left=left, right=right):
                return self._infix(op, _COMPARED, left, right)
            case Logical(op=op, left=left, right=right):
                return self._call(f"np.logical_{op}", left, right)
            case Call():
                return self._function(node)
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self._call("np.where", condition, then, otherwise)
            case Cast(operand=operand):
                return self._cast(operand, node.type)
            case Has(name=name):
                return self._made([], lambda: f'"{name}" in present', _COMPARED)
            case Default(name=name, otherwise=otherwise):
                there = Input(name, type=node.type)
                return self._call("np.where", Has(name, type=BOOL), there, otherwise)
            case Fold(function=function, name=name):
                return self._fold(function, name, node.type)
            case Count(name=name):
                parts = [_Part(f'i["{name}"]')]
                return self._made(parts, lambda: f"{_type(node.type)}(len({parts[0].text}))")
            case _:
                raise TypeError(f"{type(node).__name__} is not of a checked expression")

    def _made(self, parts: list[_Part], text: Callable[[], str], binding: int = _ATOM) -> _Part:
        """What ``text`` makes of ``parts``, of which the longest become variables where it would
        be long."""
        while len(text()) > _LONGEST and not all(part.bound for part in parts):
            free = [index for index, part in enumerate(parts) if not part.bound]
            longest = max(free, key=lambda index: len(parts[index].text))
            parts[longest] = self._bound(parts[longest])
        return _Part(text(), binding)

    def _bound(self, part: _Part) -> _Part:
        name = f"v{self.number}"
        self.number += 1
        self.lines.append(f"{name} = {part.text}")
        return _Part(name, bound=True)

    def _call(self, function: str, *arguments: Node) -> _Part:
        parts = [self.spell(argument) for argument in arguments]
        return self._made(parts, lambda: f"{function}({', '.join(part.text for part in parts)})")

    def _infix(self, op: str, binding: int, left: Node, right: Node) -> _Part:
        parts = [self.spell(left), self.spell(right)]
        lowest = binding + 1 if binding == _COMPARED else binding

        def text() -> str:
            return f"{parts[0].within(lowest)} {op} {parts[1].within(binding + 1)}"

        return self._made(parts, text, binding)

    def _attribute(self, name: str, type_: str) -> _Part:
        held = _HELD[self.kinds[name]]
        parts = [self._made([], lambda: f'np.{_scalar(held)}(a["{name}"])')]
        if held == type_:
            return parts[0]
        return self._made(parts, lambda: f"{_type(type_)}({parts[0].text})")

    def _function(self, node: Call) -> _Part:
        function = _FUNCTIONS[node.function]
        if function.startswith("_"):
            self.helpers.add(function)
        parts = [self.spell(argument) for argument in node.arguments]
        result = parts[0]
        if len(parts) == 1:
            return self._made(parts, lambda: f"{function}({parts[0].text})")
        for part in parts[1:]:
            result = self._both(function, [result, part])
        return result

    def _both(self, function: str, pair: list[_Part]) -> _Part:
        return self._made(pair, lambda: f"{function}({pair[0].text}, {pair[1].text})")

    def _cast(self, operand: Node, type_: str) -> _Part:
        if operand.type == type_:
            return self.spell(operand)
        self.helpers.add("_convert")
        parts = [self.spell(operand)]
        return self._made(parts, lambda: f"_convert({parts[0].text}, {_type(type_)})")

    def _fold(self, function: str, name: str, type_: str) -> _Part:
        self.functools = True
        parts = [_Part(f'i["{name}"]')]
        part = self._made(parts, lambda: f"functools.reduce({_FOLDS[function]}, {parts[0].text})")
        if function != "mean":
            return part
        pair = [part, _Part(f'{_type(type_)}(len(i["{name}"]))')]
        return self._made(pair, lambda: f"{pair[0].text} / {pair[1].text}", _PRODUCT)


def _scalar(type_: str) -> str:
    return "bool_" if type_ == BOOL else type_


def _type(type_: str) -> str:
    """The NumPy type of an element type or a type variable."""
    known = {dtype.text for dtype in DType}
    return f"np.{_scalar(type_)}" if type_ in known else f't["{type_}"]'
