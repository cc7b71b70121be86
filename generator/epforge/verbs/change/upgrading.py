"""What an upgrade does to a blueprint, and what it means for the project: worked out, unwritten."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from epforge.blueprint import parse
from epforge.blueprint.editions import MIGRATIONS, Migration
from epforge.blueprint.editions.migrate import Migrated, migrate
from epforge.blueprint.edits import set_scalar
from epforge.blueprint.text import read_text
from epforge.errors import EpforgeError, UsageError
from epforge.ort.levels import DEFAULT_TARGET, known_levels, parse_level
from epforge.ort.notes import UpgradeNote, notes_between
from epforge.resolve import resolve, resolve_supported
from epforge.resolve.model import Blueprint
from epforge.resolve.uses import uses


@dataclass(frozen=True)
class Upgrade:
    """What becomes of a blueprint.

    Args:
        file: the blueprint, as the caller called it.
        before: its text.
        old: the API level that it has as its target.
        new: the one that it gets.
        after: its text afterwards.
        edition: what a migration to the newest edition has changed.
        notes: what the step from one level to the other means for this project.
    """

    file: Path
    before: str
    old: int
    new: int
    after: str
    edition: Migrated
    notes: tuple[UpgradeNote, ...]


def plan_upgrade(
    file: Path,
    ort: str | None,
    *,
    migrations: Iterable[Migration] = MIGRATIONS,
    newest: Callable[[], int] | None = None,
) -> Upgrade:
    """Works out an upgrade. Nothing is written.

    Args:
        file: the blueprint.
        ort: the release to target; None for the newest whose headers can be had, or for what the
            blueprint has if that is newer.
        migrations: those that there are.
        newest: tells the newest level whose headers can be had; by default this machine is asked.

    Raises:
        UsageError: the file cannot be read, or the release is no target.
        BlueprintErrors: the blueprint is wrong, or asks for what the target does not have.
    """
    text = read_text(file).whole
    edition = migrate(text, str(file), migrations=migrations)
    source = parse(edition.text, str(file))
    current = resolve(source)
    level = max(current.ort.target, (newest or newest_with_headers)())
    if ort is not None:
        level = _wanted(ort, current, file)
    after = with_target(edition.text, str(file), level)
    upgraded = resolve_supported(parse(after, str(file)))
    notes = notes_between(current.ort.target, level, uses(upgraded))
    return Upgrade(file, text, current.ort.target, level, after, edition, notes)


def rewriter(
    level: int, file: Path, migrations: Iterable[Migration] = MIGRATIONS
) -> Callable[[str], str]:
    """A function that makes of a blueprint's text what it is after the upgrade."""
    known = tuple(migrations)

    def upgraded(text: str) -> str:
        return with_target(migrate(text, str(file), migrations=known).text, str(file), level)

    return upgraded


def with_target(text: str, name: str, level: int) -> str:
    """A blueprint's text with another ``ort.target``; the same text if it is that already.

    Raises:
        BlueprintErrors: the blueprint is wrong.
        UsageError: the target is written in a way that has to be edited by hand.
    """
    source = parse(text, name)
    if resolve(source).ort.target == level:
        return text
    return set_scalar(source, ("ort", "target"), f'"1.{level}"')


def newest_with_headers() -> int:
    """The newest level of the tables whose headers this machine has, or can get from Debian."""
    for level in reversed(known_levels()):
        if level <= parse_level(DEFAULT_TARGET) or has_headers(level):
            return level
    raise AssertionError("the default is one of the known levels")


def has_headers(level: int) -> bool:
    """Are there headers of that level, or newer ones, on this machine?"""
    from epforge.ort.sdk import find_sdk

    try:
        find_sdk(None, level, install_missing=False)
    except EpforgeError:
        return False
    return True


def _wanted(text: str, current: Blueprint, file: Path) -> int:
    level = parse_level(text)
    levels = known_levels()
    oldest = current.ort.minimum
    if level not in levels:
        best = min(max(level, oldest[1]), levels[-1])
        raise UsageError(
            f"the API of ONNX Runtime 1.{level} is not known: epforge knows 1.{levels[0]} to "
            f"1.{levels[-1]}",
            f"Did you mean --ort 1.{best}?",
        )
    if level < oldest[1]:
        raise UsageError(
            f"{file}: ort.min is {current.ort.minimum_text}, so the target cannot be 1.{level}",
            f"Lower ort.min first, or choose 1.{oldest[1]} or newer.",
        )
    return level
