"""One value of a blueprint, such as a version."""

from __future__ import annotations

import copy
from typing import Any

from epforge.blueprint.edits.keys import add_key
from epforge.blueprint.edits.layout import Form, Laid, lay_out, value_of
from epforge.blueprint.edits.values import Verbatim
from epforge.blueprint.edits.verified import refusal, signature_of, verified
from epforge.blueprint.nodes import Path
from epforge.blueprint.page import Change, Page
from epforge.blueprint.source import BlueprintSource
from epforge.blueprint.text import SourceText


def set_scalar(source: BlueprintSource, path: Path, text: str) -> str:
    """The text of the blueprint with one single value set.

    A value that is there is replaced where it stands. One that is not is added to its table, in
    the style of that; a table that is not there is made. Nothing else changes.

    Args:
        source: a blueprint without errors.
        path: the keys that lead to the value, such as ``("ort", "target")``.
        text: the value as it is to be written, with its quotes: ``"1.28"`` in quotes is a text.

    Raises:
        UsageError: what is there is no single value, or is written in a way (an alias, an anchor, a
            tag) that has to be edited by hand; names the place and what to write.
    """
    page = Page(source.text.text)
    keys = [str(step) for step in path]
    cure = f"Write {text} by hand as the value of {'.'.join(keys)}."
    error = refusal(source, path, "this value", cure)
    wanted = _said_by(text)
    changes = None if wanted is None else _changes(source, page, path, text)
    if changes is None:
        raise error

    def is_right(before: Any, after: Any) -> bool:
        expected = copy.deepcopy(before)
        table = expected
        for key in keys[:-1]:
            table = table.setdefault(key, {})
        table[keys[-1]] = wanted
        return bool(expected == after)

    return verified(source, page.changed(changes), is_right, error)


def _said_by(text: str) -> Any:
    """What a single value says; None if the text is something else, or more than that."""
    line = f"value: {text}"
    said = signature_of(line, "value")
    if not isinstance(said, dict) or not isinstance(said.get("value"), tuple):
        return None
    found = value_of(lay_out(SourceText("value", line)), "value")
    is_all = found is not None and found.end == len(line) and found.start < found.end
    return said["value"] if is_all and found is not None and not found.marked else None


def _changes(source: BlueprintSource, page: Page, path: Path, text: str) -> list[Change] | None:
    """None where the value has to be edited by hand."""
    box: Laid = lay_out(source.text)
    for step in path:
        if box.form is not Form.TABLE:
            return None
        found = value_of(box, str(step))
        if found is None:
            return add_key(source, page, path, [text], Verbatim(text))
        box = found
    if box.form is not Form.SCALAR or box.marked:
        return None
    return [Change(box.start, box.end, text)]
