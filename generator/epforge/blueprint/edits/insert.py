"""Putting one more entry into a list or a table, in the style that it is written in."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from epforge.blueprint.edits.layout import Form, Laid
from epforge.blueprint.edits.values import WIDTH
from epforge.blueprint.page import Change, Page, insertion

_DEEP = 40  # a continuation line does not begin further to the right


@dataclass(frozen=True)
class Unit:
    """An entry of a collection: an item, or a key with its value."""

    start: int
    end: int


def units_of(box: Laid) -> tuple[Unit, ...]:
    """The entries of a collection."""
    if box.form is Form.TABLE:
        return tuple(Unit(key.start, max(key.end, value.end)) for key, value in box.entries)
    return tuple(Unit(item.start, item.end) for item in box.parts)


def into_flow(page: Page, box: Laid, index: int, entry: str) -> list[Change]:
    """Adds an entry to a collection in brackets.

    Args:
        box: the collection, without anchor and tag.
        index: the entries before it.
        entry: its text.
    """
    units = units_of(box)
    if not units:
        inside = page.text[box.start + 1 : box.end - 1]
        stays = inside.strip() or "\n" in inside or "\r" in inside
        return [Change(box.start + 1, box.start + 1 if stays else box.end - 1, entry)]
    if _one_per_line(page, units):
        return _own_line(page, units, index, entry)
    broken = f",{page.end_of_lines}{_continuation(page, units, index)}"
    place = units[max(index - 1, 0)].start if index == 0 else units[index - 1].end
    separator = ", " if page.width(place) + len(entry) + 2 <= WIDTH else broken
    text = f"{entry}{separator}" if index == 0 else f"{separator}{entry}"
    return [insertion(place, text)]


def _one_per_line(page: Page, units: Sequence[Unit]) -> bool:
    lines = [page.line_start(unit.start) for unit in units]
    begins = [not page.before(unit.start).strip() for unit in units]
    return len(set(lines)) == len(lines) and all(begins[1:] if len(units) > 1 else begins)


def _own_line(page: Page, units: Sequence[Unit], index: int, entry: str) -> list[Change]:
    eol, indent = page.end_of_lines, page.indent(units[-1].start)
    if index == 0:
        return [insertion(units[0].start, f"{entry},{eol}{page.indent(units[0].start)}")]
    end = units[index - 1].end
    following = page.significant(end)
    comma = page.text[following : following + 1] == ","
    place = following + 1 if comma else end
    rest = page.rest(place).strip()
    changes = [] if comma else [insertion(end, ",")]
    if not rest or rest.startswith("#"):
        place = page.line_end(place)
    return [*changes, insertion(place, f"{eol}{indent}{entry}{',' if comma else ''}")]


def _continuation(page: Page, units: Sequence[Unit], index: int) -> str:
    """What a line begins with that continues the collection."""
    near = units[max(index - 1, 0)]
    first = units[0]
    if page.line_start(near.start) != page.line_start(first.start):
        line = page.before(near.start)
        return line[: len(line) - len(line.lstrip(" \t"))]
    line = page.before(first.start)
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return page.indent(first.start) if len(line) <= _DEEP else f"{blanks}    "


def into_block_list(page: Page, box: Laid, index: int, lines: Sequence[str]) -> list[Change] | None:
    """Adds an entry to a list with dashes; None where the list is not written line by line.

    Args:
        box: the list.
        index: the entries before it.
        lines: the lines of the entry, without dash and indent.
    """
    units = units_of(box)
    indent = page.before(box.start)
    if indent.strip() or page.text[box.start] != "-":
        return None
    model = units[max(index - 1, 0)]
    gap = page.before(model.start)[len(indent) + 1 :]
    gap = gap if gap and not gap.strip(" ") else " "
    eol = page.end_of_lines
    body = f"{eol}{indent} {' ' * len(gap)}".join([f"-{gap}{lines[0]}", *lines[1:]])
    pairs = list(itertools.pairwise(units))
    spaced = bool(pairs) and all(page.has_blank_line(one.end, two.start) for one, two in pairs)
    between = eol * 2 if spaced else eol
    if index == 0:
        return [insertion(box.start, f"{body}{between}{indent}")]
    place = page.block_end(model.end, len(indent))
    return [insertion(place, f"{between}{indent}{body}")]


def into_block_table(page: Page, box: Laid, index: int, lines: Sequence[str]) -> list[Change]:
    """Adds a key to a table without brackets.

    Args:
        box: the table.
        index: the entries before it, at least one.
        lines: the lines of key and value, without indent. More than one are set off by an empty
            line where the table's own entries are at this place.
    """
    units = units_of(box)
    indent, eol = page.indent(box.parts[0].start), page.end_of_lines
    here = index if index < len(units) else index - 1
    apart = here > 0 and page.has_blank_line(units[here - 1].end, units[here].start)
    between = eol * 2 if apart and len(lines) > 1 else eol
    place = page.block_end(units[index - 1].end, len(indent))
    body = f"{eol}{indent}".join(lines)
    return [insertion(place, f"{between}{indent}{body}")]
