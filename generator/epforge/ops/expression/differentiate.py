"""Derivatives of expressions: how the result changes with the element of one input.

At points without a derivative the convention is that of automatic differentiation: the derivative
of ``abs`` at 0 is 0, and where the arguments of ``min`` or ``max`` are equal, half goes to each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from epforge.ops.expression.build import (
    add,
    call,
    cast,
    compare,
    divide,
    is_number,
    multiply,
    negate,
    number,
    select,
    subtract,
)
from epforge.ops.expression.kinds import is_mixed, not_float, shown, some_float
from epforge.ops.expression.model import (
    BOOL,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    Count,
    Default,
    Fold,
    Has,
    Input,
    Logical,
    Negate,
    Node,
    Number,
    Scope,
    Select,
    Span,
)

_TWO_BY_ROOT_PI = 1.1283791670955126


class NotDerivableError(Exception):
    """There is no derivative.

    Args:
        message: why, one clause.
        span: the part that has none.
    """

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


def differentiate(node: Node, wrt: str, scope: Scope) -> Node:
    """The derivative of an expression by the element of an input.

    A type that can be floating point or not is taken to be floating point here: nobody wants the
    gradient of integers.

    Args:
        node: from `check`.
        wrt: the name of an input; of a variadic one, any one of its tensors is meant.
        scope: that of `check`.

    Returns:
        The derivative, of the type of ``node``, with types and simplified; the literal 0 where
        ``node`` does not depend on the input. It names the same inputs under the same conditions.

    Raises:
        NotDerivableError: it has none: it or the input is no floating-point number, it is the
            least or greatest of a variadic input, or it depends on the types whether it has one.
        ValueError: there is no such input.
    """
    formal = scope.input(wrt)
    if formal is None:
        raise ValueError(f"there is no input {wrt}")
    for what, type_ in ((f"the input {wrt}", formal.type), ("the result", node.type)):
        if not some_float(type_, scope):
            dtype = not_float(type_, scope)
            assert dtype is not None
            why = f"{what} is no floating-point number: it is {shown(type_, dtype)}"
            raise NotDerivableError(why, node.span)
    return _Differentiator(wrt, scope, frozenset({formal.type, node.type})).of(node)


class _Differentiator:
    def __init__(self, wrt: str, scope: Scope, ends: frozenset[str]) -> None:
        self._wrt = wrt
        self._scope = scope
        self._ends = ends

    def of(self, node: Node) -> Node:
        """The derivative of a floating-point part, of the part's type."""
        zero, one = number(0, node.type), number(1, node.type)
        match node:
            case Number() | Attribute() | Count():
                return zero
            case Input(name=name):
                return one if name == self._wrt else zero
            case Negate(operand=operand):
                return negate(self.of(operand))
            case Arithmetic():
                return self._arithmetic(node)
            case Call(function="min" | "max" as function, arguments=arguments):
                return self._extreme(function, arguments)[1]
            case Call(function="pow", arguments=(base, exponent)):
                return self._power(base, exponent)
            case Call(function=function, arguments=(argument,)):
                inner = self.of(argument)
                if is_number(inner, 0) or function in _STEPS:
                    return zero
                return _RULES[function](argument, inner)
            case Select(condition=condition, then=then, otherwise=otherwise):
                return select(condition, self.of(then), self.of(otherwise))
            case Cast():
                return self._cast(node)
            case Default(name=name, otherwise=otherwise):
                inner = self.of(otherwise)
                return select(Has(name, type=BOOL), one if name == self._wrt else zero, inner)
            case Fold():
                return self._fold(node)
            case _:
                raise TypeError(type(node).__name__)

    def _arithmetic(self, node: Arithmetic) -> Node:
        left, right = node.left, node.right
        first, second = self.of(left), self.of(right)
        match node.op:
            case "+":
                return add(first, second)
            case "-":
                return subtract(first, second)
            case "*":
                return add(multiply(first, right), multiply(left, second))
            case _:
                # left / right / right, not left / (right * right), which overflows sooner
                slope = divide(divide(left, right), right)
                return subtract(divide(first, right), multiply(second, slope))

    def _extreme(self, function: str, arguments: tuple[Node, ...]) -> tuple[Node, Node]:
        """The least or greatest of the arguments, and its derivative: two by two."""
        if len(arguments) == 1:
            return arguments[0], self.of(arguments[0])
        middle = (len(arguments) + 1) // 2
        left, first = self._extreme(function, arguments[:middle])
        right, second = self._extreme(function, arguments[middle:])
        type_ = left.type
        whole = Call(function, arguments, type=type_)
        worse = "<" if function == "max" else ">"
        zero = number(0, type_)
        share = select(compare("==", left, right), number(0.5, type_), number(1, type_))
        # A select around each: a factor 0 would make NaN of an infinite derivative.
        first = select(compare(worse, left, right), zero, multiply(first, share))
        second = select(compare(worse, right, left), zero, multiply(second, share))
        return whole, add(first, second)

    def _power(self, base: Node, exponent: Node) -> Node:
        type_ = base.type
        zero = number(0, type_)
        by_base = self.of(base)
        if not is_number(by_base, 0):
            lower = subtract(exponent, number(1, type_))
            by_base = multiply(by_base, multiply(exponent, call("pow", base, lower)))
            if not isinstance(exponent, Number):  # 0 * pow(0, -1) is no number
                by_base = select(compare("==", exponent, zero), zero, by_base)
        by_exponent = self.of(exponent)
        if not is_number(by_exponent, 0):
            slope = multiply(call("pow", base, exponent), call("log", base))
            by_exponent = multiply(by_exponent, slope)
            known = isinstance(base, Number)
            if not known or is_number(base, 0):
                guard = compare(">=", exponent, zero)
                if not known:
                    guard = Logical("and", compare("==", base, zero), guard, type=BOOL)
                by_exponent = select(guard, zero, by_exponent)
        return add(by_base, by_exponent)

    def _cast(self, node: Cast) -> Node:
        zero = number(0, node.type)
        source = node.operand.type
        if not some_float(source, self._scope):
            return zero
        inner = self.of(node.operand)
        if is_number(inner, 0):
            return zero
        for type_ in {source, node.type} - self._ends if source != node.type else ():
            if is_mixed(type_, self._scope):
                why = f"whether a cast has a derivative depends on what {type_} is"
                raise NotDerivableError(why, node.span)
        return cast(inner, node.type)

    def _fold(self, node: Fold) -> Node:
        if node.name != self._wrt:
            return number(0, node.type)
        if node.function in ("min", "max"):
            what = f"{node.function} of a variadic input has no derivative by one of its tensors"
            raise NotDerivableError(what, node.span)
        one = number(1, node.type)
        if node.function == "sum":
            return one
        return divide(one, Count(node.name, type=node.type))


def _one_minus_square(argument: Node) -> Node:
    one = number(1, argument.type)
    return subtract(one, multiply(argument, argument))


def _one_plus_square(argument: Node) -> Node:
    return add(number(1, argument.type), multiply(argument, argument))


def _erf(x: Node, inner: Node) -> Node:
    bell = call("exp", negate(multiply(x, x)))
    return multiply(inner, multiply(number(_TWO_BY_ROOT_PI, x.type), bell))


def _sigmoid(x: Node, inner: Node) -> Node:
    value = call("sigmoid", x)
    return multiply(inner, multiply(value, subtract(number(1, x.type), value)))


#: Their derivative is 0 where they have one.
_STEPS = ("ceil", "floor", "round", "sign")
#: Function -> its derivative, from the argument and the argument's derivative.
_RULES: Mapping[str, Callable[[Node, Node], Node]] = {
    "abs": lambda x, inner: multiply(inner, call("sign", x)),
    "acos": lambda x, inner: negate(divide(inner, call("sqrt", _one_minus_square(x)))),
    "asin": lambda x, inner: divide(inner, call("sqrt", _one_minus_square(x))),
    "atan": lambda x, inner: divide(inner, _one_plus_square(x)),
    "cos": lambda x, inner: negate(multiply(inner, call("sin", x))),
    "cosh": lambda x, inner: multiply(inner, call("sinh", x)),
    "erf": _erf,
    "exp": lambda x, inner: multiply(inner, call("exp", x)),
    "log": lambda x, inner: divide(inner, x),
    "sigmoid": _sigmoid,
    "sin": lambda x, inner: multiply(inner, call("cos", x)),
    "sinh": lambda x, inner: multiply(inner, call("cosh", x)),
    "sqrt": lambda x, inner: divide(inner, multiply(number(2, x.type), call("sqrt", x))),
    "tan": lambda x, inner: multiply(inner, _one_plus_square(call("tan", x))),
    "tanh": lambda x, inner: multiply(inner, _one_minus_square(call("tanh", x))),
}
