"""Reports for tests: made without running anything, or of a library with every operator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from epforge.report import Report, parse
from epforge.validate import CaseResult, Check, Outcome, Rung
from epforge.validate import Report as Found
from epforge.validate.binary import Binary
from epforge.validate.cells import grid
from epforge.validate.environment import environment
from epforge.validate.manifest import OpClaim
from epforge.validate.model import RungTime
from epforge.validate.pictures import Node, Picture

EP = "ToyExecutionProvider"
CPU = "CPUExecutionProvider"
RUNTIME = "1.32.0"
# What a library, a model or a terminal may put into a text.
HOSTILE = (
    "<script src=//evil.example/x.js>alert(1)</script> ]]> &amp; \"'`"
    "\x00\x01\x1b[31m\ud800\ufffe\u202e"
    "</td></table></svg>{{ 7*7 }}{% raw %} C:\\x\r\n\tlast"
)
TYPES = ("float32", "float16", "bfloat16", "float64", "int8", "int16", "int32", "int64")


def node(name: str, op: str, ep: str, group: int, *inputs: str, within: str = "") -> Node:
    return Node(name, op, ep, group, inputs, (f"v{name}",), within)


PICTURE = Picture(
    "loop",
    (
        node("a", "Mul", EP, 0, "X"),
        node("b", "Sin", CPU, 1, "va"),
        node("c", "Add", EP, 2, "va", "vb"),
        node("d", "Loop", CPU, 3, "vc"),
        node("e", "Relu", EP, 4, "vc", within="d"),
        node("f", "Odd", "", -1, "ve", within="d"),
    ),
)


def cases(*outcomes: Outcome) -> tuple[CaseResult, ...]:
    return tuple(
        CaseResult(
            f"since 13, T=float32: case {number}",
            outcome,
            "" if outcome is Outcome.PASSED else f"detail {number}",
        )
        for number, outcome in enumerate(outcomes)
    )


def check(
    name: str,
    outcome: Outcome = Outcome.PASSED,
    rung: Rung = Rung.OPS,
    *,
    detail: str = "all right",
    seconds: float = 0.5,
    runtime: str = RUNTIME,
    of: tuple[CaseResult, ...] = (),
    pictures: tuple[Picture, ...] = (),
) -> Check:
    return Check(rung, name, outcome, detail, runtime, seconds, of, pictures)


def found(*checks: Check, ep: str = EP, library: Path = Path("/x/libtoy.so")) -> Found:
    """What `validate` returns."""
    claims = [OpClaim("", "Relu", 14, {"T": ("float32", "int8")})]
    return Found(
        library=library,
        ep=ep,
        manifest=None,
        runtimes=(RUNTIME,),
        checks=checks,
        seconds=3.25,
        started="2026-11-30T17:33:59Z",
        environment=environment(library, Binary("elf", "x86_64"), None, None),
        timings=(RungTime(Rung.STATIC, "", 0.5), RungTime(Rung.OPS, RUNTIME, 2.5)),
        ops=tuple(grid(checks, claims)),
    )


def data(*checks: Check, **values: Any) -> dict[str, Any]:
    """A report as JSON, with some keys changed."""
    made: dict[str, Any] = json.loads(json.dumps(found(*checks).to_json()))
    return {**made, **values}


def report(*checks: Check, **values: Any) -> Report:
    """A report as it is read."""
    return parse(data(*checks, **values), "the report")


def usual() -> tuple[Check, ...]:
    """Lines of every outcome."""
    crashed = cases(Outcome.PASSED, Outcome.FAILED, Outcome.CRASHED, Outcome.NOT_CHECKED)
    return (
        check("file", rung=Rung.STATIC, runtime="", seconds=0.0),
        check("Add", of=cases(Outcome.PASSED, Outcome.NOT_CHECKED)),
        check("Relu", Outcome.CRASHED, detail="case 2: SIGSEGV", of=crashed, seconds=1.5),
        check("Odd", Outcome.TIMED_OUT, detail="no progress for too long; ended"),
        check("partitions", rung=Rung.GRAPHS, pictures=(PICTURE,)),
        check("all", Outcome.NOT_CHECKED, Rung.CONTEXT, detail="a lower rung failed"),
    )


def hostile() -> dict[str, Any]:
    """A report in which every text is `HOSTILE`."""
    made = data(*usual())
    totals = {
        **dict.fromkeys(("denominator", "claimed", "passed", "crashes", "left_out"), 3),
        "percent": 66.67,
        "node_tests": {"all": 4, "passed": 2},
        "models": {"all": 5},
    }
    numbers = ("cases", "passed", "failed", "crashed", "refused", "excluded", "not_run")
    row = {
        **dict.fromkeys(numbers, 1),
        "since": 13,
        "types": HOSTILE,
        "claimed": True,
        "opset": None,
        "reasons": [HOSTILE],
    }
    words = ("op", "test", "standing", "detail")
    made["conformance"] = [
        {
            "runtime": HOSTILE,
            "totals": totals,
            "not_passed": [dict.fromkeys(words, HOSTILE)],
            "ops": [{**totals, "op": HOSTILE, "rows": [row]}],
        }
    ]
    kept = {"outcome", "status", "within", "name"}

    def spoil(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: spoil(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [spoil(inner, key) for inner in value]
        return f"{value} {HOSTILE}" if isinstance(value, str) and key not in kept else value

    spoiled: dict[str, Any] = spoil(made)
    spoiled["ep"] = f"{EP} {HOSTILE}"
    for one in spoiled["checks"]:
        one["name"] += HOSTILE
    for row in spoiled["ops"]:
        row["types"] |= {HOSTILE: {"status": "failed", "claimed": True, "cases": {HOSTILE: 1}}}
    return spoiled


def large(ops: int = 200, versions: int = 3) -> Found:
    """A report as the blueprint with every kernel has it: operators, versions, types."""
    lines = []
    for number in range(ops):
        of = [
            CaseResult(f"since {13 + v}, T={type_}: row {row}", Outcome.PASSED)
            for v in range(versions)
            for type_ in TYPES
            for row in range(4)
        ]
        detail = "since 13 14 15; bfloat16, float16, float32, float64 +4; 96 models right"
        lines.append(check(f"Operator{number}", detail=detail, of=tuple(of)))
    return found(*usual(), *lines)
