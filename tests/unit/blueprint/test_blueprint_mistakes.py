"""Mistakes that people make: the right line, the right column, and a fix that cures.

`python tests/lab/broken.py` prints the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from broken_blueprints import BROKEN
from broken_blueprints.afresh import HELD_OUT, OPEN, Mistake
from broken_blueprints.afresh.judge import find
from broken_blueprints.judge import Verdict, judge
from broken_blueprints.model import GOOD
from broken_blueprints.run import run_here

#: Shares of the set, of 1.
COLUMNS, CURED = 0.95, 0.8
#: Of the mistakes that were written afresh.
LINES_AFRESH, COLUMNS_AFRESH, CURED_AFRESH, WRONG_AFRESH = 0.95, 0.9, 0.9, 0.03


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Verdict, ...]:
    directory = tmp_path_factory.mktemp("broken")
    return tuple(judge(broken, run_here, directory) for broken in BROKEN)


def names(verdicts: Sequence[Verdict]) -> list[str]:
    return [verdict.broken.name for verdict in verdicts]


def test_the_set_is_of_many_mistakes_in_good_blueprints(tmp_path: Path) -> None:
    assert len(BROKEN) >= 150
    assert len({broken.name for broken in BROKEN}) == len(BROKEN)
    for good in sorted(GOOD.glob("*.yaml")):
        assert '"diagnostics": []' in run_here(["check", str(good), "--json"], tmp_path)


def test_every_error_is_in_its_line_and_there_is_no_other(verdicts: tuple[Verdict, ...]) -> None:
    assert names([each for each in verdicts if not each.line]) == []


def test_errors_begin_at_their_column(verdicts: tuple[Verdict, ...]) -> None:
    wrong = [each for each in verdicts if not each.column]
    assert len(wrong) <= (1 - COLUMNS) * len(verdicts), names(wrong)


def test_fixes_cure(verdicts: tuple[Verdict, ...]) -> None:
    assert sum(each.cured for each in verdicts) >= CURED * len(verdicts)


def test_what_may_be_mended_is_mended_and_nothing_else(verdicts: tuple[Verdict, ...]) -> None:
    lost = [f"{v.broken.name}: {v.why}" for v in verdicts if v.why and not v.broken.unmendable]
    assert lost == []
    assert names([v for v in verdicts if v.cured and v.broken.unmendable]) == []


@pytest.mark.lab
@pytest.mark.parametrize("half", [OPEN, HELD_OUT], ids=["open", "held-out"])
def test_mistakes_that_were_written_afresh(half: tuple[Mistake, ...], tmp_path: Path) -> None:
    found = [find(mistake, run_here, tmp_path) for mistake in half]
    mendable = [each for each in found if not each.mistake.unmendable]
    assert len(half) > 60
    assert sum(each.line for each in found) >= LINES_AFRESH * len(half)
    assert sum(each.column for each in found) >= COLUMNS_AFRESH * len(half)
    assert sum(each.rounds > 0 for each in mendable) >= CURED_AFRESH * len(mendable)
    assert sum(each.wrong for each in found) <= WRONG_AFRESH * len(half)
