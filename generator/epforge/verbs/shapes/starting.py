"""Answers about repositories that are begun."""

from __future__ import annotations

from typing import Literal

from epforge.verbs.shapes.base import Answer, Shape


class Left(Shape):
    """An operator of the models that the blueprint does not have."""

    op: str
    nodes: int
    reason: str


class Init(Answer):
    """`epforge init --json`."""

    directory: str
    dry_run: bool
    written: list[str]
    """Files that were written; in a dry run, would be."""
    present: list[str]
    """Files that were there already, the same."""
    answers: dict[str, str | bool]
    """To the questions, by their names."""
    ep: str
    """The name of the execution provider."""
    kernels: list[str]
    """Operators that come with a kernel."""
    stubs: list[str]
    """Operators whose kernels are to be written."""
    cpu: list[Left]
    project: dict[str, list[str]]
    """The files of the project that the blueprint becomes, by their owner."""
    in_the_way: list[str]
    """Files that are in the way of that."""
    next: list[str]
    """The commands to go on with."""


class Starter(Answer):
    """`epforge templates starter --json`."""

    directory: str
    tool: Literal["copier", "cookiecutter"]
    written: list[str]
    present: list[str]
    """Files that were there already, the same."""
    next: list[str]
    """The commands to go on with."""


class Ready(Shape):
    """A blueprint that travels with epforge."""

    name: str
    comment: str


class ReadyList(Answer):
    """`epforge init --list --json`."""

    blueprints: list[Ready]
