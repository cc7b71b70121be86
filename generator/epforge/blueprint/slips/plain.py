"""Texts without quotes that cannot be meant so."""

from __future__ import annotations

import re

from epforge.blueprint.page import Change, Page
from epforge.blueprint.slips.model import Slip, known_keys

_CURLY = re.compile(r"[“„‘‚«](?P<inside>[^“”„‘’‚«»\"\\\r\n]*)[”“’‘»]")
_FREE = ("doc", "default")  # keys whose texts may end in anything
_NEXT = re.compile(r"(?:\r\n|\n|\r)[ \t]*(?P<dash>-?)[ \t]*(?P<word>[\w.:]+)[ \t]*")
_WORDS = re.compile(r"[\w.:]+(?:[ \t]*(?:\r\n|\n|\r)[ \t]*(?:-[ \t]*)?[\w.:]+)+")


def check_plain(text: str, start: int, end: int, *, in_list: bool) -> Slip | None:
    """A slip in a text without quotes; None if there is none.

    Args:
        text: all of it.
        start, end: the place of the text without quotes.
        in_list: is it an item of a list?
    """
    written = text[start:end].rstrip()
    curly = _CURLY.fullmatch(written)
    if curly:
        what = "these are not the quotes of YAML"
        mended = (Change(start, start + len(written), f'"{curly["inside"]}"'),)
        return Slip(start, start + len(written), what, "write plain ones", mended)
    glued = re.match(r"([\w-]+):\S", written)
    if glued and glued[1] in known_keys():
        return None  # a blank is missing behind the colon
    if in_list and _WORDS.fullmatch(written) and ("\n" in written or "\r" in written):
        return _items(Page(text), start, written)
    return None


def _items(page: Page, start: int, written: str) -> Slip | None:
    """Words on lines of their own, in a list with dashes: each is an item."""
    indent = page.before(start)
    if not re.fullmatch(r"[ \t]*-[ \t]+", indent):
        return None
    changes = []
    for each in _NEXT.finditer(written):
        begin = start + each.end(0) - len(each[0].lstrip("\r\n"))
        changes.append(Change(begin, start + each.start("word"), indent))
    first, *others = _NEXT.finditer(written)
    depths = {
        len(each[0].lstrip("\r\n")) - len(each[0].lstrip("\r\n \t")) for each in (first, *others)
    }
    if others and len(depths) == 1 and all(each["dash"] for each in (first, *others)):
        dash = start - len(indent) + indent.index("-")
        what, hint = "this dash does not stand as those below it", f"indent it by {min(depths)}"
        mended = (Change(page.line_start(start), dash, " " * min(depths)),)
        return Slip(dash, dash + 1, what, hint, mended)
    dashed = bool(first["dash"])
    place = start + first.start("dash" if dashed else "word")
    length = 1 if dashed else len(first["word"])
    what = "this dash begins no item where it stands" if dashed else "this item has no dash"
    return Slip(place, place + length, what, "begin it as the one before", tuple(changes))


def stray_end(text: str, start: int, value: str, key: str | None) -> tuple[str, Slip] | None:
    """A comma or semicolon behind a value, as other languages end their lines with; the value
    without it, and the slip.

    Args:
        text: all of it.
        start: where the value begins, outside of brackets.
        value: it, without quotes.
        key: what it is the value of; None for an item of a list.
    """
    bare = value.rstrip(",; ")
    if not bare or key in _FREE or (key is not None and key not in known_keys()):
        return None
    if not text.startswith(value, start):  # it goes on in other lines
        return None
    begin, end = start + len(bare), start + len(value)
    what = f"{value[len(bare) :].strip()} at the end of a line is part of the value"
    return bare, Slip(begin, end, what, "delete it", (Change(begin, end, ""),))
