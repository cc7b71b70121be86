"""What has changed between two reports, and whether it is worse."""

from __future__ import annotations

from typing import Any

import pytest
from reports import cases, check, data, report

from epforge.errors import UsageError
from epforge.report import Report, compare
from epforge.report.difference import Change
from epforge.validate import Check, Outcome, Rung

OK, BAD, OPEN = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_CHECKED
CRASH = Outcome.CRASHED


def places(changes: tuple[Change, ...]) -> list[tuple[str, str, str]]:
    return [(change.place, change.before, change.after) for change in changes]


def skipped(rung: Rung, runtime: str = "1.32.0") -> Check:
    return check("all", OPEN, rung, detail="a lower rung failed", runtime=runtime)


def timed(*times: tuple[str, float], **values: Any) -> Report:
    return report(
        check("Relu"),
        timings=[{"rung": rung, "runtime": "1.32.0", "seconds": s} for rung, s in times],
        **values,
    )


def test_the_same_report_has_no_changes() -> None:
    one = report(check("Relu"), check("Add", BAD))
    found = compare(one, one)
    assert found.same
    assert not found.worse


def test_every_kind_of_change() -> None:
    before = report(
        check("A"), check("B"), check("C", BAD), check("D", OPEN), check("E"), check("F", BAD),
        check("G", BAD),
    )  # fmt: skip
    after = report(
        check("A", CRASH), check("B", OPEN), check("C"), check("D"), check("F", OPEN),
        check("G", CRASH), check("H"), check("I", BAD),
    )  # fmt: skip
    found = compare(before, after)
    on = " on 1.32.0"
    assert places(found.failing) == [
        (f"ops A{on}", "passed", "crashed"),
        (f"ops I{on}", "", "failed"),
    ]
    assert places(found.unchecked) == [
        (f"ops B{on}", "passed", "not checked"),
        (f"ops F{on}", "failed", "not checked"),
    ]
    assert places(found.passing) == [
        (f"ops C{on}", "failed", "passed"),
        (f"ops D{on}", "not checked", "passed"),
    ]
    assert places(found.gone) == [(f"ops E{on}", "passed", "")]
    assert places(found.new) == [(f"ops H{on}", "", "passed")]
    assert found.worse


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        ([check("A")], [check("A", BAD)], True),
        ([check("A")], [check("A", OPEN)], True),
        ([check("A"), check("B")], [check("B")], True),
        ([check("A")], [check("A"), check("B", BAD)], True),
        ([check("A", BAD)], [check("A")], False),
        ([check("A", BAD)], [check("A", OPEN)], False),
        ([check("A", BAD)], [check("A", CRASH)], False),
        ([check("A", BAD), check("B")], [check("B")], False),
        ([check("A", OPEN), check("B")], [check("B")], False),
        ([check("A")], [check("A"), check("B")], False),
    ],
)
def test_worse_is_what_was_well_and_is_not_known_to_be(
    before: list[Check], after: list[Check], worse: bool
) -> None:
    assert compare(report(*before), report(*after)).worse is worse


def test_cases_of_a_check_that_stays_bad_are_compared() -> None:
    before = report(check("A", BAD, of=cases(BAD, OK, OK, OPEN)))
    after = report(check("A", BAD, of=cases(OK, CRASH, OK, BAD)))
    found = compare(before, after)
    start = "ops A on 1.32.0: since 13, T=float32: case"
    assert places(found.failing) == [
        (f"{start} 1", "passed", "crashed"),
        (f"{start} 3", "not checked", "failed"),
    ]
    assert places(found.passing) == [(f"{start} 0", "failed", "passed")]
    assert found.worse


def test_a_rung_that_one_of_them_has_not_climbed_is_not_compared() -> None:
    static = check("file", rung=Rung.STATIC, runtime="")
    found = compare(report(static, check("A")), report(static))
    assert found.rungs == {"ops": "before"}
    assert found.same
    back = compare(report(static), report(static, check("A"), check("B", BAD)))
    assert back.rungs == {"ops": "after"}
    assert places(back.failing) == [("ops B on 1.32.0", "", "failed")]
    assert not back.new


def test_a_rung_that_is_skipped_now_is_one_line() -> None:
    graphs = [check(name, rung=Rung.GRAPHS) for name in ("partitions", "inputs")]
    found = compare(report(*graphs), report(skipped(Rung.GRAPHS)))
    assert places(found.unchecked) == [("graphs all on 1.32.0", "passed", "not checked")]
    assert not found.gone
    assert found.worse
    back = compare(report(skipped(Rung.GRAPHS)), report(*graphs))
    assert len(back.passing) == 2
    assert not back.worse
    assert not back.gone


def test_a_rung_that_is_skipped_on_one_of_two_runtimes() -> None:
    both = [check("inputs", rung=Rung.GRAPHS, runtime=v) for v in ("1.24.4", "1.32.0")]
    found = compare(report(*both), report(both[0], skipped(Rung.GRAPHS)))
    assert places(found.unchecked) == [("graphs all on 1.32.0", "passed", "not checked")]
    assert not found.gone


def test_two_runtimes_are_compared_if_each_has_one() -> None:
    found = compare(report(check("A")), report(check("A", BAD, runtime="1.33.0")))
    assert found.runtimes == ("1.32.0", "1.33.0")
    assert places(found.failing) == [("ops A on 1.33.0", "passed", "failed")]
    several = report(check("A"), check("A", runtime="1.33.0"))
    more = compare(report(check("A")), several)
    assert more.runtimes is None
    assert places(more.new) == [("ops A on 1.33.0", "", "passed")]


def test_times_that_change_notably() -> None:
    before = timed(("ops", 10.0), ("graphs", 4.0), ("load", 0.1), ("context", 9.0))
    after = timed(("ops", 30.0), ("graphs", 1.0), ("load", 0.9), ("context", 11.0))
    found = compare(before, after)
    assert [(t.place, t.before, t.after) for t in found.slower] == [
        ("rung ops on 1.32.0", 10.0, 30.0)
    ]
    assert [t.place for t in found.faster] == ["rung graphs on 1.32.0"]
    assert found.same
    assert not found.worse


def test_times_of_checks_are_compared_across_runtimes() -> None:
    found = compare(
        report(check("A", seconds=1.0)), report(check("A", seconds=5.0, runtime="1.33.0"))
    )
    assert [t.place for t in found.slower] == ["ops A"]


def test_what_was_cached_has_no_time() -> None:
    before = timed(("ops", 10.0))
    cached = [{**each, "cached": True} for each in data(check("Relu", seconds=9.0))["checks"]]
    found = compare(before, timed(("ops", 1.0), checks=cached))
    assert not found.faster
    assert not found.slower


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ({"ep": "AEp"}, {"ep": "BEp"}, "AEp, the other BEp"),
        ({"ep": "", "library": "/a/x.so"}, {"library": "/b/y.so"}, "x.so and y.so"),
        ({"target": "linux-x64"}, {"target": "windows-x64"}, "linux-x64, the other windows-x64"),
    ],
)
def test_reports_of_different_libraries_are_refused(
    before: dict[str, Any], after: dict[str, Any], says: str
) -> None:
    with pytest.raises(UsageError, match="not of the same library") as caught:
        compare(report(check("A"), **before), report(check("A"), **after))
    assert says in caught.value.message


def test_a_library_elsewhere_is_the_same_library() -> None:
    assert compare(report(check("A"), library="/a/x.so"), report(check("A"))).same


def test_reports_with_very_many_lines_are_compared() -> None:
    names = [f"Op{number}" for number in range(20_000)]
    before = report().model_copy(update={"checks": report(check("x")).checks})
    one = before.checks[0]
    many = [one.model_copy(update={"name": name}) for name in names]
    after = before.model_copy(update={"checks": many})
    found = compare(before, after)
    assert len(found.new) == 20_000
    assert len(found.gone) == 1
