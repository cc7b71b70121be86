"""Brackets and quotes that are not closed, closed twice, or closed by another one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from epforge.blueprint.page import Change, Page, insertion
from epforge.blueprint.slips.model import ENTRY, Slip, content_end, quoted
from epforge.blueprint.slips.signs import hidden

_CLOSING = {"[": "]", "{": "}"}
_FEW = 12  # brackets that are tried
_OPENING = {"]": "[", "}": "{"}


@dataclass
class _Scan:
    """What has been seen of a text, from its begin on."""

    page: Page
    stack: list[int] = field(default_factory=list)  # brackets that are open
    quote: int | None = None  # a quote that is open
    slips: list[Slip] = field(default_factory=list)


def brackets(page: Page, stop: int) -> Iterator[Slip]:
    """The first bracket or quote that goes with no other."""
    scan = _Scan(page)
    place = 0
    while place < len(page.text) and not scan.slips:
        end = page.line_end(place)
        _line(scan, place, end)
        following = end + (2 if page.text[end : end + 2] == "\r\n" else 1)
        if not scan.slips:
            _at_end_of_line(scan, place, end, following)
        place = following
    yield from scan.slips
    yield from itertools.islice(_left_open(page), _FEW)
    yield from _commas(page, stop)


def _line(scan: _Scan, start: int, end: int) -> None:
    """One line: brackets and quotes count where a value can begin, and within brackets."""
    text, place, fresh = scan.page.text, start, True
    while place < end and not scan.slips:
        char = text[place]
        if scan.quote is not None:
            place = _in_quotes(scan, place, end)
            fresh = False
            continue
        if char == "#" and (place == start or text[place - 1] in " \t"):
            slip = hidden(scan.page, start, place) if scan.stack else None
            scan.slips += [slip] if slip else []
            return
        if char in "\"'" and fresh:
            scan.quote = place
        elif char in _CLOSING and (fresh or scan.stack):
            scan.stack.append(place)
            fresh = True
        elif char in _OPENING and scan.stack:
            _close(scan, place)
            fresh = False
        elif (char in _OPENING and not text[start:place].strip()) or _is_extra(scan, start, place):
            _extra(scan, place)
        else:
            fresh = (char in " \t" and fresh) or _begins(text, place, bool(scan.stack))
        place += 1


def _begins(text: str, place: int, flow: bool) -> bool:
    """Can a value begin behind this character?"""
    char, after = text[place], text[place + 1 : place + 2]
    if char == ",":
        return flow
    if char == ":":
        return after in (" ", "\t", "") or (flow and text[place - 1] in "\"'")
    return (
        char == "-"
        and after in (" ", "\t")
        and not text[text.rfind("\n", 0, place) + 1 : place].strip(" -")
    )


def _in_quotes(scan: _Scan, place: int, end: int) -> int:
    """Behind the end of a quoted text, or of the line."""
    text, mark = scan.page.text, scan.page.text[scan.quote or 0]
    if scan.quote == place:
        place += 1
    while place < end:
        pair = text[place : place + 2]
        if pair == "''" if mark == "'" else pair[0] == "\\":
            place += 2
        elif text[place] == mark:
            scan.quote = None
            return place + 1
        else:
            place += 1
    return end


def _is_extra(scan: _Scan, start: int, place: int) -> bool:
    """Is a closing bracket behind a collection that is closed already?"""
    text = scan.page.text
    before = text[start:place].rstrip()
    return text[place] in _OPENING and not scan.stack and before[-1:] in _OPENING


def _close(scan: _Scan, place: int) -> None:
    text, opened = scan.page.text, scan.stack[-1]
    if text[opened] == _OPENING[text[place]]:
        scan.stack.pop()
        return
    wanted = _CLOSING[text[opened]]
    if any(text[each] == _OPENING[text[place]] for each in scan.stack):
        what = f"this {text[opened]} is not closed"
        mended = (insertion(place, wanted),)
        scan.slips.append(Slip(opened, opened + 1, what, f"write {wanted} behind its last", mended))
    else:
        what = f"{text[place]} closes a {text[opened]}"
        mended = (Change(place, place + 1, wanted),)
        scan.slips.append(Slip(place, place + 1, what, f"write {wanted}", mended))
        scan.slips += _not_opened(scan, place)


def _extra(scan: _Scan, place: int) -> None:
    char = scan.page.text[place]
    what = f"this {char} closes nothing"
    scan.slips.append(Slip(place, place + 1, what, "delete it", (Change(place, place + 1, ""),)))
    scan.slips += _not_opened(scan, place)


def _not_opened(scan: _Scan, place: int) -> Iterator[Slip]:
    """A closing bracket whose opening one is missing where the value begins."""
    char, before = scan.page.text[place], scan.page.before(place)
    keys = list(re.finditer(r"[\w\"'-]+: +", before))
    if keys and not before[keys[-1].end() :].startswith(_OPENING[char]):
        begin = scan.page.line_start(place) + keys[-1].end()
        what, hint = f"this {char} closes nothing", f"write {_OPENING[char]} before the first"
        yield Slip(place, place + 1, what, hint, (insertion(begin, _OPENING[char]),))


def _left_open(page: Page) -> Iterator[Slip]:
    """A bracket that its own line does not close, and behind which the line goes on."""
    place = 0
    while place < len(page.text):
        end = page.line_end(place)
        scan = _Scan(page)
        _line(scan, place, end)
        length = content_end(page.text[place:end])
        if scan.stack and not scan.slips and page.text[place + length - 1] not in "[{":
            inner, comma = scan.stack[-1], page.text[place + length - 1] == ","
            closing = _CLOSING[page.text[inner]]
            what, hint = f"this {page.text[inner]} is not closed", f"write {closing} at the end"
            spot = place + length - comma
            yield Slip(inner, inner + 1, what, hint, (insertion(spot, closing),))
        place = end + 1


def _at_end_of_line(scan: _Scan, start: int, end: int, following: int) -> None:
    """What should have been closed in this line: the next one goes on elsewhere."""
    page = scan.page
    opened = scan.quote if scan.quote is not None else scan.stack[0] if scan.stack else None
    if opened is None or not _goes_on(page, opened, following):
        return
    if scan.quote is not None:
        _open_quote(scan, scan.quote, page.line_end(scan.quote))
        return
    place = start + content_end(page.text[start:end])
    if page.text[place - 1 : place] == "," and place > start:
        place -= 1
    closers = "".join(_CLOSING[page.text[each]] for each in reversed(scan.stack))
    inner = scan.stack[-1]
    what = f"this {page.text[inner]} is not closed"
    slip = Slip(inner, inner + 1, what, f"write {closers} at the end", (insertion(place, closers),))
    scan.slips.append(slip)


def _goes_on(page: Page, opened: int, following: int) -> bool:
    """Does the text go on, behind a line, with what is not in the brackets that were opened?"""
    while following < len(page.text):
        line = page.rest(following)
        if line.strip() and not line.lstrip().startswith("#"):
            own = page.before(opened)
            depth = len(own) - len(own.lstrip(" -"))
            indent = len(line) - len(line.lstrip(" "))
            return bool(ENTRY.match(line)) and (indent <= depth or line.lstrip().startswith("- "))
        following = page.line_end(following) + 1
    return True


def _open_quote(scan: _Scan, opened: int, end: int) -> None:
    page = scan.page
    mark, inside = page.text[opened], page.text[opened + 1 : end]
    what, hint = "this quote is not closed", f"write {mark} behind the text"
    cut = re.search(r"[,\]}]", inside) if scan.stack else None
    length = cut.start() if cut else content_end(inside)
    written = inside[:length].rstrip()
    if cut or mark not in written:
        mended = (insertion(opened + 1 + len(written), mark),)
        scan.slips.append(Slip(opened, opened + 1, what, hint, mended))
    else:
        whole = (Change(opened, opened + 1 + len(written), quoted(f"{mark}{written}")),)
        scan.slips.append(Slip(opened, opened + 1, what, hint, whole))


def _commas(page: Page, stop: int) -> Iterator[Slip]:
    """A comma too many, or one too few, where the reader stopped."""
    text = page.text
    if text[stop : stop + 1] == ",":
        what = "between two commas there is nothing"
        mended = (Change(stop, stop + 1 + (text[stop + 1 : stop + 2] == " "), ""),)
        yield Slip(stop, stop + 1, what, "delete one of them", mended)
    what, hint = "here is no comma", "write a comma between the two"
    before = len(text[:stop].rstrip())
    if before and text[before - 1] not in ",[{:":
        comment = page.line_start(before - 1) + content_end(
            page.text[page.line_start(before - 1) : page.line_end(before - 1)]
        )
        yield Slip(stop, stop + 1, what, hint, (insertion(min(before, comment), ","),))
    words = re.search(r"(\S+)[ \t]+(\"?[\w-]+\"?)\s*\Z", page.before(stop))
    if words:
        start = page.line_start(stop) + words.start(2)
        gap = page.line_start(stop) + words.end(1)
        yield Slip(start, stop, what, hint, (insertion(gap, ","),))
