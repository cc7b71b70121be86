"""The language of ``compute``: what an expression is made of.

An expression says what one element of an output is, from one element of each input. Inputs are
broadcast against each other as NumPy and ONNX do it. The language:

* numbers ``2``, ``0.5``, ``1e-3``; names of inputs and of attributes (int, float, bool),
* ``+ - * /``, unary ``-``; ``< <= > >= == !=``; ``and``, ``or``, ``not``,
* `FUNCTIONS`, ``select(condition, a, b)``, ``cast(x, T)``,
* of an optional input: ``has(bias)`` and ``default(bias, 0)``; the input itself only where
  ``select(has(bias), ...)`` has made sure of it,
* of a variadic input: ``sum(xs)``, ``mean(xs)``, ``min(xs)``, ``max(xs)``, over its tensors.

There are two kinds of type: a type variable of the operator or an element type (``"T"``,
``"float32"``, ``"bool"``), and `NUMBER`, that of literals and of attributes until they meet
another one; where they meet none, they are int64 if all are whole, else float64. Division and
most functions want floating point; types never mix without ``cast``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from epforge.ops.model import DType

#: The type of what takes the type of its surroundings: literals, int and float attributes.
NUMBER = "number"
BOOL = "bool"


@dataclass(frozen=True)
class Function:
    """A function of the language.

    Args:
        arity: how many arguments; None: two or more.
        floats: the arguments must be floating-point numbers.
    """

    arity: int | None = 1
    floats: bool = True


#: Functions whose arguments and result are all of one type.
FUNCTIONS: Mapping[str, Function] = {
    "abs": Function(floats=False),
    "acos": Function(),
    "asin": Function(),
    "atan": Function(),
    "ceil": Function(),
    "cos": Function(),
    "cosh": Function(),
    "erf": Function(),
    "exp": Function(),
    "floor": Function(),
    "log": Function(),
    "max": Function(arity=None, floats=False),
    "min": Function(arity=None, floats=False),
    "pow": Function(arity=2),
    "round": Function(),  # halves to the even neighbour
    "sigmoid": Function(),
    "sign": Function(floats=False),
    "sin": Function(),
    "sinh": Function(),
    "sqrt": Function(),
    "tan": Function(),
    "tanh": Function(),
}
#: Functions of a variadic input.
FOLDS = ("max", "mean", "min", "sum")
#: Words that cannot be names of inputs or attributes in an expression.
KEYWORDS = ("and", "or", "not", "select", "cast", "has", "default", "mean", "sum", *FUNCTIONS)


@dataclass(frozen=True)
class Span:
    """Where something stands in the text: offsets of its first character and of the one after."""

    start: int
    end: int


_NOWHERE = Span(0, 0)


@dataclass(frozen=True)
class Node:
    """A part of an expression. ``type`` is empty until `check` has found it."""

    type: str = field(default="", kw_only=True)
    span: Span = field(default=_NOWHERE, kw_only=True, compare=False)


@dataclass(frozen=True)
class Name(Node):
    """A name as `parse` leaves it; `check` makes an `Input` or `Attribute` of it."""

    name: str


@dataclass(frozen=True)
class Apply(Node):
    """``function(arguments)`` as `parse` leaves it; `check` makes a `Call`, `Select`, ... of it.

    Args:
        place: where the function's name stands.
    """

    function: str
    arguments: tuple[Node, ...]
    place: Span = field(default=_NOWHERE, kw_only=True, compare=False)


@dataclass(frozen=True)
class Number(Node):
    """A literal: an int where it is written without a point and an exponent."""

    value: int | float


@dataclass(frozen=True)
class Input(Node):
    """The element of an input that is there."""

    name: str


@dataclass(frozen=True)
class Attribute(Node):
    """The value of an attribute; its type is `NUMBER` until it meets another one."""

    name: str


@dataclass(frozen=True)
class Negate(Node):
    operand: Node


@dataclass(frozen=True)
class Not(Node):
    operand: Node


@dataclass(frozen=True)
class Arithmetic(Node):
    """``left op right``, of one type."""

    op: str  # + - * /
    left: Node
    right: Node


@dataclass(frozen=True)
class Comparison(Node):
    """``left op right``: of type bool; the operands are of one type."""

    op: str  # < <= > >= == !=
    left: Node
    right: Node


@dataclass(frozen=True)
class Logical(Node):
    op: str  # and, or
    left: Node
    right: Node


@dataclass(frozen=True)
class Call(Node):
    """One of `FUNCTIONS`. ``min`` and ``max`` have two arguments or more."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Select(Node):
    """``then`` where the condition holds, else ``otherwise``."""

    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True)
class Cast(Node):
    """``operand`` as another type: the node's own."""

    operand: Node


@dataclass(frozen=True)
class Has(Node):
    """Whether an optional input is there: the same for all elements."""

    name: str


@dataclass(frozen=True)
class Default(Node):
    """An optional input, or what stands for it where it was left out."""

    name: str
    otherwise: Node


@dataclass(frozen=True)
class Fold(Node):
    """One of `FOLDS` over the tensors of a variadic input."""

    function: str
    name: str


@dataclass(frozen=True)
class Count(Node):
    """How many tensors a variadic input has. Only gradients need it; it cannot be written."""

    name: str


def children(node: Node) -> tuple[Node, ...]:
    """The parts that a node is made of, from left to right."""
    found: list[Node] = []
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            found += value
    return tuple(found)


@dataclass(frozen=True)
class Formal:
    """An input as the checker sees it.

    Args:
        type: a type variable or an element type: "T", "float32".
        option: "single", "optional" or "variadic".
    """

    name: str
    type: str
    option: str = "single"


@dataclass(frozen=True)
class Scope:
    """What an expression may name.

    Args:
        inputs: the operator's.
        attributes: name -> "int", "float", "bool", ... (other kinds cannot be named).
        types: type variable -> its element types.
    """

    inputs: tuple[Formal, ...]
    attributes: Mapping[str, str]
    types: Mapping[str, tuple[DType, ...]]

    def input(self, name: str) -> Formal | None:
        """The input of that name."""
        return next((formal for formal in self.inputs if formal.name == name), None)

    def dtypes(self, type: str) -> tuple[DType, ...]:
        """The element types that ``type`` can stand for; none for NUMBER."""
        if type in self.types:
            return self.types[type]
        return () if type == NUMBER else (DType.parse(type),)


@dataclass(frozen=True)
class Expression:
    """A checked expression: every node has its type, and the root the type of the output."""

    text: str
    root: Node


class ExpressionError(Exception):
    """What is wrong with an expression.

    Args:
        message: one clause, without the place.
        span: the place in the text.
        expected: what could stand there instead.
        hint: how to mend it.
        fix: the text to put in the place of ``span``.
    """

    def __init__(
        self, message: str, span: Span, expected: str = "", hint: str = "", fix: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.expected = expected
        self.hint = hint
        self.fix = fix
