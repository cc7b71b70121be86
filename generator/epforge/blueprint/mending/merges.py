"""Merge keys written out, and keys that are written twice put together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from ruamel.yaml.error import YAMLError

from epforge.blueprint.diagnostic import Diagnostic, Fix, Span
from epforge.blueprint.editions.surgery import (
    Found,
    Unsafe,
    carried,
    comments_in,
    put_in,
    take_out,
    takes_lines,
)
from epforge.blueprint.edits.insert import into_block_list, into_flow
from epforge.blueprint.edits.layout import Form, Laid, lay_out
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.nodes import Node
from epforge.blueprint.page import Change, Page, as_fix
from epforge.blueprint.text import SourceText

_MERGE = "<<"
_MANY = 200  # errors that get a fix in one run
#: Lists to which a second one adds: what is in them stands beside each other.
_ADDED_TO = ("ops", "custom_ops", "options", "devices", "overlays", "runtime_libs", "system_libs")


def mend(errors: list[Diagnostic], alike: Collection[int], source: SourceText, root: Node) -> None:
    """Gives the errors of merge keys and of keys that are written twice their fixes.

    Args:
        errors: they are replaced.
        alike: those of keys that say the same twice, by their place among the errors.
        source: the text.
        root: its tree.
    """
    codes = ("merge-key", "duplicate-key")
    places = [place for place, error in enumerate(errors) if error.code in codes][:_MANY]
    desk, doubles = Desk(source, root), Doubles(source)
    for place in places:
        error = errors[place]
        if place in alike:
            errors[place] = replace(error, fix=desk.key_again(error.span))
        elif error.code == "merge-key":
            errors[place] = replace(error, fix=doubles.merged(error.span))
        elif error.code == "duplicate-key" and (fix := doubles.together(error.span)):
            errors[place] = replace(error, fix=fix, hint="put them together")
    spans = {error.span for error in errors}
    for place in places:
        error = errors[place]
        followers = doubles.undashed(error.span) if error.code == "duplicate-key" else []
        if followers and all(span in spans for span in followers):
            what, hint = "this entry of the list has no dash", "begin it with a dash"
            fix = doubles.dashed(error.span)
            errors[place] = replace(error, code="no-dash", message=what, hint=hint, fix=fix)
            errors[:] = [other for other in errors if other.span not in followers]
            break


class Doubles:
    """The tables of a text that is YAML, for keys that are there twice and keys to be merged.

    Args:
        source: the text.
    """

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._page = Page(source.text)
        try:
            self._root: Laid | None = lay_out(source)
        except (YAMLError, StopIteration):
            self._root = None
        self._keys = {
            source.position(key.start): Found(box, index, (), ())
            for box in _all(self._root)
            for index, (key, _) in enumerate(box.entries if box.form is Form.TABLE else ())
        }

    def merged(self, span: Span) -> Fix | None:
        """The change that writes out the merge key at a place; None where that is not safe."""
        found = self._at(span)
        if found is None:
            return None
        own = {key.text for key, _ in found.table.entries}
        try:
            entries = self._entries(found.value, own)
            if not entries:
                return as_fix(self._source, take_out(self._page, found))
        except Unsafe:
            return None
        start, end = found.key.start, found.value.end
        if found.table.flow:
            between = ", "
        else:
            between = f"{self._page.end_of_lines}{self._page.indent(start)}"
        return as_fix(self._source, [Change(start, end, between.join(entries))])

    def together(self, span: Span) -> Fix | None:
        """The change that puts what stands behind the second of two keys to the first's: entries
        of lists, or keys of which each is there once. None where they say two things."""
        second = self._at(span)
        if second is None or second.value.marked:
            return None
        table = second.table
        index = next(i for i, (key, _) in enumerate(table.entries) if key.text == second.key.text)
        first = Found(table, index, (), ())
        if index == second.index or first.value.marked:
            return None
        try:
            changes = self._added(first, second)
            return as_fix(self._source, changes) if changes else None
        except Unsafe:
            return None

    def undashed(self, span: Span) -> list[Span]:
        """The keys behind the one at a place that are there twice, too, where with that one the
        next entry of a list can begin; else none."""
        found = self._at(span)
        if found is None or found.table.flow or found.key.text not in ("name", "op"):
            return []
        before = {key.text for key, _ in found.table.entries[: found.index]}
        behind = found.table.entries[found.index + 1 :]
        again = [key for key, _ in behind if key.text in before]
        return [self._source.span(key.start, key.end) for key in again]

    def dashed(self, span: Span) -> Fix | None:
        """The change that begins an entry of a list with the key at a place."""
        place = self._source.offset(span.line, span.column)
        blanks = self._page.before(place)
        if blanks.strip() or len(blanks) < len("- "):
            return None
        return as_fix(self._source, [Change(place - 2, place, "- ")])

    def _added(self, first: Found, second: Found) -> list[Change]:
        one, two, page = first.value, second.value, self._page
        if one.form is Form.LIST and two.form is Form.LIST and first.key.text in _ADDED_TO:
            if comments_in(page, two, two.start, two.end):
                raise Unsafe(two.start, two.end)
            written = [_flow(page, item) for item in two.parts]
            if not one.parts or not two.parts:
                return []
            out = take_out(page, second)
            if one.flow:
                return [*into_flow(page, one, len(one.parts), ", ".join(written)), *out]
            puts = [into_block_list(page, one, len(one.parts), [item]) for item in written]
            if None in puts:
                raise Unsafe(one.start, one.end)
            return [*(change for put in puts for change in put or ()), *out]
        if one.form is not Form.TABLE or two.form is not Form.TABLE:
            return []
        if {key.text for key, _ in one.entries} & {key.text for key, _ in two.entries}:
            return []
        if comments_in(page, two, two.start, two.end):
            raise Unsafe(two.start, two.end)
        changes = list[Change]()
        for index, (key, _) in enumerate(two.entries):
            place = Found(two, index, (), ())
            load = carried(page, place, key.text, as_lines=takes_lines(one, (key.text,)))
            changes += put_in(page, one, (key.text,), load.lines, load.flow)
        return [*changes, *take_out(page, second)]

    def _entries(self, value: Laid, own: set[str]) -> list[str]:
        """What a merge key brings, without the keys that are there; the first of several wins."""
        boxes = value.parts if value.form is Form.LIST else (value,)
        taken, written = set(own), list[str]()
        for box in map(self._target, boxes):
            if box.form is not Form.TABLE or any(key.text == _MERGE for key, _ in box.entries):
                raise Unsafe(box.start, box.end)  # the inner one is written out first
            for key, inner in box.entries:
                if key.text not in taken:
                    taken.add(key.text)
                    name = self._page.text[key.start : key.end]
                    written.append(f"{name}: {_flow(self._page, inner)}")
        return written

    def _target(self, box: Laid) -> Laid:
        if box.form is not Form.ALIAS:
            return box
        name = self._page.text[box.start + 1 : box.end].strip()
        sign = re.compile(rf"&{re.escape(name)}(?=\s)")
        before = [each for each in _all(self._root) if each.marked and each.start < box.start]
        found = [each for each in before if sign.match(self._page.text, each.start)]
        if not found:
            raise Unsafe(box.start, box.end)
        return found[-1]

    def _at(self, span: Span) -> Found | None:
        return self._keys.get((span.line, span.column))


def _all(box: Laid | None) -> Iterator[Laid]:
    if box is not None:
        yield box
        for part in box.parts:
            yield from _all(part)


def _flow(page: Page, box: Laid) -> str:
    """A value on one line, as it is written."""
    inner = Found(Laid(Form.TABLE, box.start, box.end, parts=(box, box)), 0, (), ())
    if box.form is not Form.SCALAR and box.marked:
        raise Unsafe(box.start, box.end)
    return carried(page, inner, "", as_lines=False).flow
