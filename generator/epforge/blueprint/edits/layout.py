"""How a blueprint lies in its text: where each node begins and ends, and in which style.

The tree of `nodes` says what a blueprint is; an edit needs to know how it is written: brackets or
dashes, aliases, anchors, tags, and where the last character of a block is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ruamel.yaml import YAML

from epforge.blueprint.text import SourceText


class Form(StrEnum):
    """What a node is, as written."""

    SCALAR = "scalar"
    LIST = "list"
    TABLE = "table"
    ALIAS = "alias"


@dataclass(frozen=True)
class Laid:
    """A node as it lies in the text; places are offsets in characters.

    Args:
        form: what it is.
        start: its first character, with anchor and tag.
        end: the place after its last character; comments after a block are not part of it.
        flow: is it written in brackets?
        marked: has it an anchor or a tag?
        parts: the items of a list; keys and values of a table in turn.
        text: what a scalar says.
    """

    form: Form
    start: int
    end: int
    flow: bool = False
    marked: bool = False
    parts: tuple[Laid, ...] = ()
    text: str = ""

    @property
    def entries(self) -> tuple[tuple[Laid, Laid], ...]:
        """Keys and values of a table."""
        return tuple(zip(self.parts[::2], self.parts[1::2], strict=True))


def lay_out(source: SourceText) -> Laid:
    """The layout of a text that `compose` has read without an error."""
    events = YAML(typ="safe", pure=True).parse(source.text)
    for event in events:
        if type(event).__name__ == "DocumentStartEvent":
            break
    return _node(next(events), events, source.text)


def _node(event: Any, events: Iterator[Any], text: str) -> Laid:
    name = type(event).__name__
    start, end = event.start_mark.index, event.end_mark.index
    if name == "AliasEvent":
        return Laid(Form.ALIAS, start, end)
    marked = bool(event.anchor or event.tag)
    if name == "ScalarEvent":
        return Laid(Form.SCALAR, start, _trimmed(text, start, end), marked=marked, text=event.value)
    parts: list[Laid] = []
    while True:
        inner = next(events)
        if type(inner).__name__ in ("SequenceEndEvent", "MappingEndEvent"):
            break
        parts.append(_node(inner, events, text))
    flow = bool(event.flow_style)
    # A block's end is where the next token is, behind comments that are not the block's.
    end = inner.end_mark.index if flow else parts[-1].end
    form = Form.TABLE if name == "MappingStartEvent" else Form.LIST
    return Laid(form, start, end, flow, marked, tuple(parts))


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    return end


def value_of(table: Laid, key: str) -> Laid | None:
    """The value of a key in a table; None where the key is not written."""
    return next((value for name, value in table.entries if name.text == key), None)
