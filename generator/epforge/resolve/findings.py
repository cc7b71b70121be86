"""Collects what is wrong with a blueprint's meaning, each finding with its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epforge.blueprint.diagnostic import Diagnostic, Fix, Severity, Span, by_position
from epforge.blueprint.nodes import Path, Scalar
from epforge.blueprint.source import BlueprintSource

if TYPE_CHECKING:
    from epforge.blueprint.mending.desk import Desk


class Findings:
    """Errors, warnings and notes about one blueprint.

    Args:
        source: the blueprint; its own errors are in the result too.
    """

    def __init__(self, source: BlueprintSource) -> None:
        self.source = source
        self._found: list[Diagnostic] = list(source.errors)
        self._later: list[Diagnostic] = []
        self._mending: Desk | None = None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors, in the order of the text."""
        return by_position(d for d in self._found if d.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings, in the order of the text."""
        return by_position(d for d in self._found if d.severity is Severity.WARNING)

    @property
    def unsupported(self) -> tuple[Diagnostic, ...]:
        """The notes "not supported yet", in the order of the text."""
        return by_position(self._later)

    def error(
        self,
        path: Path,
        code: str,
        message: str,
        expected: str = "",
        hint: str = "",
        fix: str | Fix | None = None,
    ) -> None:
        """An error at the value of ``path``. ``fix`` is the text to put in the value's place, or a
        change elsewhere."""
        span = self.source.span(*path)
        change = self._fix(path, fix) if isinstance(fix, str) else fix
        self._add(span, Severity.ERROR, code, message, expected, hint, change)

    def error_within(
        self,
        path: Path,
        part: tuple[int, int],
        code: str,
        message: str,
        expected: str = "",
        hint: str = "",
        fix: str | Fix | None = None,
    ) -> None:
        """An error at a part of the text at ``path``: its first character and the one after it.
        Where the text is not written out in one line, at all of it."""
        span = self._part(path, *part)
        exact = span is not None
        span = span or self.source.span(*path)
        change = (Fix(span, fix) if exact else None) if isinstance(fix, str) else fix
        self._add(span, Severity.ERROR, code, message, expected, hint, change)

    def at_end(self, path: Path, text: str) -> Fix | None:
        """The change that adds a text at the end of the one at ``path``; None where that is not
        written out in one line."""
        scalar = self.source.node(*path)
        length = len(scalar.text) if isinstance(scalar, Scalar) else 0
        last = self._part(path, length - 1, length) if length else None
        if last is None:
            return None
        return Fix(Span(last.line, last.end_column, last.line, last.end_column), text)

    def in_quotes(self, path: Path, text: str) -> Fix:
        """The change that writes a text for the one at ``path``, in quotes where it needs them."""
        span = self.source.node(*path).span
        written = self.source.text.slice(span)
        needs = written[:1] in "\"'" or re.search(r"[,\[\]{}]|: | #|^[&*!|>%@`?-]", text)
        return Fix(span, f'"{text}"' if needs and '"' not in text else text)

    def _part(self, path: Path, start: int, end: int) -> Span | None:
        scalar = self.source.node(*path)
        if not isinstance(scalar, Scalar) or not 0 <= start <= end <= len(scalar.text):
            return None
        lines = self.source.text.text.splitlines()
        line = lines[scalar.span.line - 1] if scalar.span.line <= len(lines) else ""
        for begin in (scalar.span.column - 1, scalar.span.column):  # plain; quoted
            if line[begin : begin + len(scalar.text)] == scalar.text:
                column = begin + 1
                row = scalar.span.line
                return Span(row, column + start, row, column + max(end, start + 1))
        return None

    def key_error(
        self,
        path: Path,
        code: str,
        message: str,
        expected: str = "",
        hint: str = "",
        fix: str | Fix | None = None,
    ) -> None:
        """An error at the key that ``path`` ends in. ``fix`` is the text to put in the key's place,
        or a change elsewhere."""
        span = self.source.key_span(*path)
        change = Fix(span, fix) if isinstance(fix, str) else fix
        self._add(span, Severity.ERROR, code, message, expected, hint, change)

    def warning(self, path: Path, code: str, message: str, hint: str = "") -> None:
        """A warning at the value of ``path``."""
        self._add(self.source.span(*path), Severity.WARNING, code, message, "", hint, None)

    def later(self, path: Path, what: str, hint: str = "") -> None:
        """``what``, at ``path``, is right but not supported yet. A list or mapping is shown by its
        key."""
        single = isinstance(self.source.node(*path), Scalar)
        span = self.source.span(*path) if single else self.source.key_span(*path)
        place = (span.line, span.column, span.end_line, span.end_column)
        message = f"not supported yet: {what}"
        self._later.append(
            Diagnostic(
                self.source.file,
                *place,
                "not-supported-yet",
                message,
                "",
                hint,
                None,
                Severity.NOTE,
            )
        )

    def without(self, path: Path) -> Fix | None:
        """The change that takes out the key, or the item of a list, that ``path`` ends in."""
        return self._desk().deleted(path)

    def with_value(self, path: Path, text: str) -> Fix | None:
        """The change that writes a value at ``path``, whether one is there or not.

        Args:
            text: the value, as it is written in brackets.
        """
        if self.source.has(*path):
            return self._desk().replaced(path, text)
        return self._desk().put(path, text)

    def _desk(self) -> Desk:
        if self._mending is None:
            # Imported here: what is right needs nothing of it.
            from epforge.blueprint.mending.desk import Desk

            self._mending = Desk(self.source.text, self.source.root)
        return self._mending

    def line(self, path: Path) -> int:
        """The line of the value at ``path``."""
        return self.source.span(*path).line

    def _fix(self, path: Path, text: str) -> Fix:
        return Fix(self.source.node(*path).span, text)

    def _add(
        self,
        span: Span,
        severity: Severity,
        code: str,
        message: str,
        expected: str,
        hint: str,
        fix: Fix | None,
    ) -> None:
        place = (span.line, span.column, span.end_line, span.end_column)
        self._found.append(
            Diagnostic(self.source.file, *place, code, message, expected, hint, fix, severity)
        )
