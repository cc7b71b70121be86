"""Plan -> bytes, still in memory."""

from __future__ import annotations

from epforge.render.errors import RenderError
from epforge.render.project import RenderedFile, render, templates_digest

__all__ = ["RenderError", "RenderedFile", "render", "templates_digest"]
