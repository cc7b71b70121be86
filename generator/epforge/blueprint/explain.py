"""What pydantic found wrong with a tree, as diagnostics with a place in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from epforge.blueprint.diagnostic import Diagnostic, Span, listed, show
from epforge.blueprint.nodes import Node, Path, Scalar, key_span, kind, lookup
from epforge.blueprint.places import shape_at, spell
from epforge.blueprint.text import SourceText

if TYPE_CHECKING:
    from epforge.blueprint.mending.model import Meant

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
        changes: of the tree, to what is meant; empty where that cannot be told.
    """

    path: Path
    missing: bool
    diagnostic: Diagnostic | None
    changes: Mapping[Path, Node | None] = field(default_factory=dict)


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
    return _Explainer(root, source, model).run(error)


class _Explainer:
    def __init__(self, root: Node, source: SourceText, model: type[BaseModel]) -> None:
        # Imported here: what is right needs nothing of it.
        from epforge.blueprint.mending.desk import Desk

        self.root = root
        self.source = source
        self.model = model
        self.desk = Desk(source, root)

    def run(self, error: ValidationError) -> list[Finding]:
        found: list[Finding] = []
        settled: set[Path] = set()  # places that a change of another finding fills or empties
        entries = error.errors(include_url=False)
        for entry in sorted(entries, key=lambda entry: _ORDER.get(entry["type"], 1)):
            path: Path = entry["loc"]
            if entry["type"] == "extra_forbidden":
                told, meant = self._unknown_key(path)
            elif entry["type"] == "missing":
                told, meant = self._missing(path)
            else:
                told, meant = self._value(path, dict(entry))
            changes = meant.changes if meant else {}
            if path in settled or any(path[:length] in settled for length in range(len(path))):
                # What is only misspelt, or belongs to another mistake, has been reported already.
                found.append(Finding(path, entry["type"] == "missing", None))
                continue
            settled |= set(changes)
            found.append(Finding(path, entry["type"] == "missing", told, changes))
        return found

    def _unknown_key(self, path: Path) -> tuple[Diagnostic, Meant | None]:
        from epforge.blueprint.mending.keys import key_meant

        key = str(path[-1])
        span = key_span(self.root, path) or lookup(self.root, path)[0].span
        shape = shape_at(self.model, path[:-1])
        meant = key_meant(path, self.root, self.desk, self.model)
        where = f" in {spell(path[:-1])}" if path[:-1] else ""
        expected = "" if meant or not shape else listed(shape.model_fields, 40)
        hint = meant.hint if meant else "delete it, or see 'epforge schema'"
        message = f"unknown key {show(key)}{where}"
        diagnostic = self.source.error(span, "unknown-key", message, expected, hint)
        return _with(diagnostic, meant, self.source), meant

    def _missing(self, path: Path) -> tuple[Diagnostic, Meant | None]:
        from epforge.blueprint.mending.missing import missing_meant

        key = str(path[-1])
        parent = lookup(self.root, path[:-1])[0]
        meant = missing_meant(path, self.root, self.desk, self.model)
        if path[:-1]:
            span = self.source.first_line(key_span(self.root, path[:-1]) or parent.span)
            what = f"the key {show(key)} is missing in {spell(path[:-1])}"
            expected = ""
        else:
            start = (parent.span.line, parent.span.column)
            span = Span(*start, *start)
            what, expected = f"the key {show(key)} is missing", _REQUIRED.get(key, "")
        hint = meant.hint if meant else ""
        return _with(
            self.source.error(span, "missing-key", what, expected, hint), meant, self.source
        ), meant

    def _value(self, path: Path, entry: dict[str, Any]) -> tuple[Diagnostic, Meant | None]:
        from epforge.blueprint.mending.values import value_meant

        node = lookup(self.root, path)[0]
        span = self.source.first_line(node.span)
        name, context = entry["type"], entry.get("ctx") or {}
        subject = spell(path)
        wanted = _WANTED.get(name, "")
        meant = value_meant(path, self.root, self.desk, self.model, wanted, context.get("fix"))
        if name in _BOUNDS:
            bound, words = _BOUNDS[name]
            written = show(node.text) if isinstance(node, Scalar) else "the value"
            message = f"{subject}: {written} is out of range"
            return self.source.error(
                span, "out-of-range", message, f"{words} {context[bound]}"
            ), None
        if wanted:
            name, message, expected = "wrong-kind", f"{subject}: found {kind(node)}", wanted
            hint = _list_hint(node, wanted)
        else:
            message = f"{subject}: {context.get('message') or entry['msg']}"
            expected, hint = context.get("expected", ""), context.get("hint", "")
        hint = meant.hint if meant and (meant.hint or not hint) else hint
        diagnostic = self.source.error(span, name.replace("_", "-"), message, expected, hint)
        return _with(diagnostic, meant, self.source), meant


_COMMENT = re.compile(r"(?:(?<=[ \t])|^)#[^\r\n]*", re.MULTILINE)

# Unknown keys first: what is missing or wrong may be what they mean.
_ORDER = {"extra_forbidden": 0, "missing": 2}


def _with(diagnostic: Diagnostic, meant: Meant | None, source: SourceText) -> Diagnostic:
    """An error with its fix, unless a comment would go with it."""
    if meant is None or meant.fix is None:
        return diagnostic
    comments = _COMMENT.findall(source.slice(meant.fix.range))
    if any(comment.rstrip() not in meant.fix.text for comment in comments):
        return diagnostic
    return replace(diagnostic, fix=meant.fix)


def _list_hint(node: Node, wanted: str) -> str:
    if wanted == "a list" and isinstance(node, Scalar) and not node.empty:
        return "write it in [ ]"
    return "write [] for an empty list" if wanted == "a list" and isinstance(node, Scalar) else ""
