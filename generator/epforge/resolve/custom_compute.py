"""The expressions of custom operators, and their gradients: read, typed, and found derivable."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from epforge.blueprint.diagnostic import listed, show, suggest
from epforge.blueprint.nodes import Path
from epforge.blueprint.shape import CustomOpShape
from epforge.ops.expression import (
    Expression,
    ExpressionError,
    Formal,
    NotDerivableError,
    Scope,
    check,
    differentiate,
    parse,
)
from epforge.ops.model import DType
from epforge.resolve.custom_spelling import expression_meant
from epforge.resolve.findings import Findings
from epforge.resolve.services import CustomParameter, Grad

#: Types that have a gradient.
FLOATS = (DType.FLOAT32, DType.FLOAT64, DType.FLOAT16, DType.BFLOAT16)
#: Operands of a generated kernel.
MAX_OPERANDS = 16

Types = Mapping[str, tuple[DType, ...]]


def resolve_compute(
    shape: CustomOpShape,
    inputs: tuple[CustomParameter, ...],
    outputs: tuple[CustomParameter, ...],
    types: Types,
    path: Path,
    found: Findings,
) -> Mapping[str, Expression] | None:
    """The expression of every output; None when one of them is wrong.

    Args:
        shape: the operator as written, with ``compute``.
        inputs, outputs, types: what is known of it.
        path: of ``compute``.
        found: where errors go.
    """
    texts = dict(shape.compute or {})
    if "" in texts and len(outputs) == 1:
        texts = {outputs[0].name: texts[""]}
    named = _check_outputs(texts, outputs, path, found)
    if len(inputs) > MAX_OPERANDS:
        what = f"compute: an expression of {len(inputs)} inputs"
        hint = "leave compute out, and write the kernel in the stub"
        found.error(path, "too-many", what, f"at most {MAX_OPERANDS}", hint)
    scope = scope_of(inputs, _kinds(shape), types)
    if found.source.incomplete(*path[:2]):
        return None
    computed: dict[str, Expression] = {}
    for output in named:
        text = texts[output.name]
        place: Path = path if "" in (shape.compute or {}) else (*path, str(output.name))
        try:
            root = check(parse(text), scope, output.type)
        except ExpressionError as error:
            fits = partial(_fits, scope=scope, kind=output.type)
            _report(error, text, place, found, expression_meant(text, (output.name,), fits))
        else:
            computed[output.name] = Expression(text, root)
    return computed if len(computed) == len(outputs) else None


def check_syntax(texts: Mapping[str, str], path: Path, found: Findings) -> None:
    """Of the expressions of an operator whose names or types are wrong, only the syntax."""
    for name, text in texts.items():
        try:
            parse(text)
        except ExpressionError as error:
            _report(error, text, (*path, name) if name else path, found, None)


def _fits(text: str, scope: Scope, kind: str) -> bool:
    try:
        check(parse(text), scope, kind)
    except ExpressionError:
        return False
    return True


def _report(
    error: ExpressionError, text: str, path: Path, found: Findings, meant: str | None
) -> None:
    span = (error.span.start, error.span.end)
    if meant is not None and error.fix is None:
        change = found.in_quotes(path, meant)
        what, hint = f"compute: {error.message}", f"write {meant}"
        found.error_within(path, span, "bad-expression", what, error.expected, hint, change)
        return
    if error.fix is None and _is_right(f"{text})"):
        hint, fix = "write ) at the end", found.at_end(path, ")")
        found.error_within(path, span, "bad-expression", f"compute: {error.message}", "", hint, fix)
        return
    found.error_within(
        path,
        span,
        "bad-expression",
        f"compute: {error.message}",
        error.expected,
        error.hint,
        error.fix,
    )


def _is_right(text: str) -> bool:
    try:
        parse(text)
    except ExpressionError:
        return False
    return True


def _check_outputs(
    texts: Mapping[str, str], outputs: tuple[CustomParameter, ...], path: Path, found: Findings
) -> list[CustomParameter]:
    """The outputs that have an expression; what is missing or too much is reported."""
    names = [str(output.name) for output in outputs]
    if "" in texts:
        what = f"compute: there are {len(outputs)} outputs, and one expression"
        example = ", ".join(f"{name}: ..." for name in names)
        if outputs:
            found.error(path, "bad-expression", what, f"one for each: {{{example}}}")
        return []
    meanings: set[str | None] = set()
    for name in texts:
        if name not in names:
            meant = suggest(name, [each for each in names if each not in texts])
            meanings.add(meant)
            hint = f"did you mean {meant}?" if meant else ""
            what = f"compute: there is no output {show(name)}"
            found.key_error((*path, name), "unknown-output", what, listed(names), hint, meant)
    missing = [name for name in names if name not in texts and name not in meanings]
    if missing:
        what = f"compute: there is no expression for {listed(missing)}"
        found.error(path, "missing-output", what)
    return [output for output in outputs if output.name in texts]


def differentiable(
    inputs: tuple[CustomParameter, ...], types: Types
) -> tuple[CustomParameter, ...]:
    """The inputs that a gradient can be asked for: those that can be floating-point numbers."""
    return tuple(parameter for parameter in inputs if _some_floats(parameter.type, types))


def _some_floats(kind: str, types: Types) -> bool:
    dtypes = types.get(kind) or tuple(dtype for dtype in DType if dtype.text == kind)
    return any(dtype in FLOATS for dtype in dtypes)


def scope_of(
    inputs: tuple[CustomParameter, ...], attributes: Mapping[str, str], types: Types
) -> Scope:
    """What the operator's expressions may name; ``attributes`` are name -> kind."""
    return Scope(tuple(Formal(p.name, p.type, p.option) for p in inputs), attributes, types)


def resolve_grad(
    shape: CustomOpShape,
    compute: Mapping[str, Expression] | None,
    inputs: tuple[CustomParameter, ...],
    types: Types,
    path: Path,
    found: Findings,
) -> Grad:
    """Where the gradient comes from: as written, or derived where that is possible."""
    asked = Grad(shape.grad) if shape.grad is not None else None
    if asked in (Grad.STUB, Grad.NONE):
        return asked
    wanted = differentiable(inputs, types)
    if compute is None:
        if asked is Grad.AUTO and shape.compute is None:
            what = "grad: there is no expression to derive it from"
            found.error((*path, "grad"), "no-gradient", what, "stub or none")
        return Grad.STUB if wanted else Grad.NONE
    if not wanted:
        if asked is Grad.AUTO:
            what = "grad: no input is of floating-point numbers"
            found.error((*path, "grad"), "no-gradient", what, "none")
        return Grad.NONE
    scope = scope_of(inputs, _kinds(shape), types)
    try:
        for expression in compute.values():
            if _some_floats(expression.root.type, types):
                for parameter in wanted:
                    differentiate(expression.root, parameter.name, scope)
    except NotDerivableError as error:
        if asked is Grad.AUTO:
            what = f"grad: {error}"
            found.error((*path, "grad"), "no-gradient", what, "stub or none")
        return Grad.STUB
    return Grad.AUTO


def _kinds(shape: CustomOpShape) -> Mapping[str, str]:
    return {name: attribute.type for name, attribute in shape.attributes.items()}
