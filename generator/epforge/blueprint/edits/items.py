"""One more entry in a list of a blueprint: an operator, a device, an option."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from epforge.blueprint.edits.insert import into_block_list, into_flow
from epforge.blueprint.edits.keys import add_key
from epforge.blueprint.edits.layout import Form, Laid, lay_out, value_of
from epforge.blueprint.edits.values import WIDTH, Value, block, flow, texts
from epforge.blueprint.edits.verified import at, refusal, texts_of, verified
from epforge.blueprint.nodes import Node, Path, Scalar, Table
from epforge.blueprint.page import Change, Page
from epforge.blueprint.source import BlueprintSource

# The keys that name an entry.
_NAMING = ("op", "name")


def add_item(source: BlueprintSource, path: Path, value: Value, *, keep_sorted: bool = True) -> str:
    """The text of the blueprint with one more entry in a list.

    The entry is written as the list is: in brackets or with a dash, on the same line or on its own.
    It comes last; in a list that was sorted by name, in its place. A list that is not there is
    made, behind the keys that come before it in the format. Nothing else changes.

    Args:
        source: a blueprint without errors.
        path: the keys that lead to the list, such as ``("ops",)``.
        value: the entry.
        keep_sorted: false where the order of entries means something: it always comes last.

    Raises:
        UsageError: the list is written in a way (an alias, an anchor, a tag) that has to be edited
            by hand; names the place and what to write.
    """
    page = Page(source.text.text)
    items = getattr(at(source.root, path), "items", ())
    index = _index(items, value) if keep_sorted else len(items)
    cure = f"Write it by hand: add {flow(value)} to {'.'.join(map(str, path))}."
    error = refusal(source, path, "this list", cure)
    changes = _changes(source, page, path, index, value)
    if changes is None:
        raise error

    def is_right(before: Any, after: Any) -> bool:
        rest, said = _without(after, path, index, absent=at(source.root, path) is None)
        return bool(rest == before and texts_of(said) == texts(value))

    return verified(source, page.changed(changes), is_right, error)


def _changes(
    source: BlueprintSource, page: Page, path: Path, index: int, value: Value
) -> list[Change] | None:
    """None where the list has to be edited by hand."""
    box: Laid | None = lay_out(source.text)
    for step in path:
        if box is None or box.form is not Form.TABLE:
            return None
        found = value_of(box, str(step))
        if found is None:
            return add_key(source, page, path, _new_list(value), [value])
        box = found
    if box is None or box.form is not Form.LIST or box.marked:
        return None
    if box.flow:
        return into_flow(page, box, index, flow(value))
    return into_block_list(page, box, index, _lines(box, value))


def _new_list(value: Value) -> list[str]:
    """The lines of a list that is made for its first entry; the first goes behind its key."""
    if not isinstance(value, Mapping):
        return [f"[{flow(value)}]"]
    lines = [flow(value)] if len(flow(value)) <= WIDTH - 4 else block(value)
    return ["", f"  - {lines[0]}", *(f"    {line}" for line in lines[1:])]


def _lines(box: Laid, value: Value) -> list[str]:
    """The lines of an entry in a list with dashes, as the last table in it is written."""
    tables = [item for item in box.parts if item.form is Form.TABLE]
    if isinstance(value, Mapping) and (
        (tables and not tables[-1].flow) or len(flow(value)) > WIDTH - 4
    ):
        return block(value)
    return [flow(value)]


def _index(items: tuple[Node, ...], value: Value) -> int:
    """Where an entry goes in a list: last, or by its name where the others are sorted."""
    names = [_name(item) for item in items]
    new = value
    if isinstance(value, Mapping):
        new = next((value[key] for key in _NAMING if key in value), "")
    for order in (str, str.casefold):
        keys = [order(name) for name in names]
        if len(keys) > 1 and keys == sorted(keys):
            return sum(key <= order(str(new)) for key in keys)
    return len(items)


def _name(item: Node) -> str:
    if isinstance(item, Table):
        found = [item.entries[key] for key in _NAMING if key in item.entries]
        item = found[0] if found else item
    return item.text if isinstance(item, Scalar) else ""


def _without(said: Any, path: Path, index: int, *, absent: bool) -> tuple[Any, Any]:
    """What a blueprint says without one entry of a list, and that entry; None if it has none.

    ``absent``: the list was not there, so without the entry it and its empty tables are not.
    """
    rest = copy.deepcopy(said)
    tables, inner = [], rest
    for step in path:
        tables.append(inner)
        inner = inner.get(step) if isinstance(inner, dict) else None
    if not isinstance(inner, list) or not index < len(inner):
        return said, ()
    entry = inner.pop(index)
    if absent:
        for table, step in zip(reversed(tables), reversed(path), strict=True):
            if not table[step]:
                del table[step]
    return rest, entry
