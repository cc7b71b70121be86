"""Custom operators, compiling, features, libraries, PyTorch and overlays: checked and typed."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from epforge.blueprint.diagnostic import listed, show, suggest
from epforge.blueprint.nodes import Path, Scalar
from epforge.blueprint.shape import (
    CompileShape,
    CustomAttributeShape,
    CustomOpShape,
    FeaturesShape,
    PythonShape,
    TorchShape,
)
from epforge.names import Identifier, Name
from epforge.ops import schemas
from epforge.ops.model import DType
from epforge.resolve.findings import Findings
from epforge.resolve.model import OptionType, Paradigm
from epforge.resolve.opnames import find_schema, split_op
from epforge.resolve.options import read_value
from epforge.resolve.reserved import ascii_words, why_not_member
from epforge.resolve.services import (
    Compile,
    CustomAttribute,
    CustomOp,
    Features,
    Grad,
    Pattern,
    Torch,
    Weightless,
)

#: The first API level with the callback that says which compiled models go without weights.
WEIGHTLESS_SINCE = 29

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_SUFFIX = re.compile(r"|[-._]?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_FUNCTIONS = (
    "abs",
    "acos",
    "asin",
    "atan",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "floor",
    "log",
    "max",
    "min",
    "pow",
    "round",
    "select",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
)
_EXPRESSION = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.USub,
    ast.UAdd,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.Eq,
    ast.NotEq,
)


def resolve_custom_ops(shapes: tuple[CustomOpShape, ...], found: Findings) -> tuple[CustomOp, ...]:
    """The project's own operators, in the blueprint's order."""
    seen: dict[str, int] = {}
    ops: list[CustomOp] = []
    for index, shape in enumerate(shapes):
        path: Path = ("custom_ops", index)
        parts = _own_op(shape.op, (*path, "op"), found)
        words = Name.parse(f"{parts[0]} {parts[1]}").snake
        if words in seen:
            line = found.line(("custom_ops", seen[words], "op"))
            what = f"custom_ops: {show(shape.op)} and the operator on line {line} are the same name"
            found.error((*path, "op"), "name-collision", what)
        seen.setdefault(words, index)
        ops.append(_custom_op(shape, parts, path, found))
    return tuple(ops)


def _own_op(text: str, path: Path, found: Findings) -> tuple[str, Identifier]:
    parts = split_op(text)
    if parts is None or not parts[0]:
        what = f"custom_ops: {show(text)} is not an operator with a domain"
        proposal = f"com.example::{ascii_words(text, '_', 'MyOp')}" if "::" not in text else None
        hint = f"such as {proposal}" if proposal else ""
        found.error(path, "bad-name", what, "domain::Op", hint)
        return "com.example", Identifier("MyOp")
    domain, op = parts
    taken = domain in schemas.domains() or domain.startswith(
        ("ai.onnx", "com.microsoft", "com.ms.")
    )
    if taken:
        what = f"custom_ops: the domain {show(domain)} belongs to ONNX or ONNX Runtime"
        found.error(path, "reserved-domain", what, "a domain of your own, such as com.example")
    return domain, Identifier(op)


def _custom_op(
    shape: CustomOpShape, parts: tuple[str, Identifier], path: Path, found: Findings
) -> CustomOp:
    domain, op = parts
    if not shape.outputs and not found.source.incomplete(*path):
        found.error((*path, "outputs"), "empty-list", "outputs: an operator has at least one")
    seen: dict[str, str] = {}
    for key, names in (
        ("inputs", shape.inputs),
        ("outputs", shape.outputs),
        ("attributes", shape.attributes),
    ):
        for name in names:
            _formal(name, key, path, seen, found)
    types = {
        variable: _variable(variable, texts, path, found) for variable, texts in shape.types.items()
    }
    used: set[str] = set()
    for key, formals in (("inputs", shape.inputs), ("outputs", shape.outputs)):
        for name, kind in formals.items():
            _formal_type(kind, (*path, key, name), shape.types, found)
            used.add(kind)
    for variable in shape.types:
        if variable not in used and not found.source.incomplete(*path):
            what = f"types: no input or output is of type {show(variable)}"
            found.key_error((*path, "types", variable), "unused-type", what, "", "delete it")
    if shape.compute is not None:
        _expression(shape.compute, [*shape.inputs, *shape.attributes], (*path, "compute"), found)
    attributes = tuple(
        _attribute(name, attribute, (*path, "attributes", name), found)
        for name, attribute in shape.attributes.items()
        if _IDENTIFIER.fullmatch(name)
    )
    return CustomOp(
        domain=domain,
        op=op,
        inputs=dict(shape.inputs),
        outputs=dict(shape.outputs),
        types=types,
        attributes=attributes,
        compute=shape.compute,
        grad=Grad(shape.grad),
    )


def _formal(name: str, key: str, path: Path, seen: dict[str, str], found: Findings) -> None:
    place: Path = (*path, key, name)
    why = why_not_member(name)
    if not _IDENTIFIER.fullmatch(name) or why:
        what = f"{key}: {show(name)} {why or 'is not a name'}"
        found.key_error(place, "bad-name", what, "letters, digits and _, a letter first")
    if name in seen:
        what = f"{key}: {show(name)} is the name of one of the {seen[name]} too"
        found.key_error(place, "name-collision", what)
    seen.setdefault(name, key)


def _variable(
    variable: str, texts: tuple[str, ...], path: Path, found: Findings
) -> tuple[DType, ...]:
    place: Path = (*path, "types", variable)
    if not _IDENTIFIER.fullmatch(variable) or variable in {dtype.text for dtype in DType}:
        found.key_error(place, "bad-name", f"types: {show(variable)} cannot be a type variable")
    if not texts and not found.source.incomplete(*place):
        found.error(place, "empty-list", f"types: {show(variable)} has no type", "at least one")
    for index, text in enumerate(texts):
        if text in texts[:index]:
            found.error((*place, index), "listed-twice", f"types: {text} is listed twice")
    return tuple(DType.parse(text) for text in dict.fromkeys(texts))


def _formal_type(
    kind: str, path: Path, types: Mapping[str, tuple[str, ...]], found: Findings
) -> None:
    fixed = [dtype.text for dtype in DType]
    if kind not in types and kind not in fixed and not found.source.incomplete(*path[:2], "types"):
        fix = suggest(kind, [*types, *fixed])
        what = f"{show(kind)} is neither a type variable of 'types' nor an element type"
        hint = f"did you mean {fix}?" if fix else ""
        found.error(path, "unknown-type", what, listed([*types, *fixed], 20), hint, fix)


def _attribute(
    name: str, shape: CustomAttributeShape, path: Path, found: Findings
) -> CustomAttribute:
    place: Path = (*path, "default")
    listing = shape.type.endswith("s")
    kind = OptionType(shape.type.rstrip("s"))
    default: int | float | bool | str | tuple[int | float | bool | str, ...] | None = None
    if isinstance(shape.default, Scalar):
        if listing:
            what = f"default: an attribute of type {shape.type} is a list"
            found.error(place, "wrong-kind", what, "a list")
        else:
            default = read_value(kind, shape.default, place, found, "default")
    elif shape.default is not None:
        if listing:
            values = [
                read_value(kind, scalar, (*place, index), found, "default")
                for index, scalar in enumerate(shape.default)
            ]
            default = tuple(value for value in values if value is not None)
        else:
            what = f"default: an attribute of type {shape.type} is a single value"
            found.error(place, "wrong-kind", what, "a single value")
    return CustomAttribute(Identifier(name), shape.type, default)


def _expression(text: str, names: list[str], path: Path, found: Findings) -> None:
    """An elementwise expression: numbers, names of inputs and attributes, + - * /, comparisons and
    calls of known functions. Python's own grammar has all of that, and is only read here."""
    expected = "an expression such as min(max(x, lo), hi)"
    if len(text) > 1000:
        found.error(path, "bad-expression", "compute: the expression is too long", expected)
        return
    try:
        tree = ast.parse(text.strip(), mode="eval")
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        what = f"compute: {show(text)} is not an expression"
        found.error(path, "bad-expression", what, expected)
        return
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Name):
            known = list(_FUNCTIONS) if id(node) in calls else names
            if node.id not in known:
                meant = suggest(node.id, known)
                what = f"compute: there is no {'function' if id(node) in calls else 'name'}"
                hint = f"did you mean {meant}?" if meant else ""
                found.error(
                    path, "bad-expression", f"{what} {show(node.id)}", listed(known, 30), hint
                )
        elif not isinstance(node, _EXPRESSION) or (
            isinstance(node, ast.Constant) and type(node.value) not in (int, float)
        ):
            what = f"compute: {type(node).__name__} cannot be in an expression"
            found.error(path, "bad-expression", what, expected)
            return


def resolve_compile(
    shape: CompileShape | None, paradigm: Paradigm, found: Findings
) -> Compile | None:
    """How nodes are compiled; None for a kernel registry, which compiles none."""
    compiling = paradigm is not Paradigm.KERNEL_REGISTRY
    if shape is None:
        return Compile() if compiling else None
    if not compiling and not found.source.incomplete("paradigm"):
        what = "compile: paradigm kernel-registry compiles nothing"
        hint = "delete it, or add 'paradigm: compiled'"
        found.key_error(("compile",), "no-effect", what, "paradigm: compiled or virtual", hint)
    kernels: list[tuple[str, str]] = []
    for index, text in enumerate(shape.also_kernels):
        path: Path = ("compile", "also_kernels", index)
        schema = find_schema(text, path, "also_kernels", found)
        if schema is not None and (schema.domain, schema.name) in kernels:
            found.error(path, "listed-twice", f"also_kernels: {text} is listed twice")
        elif schema is not None:
            kernels.append((schema.domain, schema.name))
    patterns = _patterns(shape, found)
    return Compile(shape.drop_constants, shape.max_group, tuple(kernels), patterns)


def _patterns(shape: CompileShape, found: Findings) -> tuple[Pattern, ...]:
    seen: dict[str, int] = {}
    patterns: list[Pattern] = []
    for index, pattern in enumerate(shape.patterns):
        path: Path = ("compile", "patterns", index)
        name = pattern.name
        if not _IDENTIFIER.fullmatch(name) or why_not_member(name):
            proposal = ascii_words(name, "_", "Pattern")
            what = f"pattern name: {show(name)} is not a name"
            rule = "letters, digits and _, a letter first"
            found.error((*path, "name"), "bad-name", what, rule, f"write {proposal}")
            name = "pattern"
        words = Name.parse(name).snake
        if words in seen:
            line = found.line(("compile", "patterns", seen[words], "name"))
            what = f"two patterns are named {show(name)}; the first is on line {line}"
            found.error((*path, "name"), "name-collision", what)
        seen.setdefault(words, index)
        if len(pattern.match) < 2 and not found.source.incomplete("compile"):
            what = "match: a pattern has at least two operators"
            found.error((*path, "match"), "bad-pattern", what)
        chain = [
            find_schema(text, (*path, "match", step), "match", found)
            for step, text in enumerate(pattern.match)
        ]
        ops = tuple((schema.domain, schema.name) for schema in chain if schema is not None)
        patterns.append(Pattern(Identifier(name), ops))
    return tuple(patterns)


def resolve_features(
    shape: FeaturesShape, paradigm: Paradigm, target: int, found: Findings
) -> Features:
    """The optional services."""
    context = shape.ep_context
    any_context = context.embed or context.external or context.share
    place: Path = ("features", "ep_context")
    if (
        any_context
        and paradigm is Paradigm.KERNEL_REGISTRY
        and not found.source.incomplete("paradigm")
    ):
        what = "ep_context: paradigm kernel-registry compiles nothing"
        hint = "delete it, or add 'paradigm: compiled'"
        found.key_error(place, "no-effect", what, "paradigm: compiled or virtual", hint)
    if shape.weightless != "none":
        place = ("features", "weightless")
        if target < WEIGHTLESS_SINCE:
            what = f"weightless: the API of ONNX Runtime 1.{target} does not have it"
            hint = f'write "1.{WEIGHTLESS_SINCE}" for ort.target'
            found.error(place, "too-new", what, f"ort.target 1.{WEIGHTLESS_SINCE} or newer", hint)
        if not any_context:
            what = "weightless: it says what compiled models hold, and none are made"
            hint = "set features.ep_context, or delete it"
            found.error(place, "no-effect", what, "", hint)
    return Features(
        embed=context.embed,
        external=context.external or context.share,
        share=context.share,
        weightless=Weightless(shape.weightless),
        profiler=shape.profiler,
    )


def resolve_torch(shape: TorchShape | None, found: Findings) -> Torch | None:
    """The opsets of the PyTorch exporters."""
    if shape is None:
        return None
    for key, opset in (("legacy", shape.legacy), ("dynamo", shape.dynamo)):
        if opset is not None and not 7 <= opset <= schemas.ONNX_OPSET:
            what = f"torch.{key}: PyTorch does not export to opset {opset}"
            found.error(("torch", key), "unknown-opset", what, f"7 to {schemas.ONNX_OPSET}")
    return Torch(shape.legacy, shape.dynamo)


def resolve_distributions(shape: PythonShape, found: Findings) -> tuple[str, ...]:
    """The suffixes of the Python distributions."""
    suffixes = tuple(distribution.suffix for distribution in shape.distributions)
    path: Path = ("python", "distributions")
    if not suffixes and not found.source.incomplete("python"):
        found.error(path, "empty-list", "distributions: the list is empty", "at least one")
    for index, suffix in enumerate(suffixes):
        place: Path = (*path, index, "suffix")
        if not _SUFFIX.fullmatch(suffix) or len(suffix) > 40:
            what = f"suffix: {show(suffix)} cannot end the name of a distribution"
            found.error(place, "bad-name", what, "nothing, or such as -cu13")
        if suffix in suffixes[:index]:
            what = f"two distributions have the suffix {show(suffix)}"
            found.error(place, "name-collision", what)
    return suffixes


def resolve_texts(texts: tuple[str, ...], path: Path, found: Findings) -> tuple[str, ...]:
    """A list of file names or paths: one printable line each, none twice."""
    for index, text in enumerate(texts):
        if not text.strip() or not text.isprintable() or len(text) > 1024:
            what = f"{path[0]}: {show(text)} is not a path"
            found.error((*path, index), "bad-value", what, "one line of printable characters")
        elif text in texts[:index]:
            what = f"{path[0]}: {show(text)} is listed twice"
            found.error((*path, index), "listed-twice", what, "", "delete one of them")
    return texts
