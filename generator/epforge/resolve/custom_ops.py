"""Custom operators: names, inputs, types, attributes, checked and typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from epforge.blueprint.diagnostic import listed, show, suggest
from epforge.blueprint.nodes import Path, Scalar
from epforge.blueprint.shape import CustomAttributeShape, CustomOpShape
from epforge.blueprint.words import TYPES
from epforge.names import Identifier, Name
from epforge.ops import schemas
from epforge.ops.model import SMALL, DType
from epforge.resolve.findings import Findings
from epforge.resolve.model import OptionType, OrtRange
from epforge.resolve.opnames import split_op
from epforge.resolve.options import read_value
from epforge.resolve.optypes import HALVES
from epforge.resolve.reserved import ascii_words, why_not_member
from epforge.resolve.services import CustomAttribute, CustomKernel, CustomOp, CustomParameter

if TYPE_CHECKING:
    from epforge.ops.expression import Expression

#: Inputs and outputs that a kernel can tell apart.
MAX_PARAMETERS = 32
#: The first runtime whose kernels can read attributes that are lists of strings.
STRINGS_SINCE = (1, 25)
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_SIGN = re.compile(r"([A-Za-z][\w-]*(?:\.[\w-]+)+|[a-z][\w-]*)(?::|\.|/|:::)([A-Z]\w*)")
_OPTIONS = {"?": "optional", "*": "variadic"}
_DTYPES = tuple(dtype.text for dtype in DType)
_STAND_IN = "float32"  # for a type that is not known, so that the rest is checked


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


def check_runtimes(shapes: tuple[CustomOpShape, ...], ort: OrtRange, found: Findings) -> None:
    """An error for what the oldest runtime, or the API that is used, does not have."""
    major, minor = STRINGS_SINCE
    if ort.minimum[:2] >= STRINGS_SINCE and ort.target >= minor:
        return
    since = f"{major}.{minor}"
    key = "min" if ort.minimum[:2] < STRINGS_SINCE else "target"
    for index, shape in enumerate(shapes):
        for name, attribute in shape.attributes.items():
            if attribute.type == "strings":
                place: Path = ("custom_ops", index, "attributes", name, "type")
                what = f"strings: kernels read lists of strings from ONNX Runtime {since} on"
                fix = found.with_value(("ort", key), f'"{since}"')
                found.error(place, "too-new", what, "", f'write "{since}" for ort.{key}', fix)


def _own_op(text: str, path: Path, found: Findings) -> tuple[str, Identifier]:
    parts = split_op(text)
    if parts is None or not parts[0]:
        what = f"custom_ops: {show(text)} is not an operator with a domain"
        proposal = f"com.example::{ascii_words(text, '_', 'MyOp')}" if "::" not in text else None
        hint = f"such as {proposal}" if proposal else ""
        sign = _SIGN.fullmatch(text)
        fix = f"{sign[1]}::{sign[2]}" if sign else None
        found.error(path, "bad-name", what, "domain::Op", f"write {fix}" if fix else hint, fix)
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
    # The language of expressions is imported by projects that have operators of their own.
    from epforge.resolve.custom_compute import check_syntax, resolve_compute, resolve_grad

    domain, op = parts
    before = len(found.errors)
    if not shape.outputs and not found.source.incomplete(*path):
        found.error((*path, "outputs"), "empty-list", "outputs: an operator has at least one")
    _check_names(shape, path, found)
    types = {
        variable: _variable(variable, texts, path, found) for variable, texts in shape.types.items()
    }
    inputs = _parameters("inputs", shape.inputs, shape, path, found)
    outputs = _parameters("outputs", shape.outputs, shape, path, found)
    _check_variables(types, inputs, outputs, shape, path, found)
    attributes = tuple(
        _attribute(name, attribute, (*path, "attributes", name), found)
        for name, attribute in shape.attributes.items()
        if _IDENTIFIER.fullmatch(name)
    )
    kernel = _kernel(shape, path, found)
    compute: Mapping[str, Expression] | None = None
    if shape.compute is not None and len(found.errors) > before:
        check_syntax(shape.compute, (*path, "compute"), found)
    elif shape.compute is not None:
        compute = resolve_compute(shape, inputs, outputs, types, (*path, "compute"), found)
        _check_types(types, inputs, path, found)
    return CustomOp(
        domain=domain,
        op=op,
        version=shape.version,
        inputs=inputs,
        outputs=outputs,
        types=types,
        attributes=attributes,
        compute=compute,
        grad=resolve_grad(shape, compute, inputs, types, path, found),
        kernel=kernel,
    )


def _kernel(shape: CustomOpShape, path: Path, found: Findings) -> CustomKernel:
    computed = shape.compute is not None
    if shape.kernel is None:
        return CustomKernel.GENERATED if computed else CustomKernel.YOURS
    kernel = CustomKernel(shape.kernel)
    if kernel is CustomKernel.GENERATED and not computed:
        what = "kernel: there is no expression to generate it from"
        found.error((*path, "kernel"), "no-expression", what, "", "add compute, or write yours")
    return kernel


def _check_names(shape: CustomOpShape, path: Path, found: Findings) -> None:
    """Names of inputs, outputs and attributes: each a C++ name, none twice."""
    seen: dict[str, str] = {}
    lists: dict[str, Iterable[str]] = {
        "inputs": shape.inputs,
        "outputs": shape.outputs,
        "attributes": shape.attributes,
    }
    for key, names in lists.items():
        for name in names:
            place: Path = (*path, key, name)
            why = why_not_member(name)
            if not _IDENTIFIER.fullmatch(name) or why:
                what = f"{key}: {show(name)} {why or 'is not a name'}"
                found.key_error(place, "bad-name", what, "letters, digits and _, a letter first")
            if name in seen:
                what = f"{key}: {show(name)} is the name of one of the {seen[name]} too"
                found.key_error(place, "name-collision", what)
            seen.setdefault(name, key)


def _parameters(
    key: str, formals: Mapping[str, str], shape: CustomOpShape, path: Path, found: Findings
) -> tuple[CustomParameter, ...]:
    if len(formals) > MAX_PARAMETERS:
        what = f"{key}: there are {len(formals)}"
        found.key_error((*path, key), "too-many", what, f"at most {MAX_PARAMETERS}")
    read: list[CustomParameter] = []
    for index, (name, text) in enumerate(formals.items()):
        place: Path = (*path, key, name)
        option = _OPTIONS.get(text[-1:], "single")
        kind = text if option == "single" else text[:-1].rstrip()
        if not _check_type(kind, place, shape.types, found):
            kind = _STAND_IN
        if option != "single" and key == "outputs":
            what = f"outputs: {show(name)} cannot be {option}"
            always, fix = "outputs that are always there", kind if option == "optional" else None
            found.error(place, "bad-option", what, always, f"write {fix}" if fix else "", fix)
        if option == "variadic" and index + 1 < len(formals):
            what = f"{key}: {show(name)} takes any number of tensors, and is not the last"
            found.error(place, "bad-option", what, "the last one", f"move {name} to the end")
        if _IDENTIFIER.fullmatch(name):
            read.append(CustomParameter(Identifier(name), kind, option))
    return tuple(read)


def _check_type(
    kind: str, path: Path, types: Mapping[str, tuple[str, ...]], found: Findings
) -> bool:
    if kind in types or kind in _DTYPES:
        return True
    if not found.source.incomplete(*path[:2], "types"):
        # Imported here: what is right needs nothing of it.
        from epforge.blueprint.mending.words import choice

        fix = suggest(kind, types) or choice(kind, TYPES)
        what = f"{show(kind)} is neither a type variable of 'types' nor an element type"
        hint = f"did you mean {fix}?" if fix else ""
        found.error(path, "unknown-type", what, listed([*types, *_DTYPES], 20), hint, fix)
    return False


def _variable(
    variable: str, texts: tuple[str, ...], path: Path, found: Findings
) -> tuple[DType, ...]:
    place: Path = (*path, "types", variable)
    if not _IDENTIFIER.fullmatch(variable) or variable in _DTYPES or why_not_member(variable):
        found.key_error(place, "bad-name", f"types: {show(variable)} cannot be a type variable")
    if not texts and not found.source.incomplete(*place):
        found.error(place, "empty-list", f"types: {show(variable)} has no type", "at least one")
    for index, text in enumerate(texts):
        if text in texts[:index]:
            what, out = f"types: {text} is listed twice", found.without((*place, index))
            found.error((*place, index), "listed-twice", what, "", "delete one of them", out)
    return tuple(DType.parse(text) for text in dict.fromkeys(texts))


def _check_variables(
    types: Mapping[str, tuple[DType, ...]],
    inputs: tuple[CustomParameter, ...],
    outputs: tuple[CustomParameter, ...],
    shape: CustomOpShape,
    path: Path,
    found: Findings,
) -> None:
    """A variable must be settled by an input that is always there, or nobody knows the output's
    type."""
    if found.source.incomplete(*path):
        return
    settled = {p.type for p in inputs if p.option != "optional"}
    used = {p.type for p in (*inputs, *outputs)}
    for variable in types:
        place: Path = (*path, "types", variable)
        if variable not in used:
            what = f"types: no input or output is of type {show(variable)}"
            out = found.without(place)
            found.key_error(place, "unused-type", what, "", "delete it", out)
    for output in outputs:
        dtypes = types.get(output.type, ())
        if len(dtypes) > 1 and output.type not in settled:
            what = f"outputs: no input that is always there says which type {output.type} is"
            hint = f"give {output.name} one element type"
            found.error((*path, "outputs", output.name), "open-type", what, "", hint)


def _check_types(
    types: Mapping[str, tuple[DType, ...]],
    inputs: tuple[CustomParameter, ...],
    path: Path,
    found: Findings,
) -> None:
    """Kernels of custom operators have no 16-bit floats yet, nor what is smaller."""
    for variable, dtypes in types.items():
        for index, dtype in enumerate(dtypes):
            if dtype in (*HALVES, *SMALL):
                place: Path = (*path, "types", variable, index)
                found.later(place, f"{dtype.text} in generated kernels")
    for parameter in inputs:
        if parameter.type in {dtype.text for dtype in (*HALVES, *SMALL)}:
            place = (*path, "inputs", parameter.name)
            found.later(place, f"{parameter.type} in generated kernels")


def _attribute(
    name: str, shape: CustomAttributeShape, path: Path, found: Findings
) -> CustomAttribute:
    place: Path = (*path, "default")
    default: int | float | bool | str | tuple[int | float | bool | str, ...] | None = None
    if shape.type == "tensor":
        if shape.default is not None:
            what = "default: a tensor cannot be written here"
            found.error(place, "wrong-kind", what, "no default", "delete it")
        return CustomAttribute(Identifier(name), shape.type, None)
    if found.source.incomplete(*path, "type"):
        return CustomAttribute(Identifier(name), shape.type, None)
    listing = shape.type.endswith("s")
    kind = OptionType(shape.type.rstrip("s"))
    if isinstance(shape.default, Scalar):
        if listing:
            what = f"default: an attribute of type {shape.type} is a list"
            fix = f"[{found.source.text.slice(shape.default.span)}]"
            found.error(place, "wrong-kind", what, "a list", f"write {fix}", fix)
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
            fix = None
            if len(shape.default) == 1:
                fix = found.source.text.slice(shape.default[0].span)
            hint = f"write {fix}" if fix else ""
            found.error(place, "wrong-kind", what, "a single value", hint, fix)
    return CustomAttribute(Identifier(name), shape.type, default)
