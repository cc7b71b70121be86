"""A key that a blueprint does not have yet."""

from __future__ import annotations

from collections.abc import Sequence

from epforge.blueprint.edits.insert import into_block_table, into_flow
from epforge.blueprint.edits.layout import Form, Laid, lay_out, value_of
from epforge.blueprint.edits.values import Value, flow
from epforge.blueprint.nodes import Path
from epforge.blueprint.page import Change, Page
from epforge.blueprint.shape import BlueprintShape
from epforge.blueprint.source import BlueprintSource


def add_key(
    source: BlueprintSource, page: Page, path: Path, lines: Sequence[str], value: Value
) -> list[Change] | None:
    """The changes that write a value at a path that is not there, with the tables on the way.

    Args:
        source: a blueprint without errors.
        page: its text.
        path: keys from the root; the last is absent, those before may be.
        lines: the value as it is written in a table of lines; the first goes behind the key.
        value: the value, as it is written in brackets.

    Returns:
        None where a table on the way has to be edited by hand.
    """
    box, depth = lay_out(source.text), 0
    while depth < len(path) - 1:
        found = value_of(box, str(path[depth]))
        if found is None:
            break
        box, depth = found, depth + 1
        if box.form is not Form.TABLE or box.marked:
            return None
    inner = [str(step) for step in path[depth + 1 :]]
    for step in reversed(inner):
        value = {step: value}
    key = str(path[depth])
    index = _index(box, key) if depth == 0 else len(box.entries)
    if box.flow:
        return into_flow(page, box, index, f"{key}: {flow(value)}")
    head = lines[0] if not inner else flow(value)
    tail = lines[1:] if not inner else ()
    return into_block_table(page, box, index, [f"{key}: {head}".rstrip(), *tail])


def _index(root: Laid, key: str) -> int:
    """Where a key goes: behind the one that comes before it in the format."""
    order = list(BlueprintShape.model_fields)
    ranks = [order.index(name.text) if name.text in order else -1 for name, _ in root.entries]
    before = [rank for rank in ranks if rank < order.index(key)]
    return ranks.index(max(before)) + 1 if before else len(ranks)
