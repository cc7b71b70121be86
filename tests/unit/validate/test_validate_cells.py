"""The grid of operators, versions and types, made of the labels of cases."""

from __future__ import annotations

from epforge.validate import CaseResult, Check, Outcome, Rung
from epforge.validate.cells import grid
from epforge.validate.manifest import OpClaim

CLAIM = OpClaim("", "Cast", 13, {"T1": ("float32",), "T2": ("int64", "bool")})


def line(*cases: CaseResult, name: str = "Cast", runtime: str = "1.32.0") -> Check:
    return Check(Rung.OPS, name, Outcome.PASSED, "", runtime, 0.0, cases)


def case(label: str, outcome: Outcome = Outcome.PASSED, detail: str = "") -> CaseResult:
    return CaseResult(label, outcome, detail)


def statuses(rows: list[dict[str, object]]) -> dict[tuple[object, object], object]:
    return {
        (row["since"], type_): cell["status"]
        for row in rows
        for type_, cell in row["types"].items()  # type: ignore[attr-defined]
    }


def test_a_case_counts_for_each_of_its_types() -> None:
    (row,) = grid([line(case("since 13, T1=float32, T2=int64: row 2, opset 14"))], ())
    assert (row["runtime"], row["op"], row["since"]) == ("1.32.0", "Cast", 13)
    assert row["types"] == {
        "float32": {"status": "passed", "claimed": False, "cases": {"passed": 1}},
        "int64": {"status": "passed", "claimed": False, "cases": {"passed": 1}},
    }


def test_the_worst_that_happened_is_what_a_cell_says() -> None:
    cases = [
        case("since 13, T1=float32, T2=int64: a"),
        case("since 13, T1=float32, T2=bool: a", Outcome.FAILED, "off by one"),
        case("since 13, T1=float16, T2=int64: a", Outcome.CRASHED, "SIGSEGV"),
        case("since 13, T1=int8, T2=uint8: a", Outcome.NOT_CHECKED, "refused"),
        case("since 13, T1=int16, T2=uint16: a", Outcome.NOT_CHECKED, "no reference"),
        case("since 13, undeclared T2=string"),
    ]
    assert statuses(grid([line(*cases)], ())) == {
        (13, "float32"): "failed",
        (13, "int64"): "crashed",
        (13, "bool"): "failed",
        (13, "float16"): "crashed",
        (13, "int8"): "refused",
        (13, "uint8"): "refused",
        (13, "int16"): "not checked",
        (13, "uint16"): "not checked",
        (13, "string"): "left alone",
    }


def test_what_is_claimed_and_was_not_run_is_claimed() -> None:
    rows = grid([line(case("since 13, T1=float32, T2=int64: a"))], [CLAIM])
    assert statuses(rows)[13, "bool"] == "claimed"
    assert [row["runtime"] for row in grid([], [CLAIM])] == [""]
    assert set(statuses(grid([], [CLAIM])).values()) == {"claimed"}


def test_a_stub_and_a_version_that_is_unknown_have_no_type() -> None:
    stub = OpClaim("", "Cast", 9, {"T1": ("float32",)}, ready=False)
    cases = [
        case("since 9, not ready"),
        case("since 25", Outcome.NOT_CHECKED, "this runtime knows opsets up to 24"),
        case("the process", Outcome.CRASHED, "SIGSEGV"),
    ]
    assert statuses(grid([line(*cases)], [stub])) == {
        (9, ""): "left alone",
        (25, ""): "not checked",
    }


def test_each_runtime_has_its_rows() -> None:
    cases = case("since 13, T1=float32, T2=int64: a")
    rows = grid([line(cases), line(cases, runtime="1.24.4")], [CLAIM])
    assert [row["runtime"] for row in rows] == ["1.32.0", "1.24.4"]
