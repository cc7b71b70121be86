"""What the verbs share that expand a blueprint: from the file to the finished files in memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from epforge import __version__
from epforge.blueprint import BlueprintSource, load
from epforge.plan import Plan, make_plan
from epforge.plan.model import FileSpec
from epforge.plan.model import Owner as PlannedOwner
from epforge.render import RenderedFile, render, templates_digest
from epforge.resolve import resolve_supported
from epforge.resolve.model import Blueprint
from epforge.workspace import File, Owner, Tool, sha256


@dataclass(frozen=True)
class Expansion:
    """A blueprint expanded, still in memory.

    Args:
        inputs: SHA-256 of what the files depend on beside the blueprint, by name, for the lock.
    """

    blueprint: Blueprint
    plan: Plan
    files: tuple[File, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)


def read(path: Path) -> tuple[BlueprintSource, Blueprint]:
    """A blueprint that can be expanded.

    Raises:
        UsageError: the file cannot be read.
        BlueprintErrors: everything that is wrong with it, or is not supported yet.
    """
    source = load(path)
    return source, resolve_supported(source)


def expand(
    blueprint: Blueprint,
    *,
    adopted: Collection[str] = (),
    style: str | None = None,
    root: Path | None = None,
    trust: bool = False,
) -> Expansion:
    """Plans and renders the project.

    Args:
        blueprint: what to expand.
        adopted: generated files that their owner has made shared; their first line says so.
        style: the project's own ``.clang-format``, when it is not epforge's.
        root: the blueprint's directory, which its overlays lie in.
        trust: whether the templates of overlays may run code of their own.

    Raises:
        StyleError: clang-format refuses ``style``.
        OverlayError: an overlay cannot be used.
    """
    plan = make_plan(blueprint)
    plan = Plan(tuple(_as_adopted(spec, adopted) for spec in plan.files))
    inputs = {} if style is None else {"style": sha256(style.encode())}
    if not blueprint.overlays:
        rendered = render(plan, style=style)
    else:
        from epforge.render.overlay.lay import open_overlays

        overlays = open_overlays(blueprint, root, trust=trust)
        inputs |= overlays.inputs
        rendered = overlays.render(plan, style)
    files = tuple(_file(file, adopted) for file in rendered.values())
    return Expansion(blueprint, plan, files, inputs)


def _as_adopted(spec: FileSpec, adopted: Collection[str]) -> FileSpec:
    if spec.path in adopted and spec.owner is PlannedOwner.GENERATED:
        return dataclasses.replace(spec, owner=PlannedOwner.SHARED)
    return spec


def _file(file: RenderedFile, adopted: Collection[str]) -> File:
    owner = Owner(file.owner.value)
    return File(
        path=file.path,
        content=file.content,
        owner=owner,
        executable=file.executable,
        template=file.template,
        adopted=owner is Owner.SHARED and file.path in adopted,
    )


def tool() -> Tool:
    """What the lock says about this epforge."""
    return Tool(version=__version__, templates=templates_digest())
