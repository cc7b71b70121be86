"""How long it will still take, by what it took so far."""

from __future__ import annotations

import pytest

from epforge.cli.show.progress import Estimate, _spoken


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


def told(clock: Clock, *steps: tuple[float, str]) -> list[str]:
    """What is shown when these texts come after so many seconds each."""
    estimate, shown = Estimate(clock), []
    for seconds, text in steps:
        clock.time += seconds
        shown.append(estimate.of(text))
    return shown


def test_the_rest_takes_as_long_as_what_is_done(clock: Clock) -> None:
    shown = told(clock, (0, "loading"), (4, "[1/4] a"), (4, "[2/4] b"), (4, "[3/4] c"))
    assert shown == [
        "loading",
        "[1/4] a; about 12 s left",
        "[2/4] b; about 8 s left",
        "[3/4] c; about 4 s left",
    ]


def test_at_first_and_at_the_end_nothing_is_foretold(clock: Clock) -> None:
    assert told(clock, (0.5, "[1/9] a"), (30, "[9/9] b")) == ["[1/9] a", "[9/9] b"]


def test_what_was_known_before_took_no_time(clock: Clock) -> None:
    """A count that begins in the middle: the first ones are in the cache."""
    assert told(clock, (2, "[91/100] a"))[0] == "[91/100] a; about 18 s left"


def test_another_count_begins_anew(clock: Clock) -> None:
    shown = told(clock, (100, "[9/9] a"), (0, "graphs"), (5, "[1/3] b"), (5, "[2/3] c"))
    assert shown[-2:] == ["[1/3] b; about 10 s left", "[2/3] c; about 5 s left"]
    shown = told(clock, (100, "[5/9] a"), (50, "[1/3] b"), (10, "[2/3] c"))
    assert shown[-1] == "[2/3] c; about 5 s left"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.1, "1 s"), (19.4, "19 s"), (44, "40 s"), (80, "80 s"), (200, "3 min"), (5000, "83 min")],
)
def test_nobody_knows_it_better_than_that(seconds: float, words: str) -> None:
    assert _spoken(seconds) == words
