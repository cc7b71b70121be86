"""What ``epforge ops coverage`` prints."""

from __future__ import annotations

import json
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import UsageError
from epforge.ops import schemas
from epforge.resolve.catalogue import Entry, Status

_MOST_BYTES = 256 << 20
_WIDTH = 110
_CURE = "Make one: epforge validate PROJECT --rung conformance --report FILE"


@dataclass(frozen=True)
class Tests:
    """The node tests of an operator that ONNX Runtime's CPU provider passes."""

    passed: int
    of: int


def read_reports(paths: Sequence[Path]) -> Mapping[str, Tests]:
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


def data(entries: Sequence[Entry], tests: Mapping[str, Tests]) -> dict[str, Any]:
    """Coverage as JSON."""
    return {
        "domains": [
            {
                "domain": domain,
                "publisher": publisher,
                **_counts(group),
                "families": _families(group, tests),
            }
            for (domain, publisher), group in _groups(entries).items()
        ],
        "missing": [
            {"op": each.name, "status": each.status.value, "reason": each.reason}
            for each in entries
            if each.status is not Status.IMPLEMENTED
        ],
    }


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


def lines(entries: Sequence[Entry], tests: Mapping[str, Tests]) -> Iterator[str]:
    """Coverage as text: families, totals, and what there is not."""
    for domain in data(entries, tests)["domains"]:
        yield _headline(domain)
        for family in domain["families"]:
            passed = f"  {_passed(family)}" if "node_tests" in family else ""
            yield f"  {family['family']:26} {_versions(family):7}{passed}  {_names(family['ops'])}"
    for reason, names in _missing(entries).items():
        yield f"{reason}:"
        yield from textwrap.wrap(
            " ".join(names),
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )


def _missing(entries: Sequence[Entry]) -> Mapping[str, list[str]]:
    """The operators without a kernel, by the reason."""
    found: dict[str, list[str]] = {}
    for each in entries:
        if each.status is not Status.IMPLEMENTED:
            found.setdefault(f"{each.status}, {each.reason}", []).append(each.name)
    return found


def _name(domain: Mapping[str, Any]) -> str:
    name = domain["domain"] or "ai.onnx"
    own = not domain["domain"] and domain["publisher"] == "onnxruntime"
    return f"{name}, of ONNX Runtime" if own else name


def _headline(domain: Mapping[str, Any]) -> str:
    name = _name(domain)
    return (
        f"{name}: {domain['implemented']} of {domain['operators']} operators, "
        f"{domain['versions_implemented']} of {domain['versions']} since-versions"
    )


def _versions(family: Mapping[str, Any]) -> str:
    return f"{family['versions']}/{family['of']}"


def _passed(family: Mapping[str, Any]) -> str:
    return f"{family['node_tests_passed']}/{family['node_tests']}"


def _names(ops: Sequence[str]) -> str:
    return " ".join(ops)


def page(entries: Sequence[Entry], tests: Mapping[str, Tests]) -> Iterator[str]:
    """Coverage as a page of Markdown."""
    yield "# Operators"
    yield ""
    yield "The kernels that come with epforge, by family. This page is printed by"
    yield ""
    yield from ("```sh", "epforge ops coverage --markdown", "```")
    yield ""
    yield "`epforge ops show OP` has everything about one: versions, element types, attributes."
    for domain in data(entries, tests)["domains"]:
        yield ""
        yield f"## {_name(domain)}"
        yield ""
        yield f"{_headline(domain).rsplit(': ', 1)[1]}."
        yield ""
        tested = any("node_tests" in family for family in domain["families"])
        yield "| Family | Operators | Versions | CUDA |" + (" Node tests |" if tested else "")
        yield "| --- | --- | --- | --- |" + (" --- |" if tested else "")
        for family in domain["families"]:
            cells = [
                f"`{family['family']}`",
                _names(family["ops"]),
                _versions(family),
                "yes" if family["device"] else "",
            ]
            if tested:
                cells.append(_passed(family) if "node_tests" in family else "")
            yield f"| {' | '.join(cells)} |"
    yield ""
    yield "## Not implemented"
    yield ""
    for reason, names in _missing(entries).items():
        yield f"- {reason}: {', '.join(names)}"
