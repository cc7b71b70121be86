"""Notes about upgrades: every gain has one or a reason; they concern who uses what they tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epforge.ort import levels
from epforge.ort.levels import known_levels
from epforge.ort.notes import NoteKind, holds, notes_between, upgrade_notes

DATA = Path(levels.__file__).resolve().parent / "data"
NOTHING: frozenset[str] = frozenset()
CONTEXTS = frozenset({"ep_context", "ep_context:external", "compiles"})


def rows(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def ids(old: int, new: int, tags: frozenset[str]) -> list[str]:
    return [note.id for note in notes_between(old, new, tags)]


def test_every_gain_of_the_tables_has_a_note_or_a_reason_for_none() -> None:
    gains = rows("gains.json")["gains"]
    notes = rows("notes.json")
    named = {(row["since"], row["gain"]) for row in notes["notes"] if "gain" in row}
    reasoned = {(row["since"], row["gain"]) for row in notes["without"] if row["why"]}
    levels = range(24, known_levels()[-1] + 1)
    wanted = {(level, text) for level in levels for text in gains[str(level)]}
    assert named | reasoned == wanted
    assert not named & reasoned


@pytest.mark.parametrize("level", range(24, known_levels()[-1] + 1))
def test_every_level_has_notes(level: int) -> None:
    assert [note for note in upgrade_notes() if note.since == level]


def test_notes_are_whole_and_sourced() -> None:
    notes = upgrade_notes()
    assert len({note.id for note in notes}) == len(notes)
    assert [note.since for note in notes] == sorted(note.since for note in notes)
    for note in notes:
        assert note.text.endswith("."), note.id
        assert note.source, note.id
        assert not note.fix or note.fix.endswith("."), note.id
        assert bool(note.fix) >= (note.kind is NoteKind.OFFER), note.id
        assert not (note.fix and note.kind is NoteKind.GAIN), note.id


def test_sources_name_templates_that_exist() -> None:
    templates = Path(__file__).resolve().parents[3] / "templates" / "plugin"
    for note in upgrade_notes():
        for part in note.source.split("; "):
            if part.startswith("src/"):
                assert (templates / part).is_file(), f"{note.id}: {part}"


@pytest.mark.parametrize(
    ("when", "tags", "expected"),
    [
        ([], "", True),
        (["a"], "a b", True),
        (["a", "b"], "a", False),
        (["!a"], "b", True),
        (["!a"], "a", False),
        (["a|b"], "b", True),
        (["a|b"], "c", False),
        (["!a|b"], "a b", True),
        (["!a|b"], "a", False),
        (["!a|b"], "", True),
    ],
)
def test_conditions(when: list[str], tags: str, expected: bool) -> None:
    assert holds(when, frozenset(tags.split())) is expected


def test_notes_are_of_the_levels_after_the_old_one_up_to_the_new_one() -> None:
    tags = CONTEXTS | {"streams", "memory:device", "memory:arena", "memory:varied", "registry"}
    for old in range(24, 33):
        for new in range(old, 33):
            notes = notes_between(old, new, tags)
            assert all(old < note.since <= new for note in notes)
    assert notes_between(27, 27, tags) == ()


def test_notes_concern_those_who_use_what_they_are_of() -> None:
    assert "session-end" in ids(26, 27, CONTEXTS)
    assert "session-end" not in ids(26, 27, NOTHING)
    assert "default-memory" in ids(26, 27, frozenset({"memory:varied"}))
    assert "profiler" in ids(24, 25, NOTHING)
    assert "profiler" not in ids(24, 25, frozenset({"profiler"}))
    assert "graph-capture" not in ids(24, 27, frozenset({"streams", "paradigm:compiled"}))


def test_going_down_gives_the_gains_that_get_lost_the_newest_first() -> None:
    tags = CONTEXTS | {"streams", "memory:arena"}
    lost = notes_between(31, 24, tags)
    assert all(note.kind is NoteKind.GAIN and 24 < note.since <= 31 for note in lost)
    assert [note.id for note in lost] == [
        *("context-callbacks", "context-callbacks-by-name", "select-candidate"),
        *("session-end", "shrink", "sync"),
    ]
