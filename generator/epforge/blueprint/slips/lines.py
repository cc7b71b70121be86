"""Lines that are indented wrongly, or in which a colon, a dash or a blank is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from epforge.blueprint.page import Change, Page, insertion
from epforge.blueprint.slips.model import Slip, content_end, known_keys

_TABS = re.compile(r"^ *\t[ \t]*", re.MULTILINE)
_GAPS = re.compile(r"^ *(?:- +)*(?:[\w\"'-]+:|-)(?P<tab> *\t[ \t]*)(?=\S)", re.MULTILINE)
_BLANKS = re.compile(
    r"^[ \t]*[\u00a0\u2000-\u200b\u202f\u205f\u3000][\s\u200b]*(?=\S)", re.MULTILINE
)
_NO_COLON = re.compile(r"[ \t]*(?:- +)?(?P<key>[\w-]+)(?P<rest>[ \t]+\S.*|[ \t]*)")
_EQUALS = re.compile(r"[ \t]*(?:- +)?(?P<key>[\w-]+)(?P<sign> *(?:=>|:=|->|=+) *)\S")
_HEAD = re.compile(r"[ \t]*(?:- +)?(?P<key>[\w-]+)(?P<sign> *(?:=>?|:[,;]+))")
_GLUED = re.compile(r"[ \t]*(?:- +)?(?P<key>[\w-]+):(?P<rest>[^\s:].*)")
_DASH = re.compile(r"[ \t]*(?P<dash>-)(?P<rest>[\w{\[\"'])")
_PROSE = re.compile(r"[ \t]*(?P<text>[A-Za-z][\w,.']*(?: [\w,.'()]+)+)")
_WORD = re.compile(r" *(?P<word>[A-Za-z][\w.]*(?:::\w+)?)")
_WIDTHS = (2, 4, 8)
_LONGEST = 40  # lines of a list that are looked through
_FAR = 25  # lines before it in which a colon can be missing
_BACK = 3  # lines before the one where the reader stopped


def lines(page: Page, stop: int) -> Iterator[Slip]:
    """Slips of the line in which the reader stopped and of those before it."""
    yield from blanks(page)
    yield from _tabs(page)
    yield from dashes(page)
    places = [page.line_start(stop)]
    for _ in range(_FAR):
        place = page.line_start(places[-1] - 1) if places[-1] else 0
        while place and not page.rest(place).strip():
            place = page.line_start(place - 1)
        if place != places[-1]:
            places.append(place)
    for start in places:
        yield from _marks(page, start)
    places = places[: _BACK + 1]
    for start in _block(page, places[0]):
        yield from _no_dash(page, start)
    for start in places:
        prose = _PROSE.fullmatch(page.rest(start).rstrip())
        if prose:
            place = start + prose.start("text")
            what, hint = "here is a text that belongs to nothing", "begin a comment with #"
            yield Slip(place, start + prose.end(), what, hint, (insertion(place, "# "),))
    for start in places:
        yield from _indent(page, start)


def blanks(page: Page) -> Iterator[Slip]:
    """Blanks of another kind, such as word processors make, at the begin of a line."""
    found = list(_BLANKS.finditer(page.text))
    if found:
        what = "these are not the blanks that YAML indents with"
        changes = tuple(Change(m.start(), m.end(), " " * len(m[0])) for m in found)
        yield Slip(found[0].start(), found[0].end(), what, "write spaces", changes)


def _tabs(page: Page) -> Iterator[Slip]:
    found = list(_TABS.finditer(page.text))
    for width in _WIDTHS if found else ():
        changes = tuple(Change(m.start(), m.end(), m[0].replace("\t", " " * width)) for m in found)
        start = found[0].start() + found[0][0].index("\t")
        what = "YAML indents with spaces, never with tabs"
        yield Slip(start, start + 1, what, f"write {width} spaces for each tab", changes)
    gaps = list(_GAPS.finditer(page.text))
    if gaps:
        changes = tuple(Change(m.start("tab"), m.end("tab"), " ") for m in gaps)
        what = "YAML has no tabs between a key and its value"
        yield Slip(*gaps[0].span("tab"), what, "write a space", changes)


def _marks(page: Page, start: int) -> Iterator[Slip]:
    """A colon, a blank or a dash that is missing in a line."""
    line = page.rest(start)
    head = _HEAD.fullmatch(line[: content_end(line)])
    if head and head["key"] in known_keys():
        place, end = start + head.end("key"), start + head.end("sign")
        what = "a key is followed by a colon alone"
        mended = (Change(place, end, ":"),)
        yield Slip(start + head.start("key"), place, what, f"write {head['key']}:", mended)
    equals, glued = _EQUALS.match(line), _GLUED.match(line)
    dash, bare = _DASH.match(line), _NO_COLON.fullmatch(line.partition(" #")[0].rstrip())
    if equals and equals["key"] in known_keys():
        key, sign = equals.span("key"), equals.span("sign")
        what = "a key is followed by a colon"
        mended = (Change(start + sign[0], start + sign[1], ": "),)
        yield Slip(start + key[0], start + key[1], what, "write : for =", mended)
    elif glued and glued["key"] in known_keys():
        key = glued.span("key")
        mended = (insertion(start + key[1] + 1, " "),)
        what, hint = "there is no blank behind the colon", "write a blank behind the colon"
        yield Slip(start + key[0], start + key[1], what, hint, mended)
    elif bare and bare["key"] in known_keys():
        key = bare.span("key")
        what, hint = "a key is followed by a colon", f"write {bare['key']}:"
        mended = (insertion(start + key[1], ":"),)
        yield Slip(start + key[0], start + key[1], what, hint, mended)
    if dash:
        place = start + dash.start("dash")
        what = "there is no blank behind the dash"
        mended = (insertion(place + 1, " "),)
        yield Slip(place, place + 1, what, "write a blank behind the dash", mended)


def _block(page: Page, start: int) -> Iterator[int]:
    """The begins of a line and of those before it, up to one that is indented less."""
    line = page.rest(start)
    depth = len(line) - len(line.lstrip(" "))
    for _ in range(_LONGEST):
        yield start
        line = page.rest(start)
        if start == 0 or (line.strip() and len(line) - len(line.lstrip(" ")) < depth):
            return
        start = page.line_start(start - 1)


def _no_dash(page: Page, start: int) -> Iterator[Slip]:
    """A word in a line of its own where those before or behind it are items of a list."""
    line = page.rest(start)
    word = _WORD.fullmatch(line[: content_end(line)])
    if word is None:
        return
    before = page.rest(page.line_start(start - 1)) if start else ""
    behind = page.rest(min(page.line_end(start) + 1, len(page.text)))
    indent = line[: word.start("word")]
    if any(other.startswith(f"{indent}- ") for other in (before, behind)):
        place = start + word.start("word")
        what, hint = "this item has no dash", "begin it as the others"
        yield Slip(place, start + word.end("word"), what, hint, (insertion(place, "- "),))


def _indent(page: Page, start: int) -> Iterator[Slip]:
    """A line that begins at another column than those that it goes with."""
    line = page.rest(start)
    depth = len(line) - len(line.lstrip(" "))
    if not line.strip() or line.lstrip().startswith("#"):
        return
    columns: list[int] = []
    place = start
    above = page.rest(page.line_start(start - 1)) if start else ""
    if above[: content_end(above)].endswith(":"):
        columns.append(len(above) - len(above.lstrip(" -")) + 2)
    while place > 0:
        place = page.line_start(place - 1)
        other = page.rest(place)
        begin = re.match(r" *(- +)*", other)
        if other.strip() and begin:
            columns += [len(begin[0]), len(other) - len(other.lstrip(" "))]
    below = page.rest(min(page.line_end(start) + 1, len(page.text)))
    if not columns and below.strip():  # the first line
        columns.append(len(below) - len(below.lstrip(" ")))
    for column in sorted(dict.fromkeys(columns), key=lambda each: abs(each - depth)):
        if column != depth:
            what = "this line is indented unlike those that it goes with"
            hint = f"indent it by {column}" if column else "do not indent it"
            mended = (Change(start, start + depth, " " * column),)
            yield Slip(start + depth, start + len(line), what, hint, mended, is_guess=True)
            rest = tuple(_shifted(page, start, depth, column - depth))
            if len(rest) > 1:
                yield Slip(start + depth, start + len(line), what, hint, rest, is_guess=True)


def _shifted(page: Page, start: int, depth: int, by: int) -> Iterator[Change]:
    """A line and those that are within it, indented by more or by less."""
    place = start
    while place < len(page.text):
        line = page.rest(place)
        own = len(line) - len(line.lstrip(" "))
        if line.strip():
            if place > start and own <= depth:
                return
            yield Change(place, place + own, " " * max(own + by, 0))
        place = page.line_end(place) + 1


def dashes(page: Page) -> Iterator[Slip]:
    """A dash before every key of the file, or before the first."""
    changes, place = [], 0
    while place < len(page.text):
        line = page.rest(place)
        if line.startswith(("- ", "  ")):
            changes.append(Change(place, place + 2, ""))
        elif line.strip() and not line.startswith(("#", "---")):
            return
        place = page.line_end(place) + 1
    first = next((each for each in changes if page.text[each.start] == "-"), None)
    if first is not None:
        what = "a blueprint is no list: its keys have no dashes"
        start, hint = first.start, "delete the dashes"
        yield Slip(start, start + 1, what, hint, tuple(changes), is_guess=True)
