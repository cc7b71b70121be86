"""Changes of several lines of a blueprint: keys put into a table, and taken out of one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.editions.surgery import Unsafe, carried, comments_in, take_out
from epforge.blueprint.edits.layout import Form
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.nodes import Path
from epforge.blueprint.page import Change, Page


def wrapped(desk: Desk, box: Path, names: Mapping[str, str], key: str) -> Fix | None:
    """Keys of a table become, under other names, those of one that stands for the first."""
    places = [desk.found_at((*box, name)) for name in names]
    found = [place for place in places if place is not None]
    if len(found) < len(places):
        return None
    try:
        values = [carried(desk.page, each, "", as_lines=False) for each in found]
        pairs = zip(names.values(), values, strict=True)
        flow = ", ".join(f"{name}: {load.flow}" for name, load in pairs)
        first = found[0]
        if comments_in(desk.page, first.table, first.key.start, first.value.end):
            return None
        changes = [Change(first.key.start, first.value.end, f"{key}: {{{flow}}}")]
        for each in found[1:]:
            changes += take_out(desk.page, each)
    except Unsafe:
        return None
    return desk.fix(changes)


def unwrapped(desk: Desk, path: Path) -> Fix | None:
    """A key goes, and the keys of its value come into its place."""
    found = desk.found_at(path)
    if found is None or found.value.form is not Form.TABLE or found.value.marked:
        return None
    page, value = desk.page, found.value
    start, first = found.key.start, value.parts[0].start
    if found.table.flow or value.flow:
        inner = page.text[value.start + 1 : value.end - 1].strip(" ")
        fits = value.flow and found.table.flow and "\n" not in inner
        return desk.fix([Change(start, value.end, inner)]) if fits else None
    colon = page.text.index(":", found.key.end) + 1
    if page.before(start).strip() or page.text[colon : page.line_end(colon)].strip():
        return None  # behind a dash, or with a comment or the first key in its line
    depth = page.column(first) - page.column(start)
    place = page.line_end(colon)
    changes = [Change(page.line_start(start), _next_line(page, place), "")]
    while place < value.end:
        begin = _next_line(page, place)
        end = page.line_end(begin)
        blanks = len(page.text[begin:end]) - len(page.text[begin:end].lstrip(" "))
        changes.append(Change(begin, begin + min(depth, blanks), ""))
        place = end
    return desk.fix(changes)


def _next_line(page: Page, end: int) -> int:
    """Where the line begins that follows the one that ends at a place."""
    return end + (2 if page.text[end : end + 2] == "\r\n" else 1)


def undashed(desk: Desk, paths: Sequence[Path]) -> Fix | None:
    """Items of a list lose their dashes: their keys belong to the item before."""
    changes = []
    for path in paths:
        item = desk.at(path)
        dash = desk.page.before(item.start) if item is not None else ""
        if item is None or item.flow or item.marked or not re.fullmatch(r" *- +", dash):
            return None
        place = item.start - len(dash) + dash.index("-")
        changes.append(Change(place, place + 1, " "))
    return desk.fix(changes)
