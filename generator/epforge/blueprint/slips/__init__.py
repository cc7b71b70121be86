"""Slips of the pen: what keeps a text from being YAML, and the change that makes it YAML.

What YAML's reader stops at is seldom where the mistake is. So every mistake that people make is
looked for near that place, and what would mend it is tried: the one after which the text says most
of what a blueprint can say is what is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from epforge.blueprint.page import Page
from epforge.blueprint.slips.brackets import brackets
from epforge.blueprint.slips.lines import lines
from epforge.blueprint.slips.model import Slip
from epforge.blueprint.slips.pasted import pasted
from epforge.blueprint.slips.quotes import quotes
from epforge.blueprint.slips.signs import signs

__all__ = ["Slip", "find"]

#: How good a text is: whether it can be read, then how far, then how little is wrong in it.
Score = tuple[bool, int, int]
_RULES = (pasted, signs, brackets, quotes, lines)
_RIGHT: Score = (True, 0, 0)
_LONG, _FEW = 20_000, 8  # characters from which on fewer are tried
_MOST = 60  # candidates that are tried; each is a reading of the text


def find(text: str, stop: int, score: Callable[[str], Score]) -> Slip | None:
    """The mistake that keeps a text from being read; None if it is none of those that are known.

    Args:
        text: the text.
        stop: where YAML's reader stopped, in characters.
        score: says how good a text is.
    """
    page, before = Page(text), score(text)
    best: dict[bool, tuple[Score, Slip]] = {}  # of guesses, and of the others
    for count, slip in enumerate(_candidates(page, stop)):
        if not slip.changes:
            return slip  # what nobody but the author can mend, and what cannot be anything else
        if count >= (_MOST if len(text) < _LONG else _FEW):
            break
        after, kind = score(page.changed(slip.changes)), slip.is_guess
        if after > before and (kind not in best or after > best[kind][0]):
            best[kind] = (after, slip)
    guess, sure = best.get(True), best.get(False)
    if guess is None or (sure is not None and (sure[0] >= guess[0] or guess[0] < _RIGHT)):
        return sure[1] if sure is not None else None
    if guess[0] == _RIGHT:
        return guess[1]
    # What does not make all right is told where the reader stopped, or not at all.
    is_near = page.line_start(guess[1].start) == page.line_start(stop)
    return replace(guess[1], changes=()) if is_near else None


def _candidates(page: Page, stop: int) -> Iterator[Slip]:
    for rule in _RULES:
        yield from rule(page, stop)
