"""The table of the rung for programs: operator x since-version x types, and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from epforge.validate.conformance.model import ConformanceCase, OpCheck, Standing
from epforge.validate.model import Check

_CRASHES = (Standing.CRASHED, Standing.TIMED_OUT)


def tables(checks: Sequence[Check]) -> list[dict[str, object]]:
    """A table per onnxruntime on which the rung was climbed; the keys are stable."""
    lines = [check for check in checks if isinstance(check, OpCheck)]
    runtimes = dict.fromkeys(line.runtime for line in lines)
    return [
        _table(runtime, [line for line in lines if line.runtime == runtime]) for runtime in runtimes
    ]


def sentences(tables: Sequence[Mapping[str, object]]) -> list[str]:
    """The totals of tables in words, a line per onnxruntime."""
    found = []
    many = len(tables) > 1
    for table in tables:
        totals = table["totals"]
        assert isinstance(totals, dict)
        where = f" on {table['runtime']}" if many else ""
        share = f" ({totals['percent']:.1f} %)" if totals["denominator"] else ""
        crashes = totals["crashes"]
        unclaimed = totals["denominator"] - totals["claimed"]
        more = f"; {unclaimed} in types or versions that are not claimed" if unclaimed else ""
        found.append(
            f"node tests that the CPU EP passes{where}: {totals['passed']} of "
            f"{totals['denominator']} passed{share}, "
            f"{crashes} crash{'' if crashes == 1 else 'es'}{more}"
        )
    return found


def _table(runtime: str, lines: Sequence[OpCheck]) -> dict[str, object]:
    cases = [case for line in lines for case in line.tested]
    return {
        "runtime": runtime,
        "totals": {**_totals(cases), "left_out": sum(line.left_out for line in lines)},
        "not_passed": [
            {
                "op": line.name,
                "test": case.label,
                "standing": str(case.standing),
                "detail": case.detail,
            }
            for line in lines
            for case in line.tested
            if case.node_test and case.cpu and case.standing is not Standing.PASSED
        ],
        "ops": [
            {"op": line.name, "left_out": line.left_out, **_totals(line.tested), "rows": rows}
            for line in lines
            for rows in [list(_rows(line.tested))]
        ],
    }


def _totals(cases: Sequence[ConformanceCase]) -> dict[str, object]:
    tests = [case for case in cases if case.node_test]
    models = [case for case in cases if not case.node_test and case.since]
    measured = [case for case in tests if case.cpu]
    passed = sum(_passed(case) for case in measured)
    return {
        "denominator": len(measured),
        "claimed": sum(case.claimed for case in measured),
        "passed": passed,
        "percent": round(100 * passed / len(measured), 2) if measured else None,
        "crashes": sum(case.standing in _CRASHES for case in cases),
        "node_tests": _counts(tests),
        "models": _counts(models),
    }


def _passed(case: ConformanceCase) -> bool:
    return case.standing is Standing.PASSED


def _counts(cases: Sequence[ConformanceCase]) -> dict[str, int]:
    count = Counter(case.standing for case in cases)
    named = {
        str(standing).replace(", ", "_").replace(" ", "_"): count[standing] for standing in Standing
    }
    return {"all": len(cases), **named}


def _rows(cases: Sequence[ConformanceCase]) -> Iterator[dict[str, object]]:
    """One row per since-version and types."""
    groups: dict[tuple[int, str], list[ConformanceCase]] = {}
    for case in cases:
        groups.setdefault((case.since, case.types), []).append(case)
    for (since, types), group in groups.items():
        count = Counter(case.standing for case in group)
        yield {
            "since": since or None,
            "types": types,
            "claimed": any(case.claimed for case in group),
            "cases": len(group),
            "passed": count[Standing.PASSED],
            "failed": count[Standing.FAILED] + count[Standing.STALE],
            "crashed": sum(count[standing] for standing in _CRASHES),
            "refused": count[Standing.REFUSED],
            "excluded": count[Standing.EXCLUDED],
            "not_run": count[Standing.NOT_RUN],
            "reasons": list(dict.fromkeys(case.detail for case in group if case.detail)),
            "opset": max(case.opset for case in group) or None,
        }
