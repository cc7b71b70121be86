"""Signs of other languages and of other alphabets, where YAML has its own."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from epforge.blueprint.lookalikes import SIGNS
from epforge.blueprint.page import Change, Page
from epforge.blueprint.slips.model import ENTRY, Slip, content_end, known_keys

_MANY = 200  # signs that are looked at
_WIDE = re.compile(f"[{''.join(SIGNS)}][ \u3000]*")
_KEY = re.compile(r"[ \t]*(?:- +)?(?P<key>[\w-]+) *[：﹕]")
_BULLET = re.compile(r"^[ \t]*(?P<sign>[*•·‣–—])[ \t\u00a0]+(?=\S)", re.MULTILINE)
_EQUALS = re.compile(r"^(?P<key>[\w-]+)(?P<sign> *= *)(?=\S)", re.MULTILINE)
_END = re.compile(r"[\"'\]}](?P<sign>[ \t]*[,;]+)$")


def signs(page: Page, stop: int) -> Iterator[Slip]:
    """Signs of other widths, bullets, equals signs, and what other languages end lines with."""
    yield from _wide(page, stop)
    yield from _bullets(page)
    yield from _equals(page)
    yield from _ends(page)


def _wide(page: Page, stop: int) -> Iterator[Slip]:
    """Signs that look like YAML's: of the line where the reader stopped or before; of all."""
    every = itertools.islice(_WIDE.finditer(page.text), _MANY)
    found = [match for match in every if not _is_text(page, match.start())]
    if not found:
        return
    near = [match for match in found if match.start() <= page.line_end(stop)]
    groups = [[m for m in near if page.line_start(m.start()) == page.line_start(near[-1].start())]]
    for group in (groups[0] if near else [], found):
        if not group:
            continue
        start, end = group[0].start(), group[0].start() + 1
        key = _KEY.match(page.rest(page.line_start(start)))
        if key and start == page.line_start(start) + key.end() - 1:
            start, end = (page.line_start(start) + place for place in key.span("key"))
        what = f"{group[0][0][0]} only looks like {SIGNS[group[0][0][0]]}"
        changes = tuple(Change(m.start(), m.end(), _narrow(m[0][0])) for m in group)
        yield Slip(start, end, what, f"write {SIGNS[group[0][0][0]]}", changes)


def _narrow(sign: str) -> str:
    plain = SIGNS[sign]
    return f"{plain} " if plain in ":,;" else plain


def _is_text(page: Page, place: int) -> bool:
    """Is a place in quotes or in a comment, as far as its line shows?"""
    before = page.before(place)
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1 or " #" in before


def _bullets(page: Page) -> Iterator[Slip]:
    found = list(_BULLET.finditer(page.text))
    if found:
        start = found[0].start("sign")
        changes = tuple(Change(m.start("sign"), m.end(), "- ") for m in found)
        what = f"{found[0]['sign']} begins no item of a list"
        yield Slip(start, start + 1, what, "write - and a blank", changes)


def _equals(page: Page) -> Iterator[Slip]:
    """Lines of ``key = value``, all of them."""
    found = [m for m in _EQUALS.finditer(page.text) if m["key"] in known_keys()]
    if len(found) > 1:
        changes = tuple(Change(*m.span("sign"), ": ") for m in found)
        what, hint = "a key is followed by a colon", "write : for ="
        yield Slip(*found[0].span("key"), what, hint, changes)


def _ends(page: Page) -> Iterator[Slip]:
    """Commas and semicolons behind what is closed, at the ends of lines outside of brackets."""
    changes, depth, place = [], 0, 0
    while place < len(page.text):
        line = page.rest(place)
        content = line[: content_end(line)]
        bare = re.sub(r"\"(?:\\.|[^\"\\])*\"|'[^']*'", "", content)
        before, depth = (
            depth,
            depth + len(re.findall(r"[\[{]", bare)) - len(re.findall(r"[\]}]", bare)),
        )
        end = _END.search(content)
        if end and before == 0 == depth and ENTRY.match(content):
            changes.append(Change(place + end.start("sign"), place + end.end("sign"), ""))
        place = page.line_end(place) + 1
    if changes:
        sign = page.text[changes[0].start : changes[0].end].strip()
        what = f"{sign} at the end of a line goes with nothing"
        yield Slip(changes[0].start, changes[0].end, what, "delete it", tuple(changes))


def hidden(page: Page, start: int, place: int) -> Slip | None:
    """A text in brackets that begins with ``#``, and is a comment to YAML with all behind it.

    Args:
        start: where its line begins.
        place: of the ``#``.
    """
    before = page.text[start:place].rstrip()
    word = re.match(r"#[^\s,\]}#]+(?=[ \t]*[,\]}])", page.rest(place))
    if not before.endswith(":") or word is None:
        return None
    end = place + word.end()
    what, hint = "# begins a comment", "write the text in quotes"
    return Slip(place, end, what, hint, (Change(place, end, f'"{word[0]}"'),))
