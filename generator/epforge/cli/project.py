"""What the verbs share that expand a blueprint: from the file to the finished files in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from epforge import __version__
from epforge.blueprint import BlueprintSource, load
from epforge.plan import Plan, make_plan
from epforge.render import render, templates_digest
from epforge.resolve import resolve_supported
from epforge.resolve.model import Blueprint
from epforge.workspace import File, Owner, Tool


@dataclass(frozen=True)
class Expansion:
    """A blueprint expanded, still in memory."""

    blueprint: Blueprint
    plan: Plan
    files: tuple[File, ...]


def read(path: Path) -> tuple[BlueprintSource, Blueprint]:
    """A blueprint that can be expanded.

    Raises:
        UsageError: the file cannot be read.
        BlueprintErrors: everything that is wrong with it, or is not supported yet.
    """
    source = load(path)
    return source, resolve_supported(source)


def expand(blueprint: Blueprint) -> Expansion:
    """Plans and renders the project."""
    plan = make_plan(blueprint)
    files = tuple(
        File(
            path=file.path,
            content=file.content,
            owner=Owner(file.owner.value),
            executable=file.executable,
            template=file.template,
        )
        for file in render(plan).values()
    )
    return Expansion(blueprint, plan, files)


def tool() -> Tool:
    """What the lock says about this epforge."""
    return Tool(version=__version__, templates=templates_digest())
