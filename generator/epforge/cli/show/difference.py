"""What ``epforge report diff`` prints."""

from __future__ import annotations

from collections.abc import Iterator

from epforge.report.difference import Change, Difference
from epforge.report.words import seconds


def lines(difference: Difference, most: int = 200) -> Iterator[str]:
    """The difference in words, a line each.

    Args:
        most: so many lines of a kind at most.
    """
    if difference.runtimes:
        yield "on onnxruntime {} before, on {} after".format(*difference.runtimes)
    for rung, where in difference.rungs.items():
        yield f"rung {rung} was climbed only {where}: not compared"
    kinds = (
        ("newly failing", difference.failing),
        ("newly not checked", difference.unchecked),
        ("gone", difference.gone),
        ("newly passing", difference.passing),
        ("new", difference.new),
    )
    for word, changes in kinds:
        for change in changes[:most]:
            yield f"{word}: {change.place}: {_arrow(change)}{_detail(change.detail)}"
        if len(changes) > most:
            yield f"{word}: {len(changes) - most} more"
    for word, timings in (("slower", difference.slower), ("faster", difference.faster)):
        for timing in timings[:most]:
            yield f"{word}: {timing.place}: {seconds(timing.before)} -> {seconds(timing.after)}"
        if len(timings) > most:
            yield f"{word}: {len(timings) - most} more"
    yield _verdict(difference)


def _arrow(change: Change) -> str:
    return " -> ".join(filter(None, (change.before, change.after)))


def _detail(text: str) -> str:
    line = " ".join(text.split())
    return f": {line}" if line else ""


def _verdict(difference: Difference) -> str:
    if difference.worse:
        return "worse: something that was well is not known to be so any more"
    return "no outcome has changed" if difference.same else "nothing got worse"
