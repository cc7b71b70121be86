"""Gives every part of an expression its type, and finds what is wrong with it."""

from __future__ import annotations

from dataclasses import replace

from epforge.ops.expression.constants import check_call, check_quotient
from epforge.ops.expression.guards import guarded
from epforge.ops.expression.kinds import (
    adapt,
    is_bool,
    not_signed,
    quote,
    require_division,
    require_float,
    require_number,
    settle,
    shown,
    unsigned,
)
from epforge.ops.expression.model import (
    BOOL,
    FOLDS,
    FUNCTIONS,
    NUMBER,
    Apply,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    Comparison,
    Default,
    ExpressionError,
    Fold,
    Formal,
    Has,
    Input,
    Logical,
    Name,
    Negate,
    Node,
    Not,
    Number,
    Scope,
    Select,
    Span,
)
from epforge.ops.expression.names import (
    cast_type,
    check_arity,
    optional_unguarded,
    unknown_name,
    variadic_bare,
)
from epforge.ops.expression.spell import text
from epforge.ops.model import DType

_NONE: frozenset[str] = frozenset()


def check(node: Node, scope: Scope, result: str) -> Node:
    """Finds out what the names mean and of what type every part is.

    Args:
        node: from `parse`.
        scope: what can be named.
        result: the type of the output.

    Returns:
        The tree with its types, the root's being ``result``. Literals and attributes are of the
        type that they meet; where none meets them, of int64, or float64 if they are not all whole.

    Raises:
        ExpressionError: the first thing that is wrong.
    """
    checked = _Checker(scope).check(node, _NONE)
    if checked.type == NUMBER:
        return adapt(checked, result, scope)
    if checked.type != result:
        what = f"the output is of type {result}, and {quote(checked)} is {checked.type}"
        inner = checked.operand if isinstance(checked, Cast) else checked
        fix = f"cast({text(inner)}, {result})"
        hint = f"write cast({quote(inner)}, {result})"
        raise ExpressionError(what, checked.span, hint=hint, fix=fix)
    return checked


class _Checker:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def check(self, node: Node, present: frozenset[str]) -> Node:
        """The part with its types. ``present``: optional inputs that are there where it is used."""
        match node:
            case Number():
                return replace(node, type=NUMBER)
            case Name(name=name):
                return self._name(name, node.span, present)
            case Negate():
                return self._negate(node, present)
            case Not(operand=operand):
                return replace(node, operand=self._condition(operand, present, "not"), type=BOOL)
            case Arithmetic():
                return self._arithmetic(node, present)
            case Comparison():
                return self._comparison(node, present)
            case Logical(op=op, left=left, right=right):
                return replace(
                    node,
                    left=self._condition(left, present, op),
                    right=self._condition(right, present, op),
                    type=BOOL,
                )
            case Apply():
                return self._apply(node, present)
            case _:
                raise TypeError(f"{type(node).__name__} does not come from parse")

    def _name(self, name: str, span: Span, present: frozenset[str]) -> Node:
        formal = self._scope.input(name)
        if formal is not None:
            if formal.option == "variadic":
                raise variadic_bare(name, span)
            if formal.option == "optional" and name not in present:
                raise optional_unguarded(name, span)
            return Input(name, type=self._usable(formal, span).type, span=span)
        kind = self._scope.attributes.get(name)
        if kind is None:
            raise unknown_name(name, span, self._scope)
        if kind not in ("int", "float", "bool"):
            what = f"the attribute {name} is of type {kind}, and has no place in an expression"
            raise ExpressionError(what, span, "an attribute of type int, float or bool")
        return Attribute(name, type=BOOL if kind == "bool" else NUMBER, span=span)

    def _usable(self, formal: Formal, span: Span) -> Formal:
        if DType.STRING in self._scope.dtypes(formal.type):
            what = (
                f"{formal.name} is {shown(formal.type, DType.STRING)}: strings have no arithmetic"
            )
            hint = "leave compute out: the operator is then a stub that you write"
            raise ExpressionError(what, span, hint=hint)
        return formal

    def _negate(self, node: Negate, present: frozenset[str]) -> Node:
        operand = self.check(node.operand, present)
        if isinstance(operand, Number):  # -128 is an int8, 128 is none
            return replace(operand, value=-operand.value, span=node.span)
        require_number(operand, self._scope, "-")
        dtype = not_signed(operand.type, self._scope)
        typed = replace(node, operand=operand, type=operand.type)
        if dtype is not None:
            raise unsigned(typed, operand.type, dtype)
        return typed

    def _arithmetic(self, node: Arithmetic, present: frozenset[str]) -> Node:
        left = self.check(node.left, present)
        right = self.check(node.right, present)
        for operand in (left, right):
            require_number(operand, self._scope, node.op)
        left, right = self._same(left, right)
        typed = replace(node, left=left, right=right, type=left.type)
        if node.op == "/":
            require_division(typed, self._scope)
            check_quotient(typed)
        return typed

    def _comparison(self, node: Comparison, present: frozenset[str]) -> Node:
        left = self.check(node.left, present)
        right = self.check(node.right, present)
        if node.op not in ("==", "!="):
            for operand in (left, right):
                require_number(operand, self._scope, node.op)
        left, right = self._same(left, right)
        left, right = self._settled(left, right)
        return replace(node, left=left, right=right, type=BOOL)

    def _settled(self, left: Node, right: Node) -> tuple[Node, Node]:
        """Both of one type even if nothing gives them one."""
        if left.type != NUMBER:
            return left, right
        types = {settle(left, self._scope).type, settle(right, self._scope).type}
        type_ = "float64" if "float64" in types else "int64"
        return adapt(left, type_, self._scope), adapt(right, type_, self._scope)

    def _condition(self, node: Node, present: frozenset[str], what: str) -> Node:
        condition = self.check(node, present)
        if not is_bool(condition.type, self._scope):
            is_what = "a number" if condition.type == NUMBER else condition.type
            message = f"{what} wants a bool, and {quote(condition)} is {is_what}"
            hint = f"compare it: {quote(condition)} != 0"
            raise ExpressionError(message, condition.span, hint=hint)
        return condition

    def _same(self, *nodes: Node) -> tuple[Node, ...]:
        """The parts, all of one type: that of those that have one."""
        typed = [node for node in nodes if node.type != NUMBER]
        if not typed:
            return nodes
        first = typed[0]
        for other in typed[1:]:
            if other.type != first.type:
                what = (
                    f"{quote(first)} is {first.type} and {quote(other)} is {other.type}:"
                    " types do not mix"
                )
                fix = f"cast({text(other)}, {first.type})"
                hint = f"write cast({quote(other)}, {first.type})"
                raise ExpressionError(what, other.span, hint=hint, fix=fix)
        return tuple(
            adapt(node, first.type, self._scope) if node.type == NUMBER else node for node in nodes
        )

    def _apply(self, node: Apply, present: frozenset[str]) -> Node:
        function = node.function
        if function in FOLDS and len(node.arguments) == 1 and (fold := self._fold(node)):
            return fold
        check_arity(node, self._scope)
        match function:
            case "select":
                return self._select(node, present)
            case "cast":
                return self._cast(node, present)
            case "has" | "default":
                return self._optional(node, present)
        arguments = self._same(*(self.check(part, present) for part in node.arguments))
        require = require_float if FUNCTIONS[function].floats else require_number
        for argument in arguments:
            require(argument, self._scope, function)
        call = Call(function, arguments, type=arguments[0].type, span=node.span)
        check_call(call)
        return call

    def _fold(self, node: Apply) -> Node | None:
        argument = node.arguments[0]
        formal = self._scope.input(argument.name) if isinstance(argument, Name) else None
        if formal is None or formal.option != "variadic":
            return None
        self._usable(formal, argument.span)
        fold = Fold(node.function, formal.name, type=formal.type, span=node.span)
        tensor = Input(formal.name, type=formal.type, span=argument.span)
        require = require_float if node.function == "mean" else require_number
        require(tensor, self._scope, node.function)
        return fold

    def _select(self, node: Apply, present: frozenset[str]) -> Node:
        condition = self._condition(node.arguments[0], present, "select")
        then = self.check(node.arguments[1], present | guarded(condition, True))
        otherwise = self.check(node.arguments[2], present | guarded(condition, False))
        then, otherwise = self._same(then, otherwise)
        return Select(condition, then, otherwise, type=then.type, span=node.span)

    def _cast(self, node: Apply, present: frozenset[str]) -> Node:
        operand = settle(self.check(node.arguments[0], present), self._scope)
        type_ = cast_type(node.arguments[1], self._scope)
        return Cast(operand, type=type_, span=node.span)

    def _optional(self, node: Apply, present: frozenset[str]) -> Node:
        argument = node.arguments[0]
        if not isinstance(argument, Name):
            what = f"{node.function} wants the name of an optional input"
            raise ExpressionError(what, argument.span)
        formal = self._scope.input(argument.name)
        if formal is None and argument.name not in self._scope.attributes:
            raise unknown_name(argument.name, argument.span, self._scope)
        if formal is None or formal.option != "optional":
            what = f"{node.function} wants an optional input, and {argument.name} is always there"
            hint = (
                f'write {argument.name} alone, or "{formal.type}?" for its type' if formal else ""
            )
            raise ExpressionError(what, argument.span, hint=hint)
        if node.function == "has":
            return Has(formal.name, type=BOOL, span=node.span)
        self._usable(formal, argument.span)
        stands_for = Input(formal.name, type=formal.type, span=argument.span)
        _, otherwise = self._same(stands_for, self.check(node.arguments[1], present))
        return Default(formal.name, otherwise, type=formal.type, span=node.span)
