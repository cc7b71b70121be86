"""Lines made of cases, and jobs that go on after a worker died."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from epforge.validate import THIS, CaseResult, Limits, Outcome, runtime
from epforge.validate.process import WorkerRun
from epforge.validate.site import Site, by_line, numbers, verdict_of

RIGHT = CaseResult("a/one", Outcome.PASSED)
OPEN = CaseResult("a/two", Outcome.NOT_CHECKED, "no Clip")
WRONG = CaseResult("b/three", Outcome.FAILED, "3, expected 4")
DEAD = CaseResult("b/four", Outcome.CRASHED, "SIGSEGV")


def test_the_worst_case_is_the_lines() -> None:
    assert verdict_of([RIGHT, OPEN], "fine") == (Outcome.PASSED, "fine")
    assert verdict_of([OPEN], "fine") == (Outcome.NOT_CHECKED, "no Clip")
    assert verdict_of([], "fine") == (Outcome.NOT_CHECKED, "nothing to check")
    assert verdict_of([RIGHT, WRONG], "") == (Outcome.FAILED, "b/three: 3, expected 4")
    outcome, detail = verdict_of([WRONG, DEAD], "")
    assert outcome is Outcome.CRASHED
    assert detail == "b/four: SIGSEGV (and 1 more of 2)"


def test_cases_are_sorted_into_lines() -> None:
    lines = by_line([RIGHT, WRONG, OPEN, CaseResult("register", Outcome.CRASHED)])
    assert {line: [c.label for c in cases] for line, cases in lines.items()} == {
        "a": ["one", "two"],
        "b": ["three"],
        "worker": ["register"],
    }


def test_numbers_are_in_words() -> None:
    assert numbers([RIGHT, OPEN], "graph", "graphs") == "1 graph, 1 not checked"
    assert numbers([RIGHT, RIGHT], "graph", "graphs") == "2 graphs"


class Workers:
    """Workers that run some cases, and die where they are told to."""

    def __init__(self, *deaths: str, ends_badly: bool = False, hangs: bool = False) -> None:
        self.deaths, self.ends_badly, self.hangs = list(deaths), ends_badly, hangs
        self.jobs: list[Mapping[str, Any]] = []

    def __call__(self, job: Mapping[str, Any], *rest: object) -> WorkerRun:
        self.jobs.append(job)
        records: list[dict[str, Any]] = []
        for label in (f"x/{number}" for number in range(8)):
            if label in job["skip"]:
                continue
            records.append({"record": "begin", "step": label})
            if label in self.deaths:
                return self._run(records, step=label, code=-11)
            records += [
                {"record": "end", "step": label},
                {"record": "case", "label": label, "outcome": "passed", "detail": ""},
            ]
        records.append({"record": "done"})
        return self._run(records, code=-6 if self.ends_badly else 0)

    def _run(self, records: list[dict[str, Any]], step: str = "", code: int = 0) -> WorkerRun:
        return WorkerRun(
            records=tuple(records),
            finished=records[-1]["record"] == "done",
            returncode=code,
            timed_out=self.hangs and code != 0,
            stderr="",
            step=step,
            seconds=0.5,
        )


def ran(workers: Workers, monkeypatch: pytest.MonkeyPatch, **bounds: int) -> list[tuple[str, str]]:
    monkeypatch.setattr(runtime, "run_worker", workers)
    at = Site(Path("lib.so"), None, THIS, "1.32.0", "check", "Ep", Limits())
    found = at.cases({"job": "graphs"}, **bounds)
    assert found.seconds == 0.5 * len(workers.jobs)
    return [(str(case["label"]), str(case["outcome"])) for case in found.cases]


def test_a_job_goes_on_behind_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers("x/2", "x/5")
    cases = ran(workers, monkeypatch)
    assert len(workers.jobs) == 3
    assert [label for label, _ in cases] == [f"x/{number}" for number in range(8)]
    assert [label for label, outcome in cases if outcome == "crashed"] == ["x/2", "x/5"]


def test_a_job_does_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = ran(Workers(*(f"x/{number}" for number in range(8))), monkeypatch)
    assert cases[-1] == ("the rest", "not checked")
    assert len(cases) == 5


def test_a_hang_ends_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = ran(Workers("x/2", hangs=True), monkeypatch)
    assert cases == [("x/0", "passed"), ("x/1", "passed"), ("x/2", "timed out")]


def test_a_job_may_go_on_behind_some_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = ran(Workers("x/2", "x/4", hangs=True), monkeypatch, hangs=1)
    assert cases[2:] == [("x/2", "timed out"), ("x/3", "passed"), ("x/4", "timed out")]


def test_a_job_may_go_on_behind_many_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = ran(Workers(*(f"x/{number}" for number in range(7))), monkeypatch, restarts=7)
    assert [outcome for _, outcome in cases] == ["crashed"] * 7 + ["passed"]


def test_an_end_that_is_bad_is_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = ran(Workers(ends_badly=True), monkeypatch)
    assert cases[-1] == ("at process exit", "crashed")
    assert len(cases) == 9
