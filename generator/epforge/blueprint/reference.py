"""The reference of blueprints, as Markdown: every key, made from the JSON Schema of the shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epforge.blueprint import words
from epforge.blueprint.examples import examples
from epforge.blueprint.schema import json_schema
from epforge.blueprint.shape import EDITION

#: The edition that brought a key, of those that edition 1 does not have: by the path of `Key`.
SINCE: Mapping[str, int] = {}

_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in "|<*"})
_TYPES_PLACE = "#element-types"
_HEAD = """\
# Blueprint reference

Every key of a blueprint, at every level. [The blueprint](../blueprint.md) is the guide to them.

A path says where a key stands: `ops[].types` is the key `types` in each entry of the list `ops`,
and in `custom_ops[].attributes.*.type` the `*` is a name that you choose. A key that is not
required and has no default can be left out, and its sentence says what holds then. What every key
of a blueprint has become is shown by `epforge check FILE --resolved`. The edition of the format
that is read is {edition}; *since* is the one that brought a key.

This page is made from epforge's model of a blueprint. After a change of that, make it again:
`python -m epforge.cli.make_reference`.
"""


@dataclass(frozen=True)
class Key:
    """A key of a blueprint.

    Args:
        path: where it stands, such as ``ops[].types``.
        type: what its value is, as Markdown.
        default: what stands for it where it is absent, as Markdown; empty if nothing does.
        required: it has to be there.
        sentence: what it means.
        since: the edition that brought it.
    """

    path: str
    type: str
    default: str
    required: bool
    sentence: str
    since: int


def keys() -> list[Key]:
    """Every key at every level, in the order of the shape."""
    schema = json_schema()
    return list(_keys(schema, schema["$defs"], ""))


def reference(see: Mapping[str, str]) -> str:
    """The page.

    Args:
        see: by the key at the top, Markdown of links to what says more.
    """
    found = keys()
    top = [key for key in found if not set(key.path) & {".", "["}]
    lines = [_HEAD.format(edition=EDITION), "## Keys", "", *_table(top, linked=True), ""]
    for key in top:
        below = [each for each in found if each.path.startswith((f"{key.path}.", f"{key.path}["))]
        lines += _section(key, below, see.get(key.path, ""))
    spelt = ", ".join(f"`{word}`" for word in words.TYPES)
    return "\n".join([*lines, "## Element types", "", spelt, ""])


def _section(key: Key, below: list[Key], see: str) -> Iterator[str]:
    default = "required" if key.required else f"default {key.default}" if key.default else ""
    facts = [f"Value: {key.type}", *([default] if default else []), f"since edition {key.since}"]
    yield from (f"## {key.path}", "", f"{key.sentence} *{facts[0]}; {'; '.join(facts[1:])}.*", "")
    if see:
        yield from (f"See {see}.", "")
    if below:
        yield from (*_table(below), "")
    for example in examples(key.path):
        yield from ("```yaml", example.rstrip(), "```", "")


def _table(keys: list[Key], *, linked: bool = False) -> Iterator[str]:
    yield "| Key | Meaning | Value | Default | Since |"
    yield "| --- | --- | --- | --- | --- |"
    for key in keys:
        name = f"[`{key.path}`](#{key.path})" if linked else f"`{key.path}`"
        default = "required" if key.required else key.default
        yield f"| {name} | {key.sentence} | {key.type} | {default} | {key.since} |"


def _keys(shape: Mapping[str, Any], shapes: Mapping[str, Any], prefix: str) -> Iterator[Key]:
    for name, schema in shape["properties"].items():
        path = prefix + name
        yield Key(
            path,
            _type(schema),
            "" if "default" not in schema else _default(schema),
            name in shape.get("required", ()),
            str(schema.get("description", "")).translate(_ESCAPES),
            SINCE.get(path, 1),
        )
        step, inner = _inner(schema)
        if inner:
            yield from _keys(shapes[inner], shapes, f"{path}{step}.")


def _inner(schema: Mapping[str, Any]) -> tuple[str, str]:
    """How the keys of a mapping below are reached, and the mapping's shape; empty if none is."""
    if "$ref" in schema:
        return "", str(schema["$ref"]).rpartition("/")[2]
    below = [("[]", schema.get("items")), (".*", schema.get("additionalProperties"))]
    below += [("", each) for each in schema.get("anyOf", ())]
    for step, each in below:
        if isinstance(each, dict) and (found := _inner(each))[1]:
            return step + found[0], found[1]
    return "", ""


def _type(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if schema.get("enum") == list(words.TYPES):
        return f"[element type]({_TYPES_PLACE})"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    named = schema.get("type")
    if isinstance(named, list):
        return "text, number or truth value" if "boolean" in named else "text, also a number"
    if named == "array":
        return f"list of {_several(_type(schema['items']))}"
    free = schema.get("additionalProperties")
    if "$ref" in schema or not isinstance(free, dict):
        plain = {"string": "text", "boolean": "`true` or `false`", "integer": "integer"}
        return plain.get(str(named), "mapping") + _bounds(schema)
    return f"mapping of names to {_several(_type(free))}"


def _several(one: str) -> str:
    if one.startswith("`"):
        return f"these: {one}"
    plural = {"text": "texts", "mapping": "mappings", "text or mapping": "texts or mappings"}
    ends = (("element type]", "element types]"), ("integer", "integers"), ("list of", "lists of"))
    for end, instead in ends:
        one = one.replace(end, instead, 1)
    return plural.get(one, one)


def _bounds(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None or low == high:
        return "" if low is None else f" {low}"
    return f" from {low}" if high is None else f" from {low} to {high}"


def _default(schema: Mapping[str, Any]) -> str:
    value = schema["default"]
    if "$ref" in schema:  # each key below has its own
        return ""
    return "empty" if value in ([], {}, "") else f"`{_flow(value)}`"


def _flow(value: Any) -> str:
    """A value as one would write it in YAML."""
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_flow(each)}' for key, each in value.items() if each)}}}"
    return str(value).lower() if isinstance(value, bool) else str(value)
