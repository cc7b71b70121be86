"""A list that is none: what it most likely means."""

from __future__ import annotations

import re

from pydantic import BaseModel

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.lookalikes import as_latin
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.flow import flow_of
from epforge.blueprint.mending.model import Meant, listing, table, text
from epforge.blueprint.mending.shapes import of_scalar
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table
from epforge.blueprint.shape import DeviceShape, OpShape, OptionShape
from epforge.blueprint.words import DEVICE_TYPES, TYPES

_ENDS = re.compile(r"([-+]?[0-9.]*[0-9]) ?(?:-|\.\.\.?|:|to|,) ?([-+]?[0-9.]*[0-9])")
_WORD = r"[A-Za-z_][\w.-]*(?:::\w+)?"
_WORDS = re.compile(rf"{_WORD}(?: *(?:,|;|\||\+|->|=>|→) *{_WORD}| +{_WORD})*")
_BETWEEN = re.compile(r" *(?:,|;|\||\+|->|=>|→) *| +")
_PART = r"[\w.+-]+(?:::\w+)?"
_APART = re.compile(rf"{_PART}(?:\s*[,;|]\s*{_PART})+[,;]?")  # in quotes: words never have these
_BULLETS = r"(?:-(?![-.\d])|[•·‣*+–—])"
_BULLET = re.compile(rf"[ \t]*(?P<sign>{_BULLETS})?[ \t]*(?P<word>[\w.]+(?:::\w+)?)[ \t]*")
#: Names of the ends of a range.
ENDS = (("min", "max"), ("minimum", "maximum"), ("low", "high"), ("lowest", "highest"),
        ("lower", "upper"), ("from", "to"))  # fmt: skip


def as_list(path: Path, node: Node, element: type[BaseModel] | None, desk: Desk) -> Meant | None:
    """What a list was meant by, that is none.

    Args:
        path: its place.
        node: what is there.
        element: the shape of the list's items; None where they are single values.
        desk: the text.
    """
    if isinstance(node, Scalar) and in_quotes(node, desk):
        return Meant("drop the quotes", Fix(node.span, node.text), {path: None})
    bullets = _bullets(path, node, desk) if isinstance(node, Scalar) else None
    if bullets is not None:
        return bullets
    if isinstance(node, Scalar) and element is not None and element is not OpShape:
        return _only_item(path, node, element, desk)
    if isinstance(node, Scalar):
        one_word = element is None or element is OpShape  # what one word stands for
        return _words(path, node) if one_word else None
    names = next((p for p in ENDS if isinstance(node, Table) and set(node.entries) == set(p)), None)
    if isinstance(node, Table) and path[-1] == "range" and names:
        ends = (node.entries[names[0]], node.entries[names[1]])
        written = flow_of(listing(ends, node.span), desk.source)
        fix = Fix(node.span, written) if written and desk.at(path) else None
        return Meant(f"write {written}", fix, {path: listing(ends, node.span)})
    if isinstance(node, Table) and path == ("types",):
        return _under_a_constraint(path, node, desk)
    if isinstance(node, Table) and element in (None, OpShape):
        ticked = _ticked(path, node)
        if ticked is not None:
            return ticked
    if not isinstance(node, Table) or element is None or not node.entries:
        return None
    fields = element.model_fields
    if all(key in fields for key in node.entries):
        fix = desk.as_only_item(path)
        return Meant("a list has a dash before each item", fix, {path: listing((node,), node.span)})
    naming = "op" if "op" in fields else "name"
    return _named_items(path, node, naming, element, desk) if naming in fields else None


def _under_a_constraint(path: Path, node: Table, desk: Desk) -> Meant | None:
    """Element types under the name of a constraint, where those of all operators are meant."""
    inner = next(iter(node.entries.values()), None)
    written = flow_of(inner, desk.source) if isinstance(inner, Sequence) else None
    if inner is None or written is None or len(node.entries) != 1:
        return None
    return Meant(f"write {written}", desk.replaced(path, written), {path: inner})


def in_quotes(node: Scalar, desk: Desk) -> bool:
    """Is a list or a mapping as it is written in brackets within quotes?"""
    if not node.quoted or not re.fullmatch(r"\[[^\[\]\r\n#]*\]|\{[^{}\r\n#]*\}", node.text):
        return False
    return desk.source.slice(node.span)[1:-1] == node.text


def _bullets(path: Path, node: Scalar, desk: Desk) -> Meant | None:
    """Words behind signs that begin no item, each in a line of its own."""
    written = desk.source.slice(node.span)
    start = desk.source.offset(node.span.line, node.span.column)
    if node.quoted or desk.page.before(start).strip() or path[-1] == "distributions":
        return None
    lines = [_BULLET.fullmatch(line) for line in written.splitlines()]
    words = [line["word"] for line in lines if line]
    if len(words) != len(lines) or not any(line and line["sign"] for line in lines):
        return None
    fixed = re.sub(rf"^([ \t]*)(?:{_BULLETS}[ \t]*)?", r"\1- ", written, flags=re.MULTILINE)
    items = tuple(text(word, node.span) for word in words)
    changes = {path: listing(items, node.span)}
    return Meant("an item begins with - and a blank", Fix(node.span, fixed), changes)


def _ticked(path: Path, node: Table) -> Meant | None:
    """Words each of which is said to be true, where a list of them is meant."""
    values = [value.text for value in node.entries.values() if isinstance(value, Scalar)]
    if not values or len(values) != len(node.entries):
        return None
    if any(value.casefold() not in ("true", "yes", "on") for value in values):
        return None
    written = f"[{', '.join(node.entries)}]"
    items = tuple(node.keys[key] for key in node.entries)
    return Meant(f"write {written}", Fix(node.span, written), {path: listing(items, node.span)})


def _only_item(path: Path, node: Scalar, shape: type[BaseModel], desk: Desk) -> Meant | None:
    """A word in the place of a list of tables: the only one of them, in short."""
    entries = of_scalar(shape, node)
    item = table(entries, node.span) if entries is not None else None
    written = flow_of(item, desk.source) if item is not None else None
    if item is None or written is None:
        return None
    fix = Fix(node.span, f"[{written}]")
    return Meant(f"write [{written}]", fix, {path: listing((item,), node.span)})


def _words(path: Path, node: Scalar) -> Meant | None:
    plain = as_latin(node.text).strip("()[] ")
    ends = _ENDS.fullmatch(plain) if path[-1] == "range" else None
    if ends:
        parts = [ends[1], ends[2]]
    elif not node.quoted and _WORDS.fullmatch(plain):
        parts = _BETWEEN.split(plain)
    elif _APART.fullmatch(plain):
        parts = re.split(r"\s*[,;|]\s*", plain.strip(";, "))
    else:
        return None
    written = f"[{', '.join(parts)}]"
    items = tuple(text(part, node.span) for part in parts)
    return Meant(f"write {written}", Fix(node.span, written), {path: listing(items, node.span)})


def _short(naming: str, element: type[BaseModel], value: Node) -> dict[str, Node] | None:
    """An entry of which there is one value alone."""
    if naming == "op":
        return opsets_or_types(value)
    if not isinstance(value, Scalar) or value.absent:
        return None
    if element is OptionShape:
        return {"default": value}
    if element is DeviceShape and value.text in DEVICE_TYPES:
        return {"type": value}
    return None


def opsets_or_types(value: Node) -> dict[str, Node] | None:
    """What stands behind an operator's name, where that is clear: a range, or element types."""
    if isinstance(value, Scalar) and re.match(r"[<>]", value.text):
        return {"models": value}
    words = value.items if isinstance(value, Sequence) else ()
    if words and all(isinstance(word, Scalar) and word.text in TYPES for word in words):
        return {"types": value}
    return None


def _named_items(
    path: Path, node: Table, naming: str, element: type[BaseModel], desk: Desk
) -> Meant | None:
    """A table of name -> entry, where a list of entries with names is meant."""
    items: list[Node] = []
    written: list[str] = []
    for key, value in node.entries.items():
        if isinstance(value, Table):
            entry: Node = Table(
                {naming: node.keys[key], **value.entries},
                {naming: node.keys[key], **value.keys},
                node.keys[key].span,
            )
            if not value.entries and naming == "op":
                entry = node.keys[key]
        elif isinstance(value, Scalar) and value.empty and naming == "op":
            entry = node.keys[key]
        else:
            entries = _short(naming, element, value)
            if entries is None:
                return None
            entry = table({naming: node.keys[key], **entries}, node.keys[key].span)
        line = flow_of(entry, desk.source)
        if line is None:
            return None
        items.append(entry)
        written.append(line)
    hint = f"an entry of a list has its name behind '{naming}:'"
    fix = desk.as_items(path, written)
    return Meant(hint, fix, {path: listing(tuple(items), node.span)})
