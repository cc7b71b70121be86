"""Plan -> bytes, still in memory."""

from __future__ import annotations

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
