"""Answers about changes of projects."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from epforge.report.shape import Report
from epforge.verbs.shapes.base import Answer, Shape
from epforge.verbs.shapes.libraries import Built

Owner = Literal["generated", "shared", "yours"]


class Action(Shape):
    """A change of a file."""

    path: str
    """Where the file is afterwards, or was before it is removed."""
    kind: Literal["create", "update", "merge", "move", "remove"]
    why: str
    """A short clause; may be empty."""
    owner: Owner | None = None
    """Who may change it; not there for a file that is removed."""
    source: str | None = None
    """Where it was; only if it is moved."""
    diff: str | None = None
    """The change in git's form; only with --diff."""


class Hunk(Shape):
    """Lines that both the owner and epforge changed."""

    line: int
    """Where they begin in the owner's file, counted from 1."""
    yours: list[str]
    base: list[str]
    """What both started from."""
    epforge: list[str]


class Conflict(Shape):
    """A file that needs the owner's decision."""

    path: str
    kind: Literal[
        "content", "edited", "deleted", "dropped", "no-base", "binary", "renamed-twice",
        "in-the-way",
    ]  # fmt: skip
    text: str
    """What the owner did, and what epforge would do."""
    cure: str
    """How to decide."""
    diff: str
    """The owner's edit of a generated file; may be empty."""
    hunks: list[Hunk]


class Note(Shape):
    """What the owner should know although nothing has to be decided."""

    path: str
    kind: Literal["behind", "stays-deleted", "orphaned", "layout", "moved", "decided", "no-base"]
    text: str
    diff: str
    """The text to paste; may be empty."""
    new: bool
    """No earlier command has said so."""


class PerhapsChange(Shape):
    """What was, or would be, done to a project; only if one was to be changed."""

    directory: str | None = None
    """The project, as the caller called it."""
    created: bool | None = None
    unchanged: int | None = None
    actions: list[Action] | None = None
    conflicts: list[Conflict] | None = None
    """What has to be decided first: nothing is written before that."""
    open: list[Conflict] | None = None
    notes: list[Note] | None = None


class Change(Answer):
    """What was, or in a dry run would be, done to a project."""

    directory: str
    """The project, as the caller called it."""
    created: bool
    """There was no project before."""
    unchanged: int
    """How many files stay as they are."""
    actions: list[Action]
    conflicts: list[Conflict]
    """What has to be decided first: nothing is written before that."""
    open: list[Conflict]
    """Conflicts that are in the files afterwards, marked."""
    notes: list[Note]


class ProjectPlan(Change):
    """`epforge plan PROJECT --json`."""


class Eject(Change):
    """`epforge eject op --json`."""


class Branch(Shape):
    """A commit that was made on a new branch."""

    name: str
    """Empty if nothing changed and none was made."""
    commit: str
    """Its id."""
    files: list[str]
    """What it changes."""
    uncommitted: list[str]
    """What has no part in it, because it was not committed."""


class Proven(Change):
    """A change of a project that may be built and validated."""

    build: Built | None = None
    """Only with --build or --validate."""
    validation: Report | None = None
    """Only with --validate."""


class Scaffold(Proven):
    """`epforge scaffold --json`."""

    owners: dict[str, int]
    """How many files each owner has."""
    written: list[str]
    removed: list[str]


class Regenerate(Proven):
    """`epforge regenerate --json`."""

    branch: Branch | None = None
    """Only with --branch."""


class UpgradeNote(Shape):
    """What a release brings."""

    id: str
    """A stable name."""
    since: int
    """The level that brought it."""
    kind: str
    text: str
    fix: str
    """What to do; may be empty."""
    source: str
    """Where it is known from."""


class Edition(Shape):
    """What became of a blueprint of an older edition."""

    steps: list[str]
    notes: list[str]


class Upgraded(Shape):
    """What a step from one release to another means."""

    from_: str = Field(alias="from")
    """The release that was the target."""
    to: str
    """The one that is now."""
    edition: Edition
    done: list[UpgradeNote]
    """Done by epforge."""
    todo: list[UpgradeNote]
    """For the owner to do."""
    known: list[UpgradeNote]
    """Good to know."""
    offers: list[UpgradeNote]
    """To be had for the asking."""
    lost: list[UpgradeNote]
    """What an older release does not have."""


class Upgrade(Change):
    """`epforge upgrade --json`."""

    upgrade: Upgraded
    branch: Branch | None = None
    """Only with --branch."""


class UpgradeFile(Answer):
    """`epforge upgrade --file BLUEPRINT --json`."""

    file: str
    changed: bool
    diff: str
    upgrade: Upgraded


class UpgradeCheck(Answer):
    """`epforge upgrade --check --json`."""

    directory: str
    target: str
    """The release whose API the project is made for."""
    newest: str
    """The newest release that pip would install."""
    known: str
    """The newest release whose API this epforge knows."""
    upgrade: str | None
    """What to upgrade to; null if there is nothing to do."""


class Drift(Shape):
    """Something that is not in sync."""

    path: str
    text: str
    """What is the matter."""
    lines: list[int]
    """Where; may be empty."""


class Status(Answer):
    """`epforge status --json`."""

    directory: str
    status: Literal["in sync", "drift", "conflicts"]
    exit_status: Literal[0, 1, 3]
    findings: list[Drift]
    cure: str
    """The command to go on; empty if nothing is to do."""
    notes: list[Note]


class Resolve(Answer):
    """`epforge resolve --json`."""

    resolved: list[str]
    """Files that are in conflict no more."""
    left: dict[str, list[int]]
    """Files with markers left, with the lines they are in."""
    open: list[str]
    """All files that are in conflict still."""


class Add(Answer, PerhapsChange):
    """`epforge add --json`."""

    added: list[str]
    """Names of the entries that were not there."""
    present: dict[str, str]
    """Where the others are: by name, file:line."""
    dry_run: bool
    remarks: list[str]
    """What else changes by that."""
    blueprint: str
    """The file."""
    diff: str
    """The change of the blueprint."""
