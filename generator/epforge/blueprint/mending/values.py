"""A value that is wrong: what it was most likely meant by."""

from __future__ import annotations

import re

from pydantic import BaseModel

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.mending import lists, scalars, shapes
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.model import Meant, listing, text
from epforge.blueprint.nodes import Node, Path, Scalar, lookup
from epforge.blueprint.places import shape_at
from epforge.blueprint.words import TARGETS

# Words with commas between them, or a text in quotes. A block, or what YAML reads otherwise between
# brackets, has to be rewritten.
_PLAIN = r"-?[\w./+][\w./+-]*(?:::?[\w./+-]+)*"
_IN_A_LIST = re.compile(rf"{_PLAIN}(?: *, *{_PLAIN})*|\"[^\"\\\n]*\"|'[^'\n]*'")


def value_meant(
    path: Path, root: Node, desk: Desk, model: type[BaseModel], wanted: str, fix: str | None
) -> Meant | None:
    """What a wrong value was meant by; None where that cannot be told.

    Args:
        path: its place.
        root: the tree.
        desk: its text.
        model: the root's shape.
        wanted: "a mapping" or "a list", where it is another kind; else empty.
        fix: what the reader of the value would put in its place.
    """
    node, found = lookup(root, path)
    if found != path or not path:
        return None
    if isinstance(node, Scalar) and node.absent:
        return _nothing(path, node, wanted, desk, model)
    if wanted == "a list" and _is_all(path, node):
        return _all_of_them(path, node)
    if wanted == "a list":
        return lists.as_list(path, node, shape_at(model, (*path, 0)), desk) or _in_brackets(
            path, node, desk
        )
    if wanted == "a mapping" and isinstance(node, Scalar) and lists.in_quotes(node, desk):
        return Meant("drop the quotes", Fix(node.span, node.text), {path: None})
    if wanted == "a mapping":
        return shapes.as_mapping(path, node, shape_at(model, path), root, desk)
    if not isinstance(node, Scalar):
        return shapes.as_single(path, node, desk)
    if path[:-1] and _is_all(path[:-1], node) and isinstance(path[-1], int):
        box = lookup(root, path[:-1])[0]
        return _all_of_them(path[:-1], box) if len(getattr(box, "items", ())) == 1 else None
    hint = ""
    if fix is None:
        fix = scalars.of_place(node.text, path)
        hint = f"write {fix}"
    elif path[-1] == "architectures" or path[-2:-1] == ("architectures",):
        fix = scalars.of_place(node.text, path) or fix
        hint = f"write {fix}"
    if fix is None:
        return None
    word = fix.partition("  #")[0]
    return Meant(hint, Fix(node.span, fix), {path: text(word, node.span)})


def _is_all(path: Path, node: Node) -> bool:
    """Is it the word for every platform?"""
    words = ("all", "any", "every", "everything", "*", "all platforms")
    return path == ("targets",) and isinstance(node, Scalar) and node.text.casefold() in words


def _all_of_them(path: Path, node: Node) -> Meant:
    written = f"[{', '.join(TARGETS)}]"
    items = tuple(text(target, node.span) for target in TARGETS)
    return Meant(f"write {written}", Fix(node.span, written), {path: listing(items, node.span)})


def _nothing(
    path: Path, node: Scalar, wanted: str, desk: Desk, model: type[BaseModel]
) -> Meant | None:
    """Nothing where a value belongs: without its key, or its dash, there is the default."""
    if isinstance(path[-1], int):
        return Meant("delete the dash, or write an item behind it", desk.deleted(path))
    if wanted == "a list" and node.empty:
        return Meant("write [] for an empty list", desk.filled(path, "[]"))
    shape = shape_at(model, path[:-1])
    field = shape.model_fields.get(str(path[-1])) if shape else None
    if field is None or field.is_required():
        return None
    return Meant("delete the key: there is a default", desk.deleted(path))


def _in_brackets(path: Path, node: Node, desk: Desk) -> Meant | None:
    if not isinstance(node, Scalar):
        return None
    written = desk.source.slice(node.span)
    if not _IN_A_LIST.fullmatch(written):
        return None
    parts = [node.text] if node.quoted else re.split(r" *, *", node.text)
    items = tuple(text(part, node.span, quoted=node.quoted) for part in parts)
    changes = {path: listing(items, node.span)}
    return Meant("write it in [ ]", Fix(node.span, f"[{written}]"), changes)
