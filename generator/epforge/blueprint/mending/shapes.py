"""A value of the wrong kind: what it most likely means in the right one."""

from __future__ import annotations

import re

from pydantic import BaseModel

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.mending import words
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.flow import flow_of, plain_text
from epforge.blueprint.mending.model import Meant, listing, table, text
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table, lookup
from epforge.blueprint.words import ATTRIBUTE_TYPES, DEVICE_TYPES, MEMORY_KINDS, TYPES
from epforge.ops import schemas

_SAYS_NOTHING = ("type", "kind", "value", "enabled", "name", "text", "id")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_REAL = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?\.?")
_TRUTH = ("true", "false")


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
        entries = of_scalar(shape, node)
        entries = _parameters(path, (node,), root) if entries is None else entries
    elif isinstance(node, Sequence):
        entries = _of_list(shape, node) or _parameters(path, node.items, root)
        if name == "OpShape" and isinstance(path[-1], int):
            return _inner_list(path, node, root, desk)
        if name == "VendorShape" and len(node.items) == 1 and isinstance(node.items[0], Scalar):
            written = plain_text(node.items[0], desk.source)
            return Meant(f"write {written}", Fix(node.span, written), {path: node.items[0]})
    if entries is None and len(path) > 2 and path[0] == "ops" and path[-1] == "types":
        entries = _of_types(path, node, root)
    if entries is None and len(path) > 2 and path[0] == "custom_ops" and path[-1] == "types":
        entries = _of_own_types(path, node, root)
    if entries is None and shape is not None and len(shape.model_fields) == 1:
        entries = {next(iter(shape.model_fields)): node}
    if entries is None:
        return None
    meant = table(entries, node.span)
    written_or_none = flow_of(meant, desk.source)
    if written_or_none is None:
        return None
    fix = Fix(node.span, written_or_none) if desk.at(path) else None
    return Meant(f"write {written_or_none}", fix, {path: meant})


def of_scalar(shape: type[BaseModel] | None, node: Scalar) -> dict[str, Node] | None:
    """The entries that a single value stands for in a mapping of a shape; None where that cannot
    be told."""
    lower = node.text.lower()
    name = shape.__name__ if shape else ""
    if name == "DeviceShape" and lower in DEVICE_TYPES:
        return {"name": text(lower, node.span), "type": text(lower, node.span)}
    if name == "OverlayShape" and not re.search(r"\.\w{1,5}$", node.text):
        return {"source": node}
    if name == "MemoryShape" and lower in MEMORY_KINDS:
        return {"default": text(lower, node.span)}
    if name == "TorchShape" and lower in ("true", "yes", "on"):
        return {}
    if name == "NamesShape" and node.text.endswith("ExecutionProvider"):
        return {"ep": node}
    if name == "PythonShape" and re.fullmatch(r"(?:>=? *)?[0-9]+\.[0-9]+(?:\.[0-9]+)?\+?", lower):
        return {"min": node}
    if name == "OrtShape":
        return _releases(node)
    if shape is not None and _is_flag(shape, node.text):
        return {node.text: text("true", node.span)}
    return _attribute(node) if name == "CustomAttributeShape" else None


def _releases(node: Scalar) -> dict[str, Node] | None:
    """A lower bound, or a range; one release alone could be either end."""
    release = r"v?(1\.[0-9]+(?:\.[0-9]+)?)"
    least = re.fullmatch(rf">= *{release}|{release} *\+", node.text)
    both = re.fullmatch(rf"(?:>= *)?{release} *(?:-|–|\.\.\.?|to|, *<=) *{release}", node.text)
    if least:
        return {"min": text(least[1] or least[2], node.span, quoted=True)}
    if both:
        ends = (text(each, node.span, quoted=True) for each in both.groups())
        return dict(zip(("min", "target"), ends, strict=True))
    return None


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
    flags = [i for i in items if isinstance(i, Scalar) and shape and _is_flag(shape, i.text)]
    if items and len(flags) == len(items):
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


def _is_flag(shape: type[BaseModel], word: str) -> bool:
    info = shape.model_fields.get(word)
    return info is not None and info.annotation is bool


def _parameters(path: Path, items: tuple[Node, ...], root: Node) -> dict[str, Node] | None:
    """Inputs or outputs of which there are the names alone, where there is one type for them."""
    if len(path) != 3 or path[0] != "custom_ops" or path[-1] not in ("inputs", "outputs"):
        return None
    variables = lookup(root, (*path[:-1], "types"))
    names = [item.text for item in items if isinstance(item, Scalar)]
    known = list(variables[0].entries) if isinstance(variables[0], Table) else []
    if len(variables[1]) != len(path) or len(known) != 1 or len(set(names)) != len(items):
        return None
    if not names or any(not re.fullmatch(r"[a-z_]\w*", n) or n in TYPES for n in names):
        return None
    return {item.text: text(known[0], item.span) for item in items if isinstance(item, Scalar)}


def _of_own_types(path: Path, node: Node, root: Node) -> dict[str, Node] | None:
    """Element types of a custom operator that has one variable."""
    used: set[str] = set()
    for key in ("inputs", "outputs"):
        named, found = lookup(root, (*path[:-1], key))
        if isinstance(named, Table) and len(found) == len(path):
            used |= {v.text.rstrip("?*") for v in named.entries.values() if isinstance(v, Scalar)}
    variables = sorted(used - set(TYPES))
    if len(variables) != 1 or isinstance(node, Table):
        return None
    return {variables[0]: node if isinstance(node, Sequence) else listing((node,), node.span)}


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
    """What a single value was meant by, that is a list or a mapping."""
    if isinstance(node, Table):
        return _only_value(path, node, desk)
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


def _only_value(path: Path, node: Table, desk: Desk) -> Meant | None:
    """The only entry of a table, where its key says nothing but that it is the value."""
    key, value = next(iter(node.entries.items()), ("", None))
    if len(node.entries) != 1 or key not in _SAYS_NOTHING or not isinstance(value, Scalar):
        return None
    if value.absent or not desk.at(path):
        return None
    written = plain_text(value, desk.source)
    return Meant(f"write {written}", desk.replaced(path, written), {path: value})
