"""What pydantic found wrong with a tree, as diagnostics with a place in the text."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from epforge.blueprint.diagnostic import Diagnostic, Fix, Span, listed, show, suggest
from epforge.blueprint.nodes import Node, Path, Scalar, key_span, kind, lookup
from epforge.blueprint.text import SourceText

_WANTED = {
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
}
_REQUIRED = {
    "epforge": "the edition of the format: 'epforge: 1'",
    "name": "the name of the project, such as 'name: contoso-npu'",
    "vendor": "the vendor's name, such as 'vendor: Contoso'",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}


@dataclass(frozen=True)
class Finding:
    """Something that keeps a tree from having its shape.

    Args:
        path: where it is; of a missing key, where it should be.
        missing: the key is not there.
        diagnostic: what to tell; None where another finding tells it already.
    """

    path: Path
    missing: bool
    diagnostic: Diagnostic | None


def explain(
    error: ValidationError, root: Node, source: SourceText, model: type[BaseModel]
) -> list[Finding]:
    """What pydantic found, with places.

    Args:
        error: what ``model.model_validate(plain(root))`` raised.
        root: the tree.
        source: its text.
        model: the root's shape.
    """
    found: list[Finding] = []
    typos: set[Path] = set()
    entries = error.errors(include_url=False)
    for entry in sorted(entries, key=lambda entry: entry["type"] == "missing"):
        path: Path = entry["loc"]
        if entry["type"] == "extra_forbidden":
            diagnostic, meant = _unknown_key(path, root, source, model)
            if meant:
                typos.add((*path[:-1], meant))
            found.append(Finding(path, False, diagnostic))
        elif entry["type"] == "missing":
            # A key that is only misspelt has been reported already.
            told = None if path in typos else _missing(path, root, source)
            found.append(Finding(path, True, told))
        else:
            found.append(Finding(path, False, _value(path, dict(entry), root, source)))
    return found


def _unknown_key(
    path: Path, root: Node, source: SourceText, model: type[BaseModel]
) -> tuple[Diagnostic, str | None]:
    key = str(path[-1])
    span = key_span(root, path) or lookup(root, path)[0].span
    shape = shape_at(model, path[:-1])
    known = tuple(shape.model_fields) if shape else ()
    meant = suggest(key, known)
    where = f" in {spell(path[:-1])}" if path[:-1] else ""
    expected = "" if meant else listed(known, 40)
    hint = f"did you mean {meant}?" if meant else "delete it, or see 'epforge schema'"
    diagnostic = source.error(
        span, "unknown-key", f"unknown key {show(key)}{where}", expected, hint
    )
    taken = meant is not None and key_span(root, (*path[:-1], meant)) is not None
    if meant and not taken:
        diagnostic = with_fix(diagnostic, span, meant)
    return diagnostic, meant


def _missing(path: Path, root: Node, source: SourceText) -> Diagnostic:
    key = str(path[-1])
    parent = lookup(root, path[:-1])[0]
    if path[:-1]:
        span = source.first_line(key_span(root, path[:-1]) or parent.span)
        what = f"the key {show(key)} is missing in {spell(path[:-1])}"
        return source.error(span, "missing-key", what)
    start = Span(parent.span.line, parent.span.column, parent.span.line, parent.span.column)
    diagnostic = source.error(
        start, "missing-key", f"the key {show(key)} is missing", _REQUIRED.get(key, "")
    )
    block = parent.span.column == 1 and not source.slice(parent.span).startswith("{")
    return with_fix(diagnostic, start, "epforge: 1\n") if key == "epforge" and block else diagnostic


def _value(path: Path, entry: dict[str, Any], root: Node, source: SourceText) -> Diagnostic:
    node = lookup(root, path)[0]
    span = source.first_line(node.span)
    name, context = entry["type"], entry.get("ctx") or {}
    subject = spell(path)
    if name in _BOUNDS:
        bound, words = _BOUNDS[name]
        written = show(node.text) if isinstance(node, Scalar) else "the value"
        message = f"{subject}: {written} is out of range"
        return source.error(span, "out-of-range", message, f"{words} {context[bound]}")
    if name in _WANTED:
        wanted = _WANTED[name]
        diagnostic = source.error(
            span, "wrong-kind", f"{subject}: found {kind(node)}", wanted, _list_hint(node, wanted)
        )
        if wanted == "a list" and isinstance(node, Scalar) and not node.empty:
            written = source.slice(node.span)
            fix = f"[{written}]" if _IN_A_LIST.fullmatch(written) else None
            return with_fix(diagnostic, node.span, fix) if fix else diagnostic
        return diagnostic
    message = f"{subject}: {context.get('message') or entry['msg']}"
    expected, hint = context.get("expected", ""), context.get("hint", "")
    diagnostic = source.error(span, name.replace("_", "-"), message, expected, hint)
    fix = context.get("fix")
    return with_fix(diagnostic, node.span, fix) if fix is not None else diagnostic


# Words with commas between them, or a text in quotes. A block, or what YAML reads otherwise between
# brackets, has to be rewritten.
_PLAIN = r"-?[\w./+][\w./+-]*(?:::?[\w./+-]+)*"
_IN_A_LIST = re.compile(rf"{_PLAIN}(?: *, *{_PLAIN})*|\"[^\"\\\n]*\"|'[^'\n]*'")


def _list_hint(node: Node, wanted: str) -> str:
    if wanted == "a list" and isinstance(node, Scalar) and not node.empty:
        return "write it in [ ]"
    return "write [] for an empty list" if wanted == "a list" and isinstance(node, Scalar) else ""


def with_fix(diagnostic: Diagnostic, span: Span, text: str) -> Diagnostic:
    """The diagnostic with a change to make."""
    return replace(diagnostic, fix=Fix(span, text))


def spell(path: Path) -> str:
    """A path as people write it: ``devices[0].match``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            shown = show(step, 40)[1:-1]
            text += f".{shown}" if text else shown
    return text or "the blueprint"


def shape_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The shape of the mapping at ``path``, or None where keys are free."""
    here: Any = model
    for step in path:
        if isinstance(here, type) and issubclass(here, BaseModel):
            info = here.model_fields.get(str(step))
            here = info.annotation if info else None
        else:
            here = _element(here)
        here = _bare(here)
    return here if isinstance(here, type) and issubclass(here, BaseModel) else None


def _bare(annotation: Any) -> Any:
    """An annotation without Annotated and without ``| None``."""
    while True:
        origin = typing.get_origin(annotation)
        if origin is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif origin in (typing.Union, types.UnionType):
            rest = [arg for arg in typing.get_args(annotation) if arg is not types.NoneType]
            annotation = rest[0]
        else:
            return annotation


def _element(annotation: Any) -> Any:
    """What a list or a mapping of this annotation holds."""
    arguments = typing.get_args(annotation)
    if not arguments:
        return None
    origin = typing.get_origin(annotation)
    return (
        arguments[1] if isinstance(origin, type) and issubclass(origin, Mapping) else arguments[0]
    )
