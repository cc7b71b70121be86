"""The changes that a new edition can make: each edits a text, and says what it means.

`Rename`, `Move`, `Split`, `Respell`, `WriteOut` and `Remove`. Their patterns are keys from the
root; ``*`` stands for every item of a list and every key of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epforge.blueprint.editions.surgery import (
    EVERY,
    Pattern,
    Unsafe,
    boxes,
    carried,
    find,
    goal,
    put_in,
    spelled,
    take_out,
    takes_lines,
)
from epforge.blueprint.edits.layout import Form, lay_out
from epforge.blueprint.edits.verified import signature_of
from epforge.blueprint.page import Change, Page
from epforge.blueprint.text import SourceText


def _dotted(pattern: Pattern) -> str:
    return ".".join(pattern)


@dataclass(frozen=True)
class Rename:
    """Another name for a key."""

    pattern: Pattern
    name: str
    note: str = ""

    @property
    def what(self) -> str:
        return f"renames {_dotted(self.pattern)} to {self.name}"

    def edit(self, source: SourceText) -> str:
        page = Page(source.text)
        found = find(lay_out(source), self.pattern)
        return page.changed([spelled(page, each.key, self.name) for each in found])

    def meaning(self, said: dict[str, Any]) -> dict[str, Any]:
        for table, key in _places(said, self.pattern):
            if self.name in table:  # both: which of them is meant only the owner knows
                return {}
            table[self.name] = table.pop(key)
        return said


@dataclass(frozen=True)
class Respell:
    """Other words for the values of a key."""

    pattern: Pattern
    words: Mapping[str, str]
    note: str = ""

    @property
    def what(self) -> str:
        pairs = ", ".join(f"{old} is {new}" for old, new in self.words.items())
        return f"spells values of {_dotted(self.pattern)} anew: {pairs}"

    def edit(self, source: SourceText) -> str:
        page = Page(source.text)
        values = (each.value for each in find(lay_out(source), self.pattern))
        return page.changed(
            [
                spelled(page, value, self.words[value.text])
                for value in values
                if value.form is Form.SCALAR and value.text in self.words
            ]
        )

    def meaning(self, said: dict[str, Any]) -> dict[str, Any]:
        for table, key in _places(said, self.pattern):
            value = table[key]
            if isinstance(value, tuple) and value[0] in self.words:
                table[key] = (self.words[value[0]], value[1])
        return said


@dataclass(frozen=True)
class Split:
    """A table in place of a single value.

    Args:
        pattern: the key.
        parts: from the value's text to the texts of the table, as they are written in brackets.
    """

    pattern: Pattern
    parts: Callable[[str], Mapping[str, str]]
    note: str = ""

    @property
    def what(self) -> str:
        return f"splits {_dotted(self.pattern)} into a table"

    def edit(self, source: SourceText) -> str:
        changes = []
        for each in find(lay_out(source), self.pattern):
            value = each.value
            if value.form is Form.SCALAR and value.marked:
                raise Unsafe(value.start, value.end)
            if value.form is Form.SCALAR and value.end > value.start:
                changes.append(Change(value.start, value.end, self._table(value.text)))
        return Page(source.text).changed(changes)

    def meaning(self, said: dict[str, Any]) -> dict[str, Any]:
        for table, key in _places(said, self.pattern):
            value = table[key]
            if isinstance(value, tuple) and value != ("", False):
                table[key] = _signature(self._table(value[0]))
        return said

    def _table(self, text: str) -> str:
        return "{" + ", ".join(f"{key}: {part}" for key, part in self.parts(text).items()) + "}"


@dataclass(frozen=True)
class WriteOut:
    """A value written out where none is, because the default is another one from now on.

    Below a ``*`` it is written into every table there is; elsewhere the tables on the way are made.
    What ``unless`` names, from the same table, leaves it out.

    Args:
        pattern: the key.
        text: the value as it is written, with its quotes.
    """

    pattern: Pattern
    text: str
    note: str = ""

    @property
    def what(self) -> str:
        return f"writes out {_dotted(self.pattern)}: {self.text}"

    def edit(self, source: SourceText) -> str:
        head, tail = self._parts()
        text = source.text
        for index in range(len(list(boxes(lay_out(source), head))) - 1, -1, -1):
            current = SourceText(source.file, text)
            box = list(boxes(lay_out(current), head))[index]
            # Anything else than a table stands for one with this key at its default.
            if box.form is not Form.TABLE or any(find(box, tail)):
                continue
            lines = [f"{tail[-1]}: {self.text}"]
            text = Page(text).changed(put_in(Page(text), box, tail, lines, self.text))
        return text

    def meaning(self, said: dict[str, Any]) -> dict[str, Any]:
        head, tail = self._parts()
        for table in _nodes(said, head):
            if isinstance(table, dict):
                for key in tail[:-1]:
                    table = table.setdefault(key, {}) if isinstance(table, dict) else None
                if isinstance(table, dict):
                    table.setdefault(tail[-1], _signature(self.text))
        return said

    def _parts(self) -> tuple[Pattern, Pattern]:
        """The pattern up to its last ``*``, and the keys after it."""
        stars = [place for place, step in enumerate(self.pattern) if step == EVERY]
        cut = stars[-1] + 1 if stars else 0
        return self.pattern[:cut], self.pattern[cut:]


@dataclass(frozen=True)
class Remove:
    """A key that there is no more."""

    pattern: Pattern
    note: str

    @property
    def what(self) -> str:
        return f"removes {_dotted(self.pattern)}"

    def edit(self, source: SourceText) -> str:
        text = source.text
        for index in range(len(list(find(lay_out(source), self.pattern))) - 1, -1, -1):
            found = list(find(lay_out(SourceText(source.file, text)), self.pattern))[index]
            text = Page(text).changed(take_out(Page(text), found))
        return text

    def meaning(self, said: dict[str, Any]) -> dict[str, Any]:
        for trail in reversed(list(_trails(said, self.pattern))):
            _take(trail)
        return said


@dataclass(frozen=True)
class Move:
    """A key that goes to another table.

    Args:
        pattern: the key.
        to: where it is from now on; every ``*`` stands for what it stands for in `pattern`.
    """

    pattern: Pattern
    to: Pattern
    note: str = ""

    @property
    def what(self) -> str:
        return f"moves {_dotted(self.pattern)} to {_dotted(self.to)}"

    def edit(self, source: SourceText) -> str:
        text = source.text
        for index in range(len(list(find(lay_out(source), self.pattern))) - 1, -1, -1):
            text = self._moved(SourceText(source.file, text), index)
        return text

    def _moved(self, source: SourceText, index: int) -> str:
        page, root = Page(source.text), lay_out(source)
        found = list(find(root, self.pattern))[index]
        box, keys = goal(root, self._steps(found.steps))
        load = carried(page, found, keys[-1], as_lines=takes_lines(box, keys))
        text = page.changed(put_in(page, box, keys, load.lines, load.flow))
        # The new one is there; the old one is looked up anew.
        root = lay_out(SourceText(source.file, text))
        found = list(find(root, self.pattern))[index]
        return Page(text).changed(take_out(Page(text), found, kept=load.left))

    def meaning(self, said: dict[str, Any]) -> dict[str, Any]:
        for trail in reversed(list(_trails(said, self.pattern))):
            *way, name = self._steps(tuple(key for _, key in trail))
            table: Any = said
            for key in way:
                if isinstance(table, dict):
                    table = table.setdefault(key, {})
                else:  # a list, at a place that was found in it; anything else is in the way
                    table = table[key] if isinstance(key, int) else None
            if not isinstance(table, dict) or name in table:  # two values: only the owner knows
                return {}
            container, key = trail[-1]
            table[name] = container[key]
            _take(trail)
        return said

    def _steps(self, found: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """Where what was found goes to: `to`, with what its ``*`` stand for."""
        stars = (step for step, key in zip(found, self.pattern, strict=True) if key == EVERY)
        return tuple(next(stars) if key == EVERY else key for key in self.to)


def _signature(text: str) -> Any:
    return (signature_of(f"value: {text}", "") or {}).get("value")


def _trails(said: Any, pattern: Pattern) -> Iterator[tuple[tuple[Any, Any], ...]]:
    """The ways to what a pattern matches: each container, and the key or position in it."""
    step, rest = pattern[0], pattern[1:]
    keys: list[Any] = []
    if isinstance(said, list) and step == EVERY and rest:
        keys = list(range(len(said)))
    elif isinstance(said, dict):
        keys = [key for key in said if step in (EVERY, key)]
    for key in keys:
        if not rest:
            yield ((said, key),)
        else:
            yield from (((said, key), *trail) for trail in _trails(said[key], rest))


def _places(said: Any, pattern: Pattern) -> list[tuple[dict[str, Any], str]]:
    """The tables and keys that a pattern matches."""
    return [trail[-1] for trail in _trails(said, pattern)]


def _nodes(said: Any, pattern: Pattern) -> list[Any]:
    """What a pattern matches; the whole for an empty one."""
    if not pattern:
        return [said]
    if isinstance(said, list) and pattern[0] == EVERY:
        return [node for item in said for node in _nodes(item, pattern[1:])]
    found = said.items() if isinstance(said, dict) else ()
    return [
        node
        for key, value in found
        if pattern[0] in (EVERY, key)
        for node in _nodes(value, pattern[1:])
    ]


def _take(trail: tuple[tuple[Any, Any], ...]) -> None:
    """Takes out what is at the end of a trail; tables that it leaves empty go as well."""
    container, key = trail[-1]
    del container[key]
    for (above, step), (inner, _) in zip(trail[-2::-1], trail[:0:-1], strict=True):
        if inner or not isinstance(above, dict):
            break
        del above[step]
