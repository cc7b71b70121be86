"""What there is of each kernel family, and what there is not."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus, UsageError
from epforge.ops import schemas
from epforge.resolve.catalogue import Entry, Status, entries
from epforge.verbs.ops import known_domain
from epforge.verbs.types import FORMAT, AnyPaths, paths

_MOST_BYTES = 256 << 20
_CURE = "Make one: epforge validate PROJECT --rung conformance --report FILE"


@dataclass(frozen=True)
class Tests:
    """The node tests of an operator that ONNX Runtime's CPU provider passes."""

    passed: int
    of: int


@dataclass(frozen=True)
class Coverage:
    """What there is of each kernel family, and what there is not.

    Args:
        entries: the operators.
        tests: the node tests of reports, by the operator's name.
    """

    entries: tuple[Entry, ...]
    tests: Mapping[str, Tests]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "domains": [
                {
                    "domain": domain,
                    "publisher": publisher,
                    **_counts(group),
                    "families": _families(group, self.tests),
                }
                for (domain, publisher), group in _groups(self.entries).items()
            ],
            "missing": [
                {"op": each.name, "status": each.status.value, "reason": each.reason}
                for each in self.entries
                if each.status is not Status.IMPLEMENTED
            ],
        }


def ops_coverage(*, domain: str | None = None, report: AnyPaths = ()) -> Coverage:
    """Counts what there is of each kernel family; `epforge ops coverage`.

    Args:
        domain: only this one, such as ``ai.onnx``.
        report: reports of rung *conformance*, whose node tests are added.

    Raises:
        UsageError: there is no such domain, or a file is no such report.
    """
    found = tuple(entries(known_domain(domain)))
    return Coverage(found, _read_reports(paths(report)))


def _read_reports(paths: Sequence[Path]) -> Mapping[str, Tests]:
    """The node tests in reports of rung *conformance*, by the operator's name.

    Raises UsageError for a file that is no such report.
    """
    found: dict[str, Tests] = {}
    for path in paths:
        for run in _runs(path):
            for op, totals in _ops(run, path):
                found[op] = totals
    return found


def _runs(path: Path) -> list[Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path}: larger than {_MOST_BYTES} bytes, no report", _CURE)
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: cannot read the report: {error}", _CURE) from error
    runs = data.get("conformance") if isinstance(data, dict) else None
    if not isinstance(runs, list) or not runs:
        raise UsageError(f"{path}: a report without the rung conformance", _CURE)
    return runs


def _ops(run: Any, path: Path) -> Iterator[tuple[str, Tests]]:
    try:
        for op in run["ops"]:
            yield str(op["op"]), Tests(int(op["passed"]), int(op["denominator"]))
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path}: a malformed report: {error!r}", _CURE) from error


def _groups(entries: Sequence[Entry]) -> Mapping[tuple[str, str], list[Entry]]:
    """By domain and publisher: ONNX Runtime has operators of its own in ONNX's domain."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for each in entries:
        found.setdefault((each.domain, schemas.publisher(each.domain, each.op)), []).append(each)
    return found


def _counts(group: Sequence[Entry]) -> dict[str, int]:
    live = [each for each in group if each.versions]
    return {
        "operators": len(live),
        "implemented": sum(each.status is Status.IMPLEMENTED for each in live),
        "versions": sum(len(each.versions) for each in live),
        "versions_implemented": sum(len(each.done) for each in live),
    }


def _families(group: Sequence[Entry], tests: Mapping[str, Tests]) -> list[dict[str, Any]]:
    by: dict[str, list[Entry]] = defaultdict(list)
    for each in group:
        if each.family:
            by[each.family].append(each)
    return [
        {
            "family": family,
            "ops": [each.op for each in members],
            "versions": sum(len(each.done) for each in members),
            "of": sum(len(each.versions) for each in members),
            "device": any(each.device for each in members),
            **_tested(members, tests),
        }
        for family, members in sorted(by.items())
    ]


def _tested(members: Sequence[Entry], tests: Mapping[str, Tests]) -> dict[str, int]:
    found = [tests[each.name] for each in members if each.name in tests]
    if not found:
        return {}
    passed, of = sum(each.passed for each in found), sum(each.of for each in found)
    return {"node_tests_passed": passed, "node_tests": of}
