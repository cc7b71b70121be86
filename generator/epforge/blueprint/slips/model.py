"""A slip, and what rules about slips ask of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel

from epforge.blueprint.page import Change
from epforge.blueprint.places import shape_at
from epforge.blueprint.shape import BlueprintShape, Shape


@dataclass(frozen=True)
class Slip:
    """A mistake in the writing of a text.

    Args:
        start, end: its place, in characters.
        message: what is wrong, one line.
        hint: what to do, one line.
        changes: what mends it; none where a program should not.
        is_guess: the changes are one of several that there could be: right only if all is right
            with them.
    """

    start: int
    end: int
    message: str
    hint: str
    changes: tuple[Change, ...] = ()
    is_guess: bool = False


@cache
def known_keys() -> frozenset[str]:
    """All keys of the format, of every table."""

    def all_of(model: type[BaseModel]) -> set[str]:
        found = set(model.model_fields)
        for name in model.model_fields:
            for path in ((name,), (name, 0), (name, "x")):
                inner = shape_at(model, path)
                if inner is not None and issubclass(inner, Shape):
                    found |= all_of(inner)
        return found

    return frozenset(all_of(BlueprintShape))


#: A line that begins an entry: a dash, or a key.
ENTRY = re.compile(r"[ \t]*(?:- |-$|[\w\"'-]+ *:(?: |$))")


def content_end(line: str) -> int:
    """Where a line's content ends: in front of a comment and of blanks."""
    match = re.search(r"(?:^|[ \t])#", line)
    return len((line[: match.start()] if match else line).rstrip())


def quoted(text: str) -> str:
    """A text in quotes, as it is."""
    if "\\" not in text and '"' not in text:
        return f'"{text}"'
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
