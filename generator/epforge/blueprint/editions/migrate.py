"""A blueprint's text taken from its edition to another, with comments, order and quotes kept."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from epforge.blueprint.compose import compose
from epforge.blueprint.diagnostic import BlueprintErrors, Fix
from epforge.blueprint.editions.registry import (
    MIGRATIONS,
    Migration,
    Step,
    chain,
    edition_of,
    edition_problem,
)
from epforge.blueprint.editions.surgery import Unsafe
from epforge.blueprint.edits.verified import signature
from epforge.blueprint.nodes import Table
from epforge.blueprint.report import apply_fix
from epforge.blueprint.shape import EDITION
from epforge.blueprint.text import SourceText, checked


@dataclass(frozen=True)
class Migrated:
    """A blueprint in another edition.

    Args:
        text: the text now; the same where nothing had to change.
        steps: what was changed, as clauses.
        notes: what the owner should know.
    """

    text: str
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def migrate(
    text: str,
    name: str = "blueprint.yaml",
    *,
    to: int = EDITION,
    migrations: Iterable[Migration] = MIGRATIONS,
) -> Migrated:
    """Takes a blueprint to an edition.

    Only what the editions differ in changes. After each step the text is read again, and must say
    what the step means it to say. A blueprint without an edition stays as it is.

    Args:
        text: the blueprint.
        name: the file name that errors show.
        to: the edition to go to.
        migrations: those that there are.

    Raises:
        BlueprintErrors: the text is not YAML, its edition is newer or unknown, or something in it
            is written in a way that has to be changed by hand.
    """
    known = tuple(migrations)
    source = checked(text, name)
    root, errors = compose(source)
    if errors:
        raise BlueprintErrors(errors, source.text)
    edition = edition_of(root)
    if edition is None or edition == to:
        return Migrated(text)
    way = chain(edition, to, known) if edition < to else None
    if way is None:
        problem = edition_problem(root, source, to, known)
        raise BlueprintErrors([problem] if problem else [], source.text)
    said: dict[str, Any] = signature(root)
    steps: list[str] = []
    notes: list[str] = []
    for migration in way:
        notes += migration.notes
        for step in migration.steps:
            changed, said = _made(source, said, step, migration)
            if changed.text != source.text:
                steps.append(step.what)
                notes += [step.note] if step.note else []
            source = changed
        source = _stated(source, migration.edition_to)
        said["epforge"] = (str(migration.edition_to), False)
    return Migrated(source.whole, tuple(steps), tuple(dict.fromkeys(notes)))


def _made(
    source: SourceText, said: dict[str, Any], step: Step, migration: Migration
) -> tuple[SourceText, dict[str, Any]]:
    """The text after a step, and what it says. Raises BlueprintErrors where it has to be made by
    hand."""
    wanted = step.meaning(copy.deepcopy(said))
    try:
        made = SourceText(source.file, step.edit(source), source.mark)
    except Unsafe as unsafe:
        raise _by_hand(source, step, migration, unsafe.start, unsafe.end) from unsafe
    if (said if made.text == source.text else _said(made)) != wanted:
        raise _by_hand(source, step, migration, 0, 0)
    return made, wanted


def _said(source: SourceText) -> dict[str, Any] | None:
    """What a text says; None where it cannot be read."""
    try:
        root, errors = compose(source)
    except BlueprintErrors:
        return None
    return None if errors else signature(root)


def _by_hand(
    source: SourceText, step: Step, migration: Migration, start: int, end: int
) -> BlueprintErrors:
    what = f"edition {migration.edition_to} {step.what}, which cannot be done here safely"
    hint = "make this change by hand, then run the command again"
    place = source.first_line(source.span(start, end))
    return BlueprintErrors([source.error(place, "migration", what, "", hint)], source.text)


def _stated(source: SourceText, edition: int) -> SourceText:
    """The text with another edition stated."""
    root, _ = compose(source)
    assert isinstance(root, Table)
    span = root.entries["epforge"].span
    return SourceText(source.file, apply_fix(source.text, Fix(span, str(edition))), source.mark)
