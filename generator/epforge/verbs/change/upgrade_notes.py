"""What an upgrade means, for people and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from epforge.ort.notes import NoteKind, UpgradeNote
from epforge.verbs.change.upgrading import Upgrade

_WIDTH = 96
_TITLES = {
    "done": "Now done for you:",
    "todo": "For you to do:",
    "known": "Good to know:",
    "offers": "Yours for the asking:",
    "lost": "What the project loses:",
}


def upgrade_data(upgrade: Upgrade) -> dict[str, Any]:
    """The upgrade ready for JSON; the keys are stable."""
    return {
        "from": f"1.{upgrade.old}",
        "to": f"1.{upgrade.new}",
        "edition": {"steps": list(upgrade.edition.steps), "notes": list(upgrade.edition.notes)},
        **{name: [_note_data(note) for note in notes] for name, notes in _groups(upgrade).items()},
    }


def upgrade_lines(upgrade: Upgrade) -> Iterator[str]:
    """What changed in the blueprint, and what the new level means for the project."""
    for step in upgrade.edition.steps:
        yield f"blueprint: the new edition {step}"
    for note in upgrade.edition.notes:
        yield from _wrapped(note, "  ", "  ")
    if upgrade.old == upgrade.new:
        yield f"{upgrade.file}: the target is ONNX Runtime 1.{upgrade.new} already"
        return
    yield f"{upgrade.file}: from ONNX Runtime 1.{upgrade.old} to 1.{upgrade.new}"
    for name, notes in _groups(upgrade).items():
        if notes:
            yield _TITLES[name]
            yield from _note_lines(notes)


def upgrade_message(upgrade: Upgrade) -> str:
    """The message of a commit: a subject, and the notes as lists, which are Markdown too."""
    parts = [f"epforge: target ONNX Runtime 1.{upgrade.new}"]
    for name, notes in _groups(upgrade).items():
        if notes:
            parts.append(_TITLES[name])
            parts.append(
                "\n".join(f"- 1.{each.since}: {each.text} {each.fix}".rstrip() for each in notes)
            )
    return "\n\n".join(parts)


def _groups(upgrade: Upgrade) -> dict[str, list[UpgradeNote]]:
    names = ("done", "todo", "known", "offers", "lost")
    groups: dict[str, list[UpgradeNote]] = {name: [] for name in names}
    for note in upgrade.notes:
        if upgrade.new < upgrade.old:
            groups["lost"].append(note)
        elif note.kind is NoteKind.CHANGE:
            groups["todo" if note.fix else "known"].append(note)
        else:
            groups["offers" if note.kind is NoteKind.OFFER else "done"].append(note)
    return groups


def _note_lines(notes: Iterable[UpgradeNote]) -> Iterator[str]:
    for note in notes:
        yield from _wrapped(note.text, f"  1.{note.since}  ", " " * 8)
        if note.fix:
            yield from _wrapped(note.fix, " " * 8 + "-> ", " " * 11)


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _note_data(note: UpgradeNote) -> dict[str, object]:
    return {
        "id": note.id,
        "since": note.since,
        "kind": note.kind.value,
        "text": note.text,
        "fix": note.fix,
        "source": note.source,
    }
