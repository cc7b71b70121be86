"""Templates in place of epforge's own, by their path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2

from epforge.assets import assets_dir
from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.find import Found

#: Beside ejected templates: of which text of epforge's each of them is a copy.
EJECTED = "ejected.json"


@dataclass(frozen=True)
class Override:
    """A directory of templates that stand in for epforge's.

    Args:
        root: where it lies.
        shown: what messages call it.
        texts: its templates by their path.
    """

    root: Path
    shown: str
    texts: Mapping[str, str]


class OverrideLoader(jinja2.BaseLoader):
    """Loads the templates that were read; what lies on disk meanwhile does not matter."""

    def __init__(self, override: Override) -> None:
        self._override = override

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        text = self._override.texts.get(template)
        if text is None:
            raise jinja2.TemplateNotFound(template)
        return text, str(self._override.root / template), lambda: True


def template_names(templates: Path | None = None) -> tuple[str, ...]:
    """The paths of all templates of projects, sorted; the starter is a template of copier."""
    root = templates or assets_dir("templates")
    paths = (path for path in root.rglob("*") if path.is_file())
    names = (path.relative_to(root).as_posix() for path in paths)
    left_out = ("__pycache__", "starter/")
    return tuple(sorted((n for n in names if not any(o in n for o in left_out)), key=str.encode))


def read_override(found: Found) -> Override:
    """The templates of an overlay.

    What lies in a directory that epforge's templates have too must stand for one of them; other
    directories are for what they include.

    Raises:
        OverlayError: a file stands for no template, or is not UTF-8.
    """
    known = template_names()
    folders = {name.split("/")[0] for name in known}
    texts: dict[str, str] = {}
    for name, item in found.files.items():
        if "/" not in name:
            continue  # ejected.json, a README: epforge has no template at the top
        if name.split("/")[0] in folders and name not in known:
            raise OverlayError(found.overlay, *_unknown(name, known))
        try:
            texts[name] = item.content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise OverlayError(found.overlay, f"{name} is not UTF-8") from error
    if not set(texts) & set(known):
        what = "it stands in for none of epforge's templates"
        raise OverlayError(found.overlay, what, _LIST)
    return Override(found.root, found.overlay.place.rstrip("/"), texts)


_LIST = "epforge templates list shows them all."


def _unknown(name: str, known: tuple[str, ...]) -> tuple[str, str]:
    from epforge.blueprint.diagnostic import suggest

    near = suggest(name, known)
    return f"epforge has no template {name}", f"Did you mean {near}?" if near else _LIST
