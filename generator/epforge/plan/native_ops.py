"""Operators as functions of Python: their signatures, and what a call may have."""

from __future__ import annotations

import keyword
import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from epforge.literals import py_string, py_value
from epforge.names import Identifier, Name, Safe
from epforge.ops.model import Attribute, DType, Parameter, SchemaVersion
from epforge.plan import layout
from epforge.resolve.model import Blueprint, Op, OpVersion
from epforge.resolve.optypes import tensor_type

_Named = TypeVar("_Named", Parameter, Attribute)

_WIDTH = 100
_MOST_OUTPUTS = 1 << 16
_PYTHON_TYPES = {
    "int": "int", "float": "float", "bool": "bool", "string": "str", "ints": "Sequence[int]",
    "floats": "Sequence[float]", "strings": "Sequence[str]", "tensor": "Tensor",
}  # fmt: skip
# Names in the generated file that functions or parameters would hide.
_CLASSES = {"Array", "Out", "Sequence", "Tensor"}
_FILE = _CLASSES | {"bool", "float", "int", "result", "run", "str", "tuple", "type"}
_PARAMETERS = _FILE | {"copy", "dtypes", "out", "outputs"}
#: Attributes that say of which type the first output is.
_TYPING = ("to", "dtype", "output_dtype", "value")


@dataclass(frozen=True)
class Function:
    """A function of the package: its name, and its lines."""

    name: Identifier
    lines: tuple[Safe, ...]


@dataclass(frozen=True)
class SchemasView:
    """An operator: per version the lines of its entry."""

    domain: str
    op: str
    versions: tuple[tuple[Safe, ...], ...]


def functions(blueprint: Blueprint) -> list[Function]:
    """A function for each operator of the blueprint, in its newest version."""
    names = _names(blueprint.ops)
    return [_function(op, name) for op, name in zip(blueprint.ops, names, strict=True)]


def schemas(blueprint: Blueprint) -> list[SchemasView]:
    """What calls of each kernel may have, also of the versions that have no function."""
    every = (*blueprint.ops, *layout.converted(blueprint))
    return [
        SchemasView(op.domain, op.op, tuple(_entry(op, version) for version in op.versions))
        for op in sorted(every, key=lambda op: (op.domain, op.op))
    ]


def _names(ops: Iterable[Op]) -> list[Identifier]:
    """That of the operator alone where it is free."""
    every = list(ops)
    short = [Name.parse(op.op).snake for op in every]
    count = Counter(short)
    made = [
        name if count[name] == 1 or not op.domain else Name.parse(f"{op.domain} {op.op}").snake
        for op, name in zip(every, short, strict=True)
    ]
    return [_free(name, _FILE) for name in made]


def _free(name: str, taken: Iterable[str]) -> Identifier:
    """``name``, or one like it that neither Python nor the file has taken."""
    text = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    text = text if not text[:1].isdigit() and not text.startswith("_") else f"n{text}"
    while keyword.iskeyword(text) or text in taken:
        text += "_"
    return Identifier(text)


def _entry(op: Op, version: OpVersion) -> tuple[Safe, ...]:
    schema = version.schema
    attributes = [
        f"{py_string(each.name)}: Attribute({', '.join(_kind(each))})" for each in schema.attributes
    ]
    typed_by = _typed_by(version)
    most = min(schema.max_outputs, _MOST_OUTPUTS)
    named = {"outputs": max(1, schema.min_outputs), "most_outputs": most}
    arguments = [f"{name}={number}" for name, number in named.items() if number != 1]
    if typed_by is not None:
        arguments.append(f"typed_by={py_string(typed_by.name)}")
        default = _typed_by_default(version, typed_by)
        arguments += [f"typed_by_default={default}"] if default else []
    inner = [f"{{{', '.join(attributes)}}}"] if attributes else []
    line = f"{schema.since}: Schema({', '.join([*inner, *arguments])}),"
    if len(line) + 8 <= _WIDTH:
        return (Safe(line),)
    lines = [f"{schema.since}: Schema("]
    if attributes:
        lines += ["    {", *(f"        {each}," for each in attributes), "    },"]
    lines += [f"    {each}," for each in arguments]
    return tuple(Safe(each) for each in (*lines, "),"))


def _kind(attribute: Attribute) -> list[str]:
    return [str(py_string(attribute.kind)), *(["required=True"] if attribute.required else [])]


def _typed_by(version: OpVersion) -> Attribute | None:
    """The attribute that says of which type the first output is; None where the inputs say."""
    schema = version.schema
    if not schema.outputs or not _is_open(version, schema.outputs[0]):
        return None
    named = {each.name: each for each in schema.attributes if each.kind in ("int", "tensor")}
    return next((named[name] for name in _TYPING if name in named), None)


def _typed_by_default(version: OpVersion, attribute: Attribute) -> int:
    if isinstance(attribute.default, int):
        return attribute.default
    # ConstantOfShape makes zeros of this type where nobody says of which.
    types = version.types.get(version.schema.outputs[0].type_str, ())
    return DType.FLOAT32.onnx if attribute.kind == "tensor" and DType.FLOAT32 in types else 0


def _is_open(version: OpVersion, output: Parameter) -> bool:
    """Can it be of several types, whatever the inputs are?"""
    inputs = {each.type_str for each in version.schema.inputs if each.option != "optional"}
    types = version.types.get(output.type_str, ())
    return output.type_str not in inputs and len(types) > 1


def _function(op: Op, name: Identifier) -> Function:
    version = op.versions[-1]
    schema = version.schema
    taken = set(_PARAMETERS)
    inputs = _renamed(schema.inputs, taken)
    attributes = _renamed([each for each in schema.attributes if each.kind in _PYTHON_TYPES], taken)
    typed_by = _typed_by(version)
    open_types = typed_by is None and any(_is_open(version, each) for each in schema.outputs)
    fixed = schema.min_outputs == schema.max_outputs
    required = max(1, schema.min_outputs)
    parameters = [*_inputs(inputs), *([] if _is_variadic(schema) else ["*"])]
    order = sorted(attributes.items(), key=lambda item: not item[1].required)
    parameters += [_attribute(each, key, each is typed_by) for key, each in order]
    parameters += ["dtypes: Sequence[str] | None = None"] if open_types else []
    parameters += [] if fixed else [f"outputs: int = {required}"]
    parameters += ["out: Out = None", "copy: bool = True"]
    result = "Array"
    if not fixed:
        result = "Array | tuple[Array, ...]"
    elif required > 1:
        result = f"tuple[{', '.join(['Array'] * required)}]"
    arguments = [str(py_string(op.op))]
    arguments += [f"*{key}" if each.option == "variadic" else key for key, each in inputs.items()]
    arguments += [f"domain={py_string(op.domain)}"] if op.domain else []
    arguments += ["dtypes=dtypes"] if open_types else []
    arguments += [] if fixed else ["outputs=outputs"]
    arguments += ["out=out", "copy=copy"]
    if attributes:
        given = ", ".join(f"{py_string(each.name)}: {key}" for key, each in attributes.items())
        arguments.append(f"attributes={{{given}}}")
    lines = [
        *_broken(f"def {name}(", parameters, f") -> {result}:"),
        *_document(op, version, inputs),
        *(f"    {line}" for line in _broken(f"result: {result} = run(", arguments, ")", 4)),
        "    return result",
    ]
    return Function(name, tuple(map(Safe, lines)))


def _renamed(entries: Iterable[_Named], taken: set[str]) -> dict[Identifier, _Named]:
    """The entries by names that are free in Python; adds those to ``taken``."""
    found: dict[Identifier, _Named] = {}
    for each in entries:
        name = _free(each.name, taken)
        taken.add(name)
        found[name] = each
    return found


def _inputs(inputs: Mapping[Identifier, Parameter]) -> Iterator[str]:
    entries = list(inputs.items())
    for index, (name, each) in enumerate(entries):
        if each.option == "variadic":
            yield f"*{name}: Tensor"
        elif each.option == "optional":
            last = all(other.option != "single" for _, other in entries[index:])
            yield f"{name}: Tensor | None{' = None' if last else ''}"
        else:
            yield f"{name}: Tensor"


def _is_variadic(schema: SchemaVersion) -> bool:
    return bool(schema.inputs) and schema.inputs[-1].option == "variadic"


def _attribute(attribute: Attribute, name: str, types: bool) -> str:
    kind = _PYTHON_TYPES[attribute.kind]
    kind = "int | type" if types and attribute.kind == "int" else kind
    if attribute.required:
        return f"{name}: {kind}"
    if attribute.default is None:
        return f"{name}: {kind} | None = None"
    return f"{name}: {kind} = {_literal(attribute.default)}"


def _literal(value: object) -> str:
    if isinstance(value, list | tuple):
        inner = ", ".join(_literal(each) for each in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    assert isinstance(value, bool | int | float | str)
    return str(py_value(value))


def _broken(start: str, parts: list[str], end: str, indent: int = 0) -> list[str]:
    """A definition or a call, in one line where there is room, as formatters have it."""
    whole = f"{start}{', '.join(parts)}{end}"
    if indent + len(whole) <= _WIDTH:
        return [whole]
    inner: list[str] = []
    for part in parts:
        if indent + 4 + len(part) + 1 <= _WIDTH or not part.startswith("attributes={"):
            inner.append(f"    {part},")
            continue
        items = part.removeprefix("attributes={").removesuffix("}").split(", ")
        inner += ["    attributes={", *(f"        {item}," for item in items), "    },"]
    return [start, *inner, end]


def _document(op: Op, version: OpVersion, inputs: Mapping[Identifier, Parameter]) -> Iterator[str]:
    domain = f" of {op.domain}" if op.domain else ""
    title = f'    """{op.op}{domain}, version {version.schema.since}.'
    if not inputs:
        yield f'{title}"""'
        return
    yield from (title, "", "    Args:")
    for name, each in inputs.items():
        text = f"{name}: {_type_text(version, each)}"
        yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12)
    yield '    """'


def _type_text(version: OpVersion, parameter: Parameter) -> str:
    fixed = tensor_type(parameter.type_str)
    types = version.types.get(parameter.type_str, (fixed,) if fixed is not None else ())
    text = ", ".join(dtype.text for dtype in types)
    constraint = f"{parameter.type_str}: " if fixed is None else ""
    optional = {"optional": "; may be left out", "variadic": "; any number"}
    return f"{constraint}{text}{optional.get(parameter.option, '')}."
