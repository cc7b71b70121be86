"""Entries of lists that are written in the style of other tools."""

from __future__ import annotations

import re

from pydantic import BaseModel

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.flow import flow_of, plain_text
from epforge.blueprint.mending.lists import ENDS, opsets_or_types
from epforge.blueprint.mending.model import Meant, listing, text
from epforge.blueprint.nodes import Node, Path, Scalar, Table, key_span, lookup
from epforge.blueprint.places import shape_at
from epforge.ops import schemas

# How a plain scalar begins; other characters begin something else in YAML.
_PLAIN = re.compile(r"[-+]?[\w./$<~^(=]")


def entry_meant(path: Path, root: Node, desk: Desk, model: type[BaseModel]) -> Meant | None:
    """What an unknown key was meant by, as far as the table that it is in tells; None if not."""
    there = lookup(root, path[:-1])[0]
    shape = shape_at(model, path[:-1])
    if shape is None or not isinstance(there, Table):
        return None
    glued = _glued(path, there, root, shape, desk)
    if glued is not None:
        return glued
    if shape.__name__ == "OpShape":
        return _operator_as_key(path, there, desk) or _domain(path, there, desk)
    if shape.__name__ == "OptionShape":
        return _ends_of_range(path, there, desk) or _rest_of_text(path, there, desk)
    return None


def _glued(
    path: Path, there: Table, root: Node, shape: type[BaseModel], desk: Desk
) -> Meant | None:
    """``key:value`` in braces, where a blank is missing."""
    value = there.entries[str(path[-1])]
    key, colon, rest = str(path[-1]).partition(":")
    span = key_span(root, path)
    if not colon or key not in shape.model_fields or key in there.entries or span is None:
        return None
    if not isinstance(value, Scalar) or not value.empty or not rest:
        return None
    if not _PLAIN.match(rest):  # a blank would make something else of it
        return Meant(f"write a blank and a value behind {key}:", None, {path: None})
    changes = {path: None, (*path[:-1], key): text(rest, span)}
    return Meant(f"write {key}: {rest}", Fix(span, f"{key}: {rest}"), changes)


def _operator_as_key(path: Path, there: Table, desk: Desk) -> Meant | None:
    """``Conv: {models: 13}``, where ``{op: Conv, models: 13}`` is meant."""
    name = str(path[-1])
    value = there.entries[name]
    domain, _, op = name.rpartition("::")
    if "op" in there.entries or schemas.find("" if domain == "ai.onnx" else domain, op) is None:
        return None
    entries: dict[str, Node] = {"op": there.keys[name]}
    if isinstance(value, Table):
        entries.update(value.entries)
    elif not (isinstance(value, Scalar) and value.empty):
        more = opsets_or_types(value)
        if more is None:
            return None
        entries.update(more)
    if len(there.entries) > 1 or "op" in getattr(value, "entries", {}):
        return None
    keys = dict.fromkeys(entries, there.keys[name]) | dict(getattr(value, "keys", {}))
    meant = Table(entries, keys, there.span)
    written = plain_text(there.keys[name], desk.source) if len(entries) == 1 else None
    written = written or flow_of(meant, desk.source)
    fix = desk.replaced(path[:-1], written) if written else None
    if len(entries) == 1 and isinstance(value, Scalar):
        fix = desk.without_colon(path) or fix
    return Meant(f"write {written}", fix, {path[:-1]: meant})


def _domain(path: Path, there: Table, desk: Desk) -> Meant | None:
    """``domain: com.microsoft`` beside ``op: BiasGelu``."""
    op, domain = there.entries.get("op"), there.entries[str(path[-1])]
    if path[-1] != "domain" or not isinstance(op, Scalar) or not isinstance(domain, Scalar):
        return None
    if "::" in op.text or domain.empty:
        return None
    whole = f"{domain.text}::{op.text}" if domain.text != "ai.onnx" else op.text
    place = (*path[:-1], "op")
    fix = desk.both(desk.replaced(place, whole), desk.deleted(path))
    return Meant(f"write op: {whole}", fix, {path: None, place: text(whole, op.span)})


def _ends_of_range(path: Path, there: Table, desk: Desk) -> Meant | None:
    """``min`` and ``max`` of an option, where ``range: [min, max]`` is meant."""
    names = next((p for p in ENDS if path[-1] in p), None)
    if names is None or "range" in there.entries:
        return None
    ends = [there.entries.get(name) for name in names]
    low, high = ends
    if not isinstance(low, Scalar) or not isinstance(high, Scalar):
        return None
    low_place, high_place = ((*path[:-1], name) for name in names)
    changes: dict[Path, Node | None] = {
        low_place: None,
        high_place: None,
        (*path[:-1], "range"): listing((low, high), low.span),
    }
    written = f"[{plain_text(low, desk.source)}, {plain_text(high, desk.source)}]"
    fix = desk.both(desk.renamed(low_place, "range", written), desk.deleted(high_place))
    return Meant(f"write range: {written}", fix, changes)


def _rest_of_text(path: Path, there: Table, desk: Desk) -> Meant | None:
    """The part of a text behind a comma, in braces without quotes."""
    key = there.keys[str(path[-1])]
    value, doc = there.entries[str(path[-1])], there.entries.get("doc")
    names = list(there.entries)
    before = names[names.index(str(path[-1])) - 1]
    if before != "doc" or not isinstance(doc, Scalar) or doc.quoted:
        return None
    if not isinstance(value, Scalar) or not value.empty or re.search(r"[\"\\]", key.text):
        return None
    whole = f"{doc.text}, {key.text}"
    start, end = doc.span, key.span
    span = type(start)(start.line, start.column, end.end_line, end.end_column)
    if desk.source.slice(span) != whole:
        return None
    changes = {path: None, (*path[:-1], "doc"): text(whole, span, quoted=True)}
    return Meant("quote a text that has a comma in it", Fix(span, f'"{whole}"'), changes)
