"""Renders every file of a plan, formats, tidies and checks it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from epforge.assets import assets_dir
from epforge.plan.model import FileSpec, Owner, Plan
from epforge.render import clang
from epforge.render.banner import banner, with_header
from epforge.render.environment import make_environment
from epforge.render.errors import OverrideError, RenderError, StyleError

if TYPE_CHECKING:
    from epforge.render.overrides import Override

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


def render(
    plan: Plan,
    templates: Path | None = None,
    style: str | None = None,
    overrides: Sequence[Override] = (),
    header: tuple[str, ...] = (),
) -> dict[str, RenderedFile]:
    """Renders ``plan``.

    A `FileSpec` without a template is a verbatim copy of ``params["content"]`` (bytes): it is
    neither formatted nor tidied. Everything else is UTF-8 with LF, one newline at its end and no
    blanks at the end of a line; C++ and CUDA go through clang-format, while other files are
    rendered, in the style of the plan's own ``.clang-format``.

    Args:
        plan: what to render.
        templates: where the templates lie; epforge's own by default.
        style: the content of another ``.clang-format``. C++ and CUDA are then formatted in the
            plan's style first and in this one second, so that what one leaves to its input does
            not depend on the templates.
        overrides: templates in place of those in ``templates``; the first that has one counts.
        header: lines that go below the banner of every file that has one.

    Returns:
        The files by path, in the plan's order.

    Raises:
        StyleError: clang-format refuses ``style``.
        RenderError: a template is at fault; the message begins with ``template:line``.
        MissingError: clang-format is not installed.
    """
    root = templates or assets_dir("templates")
    environment = make_environment(root, _loaders(overrides))
    texts: dict[str, str] = {}

    def make(spec: FileSpec) -> str:
        texts[spec.path] = tidy(_render_one(environment, root, spec, overrides, header))
        return texts[spec.path]

    def code() -> Iterator[tuple[str, str]]:
        """Makes all files, and gives what is to be formatted: that first, for it takes longest."""
        for spec in sorted(specs, key=lambda spec: not clang.is_formatted(spec.path)):
            text = texts.get(spec.path) or make(spec)
            if clang.is_formatted(spec.path):
                yield spec.path, text

    specs = [spec for spec in plan.files if spec.template]
    with _bounded(overrides):
        of_plan = next((make(spec) for spec in specs if spec.path == STYLE_PATH), _DEFAULT_STYLE)
        # What is not epforge's is bounded in time, which formatting has no part in.
        sources = dict(code()) if overrides else code()
    formatted = clang.format_all(sources, of_plan)
    if style is not None:
        formatted = _restyled(formatted, style)
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


@contextlib.contextmanager
def _bounded(overrides: Sequence[Override]) -> Iterator[None]:
    """Time and memory are bounded where templates are not epforge's own."""
    if not overrides:
        yield
        return
    from epforge.render import bounds

    try:
        with bounds.bounded():
            yield
    except bounds.TooLong:
        shown = ", ".join(override.shown for override in overrides)
        what = f"{shown}: the templates were not done after {bounds.SECONDS:g} seconds"
        raise OverrideError(what, "One of them may be in a loop.") from None


def _restyled(sources: Mapping[str, str], style: str) -> dict[str, str]:
    """The sources in a style that is not epforge's: it may be the one at fault."""
    try:
        return clang.format_all(sources, style)
    except RenderError as error:
        raise StyleError(STYLE_PATH, error.message) from error


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


def _loaders(overrides: Sequence[Override]) -> list[jinja2.BaseLoader]:
    if not overrides:
        return []
    from epforge.render.overrides import OverrideLoader

    return [OverrideLoader(override) for override in overrides]


def _render_one(
    environment: jinja2.Environment,
    root: Path,
    spec: FileSpec,
    overrides: Sequence[Override],
    header: tuple[str, ...],
) -> str:
    line = banner(spec.path, spec.owner)
    params: dict[str, Any] = {"banner": line, **spec.params}
    try:
        text = environment.get_template(spec.template).render(params)
        _check_text(text, spec, line)
    except RenderError as error:
        raise _blamed(error.message, spec.template, overrides) from error
    except jinja2.TemplateNotFound as error:
        what = f"{spec.template}: there is no template {error.name}"
        raise _blamed(what, spec.template, overrides) from error
    except jinja2.TemplateSyntaxError as error:
        name = error.name or spec.template
        raise _blamed(f"{name}:{error.lineno}: {error.message}", name, overrides) from error
    except _FAULTS as error:
        name, place = _place(root, spec.template, error, overrides)
        raise _blamed(f"{place}: {_words(error)}", name, overrides) from error
    return with_header(text, spec.path, line, header) if header else text


_MOST = 10_000_000
_MOST_WORDS = 500
_FAULTS = (
    *(jinja2.TemplateError, TypeError, ValueError, LookupError, AttributeError),
    *(ArithmeticError, RecursionError, MemoryError),
)


def _words(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "it takes too much memory"
    if isinstance(error, RecursionError):
        return "it goes around in circles"
    text, half = str(error), _MOST_WORDS // 2
    return text if len(text) <= _MOST_WORDS else f"{text[:half]}...{text[-half:]}"


def _check_text(text: str, spec: FileSpec, line: str) -> None:
    if len(text) > _MOST:
        raise RenderError(f"{spec.template}: {spec.path} has more than {_MOST // 1_000_000} MB")
    for mark in ("<%", "%>"):
        if mark in text:
            number = text[: text.index(mark)].count("\n") + 1
            raise RenderError(f"{spec.template}: {mark} is left in line {number} of {spec.path}")
    if line and line not in text.split("\n", 2)[:2]:
        raise RenderError(f"{spec.template}:1: {spec.path} does not begin with its banner")


def _blamed(message: str, template: str, overrides: Sequence[Override]) -> RenderError:
    """The error of a template, as that of who wrote it."""
    for override in overrides:
        if template in override.texts:
            cure = "It stands in for epforge's template; epforge templates show prints that one."
            return OverrideError(f"{override.shown}/{message}", cure)
    return RenderError(message)


def _place(
    root: Path, template: str, error: Exception, overrides: Sequence[Override]
) -> tuple[str, str]:
    """The template at fault and ``template:line: the line``, from the innermost frame that lies
    in one."""
    roots = [*(override.root for override in overrides), root]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        for base in roots:
            path = Path(frame.filename)
            if path.is_relative_to(base):
                name = path.relative_to(base).as_posix()
                return name, f"{name}:{frame.lineno}: {(frame.line or '').strip()[:_MOST_WORDS]}"
    return template, template


def templates_digest(templates: Path | None = None) -> str:
    """SHA-256 over all templates of projects, in hex: names and contents, in the order of their
    names."""
    root = str(templates or assets_dir("templates"))
    files: dict[str, str] = {}
    for folder, _, names in os.walk(root):  # plain strings: there are hundreds
        inner = folder[len(root) :].replace(os.sep, "/")
        if "__pycache__" not in inner and not inner.startswith("/starter"):
            files.update((f"{inner}/{name}"[1:], os.path.join(folder, name)) for name in names)
    digest = hashlib.sha256()
    for name in sorted(files, key=str.encode):
        with open(files[name], "rb") as file:
            content = file.read()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
