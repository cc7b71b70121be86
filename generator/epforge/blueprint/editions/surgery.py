"""Keys found, taken out and put in, in a text whose comments stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from epforge.blueprint.edits.insert import into_block_table, into_flow
from epforge.blueprint.edits.layout import Form, Laid, value_of
from epforge.blueprint.page import Change, Page
from epforge.blueprint.text import split_lines

#: Keys from the root; ``*`` stands for every item of a list and every key of a table.
Pattern = tuple[str, ...]
EVERY = "*"

_COMMENT = re.compile(r"(?:^|(?<=[ \t\r\n]))#[^\r\n]*")
_TRAILING = re.compile(r"[ \t]+(#.*)")


class Unsafe(Exception):  # noqa: N818 (it is no error by itself: `migrate` makes one of it)
    """A place that has to be edited by hand: between two offsets of the text."""

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self.start = start
        self.end = end


@dataclass(frozen=True)
class Found:
    """A key in a text.

    Args:
        table: what it is in.
        index: the keys before it there.
        above: the places that lead to the table, from the root: a table and the index of the key
            whose value comes next, or a list and None.
        steps: the keys and positions that lead to it, its own the last.
    """

    table: Laid
    index: int
    above: tuple[tuple[Laid, int | None], ...]
    steps: tuple[str | int, ...]

    @property
    def key(self) -> Laid:
        """The key itself."""
        return self.table.entries[self.index][0]

    @property
    def value(self) -> Laid:
        """Its value."""
        return self.table.entries[self.index][1]


def find(
    box: Laid,
    pattern: Pattern,
    above: tuple[tuple[Laid, int | None], ...] = (),
    steps: tuple[str | int, ...] = (),
) -> Iterator[Found]:
    """The keys that a pattern matches, in the order of the text. Aliases are not followed."""
    step, rest = pattern[0], pattern[1:]
    if box.form is Form.LIST and step == EVERY and rest:
        for position, item in enumerate(box.parts):
            yield from find(item, rest, (*above, (box, None)), (*steps, position))
    for index, (key, value) in enumerate(box.entries if box.form is Form.TABLE else ()):
        if step not in (EVERY, key.text):
            continue
        if rest:
            yield from find(value, rest, (*above, (box, index)), (*steps, key.text))
        else:
            yield Found(box, index, above, (*steps, key.text))


def boxes(box: Laid, pattern: Pattern) -> Iterator[Laid]:
    """The nodes that a pattern matches, in the order of the text; the root for an empty one."""
    if not pattern:
        yield box
        return
    step, rest = pattern[0], pattern[1:]
    if box.form is Form.LIST and step == EVERY:
        for item in box.parts:
            yield from boxes(item, rest)
    for key, value in box.entries if box.form is Form.TABLE else ():
        if step in (EVERY, key.text):
            yield from boxes(value, rest)


def spelled(page: Page, scalar: Laid, text: str) -> Change:
    """Another text for a scalar or a key, in the quotes that it has."""
    if scalar.form is not Form.SCALAR or scalar.marked:
        raise Unsafe(scalar.start, scalar.end)
    quote = page.text[scalar.start] if page.text[scalar.start : scalar.start + 1] in "'\"" else ""
    return Change(scalar.start, scalar.end, f"{quote}{text}{quote}")


def trailing_comment(page: Page, found: Found) -> str:
    """The comment behind a value on its own line, in a table of lines; empty if there is none."""
    match = _TRAILING.fullmatch(page.rest(found.value.end).rstrip())
    return match[1] if match and not found.table.flow else ""


def take_out(page: Page, found: Found, *, kept: tuple[str, ...] | None = None) -> list[Change]:
    """The changes that take a key out. A table that is left without keys goes as well.

    Comments stay: those within what goes, and the one behind it, on lines of their own.

    Args:
        kept: the comments that stay, where some have been taken along.
    """
    along = [] if kept is None else list(comments_of(page, found))
    for comment in kept or ():
        along.remove(comment)
    while len(found.table.entries) == 1:
        if not found.above or found.above[-1][1] is None:
            return _emptied(page, found)
        table, index = found.above[-1]
        assert index is not None
        found = Found(table, index, found.above[:-1], found.steps[:-1])
    kept = comments_of(page, found)
    for comment in along:
        first = kept.index(comment)
        kept = kept[:first] + kept[first + 1 :]
    if found.table.flow:
        return _out_of_flow(page, found, kept)
    return _out_of_block(page, found, kept)


def comments_of(page: Page, found: Found) -> tuple[str, ...]:
    """The comments within a key's value, and the one behind it on its line."""
    inner = comments_in(page, found.table, found.key.start, found.value.end)
    behind = trailing_comment(page, found)
    return (*inner, behind) if behind else tuple(inner)


def _emptied(page: Page, found: Found) -> list[Change]:
    table = found.table
    if comments_in(page, table, table.start, table.end) or table.marked:
        raise Unsafe(table.start, table.end)
    start = table.start if table.flow else table.parts[0].start
    return [Change(start, table.end, "{}")]


def _out_of_flow(page: Page, found: Found, kept: tuple[str, ...]) -> list[Change]:
    key, value = found.key, found.value
    if kept:
        raise Unsafe(key.start, value.end)
    comma = page.significant(value.end)
    if page.text[comma] == ",":
        if page.text[value.end : comma].strip():  # a comment between the value and its comma
            raise Unsafe(key.start, comma)
        return [Change(key.start, _behind_blanks(page, comma + 1), "")]
    before = found.table.entries[found.index - 1][1].end
    comma = page.significant(before)
    gap = page.text[comma + 1 : key.start]
    if not gap.strip():
        return [Change(comma, value.end, "")]
    return [Change(comma, comma + 1, ""), Change(key.start, value.end, "")]


def _behind_blanks(page: Page, place: int) -> int:
    while page.text[place : place + 1] in (" ", "\t"):
        place += 1
    return place


def _out_of_block(page: Page, found: Found, kept: tuple[str, ...]) -> list[Change]:
    key, value = found.key, found.value
    end = max(key.end, value.end)
    if not value.text and value.form is Form.SCALAR and value.start == value.end:
        end = page.text.index(":", key.end) + 1  # nothing is written behind the colon
    line_end = page.line_end(end)
    if trailing_comment(page, found) or not page.rest(end).strip():
        end = line_end
    indent, eol = page.indent(key.start), page.end_of_lines
    if page.before(key.start).strip():  # behind a dash: what comes next moves up
        following = found.table.entries[found.index + 1][0].start
        if kept or page.text[end:following].strip():
            return [Change(key.start, end, f"{eol}{indent}".join(kept))]
        return [Change(key.start, following, "")]
    if kept:
        return [Change(key.start, end, f"{eol}{indent}".join(kept))]
    start = page.line_start(key.start)
    if end == line_end and end < len(page.text):
        end += 2 if page.text[end : end + 2] == "\r\n" else 1
    elif end == len(page.text) and start > 0:  # the last line: the end of the one before goes
        start -= 2 if page.text[start - 2 : start] == "\r\n" else 1
    return [Change(start, end, "")]


def comments_in(page: Page, box: Laid, start: int, end: int) -> list[str]:
    """The comments between two places of a node."""
    found, place = [], start
    for leaf in _leaves(box):
        if leaf.end <= start or leaf.start >= end:
            continue
        found += _COMMENT.findall(page.text, place, leaf.start)
        place = leaf.end
    return [*found, *_COMMENT.findall(page.text, place, end)]


def _leaves(box: Laid) -> Iterator[Laid]:
    for part in box.parts:
        if part.parts:
            yield from _leaves(part)
        else:
            yield part


def put_in(
    page: Page, box: Laid, keys: tuple[str, ...], lines: list[str], flow: str
) -> list[Change]:
    """The changes that write a value at keys below a table, with the tables on the way.

    Args:
        box: the table that the keys begin at.
        keys: the last is absent; those before may be.
        lines: key and value as lines, without indent, for a table of lines.
        flow: the value, for brackets.
    """
    depth = 0
    while True:
        if box.form is not Form.TABLE or box.marked:
            raise Unsafe(box.start, box.end)
        found = value_of(box, keys[depth])
        if found is None:
            break
        if depth == len(keys) - 1:  # it is there already
            raise Unsafe(found.start, found.end)
        box, depth = found, depth + 1
    for key in reversed(keys[depth + 1 :]):
        flow = f"{{{key}: {flow}}}"
    index = len(box.entries)
    if box.flow:
        return into_flow(page, box, index, f"{keys[depth]}: {flow}")
    own = lines if depth == len(keys) - 1 else [f"{keys[depth]}: {flow}"]
    return into_block_table(page, box, index, own)


@dataclass(frozen=True)
class Load:
    """A key with its value, on its way to another table.

    Args:
        lines: as lines, without indent.
        flow: the value, for brackets.
        left: comments that cannot come along.
    """

    lines: list[str]
    flow: str
    left: tuple[str, ...]


def goal(root: Laid, steps: tuple[str | int, ...]) -> tuple[Laid, tuple[str, ...]]:
    """The innermost node that steps lead to by position, and the keys that are left from there."""
    numbers = [place for place, step in enumerate(steps) if isinstance(step, int)]
    cut = numbers[-1] + 1 if numbers else 0
    box = root
    for step in steps[:cut]:
        inner = box.parts[step] if isinstance(step, int) else value_of(box, step)
        assert inner is not None  # it is a place that was found
        box = inner
    return box, tuple(map(str, steps[cut:]))


def takes_lines(box: Laid, keys: tuple[str, ...]) -> bool:
    """Does `put_in` write lines there, rather than into brackets?"""
    for key in keys[:-1]:
        found = value_of(box, key) if box.form is Form.TABLE else None
        if found is None:
            return False
        box = found
    return box.form is Form.TABLE and not box.flow


def carried(page: Page, found: Found, name: str, *, as_lines: bool) -> Load:
    """A key taken up under another name, with its comments as far as they can come along."""
    key, value = found.key, found.value
    quote = page.text[key.start] if page.text[key.start] in "'\"" else ""
    behind = trailing_comment(page, found)
    if not as_lines:
        return Load([], _flow(page, value), comments_of(page, found))
    raw = f"{quote}{name}{quote}{page.text[key.end : max(key.end + 1, value.end)]}"
    lines = _dedented(raw, page.column(key.start))
    if behind:
        lines[-1] += page.rest(value.end).rstrip()
    return Load(lines, "", ())


def _dedented(text: str, column: int) -> list[str]:
    """The lines of a text; those after the first with up to ``column`` blanks less."""
    first, *others = split_lines(text)
    blanks = (len(line) - len(line.lstrip(" ")) for line in others)
    cuts = (min(blank, column) for blank in blanks)
    return [first, *(line[cut:] for line, cut in zip(others, cuts, strict=True))]


def _flow(page: Page, box: Laid) -> str:
    """A value as it can stand in brackets."""
    written = page.text[box.start : box.end]
    if box.form is Form.ALIAS or box.flow or box.form is Form.SCALAR:
        if "\n" in written or "\r" in written or written[:1] in ("|", ">"):
            raise Unsafe(box.start, box.end)
        return written
    if box.marked:
        raise Unsafe(box.start, box.end)
    if box.form is Form.LIST:
        return "[" + ", ".join(_flow(page, item) for item in box.parts) + "]"
    pairs = (f"{_flow(page, key)}: {_flow(page, value)}" for key, value in box.entries)
    return "{" + ", ".join(pairs) + "}"
