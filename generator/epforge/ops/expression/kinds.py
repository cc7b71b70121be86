"""What the types of an expression can be, and how literals and attributes take one."""

from __future__ import annotations

from dataclasses import replace

from epforge.ops.expression.model import (
    BOOL,
    FUNCTIONS,
    NUMBER,
    Arithmetic,
    Attribute,
    Call,
    ExpressionError,
    Negate,
    Node,
    Number,
    Scope,
    Select,
)
from epforge.ops.expression.spell import text
from epforge.ops.model import DType

FLOATS = (DType.FLOAT32, DType.FLOAT64, DType.FLOAT16, DType.BFLOAT16)
_NO_NUMBERS = (DType.BOOL, DType.STRING)
_INT64 = "int64"
_FLOAT64 = "float64"
_IN_FLOATS = "compute in floating point, as in cast(x, float32)"
#: From where on a number is infinite in a type (halfway from the largest to the next), and the
#: largest one.
_INFINITE = {
    DType.FLOAT16: (65520.0, "65504"),
    DType.BFLOAT16: ((2 - 2.0**-8) * 2.0**127, "3.3895314e38"),
    DType.FLOAT32: ((2 - 2.0**-24) * 2.0**127, "3.4028235e38"),
}


def is_bool(type_: str, scope: Scope) -> bool:
    """Whether the type is bool, whatever a variable stands for."""
    return type_ != NUMBER and all(dtype is DType.BOOL for dtype in scope.dtypes(type_))


def not_number(type_: str, scope: Scope) -> DType | None:
    """A type that ``type_`` can be and that has no arithmetic."""
    return next((dtype for dtype in scope.dtypes(type_) if dtype in _NO_NUMBERS), None)


def not_float(type_: str, scope: Scope) -> DType | None:
    """A type that ``type_`` can be and that is not floating point."""
    return next((dtype for dtype in scope.dtypes(type_) if dtype not in FLOATS), None)


def not_signed(type_: str, scope: Scope) -> DType | None:
    """An unsigned type that ``type_`` can be."""
    return next((dtype for dtype in scope.dtypes(type_) if dtype.text.startswith("uint")), None)


def some_float(type_: str, scope: Scope) -> bool:
    """Whether the type can be floating point."""
    return any(dtype in FLOATS for dtype in scope.dtypes(type_))


def is_mixed(type_: str, scope: Scope) -> bool:
    """Whether the type can be floating point and can be something else."""
    return some_float(type_, scope) and not_float(type_, scope) is not None


def shown(type_: str, dtype: DType) -> str:
    """``T, which can be int32``; or ``int32``, where that is the type."""
    return type_ if type_ == dtype.text else f"{type_}, which can be {dtype.text}"


def quote(node: Node) -> str:
    """The text of a part for a message, cut where it is long."""
    spelled = text(node)
    return spelled if len(spelled) <= 40 else f"{spelled[:37]}..."


def _as_float(node: Node) -> str:
    return quote(node) if isinstance(node, Number) else f"cast({quote(node)}, float32)"


def require_number(node: Node, scope: Scope, what: str) -> None:
    """Raises ExpressionError if ``node`` is or can be no number; ``what`` wants one."""
    dtype = not_number(node.type, scope)
    if dtype is not None:
        is_what = f"{quote(node)} is {shown(node.type, dtype)}"
        cure = f"write cast({quote(node)}, float32)" if dtype is DType.BOOL else ""
        if dtype is DType.BOOL and node.type == BOOL:
            cure = f"write select({quote(node)}, 1, 0)"
        raise ExpressionError(f"{what} wants numbers, and {is_what}", node.span, hint=cure)


def require_float(node: Node, scope: Scope, what: str) -> None:
    """Raises ExpressionError if ``node`` can be something other than a floating-point number."""
    require_number(node, scope, what)
    dtype = not_float(node.type, scope)
    if dtype is not None:
        message = (
            f"{what} wants floating-point numbers, and {quote(node)} is {shown(node.type, dtype)}"
        )
        if isinstance(node, Number):
            raise ExpressionError(message, node.span, hint=_IN_FLOATS)
        fix = f"cast({text(node)}, float32)"
        raise ExpressionError(message, node.span, hint=f"write {_as_float(node)}", fix=fix)


def adapt(node: Node, type_: str, scope: Scope) -> Node:
    """A part of type `NUMBER` as one of type ``type_``.

    Raises:
        ExpressionError: something in it cannot be of that type.
    """
    dtype = not_number(type_, scope)
    if dtype is not None:
        what = f"{quote(node)} is a number, and cannot be {shown(type_, dtype)}"
        hint = "write not x, or the name alone, to ask for a bool" if dtype is DType.BOOL else ""
        raise ExpressionError(what, node.span, hint=hint)
    return _adapt(node, type_, scope)


def _adapt(node: Node, type_: str, scope: Scope) -> Node:
    if node.type != NUMBER:
        return node
    match node:
        case Number():
            return _literal(node, type_, scope)
        case Attribute(name=name):
            dtype = not_float(type_, scope)
            if dtype is not None and scope.attributes[name] == "float":
                what = f"the attribute {name} is a float, and cannot be {shown(type_, dtype)}"
                hint = f"write cast({name}, {type_}), which cuts the fraction off"
                raise ExpressionError(what, node.span, hint=hint, fix=f"cast({name}, {type_})")
            return replace(node, type=type_)
        case Negate(operand=operand):
            dtype = not_signed(type_, scope)
            if dtype is not None:
                raise unsigned(node, type_, dtype)
            return replace(node, operand=_adapt(operand, type_, scope), type=type_)
        case Arithmetic(op=op, left=left, right=right):
            left, right = _adapt(left, type_, scope), _adapt(right, type_, scope)
            if op == "/":
                require_division(replace(node, left=left, right=right, type=type_), scope)
            return replace(node, left=left, right=right, type=type_)
        case Call(function=function, arguments=arguments):
            adapted = tuple(_adapt(argument, type_, scope) for argument in arguments)
            if FUNCTIONS[function].floats:
                require_float(adapted[0], scope, function)
            return replace(node, arguments=adapted, type=type_)
        case Select(then=then, otherwise=otherwise):
            then, otherwise = _adapt(then, type_, scope), _adapt(otherwise, type_, scope)
            return replace(node, then=then, otherwise=otherwise, type=type_)
        case _:
            raise TypeError(type(node).__name__)


def _literal(node: Number, type_: str, scope: Scope) -> Number:
    value = node.value
    spelled = quote(node)
    for dtype in scope.dtypes(type_):
        where = shown(type_, dtype)
        if dtype in FLOATS:
            infinite, largest = _INFINITE.get(dtype, (None, ""))
            if infinite is not None and abs(value) >= infinite:
                what = f"{spelled} is beyond the range of {where}"
                hint = "compute in a wider type: cast(x, float64)"
                raise ExpressionError(what, node.span, f"{largest} at most", hint)
            continue
        if value != int(value):
            what = f"{spelled} is not whole, and cannot be {where}"
            hint = f"write a whole number, or {_IN_FLOATS}"
            raise ExpressionError(what, node.span, hint=hint)
        low, high = _range(dtype)
        if not low <= value <= high:
            what = f"{spelled} is beyond the range of {where}"
            hint = "compute in a wider type: cast(x, int64)"
            raise ExpressionError(what, node.span, f"{low} to {high}", hint)
    if not_float(type_, scope) is not None:
        value = int(value)
    return replace(node, value=value, type=type_)


def _range(dtype: DType) -> tuple[int, int]:
    bits = int(dtype.text.lstrip("uint"))
    if dtype.text.startswith("u"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def unsigned(node: Negate, type_: str, dtype: DType) -> ExpressionError:
    """What to say of a minus before something unsigned."""
    what = f"{quote(node.operand)} has no negative: it is {shown(type_, dtype)}"
    fix = f"-cast({text(node.operand)}, int64)"
    return ExpressionError(
        what, node.span, hint=f"write -cast({quote(node.operand)}, int64)", fix=fix
    )


def require_division(node: Arithmetic, scope: Scope) -> None:
    """Raises ExpressionError if a quotient is or can be one of integers."""
    dtype = not_float(node.type, scope)
    if dtype is not None:
        left, right = _as_float(node.left), _as_float(node.right)
        what = f"/ wants floating-point numbers, and here it divides {shown(node.type, dtype)}"
        hint = f"write {left} / {right}" if "(" in left + right else _IN_FLOATS
        raise ExpressionError(what, node.span, hint=hint)


def settle(node: Node, scope: Scope) -> Node:
    """A part of type `NUMBER` that nothing gives a type: int64 if all in it is whole, else float64.

    Raises:
        ExpressionError: a literal is beyond the type's range.
    """
    if node.type != NUMBER:
        return node
    return adapt(node, _INT64 if _is_whole(node, scope) else _FLOAT64, scope)


def _is_whole(node: Node, scope: Scope) -> bool:
    """Whether a part of type `NUMBER` is one of integers."""
    match node:
        case Number(value=value):
            return isinstance(value, int)
        case Attribute(name=name):
            return scope.attributes[name] == "int"
        case Negate(operand=operand):
            return _is_whole(operand, scope)
        case Arithmetic(op=op, left=left, right=right):
            return op != "/" and _is_whole(left, scope) and _is_whole(right, scope)
        case Call(function=function, arguments=arguments):
            whole = all(_is_whole(argument, scope) for argument in arguments)
            return whole and not FUNCTIONS[function].floats
        case Select(then=then, otherwise=otherwise):
            return _is_whole(then, scope) and _is_whole(otherwise, scope)
        case _:
            raise TypeError(type(node).__name__)
