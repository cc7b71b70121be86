"""Answers about blueprints."""

from __future__ import annotations

from typing import Any, Literal

from epforge.verbs.shapes.base import Answer, Shape


class Position(Shape):
    """A place in a file, counted from 1."""

    line: int
    column: int


class Range(Shape):
    """A part of a file; the end is not in it."""

    start: Position
    end: Position


class Fix(Shape):
    """The one sensible change."""

    range: Range
    """What to replace."""
    text: str
    """What to write instead."""


class Diagnostic(Shape):
    """A finding about a blueprint."""

    file: str
    """The blueprint, as the caller called it."""
    severity: Literal["error", "warning", "note"]
    code: str
    """A stable word for the kind of finding, such as unknown-key."""
    message: str
    """What is wrong, in one line."""
    expected: str
    """What would be right; empty if the message says so."""
    hint: str
    """What to do about it; may be empty."""
    range: Range
    fix: Fix | None
    """null where there is not exactly one sensible change."""


class Check(Answer):
    """`epforge check --json`."""

    file: str
    """The blueprint, as the caller called it."""
    ok: bool
    """It can be used."""
    diagnostics: list[Diagnostic]
    """In the order of their places."""
    errors: int
    """How many of them are errors."""
    resolved: dict[str, Any] | None = None
    """The blueprint with every default and derived name; only with --resolved."""
    fixed: list[Diagnostic] | None = None
    """The errors that were mended, or would be; only with --fix or --dry-run."""
    diff: str | None = None
    """The change of the file; only with --fix or --dry-run."""
    written: bool | None = None
    """The file was written; only with --fix or --dry-run."""


class PlannedFile(Shape):
    """A file that a blueprint becomes."""

    path: str
    """Relative to the project, with forward slashes."""
    owner: Literal["generated", "shared", "yours"]
    """Who may change it."""
    template: str | None
    """What it is made from; null if it is copied as it is."""
    reason: str
    """Why it is there."""
    executable: bool
    """It has the x bits."""


class BlueprintPlan(Answer):
    """`epforge plan BLUEPRINT --json`."""

    files: list[PlannedFile]
    """In the order of their paths."""
