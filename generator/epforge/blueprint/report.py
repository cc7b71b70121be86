"""Diagnostics as text for people and as JSON for programs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from epforge.blueprint.diagnostic import Diagnostic, Fix, Span
from epforge.blueprint.text import split_lines

_WINDOW = 100  # characters of a source line that are shown


def render(diagnostics: Iterable[Diagnostic], text: str = "") -> str:
    """The report for people.

    Per finding: ``file:line:column: error: message``, the line, a caret line under it, and what
    was expected and what to do, where there is something to say. A blank line between findings.

    Args:
        diagnostics: the findings, in the order to show them.
        text: the blueprint's text; without it no line is quoted.
    """
    lines = split_lines(text) if text else []
    return "\n\n".join(_one(diagnostic, lines) for diagnostic in diagnostics)


def _one(diagnostic: Diagnostic, lines: list[str]) -> str:
    d = diagnostic
    parts = [f"{d.file}:{d.line}:{d.column}: {d.severity.value}: {d.message}"]
    if 1 <= d.line <= len(lines):
        parts += _quote(lines[d.line - 1], d)
    if d.expected:
        parts.append(f"  expected: {d.expected}")
    if d.hint:
        parts.append(f"  hint: {d.hint}")
    return "\n".join(parts)


def _quote(line: str, d: Diagnostic) -> list[str]:
    """The source line and the carets under it; of a long line only the part around the place."""
    start = d.column - 1
    end = d.end_column - 1 if d.end_line == d.line else len(line)
    first = max(0, start - _WINDOW // 2) if len(line) > _WINDOW else 0
    shown = line[first : first + _WINDOW]
    begin = min(start - first, len(shown))
    width = max(1, min(end - first, len(shown)) - begin)
    # Tabs keep their width in the caret line; anything that would act on a terminal is replaced.
    visible = "".join(c if c.isprintable() or c == "\t" else "�" for c in shown)
    lead = "".join(c if c == "\t" else " " for c in visible[:begin])
    return [f"  {visible}", f"  {lead}{'^' * width}"]


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A finding for programs: every field, ``fix`` as ``{range, text}`` or null."""
    d = diagnostic
    return {
        "file": d.file,
        "severity": d.severity.value,
        "code": d.code,
        "message": d.message,
        "expected": d.expected,
        "hint": d.hint,
        "range": _range(d.span),
        "fix": _fix(d.fix),
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    return None if fix is None else {"range": _range(fix.range), "text": fix.text}


def _range(span: Span) -> dict[str, Any]:
    return {
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }


def apply_fix(text: str, fix: Fix) -> str:
    """``text`` with the fix made. Raises ValueError when its range is not in the text."""
    return apply_fixes(text, [fix])


def apply_fixes(text: str, fixes: Iterable[Fix]) -> str:
    """``text`` with fixes made that are all about it as it is.

    Raises:
        ValueError: two of them overlap, or a range is not in the text.
    """
    lines = split_lines(text, keep_ends=True) or [""]
    starts = [0, *itertools.accumulate(map(len, lines))]

    def offset(line: int, column: int) -> int:
        if not 1 <= line <= len(starts):
            raise ValueError(f"line {line} is not in the text")
        return starts[line - 1] + column - 1

    spans = {(each.range, each.text) for each in fixes}
    changes = sorted(
        (offset(span.line, span.column), offset(span.end_line, span.end_column), new)
        for span, new in spans
    )
    parts, done = [], 0
    for start, end, new in changes:
        if start < done:
            raise ValueError("two fixes overlap")
        parts += [text[done:start], new]
        done = end
    return "".join([*parts, text[done:]])
