"""What a report of rung *conformance* says, in a table to read:

epforge scaffold blueprints/full.yaml contoso-full --build
epforge validate contoso-full --rung conformance --report conformance.json
python tests/lab/conformance.py conformance.json > tests/lab/conformance-DATE.txt

Of several reports, the last one that has an operator counts for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any


def main(paths: Sequence[str]) -> None:
    """Prints the table of some reports on one onnxruntime."""
    reports = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    tables = [table for report in reports for table in report["conformance"]]
    ops = {op["op"]: (op, table) for table in tables for op in table["ops"]}
    chosen = [ops[name] for name in sorted(ops, key=lambda name: (":" in name, name))]
    missing = [
        test for op, table in chosen for test in table["not_passed"] if test["op"] == op["op"]
    ]
    print("\n".join(_lines(tables[0]["runtime"], [op for op, _ in chosen], missing)))


def _lines(
    runtime: str, ops: Sequence[Mapping[str, Any]], missing: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    yield f"onnxruntime {runtime}, {len(ops)} operators"
    yield ""
    yield "node tests: passed, of those that ONNX Runtime's CPU provider passes"
    yield "models: passed, of those that were run, one for each version and combination of types"
    yield ""
    yield f"{'operator':<50}{'node tests':>12}{'models':>12}  since"
    yield from map(_line, ops)
    passed, measured, crashes = (
        sum(op[key] for op in ops) for key in ("passed", "denominator", "crashes")
    )
    yield ""
    yield (
        f"node tests that the CPU EP passes: {passed} of {measured} passed "
        f"({100 * passed / measured:.1f} %), {crashes} crashes"
    )
    for kind in ("node_tests", "models"):
        counts = {key: sum(op[kind][key] for op in ops) for key in ops[0][kind]}
        yield f"{kind}: {', '.join(f'{number} {key}' for key, number in counts.items() if number)}"
    yield ""
    yield "Node tests that the CPU EP passes and the library does not:"
    for test in missing:
        yield f"  {test['op']} {test['test']}: {test['standing']}: {test['detail']}"
    yield ""
    yield "Models that were not run:"
    for op in ops:
        for reason, number in _not_run(op).items():
            yield f"  {op['op']}: {number}: {reason}"


def _line(op: Mapping[str, Any]) -> str:
    models = op["models"]
    since = sorted({row["since"] for row in op["rows"] if row["since"] and row["claimed"]})
    tests = f"{op['passed']}/{op['denominator']}" if op["denominator"] else "-"
    ran = models["all"] - models["not_run"]
    counts = f"{models['passed']}/{ran}"
    return f"{op['op']:<50}{tests:>12}{counts:>12}  {' '.join(map(str, since))}"


def _not_run(op: Mapping[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in op["rows"]:
        if row["not_run"]:
            reason = row["reasons"][0][:120] if row["reasons"] else "no reason"
            found[reason] = found.get(reason, 0) + row["not_run"]
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
