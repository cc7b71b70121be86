"""From the text of an expression to its tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from epforge.ops.expression.model import (
    Apply,
    Arithmetic,
    Comparison,
    ExpressionError,
    Logical,
    Name,
    Negate,
    Node,
    Not,
    Number,
    Span,
    children,
)
from epforge.ops.expression.tokens import Reader, Token

MAX_LENGTH = 1000
#: Of parentheses in each other, and of nodes from the root of the tree to a leaf. Whoever walks a
#: tree may recurse.
MAX_DEPTH = 64

_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _UNARY = range(7)
_BINARY = {
    "or": _OR,
    "and": _AND,
    "+": _ADD,
    "-": _ADD,
    "*": _MULTIPLY,
    "/": _MULTIPLY,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), _COMPARE),
}
_WORDS = ("and", "or", "not")
#: What stands behind an operand in other languages.
_BEHIND = {
    "if": "write select(c, a, b) instead of a if c else b",
    "else": "write select(c, a, b) for a choice",
    "is": "write == to compare",
    "in": "compare with == and or",
    "then": "write select(c, a, b) for a choice",
}
_BEFORE = {
    "lambda": "an expression only has a value: it defines no functions",
    "if": "write select(c, a, b) for a choice",
    "return": "write only the value, without return",
}
_OPERAND = "a number, a name, a function or ("


def parse(text: str) -> Node:
    """Reads an expression.

    Args:
        text: at most `MAX_LENGTH` characters.

    Returns:
        The tree, without types: names and calls are `Name` and `Apply` until `check` has seen them.

    Raises:
        ExpressionError: it is not an expression, or one that is too long or too deep.
    """
    if len(text) > MAX_LENGTH:
        what = f"the expression has {len(text)} characters, and at most {MAX_LENGTH} are read"
        raise ExpressionError(what, Span(MAX_LENGTH, len(text)), hint="split the operator in two")
    if not text.strip():
        what = "the expression is empty"
        raise ExpressionError(what, Span(0, len(text)), "a formula such as max(x, 0)")
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._reader = Reader(text)
        self._token = self._reader.next()
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression(_OR)
        if self._token.kind != "end":
            raise self._unexpected(node)
        _check_depth(node)
        return node

    def _expression(self, level: int) -> Node:
        """An operand, and the operators behind it that bind at least as tightly as ``level``."""
        left = self._negation(level) if self._token.text == "not" else self._unary()
        compared = False
        while (rank := _BINARY.get(self._token.text, -1)) >= level:
            operator = self._take()
            right = self._expression(rank + 1)
            span = Span(left.span.start, right.span.end)
            if rank == _COMPARE and compared:
                raise self._chained(left, operator, right)
            compared = rank == _COMPARE
            if rank == _COMPARE:
                left = Comparison(operator.text, left, right, span=span)
            elif rank in (_OR, _AND):
                left = Logical(operator.text, left, right, span=span)
            else:
                left = Arithmetic(operator.text, left, right, span=span)
        return left

    def _negation(self, level: int) -> Node:
        token = self._take()
        if level > _NOT:
            what = '"not" cannot stand here without parentheses'
            raise ExpressionError(what, token.span, hint="write (not a)")
        operand = self._deeper(token, lambda: self._expression(_NOT))
        return Not(operand, span=Span(token.span.start, operand.span.end))

    def _unary(self) -> Node:
        token = self._token
        if token.text == "-":
            self._take()
            operand = self._deeper(token, self._unary)
            return Negate(operand, span=Span(token.span.start, operand.span.end))
        if token.text == "+":
            raise ExpressionError(
                "there is no sign + before an operand", token.span, _OPERAND, "delete it", ""
            )
        return self._primary()

    def _primary(self) -> Node:
        token = self._token
        if token.kind == "number":
            self._take()
            node: Node = Number(token.value, span=token.span)
        elif token.kind == "name" and token.text not in _WORDS:
            self._take()
            node = Name(token.text, span=token.span)
            if self._token.text == "(":
                node = self._call(token)
        elif token.text == "(":
            self._take()
            node = self._deeper(token, lambda: self._expression(_OR))
            end = self._close(token, node)
            node = replace(node, span=Span(token.span.start, end))
        else:
            raise self._no_operand(token)
        follower = self._token
        if follower.text == "(" or (follower.kind in ("number", "name") and not self._goes_on()):
            raise self._unexpected(node)
        return node

    def _call(self, function: Token) -> Node:
        opening = self._take()
        arguments: list[Node] = []
        if self._token.text != ")":
            arguments.append(self._deeper(opening, lambda: self._expression(_OR)))
            while self._token.text == ",":
                self._take()
                arguments.append(self._deeper(opening, lambda: self._expression(_OR)))
        end = self._close(opening, arguments[-1] if arguments else None)
        span = Span(function.span.start, end)
        return Apply(function.text, tuple(arguments), span=span, place=function.span)

    def _close(self, opening: Token, inner: Node | None) -> int:
        """Takes the ) and returns where it ends."""
        if self._token.kind == "end":
            raise ExpressionError('"(" is never closed', opening.span, hint="write the ) for it")
        if self._token.text != ")":
            raise self._unexpected(inner)
        return self._take().span.end

    def _deeper(self, token: Token, rule: Callable[[], Node]) -> Node:
        if self._depth == MAX_DEPTH:
            raise _too_deep(token.span)
        self._depth += 1
        node = rule()
        self._depth -= 1
        return node

    def _take(self) -> Token:
        token = self._token
        self._token = self._reader.next()
        return token

    def _goes_on(self) -> bool:
        return self._token.text in ("and", "or")

    def _source(self, node: Node) -> str:
        return self._text[node.span.start : node.span.end]

    def _chained(self, left: Node, operator: Token, right: Node) -> ExpressionError:
        assert isinstance(left, Comparison)
        middle = self._source(left.right)
        cure = f"{self._source(left)} and {middle} {operator.text} {self._source(right)}"
        span = Span(left.span.start, right.span.end)
        hint = f"write {cure}" if len(cure) <= 60 else "write a < b and b < c"
        return ExpressionError("comparisons do not chain", span, hint=hint, fix=f"({cure})")

    def _no_operand(self, token: Token) -> ExpressionError:
        if token.kind == "end":
            end = len(self._text.rstrip())
            what = "the expression ends where an operand should be"
            return ExpressionError(what, Span(max(end - 1, 0), end), _OPERAND)
        if token.text == "*":
            what = 'there is no operand before "*"'
        else:
            what = f'"{token.text}" cannot stand here'
        return ExpressionError(what, token.span, _OPERAND)

    def _unexpected(self, node: Node | None) -> ExpressionError:
        """What to say of a word behind a whole operand."""
        token = self._token
        if token.text == ")":
            return ExpressionError('")" closes nothing', token.span, hint="delete it", fix="")
        if token.text == ",":
            what = '"," stands between arguments only'
            return ExpressionError(what, token.span, hint="write 0.5 with a point, not a comma")
        if isinstance(node, Name) and node.name in _BEFORE:
            what = f"the language has no {node.name}"
            return ExpressionError(what, node.span, hint=_BEFORE[node.name])
        if token.text in _BEHIND:
            what = f"the language has no {token.text}"
            return ExpressionError(what, token.span, hint=_BEHIND[token.text])
        what = f'there is no operator before "{token.text[:40]}"'
        hint = "write * for a product" if token.text != "not" else "write and not, or !="
        return ExpressionError(what, token.span, "+ - * / < <= > >= == != and or", hint)


def _check_depth(root: Node) -> None:
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in children(node)]
    if level:
        raise _too_deep(level[0].span)


def _too_deep(span: Span) -> ExpressionError:
    what = f"the expression is more than {MAX_DEPTH} levels deep"
    hint = "group long sums and products, as in (a + b) + (c + d), or split the operator in two"
    return ExpressionError(what, span, hint=hint)
