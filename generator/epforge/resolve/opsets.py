"""Opsets that models may use, and which versions of an operator they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NUMBER = r"\s*([1-9][0-9]{0,3})\s*"
_ONE = re.compile(_NUMBER)
_SPAN = re.compile(_NUMBER + "-" + _NUMBER)
_BOUND = re.compile(r"\s*(>=|<=|>|<)" + _NUMBER)

GRAMMAR = "'13', '13-20', '>=13' or '>=13,<20'"


@dataclass(frozen=True)
class OpsetRange:
    """Opsets from ``low`` to ``high``, both inclusive; ``high`` None: no upper end."""

    low: int
    high: int | None

    def __str__(self) -> str:
        if self.high is None:
            return f">={self.low}"
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


def parse_models(text: str) -> OpsetRange:
    """Read ``13``, ``13-20``, ``>=13``, ``<20`` or bounds joined by a comma.

    Raises ValueError with a message for anything else, and for a range with nothing in it.
    """
    low, high = 1, None
    one, span = _ONE.fullmatch(text), _SPAN.fullmatch(text)
    if one:
        low = high = int(one[1])
    elif span:
        low, high = int(span[1]), int(span[2])
    else:
        low, high = _bounds(text)
    if high is not None and low > high:
        raise ValueError("there is no opset in this range")
    return OpsetRange(low, high)


_SPOKEN = re.compile(r"(?:opsets?|ver(?:sion)?|v)?[ _.-]*([1-9][0-9]{0,3})(?:\.0+)?", re.IGNORECASE)
_AT_LEAST = re.compile(
    r"(?:=>|≥|>= ?=?|from|since|min) *([1-9][0-9]{0,3})|([1-9][0-9]{0,3}) *(?:\+|and newer|-|\.\.)",
    re.IGNORECASE,
)
_AT_MOST = re.compile(r"(?:=<|≤|up to|max) *([1-9][0-9]{0,3})", re.IGNORECASE)
_BETWEEN = re.compile(
    r"([1-9][0-9]{0,3}) *(?:-|–|—|\.{2,3}|:|to|/) *([1-9][0-9]{0,3})", re.IGNORECASE
)


def models_meant(text: str) -> str | None:
    """A range of opsets in the spelling of `parse_models`, of one that is spelt otherwise."""
    text = text.strip()[:40]
    one, least, most = _SPOKEN.fullmatch(text), _AT_LEAST.fullmatch(text), _AT_MOST.fullmatch(text)
    between = _BETWEEN.fullmatch(text)
    if one:
        return one[1]
    if least:
        return f">={least[1] or least[2]}"
    if most:
        return f"<={most[1]}"
    return "-".join(sorted(between.groups(), key=int)) if between else None


def _bounds(text: str) -> tuple[int, int | None]:
    low, high = 0, None
    for part in text.split(","):
        match = _BOUND.fullmatch(part)
        if not match:
            raise ValueError("this is not a range of opsets")
        sign, number = match[1], int(match[2])
        if sign.startswith(">"):
            if low:
                raise ValueError("there are two lower bounds")
            low = number if sign == ">=" else number + 1
        else:
            if high is not None:
                raise ValueError("there are two upper bounds")
            high = number if sign == "<=" else number - 1
    return low or 1, high


def used_by(versions: Sequence[int], opsets: OpsetRange) -> tuple[int, ...]:
    """The since-versions that models of these opsets use.

    Args:
        versions: all since-versions of the operator, oldest first.
        opsets: the models' opsets.
    """
    chosen = []
    for index, since in enumerate(versions):
        last = versions[index + 1] - 1 if index + 1 < len(versions) else None
        if (opsets.high is None or since <= opsets.high) and (last is None or last >= opsets.low):
            chosen.append(since)
    return tuple(chosen)


def opsets_of(versions: Sequence[int], since: int) -> OpsetRange:
    """The opsets whose models use one since-version."""
    later = [version for version in versions if version > since]
    return OpsetRange(since, min(later) - 1 if later else None)


def runs(versions: Sequence[int], chosen: Iterable[int]) -> list[list[int]]:
    """The chosen since-versions, split where one of ``versions`` between them is not chosen."""
    wanted = set(chosen)
    found: list[list[int]] = []
    open_run = False
    for since in versions:
        if since not in wanted:
            open_run = False
        elif open_run:
            found[-1].append(since)
        else:
            found.append([since])
            open_run = True
    return found
