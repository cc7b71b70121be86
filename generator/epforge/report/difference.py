"""What has changed from one report to another of the same library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from epforge.errors import UsageError
from epforge.report.shape import BAD, Check, Report

_MOST_FASTER = 1.5  # a time that changes by less is noise,
_LEAST_S = 1.0  # and so is one that changes by less than this
_WHOLE = "all"
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Change:
    """A line that is not the same in both.

    Args:
        place: rung, check and runtime; behind a colon the case.
        before: the outcome; empty if it was not there.
        after: the outcome; empty if it is not there any more.
        detail: what the newer report says, or else the older one.
    """

    place: str
    before: str
    after: str
    detail: str


@dataclass(frozen=True)
class Timing:
    """A time that has changed notably."""

    place: str
    before: float
    after: float


@dataclass(frozen=True)
class Difference:
    """Two reports beside each other.

    Args:
        failing: was well, or was not there, and is bad.
        passing: was bad or not checked, and has passed.
        unchecked: had passed or was bad, and is not checked.
        gone: in a rung that both have climbed, and not there any more.
        new: is well, and was not there.
        slower, faster: times, of rungs and checks.
        rungs: in one of the reports only, with which: they are not compared.
        runtimes: what both were made on, if that is not the same.
    """

    failing: tuple[Change, ...]
    passing: tuple[Change, ...]
    unchecked: tuple[Change, ...]
    gone: tuple[Change, ...]
    new: tuple[Change, ...]
    slower: tuple[Timing, ...]
    faster: tuple[Timing, ...]
    rungs: Mapping[str, str]
    runtimes: tuple[str, str] | None = None

    @property
    def worse(self) -> bool:
        """Something that was well is not known to be so any more."""
        lost = [each for each in (*self.unchecked, *self.gone) if each.before == "passed"]
        return bool(self.failing or lost)

    @property
    def same(self) -> bool:
        """Nothing but times and rungs differs."""
        return not (self.failing or self.passing or self.unchecked or self.gone or self.new)


def compare(before: Report, after: Report) -> Difference:
    """What has changed. Where each was made on one onnxruntime, they may be different ones.

    Raises UsageError for reports of different libraries.
    """
    _same_library(before, after)
    across = _across(before, after)
    old, new = (_lines(each, named=across is None) for each in (before, after))
    rungs = _rungs(before, after)
    changes = list(_changes(old, new, rungs))
    slower, faster = _times(before, after, old, new, named=across is None)

    def those(kind: str) -> tuple[Change, ...]:
        return tuple(change for word, change in changes if word == kind)

    return Difference(
        failing=those("failing"),
        passing=those("passing"),
        unchecked=those("unchecked"),
        gone=those("gone"),
        new=those("new"),
        slower=slower,
        faster=faster,
        rungs=rungs,
        runtimes=across,
    )


def _same_library(before: Report, after: Report) -> None:
    pairs = (
        ("of execution provider", before.ep, after.ep),
        ("for", before.target or "", after.target or ""),
    )
    for word, one, other in pairs:
        if one and other and one != other:
            raise UsageError(
                f"the reports are not of the same library: one is {word} {one}, the other {other}",
                "Compare reports of one library, before and after a change.",
            )
    names = [PurePosixPath(each.file).name for each in (before, after)]
    if not (before.ep and after.ep) and names[0] != names[1]:
        raise UsageError(
            f"the reports are not of the same library: {names[0]} and {names[1]}",
            "Compare reports of one library, before and after a change.",
        )


def _across(before: Report, after: Report) -> tuple[str, str] | None:
    """The two runtimes, if each report has one of its own."""
    one, other = ({c.runtime for c in each.checks if c.runtime} for each in (before, after))
    return (one.pop(), other.pop()) if len(one) == len(other) == 1 and one != other else None


def _lines(report: Report, named: bool) -> dict[Key, Check]:
    """The checks by rung, name and runtime.

    Args:
        named: the runtime is part of what tells them apart.
    """
    found: dict[Key, Check] = {}
    for check in report.checks:
        found.setdefault((check.rung, check.name, check.runtime if named else ""), check)
    return found


def _rungs(before: Report, after: Report) -> dict[str, str]:
    """Rungs that one of them has not climbed."""
    one, other = (_climbed(each) for each in (before, after))
    return {
        **{rung: "before" for rung in one if rung not in other},
        **{rung: "after" for rung in other if rung not in one},
    }


def _climbed(report: Report) -> dict[str, None]:
    return dict.fromkeys(check.rung for check in report.checks)


def _changes(
    old: Mapping[Key, Check], new: Mapping[Key, Check], rungs: Mapping[str, str]
) -> Iterator[tuple[str, Change]]:
    before, after = _Side(old), _Side(new)
    for key, check in new.items():
        if check.rung in rungs:
            if check.bad:
                yield "failing", Change(check.place, "", check.outcome, check.detail)
            continue
        past = old.get(key)
        yield from _of_check(past.outcome if past else before.stead(check), check)
        yield from _of_cases(past, check)
    for key, check in old.items():
        missing = key not in new and check.rung not in rungs
        if missing and not _is_whole(check) and not after.skips(check):
            yield "gone", Change(check.place, check.outcome, "", check.detail)


def _is_whole(check: Check) -> bool:
    """Is it the one line of a rung that was not climbed, for a reason?"""
    return check.name == _WHOLE and check.outcome == "not checked"


class _Side:
    """The lines of one report, by rung; by runtime as well where there are several."""

    def __init__(self, lines: Mapping[Key, Check]) -> None:
        self._one = len({check.runtime for check in lines.values() if check.runtime}) < 2
        self._outcomes: dict[tuple[str, str], set[str]] = {}
        self._skipped: set[tuple[str, str]] = set()
        for check in lines.values():
            self._outcomes.setdefault(self._spot(check), set()).add(check.outcome)
            if _is_whole(check):
                self._skipped.add(self._spot(check))

    def _spot(self, check: Check) -> tuple[str, str]:
        return check.rung, "" if self._one else check.runtime

    def skips(self, check: Check) -> bool:
        """Is the rung of a line not climbed here?"""
        return self._spot(check) in self._skipped

    def stead(self, check: Check) -> str:
        """The outcome here of a line that the other side alone has; empty if there is none."""
        if self.skips(check):
            return "not checked"
        seen = self._outcomes.get(self._spot(check), ()) if _is_whole(check) else ()
        return next((word for word in ("passed", *BAD) if word in seen), "")


def _of_check(before: str, check: Check) -> Iterator[tuple[str, Change]]:
    """The change of a line, if there is one.

    Args:
        before: its outcome; empty if it was not there.
    """
    change = Change(check.place, before, check.outcome, check.detail)
    if check.bad:
        if before not in BAD:
            yield "failing", change
    elif not before:
        yield "new", change
    elif check.outcome != before:
        yield ("passing" if check.outcome == "passed" else "unchecked"), change


def _of_cases(past: Check | None, check: Check) -> Iterator[tuple[str, Change]]:
    """Cases of a line that was bad before and still is: which of them are new, which are well."""
    if past is None or not (past.bad and check.bad):
        return
    before = {case.label: case for case in past.cases}
    for case in check.cases:
        known = before.get(case.label)
        past_outcome = known.outcome if known else ""
        place = f"{check.place}: {case.label}"
        change = Change(place, past_outcome, case.outcome, case.detail)
        if case.outcome in BAD and past_outcome not in BAD:
            yield "failing", change
        elif case.outcome == "passed" and past_outcome in BAD:
            yield "passing", change


def _times(
    before: Report,
    after: Report,
    old: Mapping[Key, Check],
    new: Mapping[Key, Check],
    named: bool,
) -> tuple[tuple[Timing, ...], tuple[Timing, ...]]:
    """What takes notably longer, and what less: rungs, then checks, the largest change first."""
    rungs = [_rung_times(each, named) for each in (before, after)]
    # What was taken from the cache has no time of its own.
    run = [[check for check in each.values() if not check.cached] for each in (old, new)]
    checks = [{check.place: check.seconds for check in each} for each in run]
    if not named:  # the places name different runtimes
        checks = [{f"{check.rung} {check.name}": check.seconds for check in each} for each in run]
    found = [
        Timing(place, one[place], other[place])
        for one, other in (rungs, checks)
        for place in one
        if place in other and _notable(one[place], other[place])
    ]
    found.sort(key=lambda timing: -abs(timing.after - timing.before))
    return (
        tuple(timing for timing in found if timing.after > timing.before),
        tuple(timing for timing in found if timing.after < timing.before),
    )


def _rung_times(report: Report, named: bool) -> dict[str, float]:
    found: dict[str, float] = {}
    cached = {check.rung for check in report.checks if check.cached}
    for each in (time for time in report.timings if time.rung not in cached):
        where = f" on {each.runtime}" if named and each.runtime else ""
        place = f"rung {each.rung}{where}"
        found[place] = found.get(place, 0.0) + each.seconds
    return found


def _notable(one: float, other: float) -> bool:
    low, high = sorted((one, other))
    return high - low >= _LEAST_S and high >= low * _MOST_FASTER
