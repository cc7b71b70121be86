"""Diagnostics: what is wrong with a blueprint, where, what was expected, what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from epforge.errors import EpforgeError, ExitStatus


class Severity(StrEnum):
    """How much a diagnostic matters. Errors stop everything; warnings and notes stop nothing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, order=True)
class Span:
    """A stretch of a text. Lines and columns count from 1, columns in characters; the end is
    the first position after the stretch."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Fix:
    """A change that a program can make: put ``text`` in place of ``range``."""

    range: Span
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a blueprint.

    Args:
        file: the blueprint, as the caller named it.
        line, column, end_line, end_column: the place, counted from 1.
        code: stable slug, e.g. ``unknown-key``.
        message: what is wrong, one line.
        expected: what would be right, one line; empty if the message says so.
        hint: what to do about it, one line; may be empty.
        fix: the change to make, where there is exactly one sensible change.
        severity: error, warning or note.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str
    expected: str = ""
    hint: str = ""
    fix: Fix | None = None
    severity: Severity = Severity.ERROR

    def __post_init__(self) -> None:
        for name in ("message", "expected", "hint"):  # names of the blueprint may be in them
            object.__setattr__(self, name, visible(getattr(self, name)))

    @property
    def span(self) -> Span:
        """The place of the finding."""
        return Span(self.line, self.column, self.end_line, self.end_column)


def by_position(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics in the order of the text, each one once.

    Fixes of the result do not overlap, so that a program may make them all: of two that do, the
    later one is left for the next run.
    """
    unique = dict.fromkeys(diagnostics)
    ordered = sorted(unique, key=lambda d: (d.line, d.column, d.end_line, d.end_column, d.code))
    return tuple(_without_clashes(ordered))


def _without_clashes(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    taken: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for each in diagnostics:
        if each.fix is None:
            yield each
            continue
        span = each.fix.range
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        # Two insertions at one place clash, too: which comes first, nobody has said.
        if any((start < other[1] and other[0] < end) or start == other[0] for other in taken):
            yield replace(each, fix=None)
        else:
            taken.append((start, end))
            yield each


class BlueprintErrors(EpforgeError):  # noqa: N818 (it holds all of them)
    """Everything that is wrong with a blueprint.

    Args:
        diagnostics: at least one error; warnings found on the way may be among them.
        text: the blueprint's text, which the rendered report quotes.
    """

    exit_status = ExitStatus.WRONG_INPUT

    def __init__(self, diagnostics: Iterable[Diagnostic], text: str = "") -> None:
        self.diagnostics = by_position(diagnostics)
        self.text = text
        super().__init__(self._report())

    def details(self) -> Mapping[str, object]:
        from epforge.blueprint.report import to_json

        return {"diagnostics": [to_json(diagnostic) for diagnostic in self.diagnostics]}

    def _report(self) -> str:
        # A late import: the report module needs the Diagnostic type above.
        from epforge.blueprint.report import render

        return render(self.diagnostics, self.text)


def show(text: str, limit: int = 60) -> str:
    """``text`` in quotes, cut to ``limit`` characters, without what would act on a terminal."""
    cut = text if len(text) <= limit else text[: limit - 3] + "..."
    shown = visible(cut)
    return f'"{shown}"' if '"' not in shown else f"'{shown}'"


def visible(text: str) -> str:
    """``text`` in one line, with escapes for what would act on a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


#: How much alike two words have to be, from 0 to 1, for one to be taken for the other.
_ALIKE = 0.75
#: How much of a word stands for all of it, in characters.
_BEGINNING = 4


def suggest(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` was meant to be; None where none is close, or two are."""
    candidates = sorted(set(known))
    folded: dict[str, str] = {}
    for candidate in candidates:
        folded.setdefault(candidate.casefold(), candidate)
    wanted = word.casefold()
    if wanted in folded:
        return folded[wanted]
    if len(word) > 64:
        return None
    longer = [each for each in folded if len(wanted) >= _BEGINNING and each.startswith(wanted)]
    if len(longer) == 1:
        return folded[longer[0]]
    close = difflib.get_close_matches(wanted, folded, n=2, cutoff=_ALIKE)
    scores = [difflib.SequenceMatcher(None, each, wanted).ratio() for each in close]
    return folded[close[0]] if close and scores[0] not in scores[1:] else None


def listed(words: Iterable[str], limit: int = 12) -> str:
    """``a, b or c``; a long list is cut with its length named."""
    items = list(words)
    if not items:
        return "nothing"
    if len(items) > limit:
        return f"{', '.join(items[:limit])}, ... ({len(items)} in all)"
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} or {items[-1]}"
