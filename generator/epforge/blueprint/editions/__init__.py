"""Editions of the blueprint format, and how a blueprint goes from one to the next.

A new edition is made in three steps: the shape changes and `EDITION` goes up; a `Migration` from
the edition before joins `MIGRATIONS`, with steps of `editions.steps`; the blueprints of the
repository are migrated with it. `editions.migrate` makes the change in a text.
"""

from __future__ import annotations

from epforge.blueprint.editions.registry import (
    MIGRATIONS,
    Migration,
    Step,
    chain,
    edition_of,
    edition_problem,
)

__all__ = ["MIGRATIONS", "Migration", "Step", "chain", "edition_of", "edition_problem"]
