"""The tree of a blueprint: scalars as written, mappings, lists; every node knows its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from epforge.blueprint.diagnostic import Span

#: Where something is in the tree: keys and list positions from the root.
Path = tuple[str | int, ...]

_NULLS = ("null", "~", "Null", "NULL")


@dataclass(frozen=True)
class Scalar:
    """A scalar. Its type is the schema's business, so only the text is here."""

    text: str
    quoted: bool  # written in quotes or as a block: text, whatever it looks like
    span: Span

    @property
    def empty(self) -> bool:
        """Nothing was written at all, as after ``ops:``."""
        return not self.text and not self.quoted

    @property
    def absent(self) -> bool:
        """Is it nothing, or the word for it?"""
        return self.empty or (not self.quoted and self.text in _NULLS)


@dataclass(frozen=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True)
class Table:
    """A mapping, in the order of the text; keys are unique."""

    entries: Mapping[str, Node]
    keys: Mapping[str, Scalar] = field(repr=False)
    span: Span


Node = Scalar | Sequence | Table


def lookup(root: Node, path: Path) -> tuple[Node, Path]:
    """The node at ``path``, or the innermost one on the way to it; and the path that was found."""
    node, done = root, 0
    for step in path:
        if isinstance(node, Table) and isinstance(step, str) and step in node.entries:
            node = node.entries[step]
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            break
        done += 1
    return node, path[:done]


def key_span(root: Node, path: Path) -> Span | None:
    """The place of the key that ``path`` ends in, or None when it does not end in a key."""
    parent, found = lookup(root, path[:-1])
    if path and len(found) == len(path) - 1 and isinstance(parent, Table):
        key = parent.keys.get(str(path[-1]))
        return key.span if key else None
    return None


def edited(root: Node, changes: Mapping[Path, Node | None]) -> Node:
    """The tree with the nodes at some paths replaced, or taken out for None.

    A node for a key that is not there is put there, with the tables on the way. The rest keeps its
    places in the text.
    """
    if () in changes or not changes:
        return changes.get((), None) or root
    below: dict[str | int, dict[Path, Node | None]] = {}
    for path, change in changes.items():
        below.setdefault(path[0], {})[path[1:]] = change
    if isinstance(root, Table):
        return _edited_table(root, below)
    if isinstance(root, Sequence):
        items = (
            edited(node, below.get(index, {}))
            for index, node in enumerate(root.items)
            if below.get(index, {}).get((), root) is not None
        )
        return Sequence(tuple(items), root.span)
    return root


def _edited_table(root: Table, below: Mapping[str | int, dict[Path, Node | None]]) -> Table:
    entries: dict[str, Node] = {}
    keys: dict[str, Scalar] = {}
    for key, node in root.entries.items():
        if below.get(key, {}).get((), root) is not None:
            entries[key] = edited(node, below.get(key, {}))
            keys[key] = root.keys[key]
    for step, changes in below.items():
        added = [node for node in changes.values() if node is not None]
        if isinstance(step, str) and step not in root.entries and added:
            # What is put somewhere is shown where it is written.
            span = added[0].span
            entries[step] = edited(Table({}, {}, span), changes)
            keys[step] = Scalar(step, False, span)
    return Table(entries, keys, root.span)


def plain(node: Node) -> object:
    """The tree as dicts, lists and `Scalar` leaves, which is what the shape reads."""
    if isinstance(node, Table):
        return {key: plain(child) for key, child in node.entries.items()}
    if isinstance(node, Sequence):
        return [plain(child) for child in node.items]
    return node


def kind(value: object) -> str:
    """What a node or a value of `plain` is, in words."""
    if isinstance(value, Scalar):
        if value.absent:
            return "nothing" if value.empty else "null"
        return "text" if value.quoted else "a single value"
    return "a mapping" if isinstance(value, dict | Table) else "a list"
