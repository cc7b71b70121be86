"""The migrations there are, and what is said of a blueprint of another edition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic_core import PydanticCustomError

from epforge.blueprint.diagnostic import Diagnostic
from epforge.blueprint.nodes import Node, Scalar, Table
from epforge.blueprint.scalars import read_int
from epforge.blueprint.text import SourceText


class Step(Protocol):
    """One change of the format: as an edit of a text, and as a change of what the text says.

    The edit is given out only if the text says afterwards what `meaning` makes of it.
    """

    @property
    def what(self) -> str:
        """What it does, as a clause: ``renames devices.*.type to kind``."""

    @property
    def note(self) -> str:
        """What the owner should know where the step has changed something; may be empty."""

    def edit(self, source: SourceText) -> str:
        """The text with the change made. Raises `Unsafe` where it has to be made by hand."""

    def meaning(self, said: dict[str, Any]) -> dict[str, Any]:
        """What a blueprint says after the change; ``said`` is a copy that may be altered."""


@dataclass(frozen=True)
class Migration:
    """How a blueprint goes from one edition to another.

    Args:
        edition_from: the edition that is left.
        edition_to: the edition that is gone to.
        steps: the changes, each made on the result of the one before.
        notes: what every owner should know.
    """

    edition_from: int
    edition_to: int
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()


#: All migrations. There is one edition so far.
MIGRATIONS: tuple[Migration, ...] = ()


def chain(
    old: int, new: int, migrations: Iterable[Migration] = MIGRATIONS
) -> tuple[Migration, ...] | None:
    """The migrations that lead from one edition to another, the fewest; None if none do."""
    known = tuple(migrations)
    ways: dict[int, tuple[Migration, ...]] = {old: ()}
    reached = [old]
    for edition in reached:
        for migration in known:
            if migration.edition_from == edition and migration.edition_to not in ways:
                ways[migration.edition_to] = (*ways[edition], migration)
                reached.append(migration.edition_to)
    return ways.get(new)


def edition_of(root: Node) -> int | None:
    """The edition that a blueprint states; None where it states none that is a number."""
    node = root.entries.get("epforge") if isinstance(root, Table) else None
    if not isinstance(node, Scalar) or node.quoted:
        return None
    try:
        return read_int(node)
    except PydanticCustomError:  # an error of the shape like any other
        return None


def edition_problem(
    root: Node, source: SourceText, newest: int, migrations: Iterable[Migration] = MIGRATIONS
) -> Diagnostic | None:
    """Why a blueprint's edition cannot be read as it is; None if it can, or states none.

    Args:
        root: the tree of the blueprint.
        source: its text.
        newest: the edition that is read.
        migrations: those that there are.
    """
    edition = edition_of(root)
    if edition is None or edition == newest or not isinstance(root, Table):
        return None
    what = f"edition {edition} of the blueprint format is not known"
    hint = "a newer epforge reads it" if edition > newest else ""
    if edition < newest and chain(edition, newest, migrations) is not None:
        what = f"edition {edition} of the blueprint format is older than epforge's, {newest}"
        hint = "run 'epforge upgrade' in the project, or 'epforge upgrade --file FILE'"
    span = root.entries["epforge"].span
    return source.error(span, "edition", what, f"epforge: {newest}", hint)
