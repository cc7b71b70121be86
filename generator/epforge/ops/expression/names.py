"""Names and calls that mean nothing, or not this: what to say of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from epforge.ops.expression.model import (
    FUNCTIONS,
    KEYWORDS,
    Apply,
    ExpressionError,
    Name,
    Node,
    Scope,
    Span,
)
from epforge.ops.model import SMALL, DType

_ARITY = {"select": 3, "cast": 2, "has": 1, "default": 2}
_USAGE = {
    "select": "select(condition, a, b)",
    "cast": "cast(x, float32)",
    "has": "has(bias)",
    "default": "default(bias, 0)",
    "pow": "pow(x, y)",
    "min": "min(x, y)",
    "max": "max(x, y)",
    "sum": "sum(xs)",
    "mean": "mean(xs)",
}
#: Names that other languages have for functions of this one.
_ELSEWHERE = {
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "fabs": "abs",
    "fmax": "max",
    "fmin": "min",
    "if": "select",
    "iif": "select",
    "ln": "log",
    "logistic": "sigmoid",
    "maximum": "max",
    "minimum": "min",
    "nearbyint": "round",
    "power": "pow",
    "rint": "round",
    "sgn": "sign",
    "where": "select",
}
#: Functions that are a formula here.
_FORMULAS = {
    "clamp": "min(max(x, low), high)",
    "clip": "min(max(x, low), high)",
    "exp2": "pow(2, x)",
    "expm1": "exp(x) - 1",
    "fma": "x * y + z",
    "fmod": "x - floor(x / y) * y",
    "gelu": "0.5 * x * (1 + erf(x / sqrt(2)))",
    "isnan": "x != x",
    "log10": "log(x) / log(10)",
    "log1p": "log(1 + x)",
    "log2": "log(x) / log(2)",
    "mod": "x - floor(x / y) * y",
    "relu": "max(x, 0)",
    "rsqrt": "1 / sqrt(x)",
    "silu": "x * sigmoid(x)",
    "softplus": "log(1 + exp(x))",
    "square": "x * x",
}
_CONSTANTS = {
    "e": "2.718281828459045",
    "pi": "3.141592653589793",
    "tau": "6.283185307179586",
}


def _closest(word: str, known: Iterable[str]) -> str | None:
    candidates = sorted(set(known))
    same = [candidate for candidate in candidates if candidate.lower() == word.lower()]
    if same or len(word) > 64:
        return same[0] if same else None
    close = difflib.get_close_matches(word, candidates, n=1, cutoff=0.6)
    return close[0] if close else None


def _list(words: Iterable[str]) -> str:
    items = list(words)
    return ", ".join(items[:30]) + (", ..." if len(items) > 30 else "")


def _show(name: str) -> str:
    return f'"{name}"' if len(name) <= 60 else f'"{name[:57]}..."'


def unknown_name(name: str, span: Span, scope: Scope) -> ExpressionError:
    """What to say of a name that is none of an input or attribute."""
    known = [formal.name for formal in scope.inputs]
    known += [key for key, kind in scope.attributes.items() if kind in ("int", "float", "bool")]
    expected = _list(known) or "a number: the operator has no inputs and no attributes"
    if name in KEYWORDS:
        usage = _USAGE.get(name, f"{name}(x)")
        return ExpressionError(f"{_show(name)} is a function", span, hint=f"write {usage}")
    what = f"there is no input or attribute {_show(name)}"
    if name.lower() in ("true", "false"):
        hint = "write the condition itself: select(c, true, false) is c"
        return ExpressionError(what, span, expected, hint)
    if name.lower() in _CONSTANTS:
        value = _CONSTANTS[name.lower()]
        return ExpressionError(what, span, expected, f"write {value}", value)
    meant = _closest(name, known)
    hint = f"did you mean {meant}?" if meant else ""
    return ExpressionError(what, span, expected, hint, meant)


def unknown_function(node: Apply) -> ExpressionError:
    """What to say of a call of something that is no function."""
    name = node.function
    known = sorted({*KEYWORDS} - {"and", "or", "not"})
    what = f"there is no function {_show(name)}"
    if name in _FORMULAS:
        return ExpressionError(what, node.place, _list(known), f"write {_FORMULAS[name]}")
    meant = _ELSEWHERE.get(name) or _closest(name, known)
    hint = f"did you mean {meant}?" if meant else ""
    return ExpressionError(what, node.place, _list(known), hint, meant)


def check_arity(node: Apply, scope: Scope) -> None:
    """Raises ExpressionError for a call with too few or too many arguments, or of no function."""
    name, count = node.function, len(node.arguments)
    if name in ("sum", "mean"):
        raise _no_tensors(node, scope)
    if name not in KEYWORDS:
        raise unknown_function(node)
    arity = _ARITY[name] if name in _ARITY else FUNCTIONS[name].arity
    if arity is None and count < 2:
        if count == 1:
            raise _no_tensors(node, scope)
        what = f"{name} wants two arguments or more, and has none"
        raise ExpressionError(what, node.span, _USAGE[name])
    if arity is not None and count != arity:
        plural = "argument" if arity == 1 else "arguments"
        what = f"{name} wants {arity} {plural}, and has {count or 'none'}"
        raise ExpressionError(what, node.span, _USAGE.get(name, f"{name}(x)"))


def _no_tensors(node: Apply, scope: Scope) -> ExpressionError:
    """What to say of a function over tensors of something that is no variadic input."""
    name = node.function
    argument = node.arguments[0] if node.arguments else node
    known = [formal.name for formal in scope.inputs if formal.option == "variadic"]
    if isinstance(argument, Name) and (
        argument.name not in scope.attributes and scope.input(argument.name) is None
    ):
        return unknown_name(argument.name, argument.span, scope)
    expected = f"{name}({known[0]})" if known else ""
    if name in ("min", "max"):
        what = f"{name} wants two arguments or more, or one variadic input"
        return ExpressionError(what, node.span, expected or _USAGE[name])
    what = f"{name} wants one variadic input"
    hint = "write x + y" if name == "sum" else "write (x + y) / 2"
    return ExpressionError(what, node.span, expected, hint)


def cast_type(node: Node, scope: Scope) -> str:
    """The type that the second argument of cast names. Raises ExpressionError if it names none."""
    known = [*scope.types, *(dtype.text for dtype in DType if dtype not in (DType.STRING, *SMALL))]
    if not isinstance(node, Name):
        what = "cast wants the name of a type as its second argument"
        raise ExpressionError(what, node.span, _list(known))
    plain = {dtype.text for dtype in DType if dtype not in SMALL}
    if node.name not in scope.types and node.name not in plain:
        aliases = {"float": "float32", "double": "float64", "half": "float16", "int": "int32"}
        meant = aliases.get(node.name) or _closest(node.name, known)
        what = f"there is no type {_show(node.name)}"
        hint = f"did you mean {meant}?" if meant else ""
        raise ExpressionError(what, node.span, _list(known), hint, meant)
    if DType.STRING in scope.dtypes(node.name):
        what = f"nothing can be cast to {node.name}, which can be string"
        raise ExpressionError(what, node.span, _list(known))
    return node.name


def optional_unguarded(name: str, span: Span) -> ExpressionError:
    """What to say of an optional input that may have been left out."""
    what = f"the input {name} is optional, and may have been left out here"
    hint = f"write default({name}, 0), or select(has({name}), ..., ...) around it"
    return ExpressionError(what, span, hint=hint, fix=f"default({name}, 0)")


def variadic_bare(name: str, span: Span) -> ExpressionError:
    """What to say of a variadic input that stands for a single element."""
    what = f"the input {name} is variadic: it has no single element"
    expected = f"sum({name}), mean({name}), min({name}) or max({name})"
    return ExpressionError(what, span, expected)
