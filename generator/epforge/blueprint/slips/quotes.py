"""Texts that need quotes, or other ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from epforge.blueprint.page import Change, Page
from epforge.blueprint.slips.model import Slip, content_end, quoted

_VALUE = re.compile(r"[ \t]*(?:- +)*(?P<key>[\w\"'-]+) *: +(?P<value>\S.*)")
# Keys whose values are words: no quotes make one of a longer text.
_WORDS = ("op", "type", "kernel", "virtual", "paradigm", "runtime", "layout", "models")
_BOUNDS = re.compile(r"\bmodels: +([<>]=?[^\s,}\]\"']+(?:,[<>]=?[0-9]+)?)")
_KEYS = re.compile(r"[{,] *[\w-]+: +")  # of tables in brackets
_ENDS = re.compile(r"[,}](?= *(?:[\w-]+:|[\]},]|$))")  # where a value of theirs can end
_LONGEST = 1000  # characters of a line
_SIGNS = "@`%*&!|>"


def quotes(page: Page, stop: int) -> Iterator[Slip]:
    """The value of the line in which the reader stopped, or of the one before, in quotes."""
    for place in (stop, page.line_start(stop) - 1):
        if place < 0:
            continue
        start = page.line_start(place)
        line = page.rest(start)
        bounds = _BOUNDS.search(line)
        if bounds:
            begin, end = (start + each for each in bounds.span(1))
            what, hint = "> begins a block of text in YAML", "write the range in quotes"
            yield Slip(begin, end, what, hint, (Change(begin, end, quoted(bounds[1])),))
        yield from _in_brackets(page, start)
        match = _VALUE.match(line[: content_end(line)])
        if match is None or match["value"][0] in "[{" or match["key"] in _WORDS:
            continue
        yield _value(start + match.start("value"), match["value"])


def _in_brackets(page: Page, start: int) -> Iterator[Slip]:
    """A value between brackets that ends too early for YAML: at its apostrophe, its colon, or at
    what a backslash begins."""
    line = page.rest(start)
    if len(line) > _LONGEST:
        return
    for key in _KEYS.finditer(line):
        begin = key.end()
        if line[begin : begin + 1] in ("", "[", "{"):
            continue
        behind = [match.start() for match in _ENDS.finditer(line, begin)]
        for end in behind:
            value = line[begin:end].rstrip()
            if not value:
                continue
            mark = value[0] if value[0] in "\"'" else ""
            if re.search(r", *[\w-]+: ", value) or (mark and (len(value) < 2 or value[-1] != mark)):
                continue
            if mark or ": " in value or value[0] in _SIGNS:
                yield _value(start + begin, value)


def _value(start: int, value: str) -> Slip:
    mark, hint = value[0], "write the text in quotes"
    end = start + len(value)
    inner = value
    if mark in "\"'" and value[-1] == mark and len(value) > 1:
        inner = value[1:-1].replace('\\"', '"') if mark == '"' else value[1:-1].replace("''", "'")
        if mark == '"' and "\\" in inner:
            what, hint = (
                "a backslash in double quotes begins an escape",
                "write it in single quotes",
            )
        else:
            what, hint = "the quotes end before the text does", "write the other kind of quotes"
    elif mark in "\"'":
        what = "behind the quotes the text goes on"
    elif mark in _SIGNS:
        what = f"{mark} at the begin of a text means something else in YAML"
    else:
        what = "a text that has ': ' in it is a mapping to YAML"
    return Slip(start, end, what, hint, (Change(start, end, quoted(inner)),))


def needs_quotes(page: Page, start: int) -> Slip | None:
    """The rest of a line as a text in quotes, where a sign at its begin means something else."""
    line = page.rest(start)
    value = line[: content_end(line)]
    if page.before(start).count("{") or page.before(start).count("["):
        return None
    return _value(start, value) if value and value[0] in _SIGNS else None
