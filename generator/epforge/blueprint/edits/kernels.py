"""Making an operator's kernel the owner's."""

from __future__ import annotations

import copy
from typing import Any

from epforge.blueprint.diagnostic import Fix, Span
from epforge.blueprint.edits.verified import verified
from epforge.blueprint.nodes import Node, Scalar, Sequence, Table
from epforge.blueprint.report import apply_fix
from epforge.blueprint.source import BlueprintSource
from epforge.blueprint.text import split_lines
from epforge.errors import UsageError

_KEY, _YOURS = "kernel", "yours"


def take_over(source: BlueprintSource, domain: str, op: str) -> str:
    """The text of the blueprint with ``kernel: yours`` for one operator.

    Comments, order, quotes and layout stay; only the operator's own entry changes.

    Args:
        source: a blueprint without errors.
        domain: the operator's domain; "" is ai.onnx.
        op: the operator's name, as in its schema.

    Raises:
        UsageError: the blueprint does not list the operator, or lists it in a way (an alias, a tag)
            that has to be edited by hand.
    """
    wanted = f"{domain or 'ai.onnx'}::{op}"
    root = source.root
    for key in ("ops", "custom_ops"):
        ops = root.entries.get(key) if isinstance(root, Table) else None
        for index, item in enumerate(ops.items if isinstance(ops, Sequence) else ()):
            name = item.entries.get("op") if isinstance(item, Table) else item
            if isinstance(name, Scalar) and _qualified(name.text) == wanted:
                text = apply_fix(source.text.text, _fix(source, item, name, ops))
                return _verified(source, text, key, index, name)
    known = op if not domain else wanted
    raise UsageError(f"{source.file} does not list the operator {known}", "Add it to ops first.")


def _verified(source: BlueprintSource, text: str, key: str, index: int, name: Scalar) -> str:
    def is_right(before: Any, after: Any) -> bool:
        expected = copy.deepcopy(before)
        item = expected[key][index]
        table = item if isinstance(item, dict) else {"op": item}
        expected[key][index] = {**table, _KEY: (_YOURS, False)}
        return bool(expected == after)

    return verified(source, text, is_right, _refusal(source, name))


def _refusal(source: BlueprintSource, name: Scalar) -> UsageError:
    return UsageError(
        f"{source.file}:{name.span.line}: this entry cannot be edited safely",
        f"Write it out as {{op: {name.text}, {_KEY}: {_YOURS}}}.",
    )


def _qualified(text: str) -> str:
    return text if "::" in text else f"ai.onnx::{text}"


def _fix(source: BlueprintSource, item: Node, name: Scalar, ops: Node | None) -> Fix:
    written = _slice(source, name.span)
    if ops is None or not _within(item.span, ops.span) or written[:1] in ("*", "!", "|", ">"):
        raise _refusal(source, name)
    if not isinstance(item, Table):
        return Fix(item.span, f"{{op: {written}, {_KEY}: {_YOURS}}}")
    if _KEY in item.entries:
        return Fix(item.entries[_KEY].span, _YOURS)
    end = Span(name.span.end_line, name.span.end_column, name.span.end_line, name.span.end_column)
    if _slice(source, item.span).startswith("{"):
        return Fix(end, f", {_KEY}: {_YOURS}")
    # A block mapping: a line of its own after the line of ``op``, behind any comment there.
    line = split_lines(source.text.text, keep_ends=True)[name.span.end_line - 1]
    plain = line.rstrip("\r\n")
    column = len(plain) + 1
    indent = " " * (item.keys["op"].span.column - 1)
    after = Span(name.span.end_line, column, name.span.end_line, column)
    return Fix(after, f"{line[len(plain) :] or chr(10)}{indent}{_KEY}: {_YOURS}")


def _within(inner: Span, outer: Span) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) and (
        inner.end_line,
        inner.end_column,
    ) <= (outer.end_line, outer.end_column)


def _slice(source: BlueprintSource, span: Span) -> str:
    first = split_lines(source.text.text)[span.line - 1][span.column - 1 :]
    if span.end_line == span.line:
        return first[: span.end_column - span.column]
    return first
