"""Reports: verdict, summary, JSON."""

from __future__ import annotations

import json
from pathlib import Path

from epforge.errors import ExitStatus
from epforge.validate import CaseResult, Check, Outcome, Report, Rung

OK = Check(Rung.STATIC, "file", Outcome.PASSED, "plugin EP")
OPEN = Check(Rung.OPS, "Odd", Outcome.NOT_CHECKED, "no case", "1.32.0")
BAD = Check(
    Rung.OPS,
    "Relu",
    Outcome.CRASHED,
    "SIGSEGV",
    "1.24.4",
    1.5,
    (CaseResult("(2,3)", Outcome.PASSED), CaseResult("(0)", Outcome.CRASHED, "SIGSEGV")),
)


def report(*checks: Check) -> Report:
    return Report(Path("/x/lib.so"), "XEp", None, ("1.32.0",), checks, 2.0)


def test_passes_when_nothing_failed_and_something_passed() -> None:
    assert report(OK, OPEN).passed
    assert report(OK).exit_status is ExitStatus.OK
    assert not report(OPEN).passed, "what was not checked is no pass"
    assert not report().passed
    assert not report(OK, BAD).passed
    assert report(OK, BAD).exit_status is ExitStatus.CHECK_FAILED


def test_summary_names_rung_op_and_runtime() -> None:
    assert report(OK, BAD).summary.startswith("failed at ops Relu on 1.24.4: ")
    assert report(OK).summary.startswith("passed: 1 passed")
    many = report(*[BAD] * 5).summary
    assert "and 2 more" in many


def test_the_summary_counts_models_and_no_other_cases() -> None:
    wheel = Check(Rung.PACKAGE, "wheel", Outcome.PASSED, "", "", 0.0, BAD.cases[:1])
    model = Check(Rung.OPS, "Relu", Outcome.PASSED, "", "", 0.0, BAD.cases[:1])
    assert report(wheel).summary == "passed: 1 passed in 2.0 s"
    assert report(wheel, model).summary == "passed: 2 passed; 1 model run in 2.0 s"


def test_json_is_complete_and_serialisable() -> None:
    data = json.loads(json.dumps(report(OK, OPEN, BAD).to_json()))
    assert data["passed"] is False
    assert data["counts"] == {"passed": 1, "not checked": 1, "crashed": 1}
    assert data["case_counts"] == {"passed": 1, "crashed": 1}
    assert [check["name"] for check in data["checks"]] == ["file", "Odd", "Relu"]
    assert data["checks"][2]["cases"][1] == {
        "label": "(0)",
        "outcome": "crashed",
        "detail": "SIGSEGV",
    }
