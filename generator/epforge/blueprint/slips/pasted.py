"""What was pasted along with a blueprint, or left by another program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from epforge.blueprint.page import Change, Page
from epforge.blueprint.slips.model import Slip

_CONFLICT = re.compile(r"^<{7} .*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n\r]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(//+)", re.MULTILINE)


def pasted(page: Page, stop: int) -> Iterator[Slip]:
    """Conflicts of git, fences of Markdown, comments of C."""
    conflict = _CONFLICT.search(page.text)
    if conflict:
        what = "here is a conflict that git left"
        yield Slip(conflict.start(), conflict.start() + 7, what, "keep one of the two sides")
    fences = list(_FENCE.finditer(page.text))
    if fences:
        what = "a fence of Markdown is not part of the blueprint"
        changes = tuple(Change(each.start(), each.end(), "") for each in fences)
        yield Slip(fences[0].start(1), fences[0].end(1), what, "delete it", changes)
    for comment in _COMMENT.finditer(page.text):
        if comment.start() > page.line_end(stop):
            break
        start, end = comment.span(1)
        what = "// begins no comment in YAML"
        yield Slip(start, end, what, "write # for //", (Change(start, end, "#"),))
