"""Keys around what belongs one level up, and what comes from other tools' files with them."""

from __future__ import annotations

import re

from pydantic import BaseModel

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.mending.blocks import unwrapped
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.model import Meant, text
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table, key_span, lookup
from epforge.blueprint.places import shape_at
from epforge.blueprint.shape import EDITION

_MANY = 50  # keys that are looked for elsewhere
_API = re.compile(r"(?:[\w.-]*/)?v?([0-9]+)\w*")


def wrapper_meant(path: Path, root: Node, desk: Desk, model: type[BaseModel]) -> Meant | None:
    """What an unknown key was meant by that holds keys of its own table, or belongs to one that
    does; None if that is not so."""
    if len(path) == 1 and isinstance(root, Table):
        other = _of_kubernetes(path, root, desk) or _used_up(path, root, desk)
        if other is not None:
            return other
    shape = shape_at(model, path[:-1])
    there, value = lookup(root, path[:-1])[0], lookup(root, path)[0]
    if shape is None or not isinstance(there, Table) or not isinstance(value, Table):
        return None
    keys = list(value.entries)
    if not keys or any(key not in shape.model_fields or key in there.entries for key in keys):
        return None
    others = [name for name in there.entries if name != path[-1] and name not in shape.model_fields]
    for name in others:  # another wrapper has the same key: which one is meant?
        inner = there.entries[name]
        if isinstance(inner, Table) and set(inner.entries) & set(keys):
            return None
    changes: dict[Path, Node | None] = {path: None}
    changes |= {(*path[:-1], key): value.entries[key] for key in keys}
    where = "the top" if not path[:-1] else "the table around it"
    return Meant(f"what is in it belongs to {where}", unwrapped(desk, path), changes)


def _of_kubernetes(path: Path, root: Table, desk: Desk) -> Meant | None:
    """``apiVersion`` and ``kind``: the edition, and what there is only one of."""
    api = root.entries.get("apiVersion")
    version = _API.fullmatch(api.text) if isinstance(api, Scalar) else None
    if path[-1] == "apiVersion" and version and "epforge" not in root.entries:
        span, written = key_span(root, path), f"epforge: {EDITION}"
        if version[1] != str(EDITION) or span is None or not isinstance(api, Scalar):
            return None
        whole = type(span)(span.line, span.column, api.span.end_line, api.span.end_column)
        edition: dict[Path, Node | None] = {
            path: None,
            ("epforge",): text(str(EDITION), api.span),
        }
        return Meant(f"write {written}", Fix(whole, written), edition)
    if path[-1] == "kind" and api is not None and isinstance(root.entries["kind"], Scalar):
        return Meant("delete it: a file is one blueprint", desk.deleted(path), {path: None})
    return None


def _used_up(path: Path, root: Table, desk: Desk) -> Meant | None:
    """A block of values to be merged elsewhere, where all it says is written out by now."""
    laid, value = desk.at(path), root.entries[str(path[-1])]
    anchor = re.match(r"&(\S+)", desk.source.text[laid.start :]) if laid else None
    if anchor is None or not isinstance(value, Table) or not 0 < len(value.entries) <= _MANY:
        return None
    if re.search(rf"\*{re.escape(anchor[1])}(?![\w-])", desk.source.text):
        return None
    others = [node for key, node in root.entries.items() if key != path[-1]]
    if not all(_is_said(key, node, others) for key, node in value.entries.items()):
        return None
    hint = "delete it: what it says is written where it was used"
    return Meant(hint, desk.deleted(path), {path: None})


def _is_said(key: str, value: Node, nodes: list[Node]) -> bool:
    """Is there a table with this entry in one of these nodes?"""
    for node in nodes:
        if isinstance(node, Table):
            own = node.entries.get(key)
            if own is not None and _bare(own) == _bare(value):
                return True
        below = list(node.entries.values()) if isinstance(node, Table) else []
        below += list(node.items) if isinstance(node, Sequence) else []
        if _is_said(key, value, below):
            return True
    return False


def _bare(node: Node) -> object:
    """What a node says, without its place."""
    if isinstance(node, Scalar):
        return (node.text, node.quoted)
    if isinstance(node, Sequence):
        return [_bare(item) for item in node.items]
    return {key: _bare(child) for key, child in node.entries.items()}
