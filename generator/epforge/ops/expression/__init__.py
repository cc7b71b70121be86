"""The expression language of custom operators: see `model` for what can be written."""

from epforge.ops.expression.check import check
from epforge.ops.expression.differentiate import NotDerivableError, differentiate
from epforge.ops.expression.evaluate import evaluate
from epforge.ops.expression.model import Expression, ExpressionError, Formal, Scope, Span
from epforge.ops.expression.parse import parse

__all__ = [
    "Expression",
    "ExpressionError",
    "Formal",
    "NotDerivableError",
    "Scope",
    "Span",
    "check",
    "differentiate",
    "evaluate",
    "parse",
]
