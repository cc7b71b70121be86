"""Plan -> bytes, still in memory.

The names are looked up on first use, so that a build of epforge's own wheel compiles the templates
with Jinja alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epforge.render.errors import RenderError, StyleError
    from epforge.render.project import STYLE_PATH, RenderedFile, render, templates_digest

__all__ = [
    "STYLE_PATH",
    "RenderError",
    "RenderedFile",
    "StyleError",
    "render",
    "templates_digest",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = "errors" if name.endswith("Error") else "project"
    return getattr(importlib.import_module(f"{__name__}.{place}"), name)
