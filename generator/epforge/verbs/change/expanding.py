"""A project's blueprint expanded as this project has it: its adopted files, its style."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import UsageError
from epforge.workspace import Lock, Outcome, Request, preview, sha256
from epforge.workspace.disk import look
from epforge.workspace.outcome import ALL, ConflictKind

if TYPE_CHECKING:
    from epforge.resolve.model import Blueprint
    from epforge.verbs.change.project import Expansion

STYLE_PATH = ".clang-format"


@dataclasses.dataclass(frozen=True)
class Project:
    """A project that is about to be rewritten, or compared.

    Args:
        place: where its files lie.
        name: how its owner calls it; the same, unless they lie in a checkout.
        lock: its lock.
        trust: overlays may run code.
    """

    place: Path
    name: Path
    lock: Lock
    trust: bool = False


def expand_project(
    project: Project, blueprint: Blueprint, request: Request
) -> tuple[Expansion, Request]:
    """Expands ``blueprint`` for a project.

    Returns:
        the expansion, and the request with its paths as the lock has them.

    Raises:
        UsageError: the request names what the project does not have, or the project's
            ``.clang-format`` is not one.
    """
    adopted = frozenset(path for path, entry in project.lock.files.items() if entry.adopted)
    style = _own_style(project)
    expansion = _expand(project, blueprint, adopted, style)
    if request.adopt or request.named:
        request = _named(project, expansion, request)
        # An adopted file whose edits are given up is generated again.
        wanted = (adopted | request.adopt) - request.discard
        if wanted != adopted:
            adopted = wanted
            expansion = _expand(project, blueprint, adopted, style)
    merged = _merged_style(project, expansion, request, style)
    if merged != style:
        expansion = _expand(project, blueprint, adopted, merged)
    return expansion, request


def _named(project: Project, expansion: Expansion, request: Request) -> Request:
    """The request with paths as the lock has them, and every file that is adopted by its name."""
    from epforge.verbs.change.request_paths import checked_request

    checked = checked_request(project.place, project.lock, expansion, request)
    return _adopting(project, expansion, checked)


def change_of(expansion: Expansion, request: Request) -> dict[str, Any]:
    """The arguments of `preview` and `publish` beside directory and files."""
    from epforge.verbs.change.project import tool

    return {
        "tool": tool(),
        "blueprint": expansion.blueprint.text.encode(),
        "request": request,
        "inputs": expansion.inputs,
    }


def _expand(
    project: Project, blueprint: Blueprint, adopted: frozenset[str], style: str | None
) -> Expansion:
    from epforge.render import StyleError
    from epforge.verbs.change.project import expand

    try:
        place, trust = project.place, project.trust
        return expand(blueprint, adopted=adopted, style=style, root=place, trust=trust)
    except StyleError as error:
        raise UsageError(f"{project.name}/{error.message}", error.cure) from error


def _preview(project: Project, expansion: Expansion, request: Request) -> Outcome:
    return preview(project.place, expansion.files, **change_of(expansion, request))


def _adopting(project: Project, expansion: Expansion, request: Request) -> Request:
    """The request with every edited file named, where all of them are adopted.

    A file that is adopted is rendered anew: its first line says that it is shared.
    """
    if ALL not in request.adopt:
        return request
    named = dataclasses.replace(request, adopt=request.adopt - {ALL})
    kinds = (ConflictKind.EDITED, ConflictKind.DELETED)
    conflicts = _preview(project, expansion, named).conflicts
    edited = {conflict.path for conflict in conflicts if conflict.kind in kinds}
    return dataclasses.replace(named, adopt=named.adopt | edited)


def _own_style(project: Project) -> str | None:
    """The project's ``.clang-format`` if its owner has changed it; None if it is epforge's."""
    entry = project.lock.files.get(STYLE_PATH)
    found = look(project.place, STYLE_PATH)
    if entry is None or found.content is None or found.holds(entry.sha256):
        return None
    return _decoded(project, found.content)


def _merged_style(
    project: Project, expansion: Expansion, request: Request, style: str | None
) -> str | None:
    """The style that the project has afterwards, when both its owner and epforge changed it."""
    entry = project.lock.files.get(STYLE_PATH)
    ours = next((file.content for file in expansion.files if file.path == STYLE_PATH), None)
    if style is None or entry is None or ours is None or sha256(ours) == entry.sha256:
        return style
    outcome = _preview(project, expansion, request)
    if any(conflict.path == STYLE_PATH for conflict in (*outcome.conflicts, *outcome.open)):
        return style
    for action in outcome.actions:
        if action.path == STYLE_PATH and action.after is not None:
            return None if action.after == ours else _decoded(project, action.after)
    return style


def _decoded(project: Project, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{project.name / STYLE_PATH} is not UTF-8 text", "Save it as UTF-8, or remove it."
        ) from error
