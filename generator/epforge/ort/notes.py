"""Notes about an upgrade of ONNX Runtime's API: what each level means for a generated project.

The notes are data (``data/notes.json``). Which of them concern a project follows from the tags of
what it uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).resolve().parent / "data"


class NoteKind(StrEnum):
    """What a note tells."""

    GAIN = "gain"
    """The generated code does something that it could not do before. Going down, it is lost."""
    OFFER = "offer"
    """Something can be had that the blueprint does not ask for."""
    CHANGE = "change"
    """Something behaves otherwise, or is needed."""


@dataclass(frozen=True)
class UpgradeNote:
    """What a level of the API means for the projects that it concerns.

    Args:
        id: stable slug.
        since: the level.
        kind: a gain, an offer or a change.
        when: conditions that must all hold: ``tag``, ``!tag`` for its absence, ``a|b`` for any.
        text: what it is, in a sentence or two.
        fix: what the project's owner does; empty if the generated code does it all.
        source: how it is known.
    """

    id: str
    since: int
    kind: NoteKind
    when: tuple[str, ...]
    text: str
    fix: str
    source: str

    def concerns(self, tags: frozenset[str]) -> bool:
        """Is it about a project that uses these?"""
        return holds(self.when, tags)


def holds(when: Iterable[str], tags: frozenset[str]) -> bool:
    """Do all conditions hold: ``tag``, ``!tag`` for its absence, ``a|b`` for any of them?"""
    return all(
        any(word[1:] not in tags if word.startswith("!") else word in tags for word in words)
        for words in (condition.split("|") for condition in when)
    )


def notes_between(old: int, new: int, uses: frozenset[str]) -> tuple[UpgradeNote, ...]:
    """The notes that concern a project on its way from one level to another.

    Args:
        old: the level that is left.
        new: the level that is gone to. Below `old` the notes are the gains that get lost, the
            newest first.
        uses: the tags of what the project uses.
    """
    low, high = sorted((old, new))
    found = (note for note in upgrade_notes() if low < note.since <= high and note.concerns(uses))
    if new >= old:
        return tuple(found)
    return tuple(note for note in found if note.kind is NoteKind.GAIN)[::-1]


@cache
def upgrade_notes() -> tuple[UpgradeNote, ...]:
    """All notes, by level."""
    notes = (
        UpgradeNote(
            id=row["id"],
            since=row["since"],
            kind=NoteKind(row["kind"]),
            when=tuple(row["when"]),
            text=row["text"],
            fix=row["fix"],
            source=row["source"],
        )
        for row in _read()["notes"]
    )
    return tuple(sorted(notes, key=lambda note: note.since))


def _read() -> Any:
    return json.loads((_DATA / "notes.json").read_text(encoding="utf-8"))
