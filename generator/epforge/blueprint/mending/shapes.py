"""A value of the wrong kind: what it most likely means in the right one."""

from __future__ import annotations

import re

from pydantic import BaseModel

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.mending import words
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.flow import flow_of, plain_text
from epforge.blueprint.mending.model import Meant, listing, table, text
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table
from epforge.blueprint.shape import FeaturesShape, OpShape
from epforge.blueprint.words import ATTRIBUTE_TYPES, DEVICE_TYPES, MEMORY_KINDS
from epforge.ops import schemas

_LIST = "write it in [ ]"
_ENDS = re.compile(r"([-+]?[0-9.]*[0-9]) ?(?:-|\.\.\.?|:|to|,) ?([-+]?[0-9.]*[0-9])")
_WORD = r"[A-Za-z_][\w.]*(?:::\w+)?"
_WORDS = re.compile(rf"{_WORD}(?: *(?:,|;|\||\+|->|=>|→) *{_WORD}| +{_WORD})*")
_BETWEEN = re.compile(r" *(?:,|;|\||\+|->|=>|→) *| +")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_REAL = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?\.?")
_TRUTH = ("true", "false")


def as_list(path: Path, node: Node, element: type[BaseModel] | None, desk: Desk) -> Meant | None:
    """What a list was meant by, that is none.

    Args:
        path: its place.
        node: what is there.
        element: the shape of the list's items; None where they are single values.
        desk: the text.
    """
    if isinstance(node, Scalar) and element is not None and element is not OpShape:
        return _only_item(path, node, element.__name__, desk)
    if isinstance(node, Scalar):
        one_word = element is None or element is OpShape  # what one word stands for
        return _words(path, node) if one_word else None
    if isinstance(node, Table) and path[-1] == "range" and set(node.entries) == {"min", "max"}:
        ends = (node.entries["min"], node.entries["max"])
        written = flow_of(listing(ends, node.span), desk.source)
        fix = Fix(node.span, written) if written and desk.at(path) else None
        return Meant(f"write {written}", fix, {path: listing(ends, node.span)})
    if not isinstance(node, Table) or element is None or not node.entries:
        return None
    fields = element.model_fields
    if all(key in fields for key in node.entries):
        fix = desk.as_only_item(path)
        return Meant("a list has a dash before each item", fix, {path: listing((node,), node.span)})
    naming = "op" if "op" in fields else "name"
    return _named_items(path, node, naming, desk) if naming in fields else None


def _only_item(path: Path, node: Scalar, shape: str, desk: Desk) -> Meant | None:
    """A word in the place of a list of tables: the only one of them, in short."""
    entries = _of_scalar(shape, node)
    item = table(entries, node.span) if entries is not None else None
    written = flow_of(item, desk.source) if item is not None else None
    if item is None or written is None:
        return None
    fix = Fix(node.span, f"[{written}]")
    return Meant(f"write [{written}]", fix, {path: listing((item,), node.span)})


def _words(path: Path, node: Scalar) -> Meant | None:
    ends = _ENDS.fullmatch(node.text) if path[-1] == "range" else None
    if ends:
        parts = [ends[1], ends[2]]
    elif not node.quoted and _WORDS.fullmatch(node.text.strip("()")):
        parts = _BETWEEN.split(node.text.strip("()"))
    else:
        return None
    written = f"[{', '.join(parts)}]"
    items = tuple(text(part, node.span) for part in parts)
    return Meant(f"write {written}", Fix(node.span, written), {path: listing(items, node.span)})


def _named_items(path: Path, node: Table, naming: str, desk: Desk) -> Meant | None:
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
            return None
        line = flow_of(entry, desk.source)
        if line is None:
            return None
        items.append(entry)
        written.append(line)
    hint = f"an entry of a list has its name behind '{naming}:'"
    fix = desk.as_items(path, written)
    return Meant(hint, fix, {path: listing(tuple(items), node.span)})


def as_mapping(
    path: Path, node: Node, shape: type[BaseModel] | None, root: Node, desk: Desk
) -> Meant | None:
    """What a mapping was meant by, that is none.

    Args:
        shape: of the mapping; None where its keys are free.
        root: the tree, for what is beside it.
    """
    name = shape.__name__ if shape else ""
    entries: dict[str, Node] | None = None
    if isinstance(node, Scalar):
        entries = _of_scalar(name, node)
    elif isinstance(node, Sequence):
        entries = _of_list(shape, node)
        if name == "OpShape" and isinstance(path[-1], int):
            return _inner_list(path, node, root, desk)
        if name == "VendorShape" and len(node.items) == 1 and isinstance(node.items[0], Scalar):
            written = plain_text(node.items[0], desk.source)
            return Meant(f"write {written}", Fix(node.span, written), {path: node.items[0]})
    if entries is None and len(path) > 2 and path[0] == "ops" and path[-1] == "types":
        entries = _of_types(path, node, root)
    if entries is None:
        return None
    meant = table(entries, node.span)
    written_or_none = flow_of(meant, desk.source)
    if written_or_none is None:
        return None
    fix = Fix(node.span, written_or_none) if desk.at(path) else None
    return Meant(f"write {written_or_none}", fix, {path: meant})


def _of_scalar(name: str, node: Scalar) -> dict[str, Node] | None:
    lower = node.text.lower()
    if name == "DeviceShape" and lower in DEVICE_TYPES:
        return {"name": text(lower, node.span), "type": text(lower, node.span)}
    if name == "OverlayShape" and not re.search(r"\.\w{1,5}$", node.text):
        return {"source": node}
    if name == "DistributionShape":
        return {"suffix": node}
    if name == "MemoryShape" and lower in MEMORY_KINDS:
        return {"default": text(lower, node.span)}
    if name == "TorchShape" and lower in ("true", "yes", "on"):
        return {}
    if name == "FeaturesShape" and _is_flag(node.text):
        return {node.text: text("true", node.span)}
    return _attribute(node) if name == "CustomAttributeShape" else None


def _attribute(node: Scalar) -> dict[str, Node] | None:
    """An attribute of which there is a type alone, or a default alone."""
    kind = words.choice(node.text, ATTRIBUTE_TYPES)
    if not node.quoted and kind:
        return {"type": text(kind, node.span)}
    kind = attribute_type(node)
    return {"type": text(kind, node.span), "default": node} if kind else None


def attribute_type(default: Scalar) -> str | None:
    """The type of an attribute with this default; None where that cannot be told."""
    if default.quoted:
        return "string"
    if _NUMBER.fullmatch(default.text):
        return "int"
    if _REAL.fullmatch(default.text):
        return "float"
    return "bool" if default.text in _TRUTH else None


def _of_list(shape: type[BaseModel] | None, node: Sequence) -> dict[str, Node] | None:
    items = node.items
    if shape is FeaturesShape and all(isinstance(i, Scalar) and _is_flag(i.text) for i in items):
        return {i.text: text("true", i.span) for i in items if isinstance(i, Scalar)}
    found: dict[str, Node] = {}
    for item in items:
        pairs = item.entries if isinstance(item, Table) else _pair(item)
        if not pairs or set(pairs) & set(found):
            return None
        found.update(pairs)
    return found or None


def _pair(item: Node) -> dict[str, Node]:
    """``x: T`` as a text, where a key and its value are meant."""
    match = re.fullmatch(r"(\w+) *: *([\w?*]+)", item.text) if isinstance(item, Scalar) else None
    return {match[1]: text(match[2], item.span, quoted="?" in match[2])} if match else {}


def _is_flag(word: str) -> bool:
    info = FeaturesShape.model_fields.get(word)
    return info is not None and info.annotation is bool


def _inner_list(path: Path, node: Sequence, root: Node, desk: Desk) -> Meant | None:
    """A list in a list of one item, where the inner one is meant."""
    outer = desk.at(path[:-1])
    inner = desk.at(path)
    if outer is None or inner is None or len(outer.parts) != 1 or outer.marked:
        return None
    written = desk.source.text[inner.start : inner.end]
    span = desk.source.span(outer.start, outer.end)
    fix = Fix(span, written) if outer.flow else None
    return Meant("one pair of [ ] is enough", fix, {path[:-1]: node})


def _of_types(path: Path, node: Node, root: Node) -> dict[str, Node] | None:
    """Element types without the constraint that they are of: T, or the operator's only one."""
    entry = root
    for step in path[:-1]:
        if isinstance(entry, Table):
            entry = entry.entries.get(str(step), entry)
        elif isinstance(entry, Sequence) and isinstance(step, int):
            entry = entry.items[step]
    op = entry.entries.get("op") if isinstance(entry, Table) else None
    domain, _, name = op.text.rpartition("::") if isinstance(op, Scalar) else ("", "", "")
    schema = schemas.find("" if domain == "ai.onnx" else domain, name)
    known = list(schema.versions[-1].constraints) if schema else []
    variable = "T" if "T" in known else known[0] if len(known) == 1 else None
    if variable is None or isinstance(node, Table):
        return None
    return {variable: node if isinstance(node, Sequence) else listing((node,), node.span)}


def as_single(path: Path, node: Node, desk: Desk) -> Meant | None:
    """What a single value was meant by, that is a list."""
    items = node.items if isinstance(node, Sequence) else ()
    parts = [item.text for item in items if isinstance(item, Scalar)]
    if len(parts) != len(items) or not desk.at(path):
        return None
    if path[-1] == "models" and len(parts) == 2 and all(_NUMBER.fullmatch(p) for p in parts):
        written = "-".join(parts)
    elif len(parts) == 1:
        written = plain_text(items[0], desk.source)
        return Meant(f"write {written}", Fix(node.span, written), {path: items[0]})
    else:
        return None
    return Meant(f"write {written}", Fix(node.span, written), {path: text(written, node.span)})
