"""What a report of rung *conformance* says, in a table to read:

epforge scaffold blueprints/full.yaml contoso-full --build
epforge validate contoso-full --rung conformance --report conformance.json
python tests/lab/conformance.py conformance.json > tests/lab/conformance-DATE.txt
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def main(path: str) -> None:
    """Prints the table of each onnxruntime that a report has."""
    for table in json.loads(Path(path).read_text(encoding="utf-8"))["conformance"]:
        print("\n".join(_lines(table)))


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    yield f"onnxruntime {table['runtime']}"
    yield ""
    yield "node tests: passed, of those that ONNX Runtime's CPU provider passes"
    yield "models: passed, of those that were run, one for each version and combination of types"
    yield ""
    yield f"{'operator':<50}{'node tests':>12}{'models':>12}  since"
    for op in table["ops"]:
        yield _line(op)
    totals = table["totals"]
    yield ""
    yield _line({"op": "all", **totals, "rows": []}).rstrip()
    percent = 100 * totals["passed"] / totals["denominator"]
    yield f"node tests that the CPU EP passes: {percent:.1f} % passed, {totals['crashes']} crashes"
    for kind in ("node_tests", "models"):
        counts = {key: number for key, number in totals[kind].items() if number}
        yield f"{kind}: {', '.join(f'{number} {key}' for key, number in counts.items())}"
    yield ""
    yield "Node tests that the CPU EP passes and the library does not:"
    for test in table["not_passed"]:
        yield f"  {test['op']} {test['test']}: {test['standing']}: {test['detail']}"
    yield ""
    yield "Models that were not run:"
    for op in table["ops"]:
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
    main(sys.argv[1])
