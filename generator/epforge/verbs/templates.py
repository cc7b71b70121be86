"""epforge's own templates, to be replaced one by one."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.types import FORMAT, AnyPath, Names, Written, names

_EJECTED_FORMAT = 1  # of the record beside ejected templates


class TemplateState(StrEnum):
    """How a template of yours stands to epforge's."""

    SAME = "same"  # no need for it
    CHANGED = "changed"  # yours, from the text that epforge has now
    OLD = "old"  # yours, from a text that epforge has no more
    UNRECORDED = "unrecorded"  # yours; it was not ejected
    UNKNOWN = "unknown"  # epforge has no such template


@dataclass(frozen=True)
class TemplateList:
    """The names of all templates."""

    templates: tuple[str, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "templates": list(self.templates)}


@dataclass(frozen=True)
class Template:
    """A template of epforge's."""

    name: str
    text: str

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "name": self.name, "text": self.text}


class EjectedTemplates(Written):
    """Templates that were copied out, by their files."""


@dataclass(frozen=True)
class TemplateDiff:
    """How one template of yours differs from epforge's.

    Args:
        diff: from epforge's text to yours; empty where epforge has none.
    """

    name: str
    state: TemplateState
    diff: str


@dataclass(frozen=True)
class TemplateDiffs:
    """How templates of yours differ from epforge's."""

    templates: tuple[TemplateDiff, ...]

    @property
    def exit_status(self) -> ExitStatus:
        """`ExitStatus.CHECK_FAILED` if one is of a text that epforge has no more, or stands for
        none."""
        stale = (TemplateState.OLD, TemplateState.UNKNOWN)
        is_stale = any(each.state in stale for each in self.templates)
        return ExitStatus.CHECK_FAILED if is_stale else ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "templates": [dataclasses.asdict(e) for e in self.templates]}


def list_templates() -> TemplateList:
    """All templates; `epforge templates list`."""
    return TemplateList(_names())


def show_template(name: str) -> Template:
    """The text of a template; `epforge templates show`.

    Args:
        name: such as ``plugin/README.md``.

    Raises:
        UsageError: epforge has no such template.
    """
    return Template(name, _own(name).decode("utf-8"))


def eject_templates(name: Names, *, to: AnyPath) -> EjectedTemplates:
    """Copies templates out, to be changed; `epforge templates eject`.

    Args:
        name: such as ``plugin/README.md``; one or several.
        to: the directory of yours, where each gets the same path.

    Raises:
        UsageError: epforge has no such template, or a file of that name is there already.
    """
    from epforge.workspace.paths import check_inside

    to = Path(to)
    texts = {each: _own(each) for each in names(name)}
    check_inside(to, texts)
    for each in texts:
        if (to / each).exists() or (to / each).is_symlink():
            raise UsageError(
                f"{to / each} is there already",
                "epforge templates diff shows how it differs from epforge's.",
            )
    record = {**_recorded(to), **{each: _sha(text) for each, text in texts.items()}}
    body = {"format": _EJECTED_FORMAT, "templates": dict(sorted(record.items()))}
    try:
        for each, text in texts.items():
            (to / each).parent.mkdir(parents=True, exist_ok=True)
            (to / each).write_bytes(text)
        _record_path(to).write_bytes(f"{json.dumps(body, indent=2)}\n".encode())
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    return EjectedTemplates(tuple(to / each for each in texts))


def diff_templates(directory: AnyPath) -> TemplateDiffs:
    """How templates of yours differ from epforge's; `epforge templates diff`.

    Args:
        directory: the one that they are in.

    Raises:
        UsageError: it has no templates, or one leads out of it.
    """
    return TemplateDiffs(tuple(_compare(Path(directory))))


def _compare(directory: Path) -> list[TemplateDiff]:
    from epforge.render.overrides import EJECTED

    if not directory.is_dir():
        raise UsageError(f"{directory} is not a directory")
    names, record = set(_names()), _recorded(directory)
    folders = {name.split("/")[0] for name in names}
    rows = []
    root = directory.resolve()
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        name = path.relative_to(directory).as_posix()
        if name == EJECTED or name.split("/")[0] not in folders:
            continue
        if not path.resolve().is_relative_to(root):
            raise UsageError(f"{path} leads out of {directory}", "Put the file itself there.")
        yours = _read(path)
        own = _own(name) if name in names else b""
        state = _state(yours, own, record.get(name)) if name in names else TemplateState.UNKNOWN
        text = "" if state is TemplateState.UNKNOWN else _diff(name, own, yours)
        rows.append(TemplateDiff(name, state, text))
    if not rows:
        raise UsageError(f"{directory} has no templates", "See: epforge templates list")
    return rows


def _state(yours: bytes, own: bytes, ejected: str | None) -> TemplateState:
    if yours == own:
        return TemplateState.SAME
    if ejected is None:
        return TemplateState.UNRECORDED
    return TemplateState.CHANGED if ejected == _sha(own) else TemplateState.OLD


def _diff(name: str, own: bytes, yours: bytes) -> str:
    before, after = (
        text.decode("utf-8", errors="replace").splitlines(keepends=True) for text in (own, yours)
    )
    lines = difflib.unified_diff(before, after, f"epforge/{name}", f"yours/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _names() -> tuple[str, ...]:
    from epforge.render.overrides import template_names

    return template_names()


def _own(name: str) -> bytes:
    from epforge.assets import assets_dir
    from epforge.blueprint.diagnostic import show as quoted
    from epforge.blueprint.diagnostic import suggest

    names = _names()
    if name not in names:
        near = suggest(name, names)
        cure = f"Did you mean {near}?" if near else "See: epforge templates list"
        raise UsageError(f"epforge has no template {quoted(name)}", cure)
    return (assets_dir("templates") / name).read_bytes()


def _sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _record_path(directory: Path) -> Path:
    from epforge.render.overrides import EJECTED

    return directory / EJECTED


def _recorded(directory: Path) -> dict[str, str]:
    """The hashes of epforge's texts that the templates in a directory come from."""
    path = _record_path(directory)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(f"{path} is a link, or no file", "Remove it.")
    if not path.exists():
        return {}
    try:
        data = json.loads(_read(path))
        if data["format"] != _EJECTED_FORMAT:
            raise UsageError(f"{path} is of format {data['format']}", "A newer epforge reads it.")
        return {str(name): str(value) for name, value in data["templates"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: it is not what epforge writes") from error


def _read(path: Path) -> bytes:
    """A file that is no larger than what an overlay can have."""
    from epforge.render.overlay.find import MAX_BYTES

    with open(path, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{path} has more than {MAX_BYTES // 1_000_000} MB")
    return content
