"""Opens the overlays of a blueprint, and lays them over the files that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from epforge.errors import UsageError
from epforge.literals import printable
from epforge.plan.model import Owner, Plan
from epforge.render.errors import StyleError
from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.find import Found, Item, find
from epforge.render.overlay.header import read_header
from epforge.render.overlay.source import Bounds, run
from epforge.render.overlay.values import values
from epforge.render.overrides import Override, read_override
from epforge.render.project import STYLE_PATH, RenderedFile, render
from epforge.resolve.model import Blueprint
from epforge.resolve.services import Overlay, OverlayKind

_NEVER = frozenset({"blueprint.yaml", "epforge.lock"})
#: git~1 is .git as well, where Windows keeps short names.
_NEVER_BELOW = frozenset({".epforge", ".git", "git~1"})


@dataclass(frozen=True)
class Laid:
    """An overlay that is rendered: what it lays over the project."""

    overlay: Overlay
    files: Mapping[str, Item]


@dataclass(frozen=True)
class Overlays:
    """The overlays of a blueprint, read and rendered.

    Args:
        overrides: templates in place of epforge's own, the first to look in first.
        header: the lines of the header; none without one.
        laid: what is laid over the project, one after the other.
        travelling: the overlays' own files by their path in the project.
        inputs: for the lock: what else than blueprint and epforge the project is made from.
    """

    overrides: tuple[Override, ...] = ()
    header: tuple[str, ...] = ()
    laid: tuple[Laid, ...] = ()
    travelling: Mapping[str, tuple[Overlay, Item]] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    def render(self, plan: Plan, style: str | None) -> dict[str, RenderedFile]:
        """Renders a plan with the overlays.

        Args:
            plan: what to render.
            style: the ``.clang-format`` that the project's owner has written; None lets an
                overlay that brings one say.

        Raises:
            RenderError: a template is at fault.
            StyleError: clang-format refuses ``style``.
            OverlayError: it refuses the style of an overlay, or one wants a path that it cannot
                have.
        """
        styles = [laid for laid in self.laid if STYLE_PATH in laid.files] if style is None else []
        if styles:
            style = styles[-1].files[STYLE_PATH].content.decode("utf-8", errors="replace")
        try:
            files = render(plan, style=style, overrides=self.overrides, header=self.header)
        except StyleError as error:
            if not styles:
                raise
            cure = "Correct it: all C++ of the project is written in its style."
            raise OverlayError(styles[-1].overlay, error.message, cure) from error
        return self.over(files)

    def over(self, files: Mapping[str, RenderedFile]) -> dict[str, RenderedFile]:
        """The project with the overlays on it, sorted by path.

        Raises:
            OverlayError: an overlay wants a path that it cannot have.
        """
        result = dict(files)
        for path, (overlay, item) in self.travelling.items():
            if path in files:
                what = f"its file {path} is where the project has one of its own"
                raise OverlayError(overlay, what, "Give the overlay another directory.")
            _check_path(overlay, "its file", path)
            result[path] = RenderedFile(path, item.content, Owner.YOURS, item.executable, "")
        for laid in self.laid:
            for path, item in laid.files.items():
                result[path] = _over(laid.overlay, path, item, result.get(path))
        return dict(sorted(result.items(), key=lambda entry: entry[0].encode()))


def open_overlays(
    blueprint: Blueprint, directory: Path | None, *, trust: bool, bounds: Bounds | None = None
) -> Overlays:
    """Reads the overlays of a blueprint and renders those that are templates.

    Args:
        blueprint: whose.
        directory: the blueprint's; needed where an overlay lies beside it.
        trust: whether templates may run code of their own.
        bounds: what a template may take.

    Raises:
        OverlayError: one of them cannot be used.
        MissingError: copier or cookiecutter is not installed.
    """
    if not blueprint.overlays:
        return Overlays()
    if directory is None:
        raise UsageError("the blueprint has overlays, and it is not known where it lies")
    all_found = [find(overlay, directory) for overlay in blueprint.overlays]
    by_kind: dict[OverlayKind, list[Found]] = {kind: [] for kind in OverlayKind}
    for found in all_found:
        by_kind[found.overlay.kind].append(found)
    told = values(blueprint)
    headers = [read_header(found) for found in by_kind[OverlayKind.HEADER]]
    overrides = [read_override(found) for found in reversed(by_kind[OverlayKind.TEMPLATES])]
    laid = [
        Laid(found.overlay, run(found, told, trust=trust, bounds=bounds))
        for found in by_kind[OverlayKind.SOURCE]
    ]
    return Overlays(
        overrides=tuple(overrides),
        header=headers[0] if headers else (),
        laid=tuple(laid),
        travelling={
            path: (found.overlay, item)
            for found in all_found
            for path, item in found.travels.items()
        },
        inputs={f"overlay:{found.overlay.place}": found.digest for found in all_found},
    )


def _over(overlay: Overlay, path: str, item: Item, below: RenderedFile | None) -> RenderedFile:
    _check_path(overlay, "it makes", path)
    if below is not None and below.owner is not Owner.SHARED:
        what = f"it makes {path}, and the project has that file as {below.owner}"
        if below.template:
            what += f", from {below.template}"
            cure = f"Override that template: an overlay {{templates: DIR}} with {below.template}."
        else:
            cure = "Leave it out of the overlay."
        raise OverlayError(overlay, what, cure)
    return RenderedFile(
        path, item.content, Owner.SHARED, item.executable, f"overlay:{overlay.place}"
    )


def _check_path(overlay: Overlay, how: str, path: str) -> None:
    """Refuses a path that no overlay can have, wherever its files come from."""
    if not all(map(printable, path)):
        what = f"{how} {path!a}, and a name cannot have characters that cannot be seen"
        raise OverlayError(overlay, what)
    if path.casefold() in _NEVER or _NEVER_BELOW & set(path.casefold().split("/")):
        raise OverlayError(overlay, f"{how} {path}, which is epforge's or git's alone")
