"""Renders every file of a plan, formats, tidies and checks it."""

from __future__ import annotations

import hashlib
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from epforge.assets import assets_dir
from epforge.plan.model import FileSpec, Owner, Plan
from epforge.render import clang
from epforge.render.banner import banner
from epforge.render.environment import make_environment
from epforge.render.errors import RenderError

STYLE_PATH = ".clang-format"
_DEFAULT_STYLE = "BasedOnStyle: Google\nStandard: c++17\nColumnLimit: 100\n"


@dataclass(frozen=True)
class RenderedFile:
    """A file of the project, ready to be written."""

    path: str
    content: bytes
    owner: Owner
    executable: bool
    template: str  # empty for a verbatim copy


def render(plan: Plan, templates: Path | None = None) -> dict[str, RenderedFile]:
    """Renders ``plan``.

    A `FileSpec` without a template is a verbatim copy of ``params["content"]`` (bytes): it is
    neither formatted nor tidied. Everything else is UTF-8 with LF, one newline at its end and no
    blanks at the end of a line; C++ and CUDA go through one call of clang-format in the style of
    the plan's own ``.clang-format``.

    Args:
        plan: what to render.
        templates: where the templates lie; epforge's own by default.

    Returns:
        The files by path, in the plan's order.

    Raises:
        RenderError: a template is at fault; the message begins with ``template:line``.
        MissingError: clang-format is not installed.
    """
    root = templates or assets_dir("templates")
    environment = make_environment(root)
    texts = {
        spec.path: tidy(_render_one(environment, root, spec))
        for spec in plan.files
        if spec.template
    }
    style = texts.get(STYLE_PATH, _DEFAULT_STYLE)
    formatted = clang.format_all(
        {path: text for path, text in texts.items() if clang.is_formatted(path)}, style
    )
    texts.update({path: tidy(text) for path, text in formatted.items()})
    return {
        spec.path: RenderedFile(
            path=spec.path,
            content=texts[spec.path].encode() if spec.template else _verbatim(spec),
            owner=spec.owner,
            executable=spec.executable,
            template=spec.template,
        )
        for spec in plan.files
    }


def tidy(text: str) -> str:
    """LF, no blanks at the end of a line, no empty lines at either end, one newline last."""
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").split("\n")]
    body = "\n".join(lines).strip("\n")
    return f"{body}\n" if body else ""


def _verbatim(spec: FileSpec) -> bytes:
    content = spec.params.get("content")
    if not isinstance(content, bytes):
        raise RenderError(f"{spec.path}: a copy needs its content as bytes")
    return content


def _render_one(environment: jinja2.Environment, root: Path, spec: FileSpec) -> str:
    line = banner(spec.path, spec.owner)
    params: dict[str, Any] = {"banner": line, **spec.params}
    try:
        text = environment.get_template(spec.template).render(params)
    except jinja2.TemplateNotFound as error:
        raise RenderError(f"{spec.template}: there is no template {error.name}") from error
    except jinja2.TemplateSyntaxError as error:
        raise RenderError(
            f"{error.name or spec.template}:{error.lineno}: {error.message}"
        ) from error
    except (jinja2.TemplateError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise RenderError(f"{_place(root, spec.template, error)}: {error}") from error
    for mark in ("<%", "%>"):
        if mark in text:
            number = text[: text.index(mark)].count("\n") + 1
            raise RenderError(f"{spec.template}: {mark} is left in line {number} of {spec.path}")
    if line and line not in text.split("\n", 2)[:2]:
        raise RenderError(f"{spec.template}:1: {spec.path} does not begin with its banner")
    return text


def _place(root: Path, template: str, error: Exception) -> str:
    """``template:line: the line``, from the innermost frame that lies in a template."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        try:
            name = Path(frame.filename).relative_to(root).as_posix()
        except ValueError:
            continue
        return f"{name}:{frame.lineno}: {(frame.line or '').strip()}"
    return template


def templates_digest(templates: Path | None = None) -> str:
    """SHA-256 over all templates, in hex: names and contents, in the order of their names."""
    root = templates or assets_dir("templates")
    digest = hashlib.sha256()
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    for name in sorted(files, key=str.encode):
        if "__pycache__" in name:
            continue
        content = files[name].read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
