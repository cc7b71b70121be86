"""Slips as diagnostics, and the changes that mend what is found while a tree is composed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from epforge.blueprint.diagnostic import Diagnostic, Fix, Span, suggest
from epforge.blueprint.page import Change, Page, as_fix
from epforge.blueprint.slips.model import Slip
from epforge.blueprint.slips.quotes import needs_quotes
from epforge.blueprint.text import SourceText

_OF_PARAMETERS = frozenset({"inputs", "outputs"})
_BRINGS = re.compile(r"!(?:include|env|secret|vault|ref|reference|file|import|join|sub)", re.I)
_END_OF_DOCUMENT = re.compile(r"^\.\.\.(?=\s)", re.MULTILINE)
_TAG = re.compile(r"!\S*[ \t]+")

# What ruamel.yaml says, and what to tell the author of a blueprint about it.
_HINTS = (
    ("mapping values are not allowed", "quote a value that has ': ' in it, or check the indent"),
    ("that cannot start any token", "YAML indents with spaces, never with tabs; quote @ ` and %"),
    ("could not find expected ':'", "every line of a mapping is 'key: value'"),
    ("undefined alias", "a text that starts with * must be quoted"),
    ("expected ',' or ']'", "a [ is not closed, or a comma is missing"),
    ("expected ',' or '}'", "a { is not closed, or a comma is missing"),
    ("quoted scalar", "a quote is not closed"),
    ("but found", "check the indent of this line"),
)


def hint_of(problem: str) -> str:
    """What to tell an author of what ruamel.yaml says; empty where that is not known."""
    return next((hint for part, hint in _HINTS if part in problem), "")


def told(source: SourceText, slip: Slip) -> Diagnostic:
    """The error that a slip is."""
    span = source.first_line(source.span(slip.start, slip.end))
    what = f"not valid YAML: {slip.message}"
    error = source.error(span, "yaml-syntax", what, "", slip.hint)
    return replace(error, fix=as_fix(source, slip.changes))


def hint_and_fix(told: Diagnostic | None) -> tuple[str, Fix | None]:
    """What to do about a slip, for an error that says itself what is wrong."""
    return (told.hint, told.fix) if told is not None and told.fix else ("", None)


def end_of_document(source: SourceText, event: Any) -> tuple[Span, str]:
    """What divides a document from the one before it, and its place.

    Args:
        source: the text.
        event: YAML's start of the second one.
    """
    start = event.start_mark.index
    ends = list(_END_OF_DOCUMENT.finditer(source.text, 0, start))
    if event.explicit or not ends:
        return source.span(start, event.end_mark.index), "---"
    return source.span(*ends[-1].span()), "..."


def without_line(source: SourceText, start: int, content: str) -> Fix | None:
    """The change that takes out a line, if it has nothing but this content."""
    page = Page(source.text)
    if page.rest(start).strip() != content:
        return None
    end = page.line_end(start) + len(page.end_of_lines)
    return as_fix(source, [Change(start, min(end, len(source.text)), "")])


def alias_meant(
    source: SourceText, span: Span, anchor: str, known: Iterable[str], keys: Iterable[str]
) -> tuple[str, Fix | None]:
    """What to do about an alias that stands for nothing: another anchor, or a text in quotes.

    Args:
        source: the text.
        span: the alias.
        anchor: what it stands for.
        known: the anchors before it.
        keys: those that it is within.
    """
    meant = suggest(anchor, known)
    if meant:
        return f"did you mean *{meant}?", Fix(span, f"*{meant}")
    if _OF_PARAMETERS.intersection(keys) and re.fullmatch(r"\w+", anchor):
        return f"write {anchor}* for any number of them", Fix(span, f"{anchor}*")
    slip = needs_quotes(Page(source.text), source.offset(span.line, span.column))
    is_text = slip and not re.fullmatch(r"\*\w+", source.text[slip.start : slip.end])
    fix = as_fix(source, slip.changes) if slip and is_text else None
    return "a text that starts with * must be quoted", fix


def tag_meant(source: SourceText, start: int) -> tuple[str, Fix | None]:
    """What to do about a tag: it goes, or it is the begin of a text."""
    written = _TAG.match(source.text, start)
    if written and written[0].rstrip().endswith(":"):
        slip = needs_quotes(Page(source.text), start)
        hint = "quote a text that starts with !"
        return hint, as_fix(source, slip.changes) if slip else None
    if written and _BRINGS.match(written[0]):
        return "write what it would bring: a blueprint is one file", None
    hint = "delete it: the format says what each value is"
    return hint, as_fix(source, [Change(start, written.end(), "")]) if written else None


def dash_before(source: SourceText, span: Span) -> Span:
    """The dash of an item that is not there; its own place where there is none."""
    start = source.offset(span.line, 1)
    before = source.text[start : source.offset(span.line, span.column)].rstrip()
    if not before.endswith("-"):
        return span
    return source.span(start + len(before) - 1, start + len(before))
