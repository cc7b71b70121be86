"""What the page shows, made ready for its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from epforge.report.page.drawing import Drawing, draw, short
from epforge.report.shape import (
    BAD,
    Case,
    Check,
    Conformance,
    ConformanceOp,
    Node,
    NotPassed,
    Report,
)
from epforge.report.words import seconds

_MOST_FAILURES = 200  # checks that are shown with their cases,
_MOST_CASES = 25  # so many each;
_MOST_CHECKS = 1500  # lines of a rung,
_MOST_PICTURES = 60
_MOST_NODES = 300  # of a picture
_MOST_ROWS = 1000  # of a table of conformance
_SLOWEST = 15


@dataclass(frozen=True)
class Failure:
    """A check that went wrong."""

    check: Check
    cases: tuple[Case, ...]
    left_out: int


@dataclass(frozen=True)
class Step:
    """A rung: its numbers, and its lines."""

    rung: str
    passed: int
    bad: int
    unchecked: int
    seconds: float
    checks: tuple[Check, ...]
    left_out: int

    @property
    def outcome(self) -> str:
        return "failed" if self.bad else "passed" if self.passed else "not checked"


@dataclass(frozen=True)
class Bar:
    """A time, and its share of the longest, in percent."""

    name: str
    seconds: float
    share: float


@dataclass(frozen=True)
class Figure:
    """A picture of a model.

    Args:
        words: what it shows, for whoever cannot see it.
    """

    cases: tuple[str, ...]
    runtimes: tuple[str, ...]
    drawing: Drawing
    words: str
    left_out: int


def failures(report: Report) -> tuple[Failure, ...]:
    """The checks that went wrong, the ladder's lowest first."""
    found: list[Failure] = []
    for check in report.checks:
        if check.bad and len(found) < _MOST_FAILURES:
            bad = [case for case in check.cases if case.outcome in BAD]
            found.append(Failure(check, tuple(bad[:_MOST_CASES]), len(bad[_MOST_CASES:])))
    return tuple(found)


def ladder(report: Report) -> tuple[Step, ...]:
    """The rungs that were climbed, lowest first."""
    return tuple(_step(report, rung) for rung in dict.fromkeys(c.rung for c in report.checks))


def _step(report: Report, rung: str) -> Step:
    checks = [check for check in report.checks if check.rung == rung]
    count = Counter(check.outcome for check in checks)
    times = [each.seconds for each in report.timings if each.rung == rung]
    return Step(
        rung,
        count["passed"],
        sum(count[word] for word in BAD),
        count["not checked"],
        sum(times) if times else sum(check.seconds for check in checks),
        tuple(checks[:_MOST_CHECKS]),
        len(checks[_MOST_CHECKS:]),
    )


def reasons(check: Check) -> str:
    """Why cases of a check were not checked: "3 not checked: refused (2), no reference (1)"."""
    open_ = [case.detail or "no reason" for case in check.cases if case.outcome == "not checked"]
    if not open_ or check.outcome == "not checked":
        return ""
    known = Counter(open_).most_common(3)
    rest = len(open_) - sum(times for _, times in known)
    said = ", ".join(f"{text} ({times})" for text, times in known)
    return f"{len(open_)} not checked: {said}" + (f", other reasons ({rest})" if rest else "")


def rung_bars(report: Report) -> tuple[Bar, ...]:
    """The times of the rungs."""
    times = [
        (f"{each.rung} on {each.runtime}" if each.runtime else each.rung, each.seconds)
        for each in report.timings
    ] or [(step.rung, step.seconds) for step in ladder(report)]
    return _bars(times)


def slowest(report: Report) -> tuple[Bar, ...]:
    """The checks that took longest."""
    found = sorted(report.checks, key=lambda check: -check.seconds)[:_SLOWEST]
    return _bars([(check.place, check.seconds) for check in found if check.seconds >= 0.005])


def _bars(times: Sequence[tuple[str, float]]) -> tuple[Bar, ...]:
    longest = max((value for _, value in times), default=0.0)
    return tuple(
        Bar(name, value, round(100 * value / longest, 1) if longest else 0.0)
        for name, value in times
    )


def figures(report: Report) -> tuple[Figure, ...]:
    """The pictures, each once; what looks the same on several runtimes is one picture."""
    found: dict[tuple[object, ...], tuple[list[str], list[str], Sequence[Node]]] = {}
    for one in report.partitions:
        key = tuple((n.name, n.op, n.ep, n.group, n.within, *n.inputs) for n in one.nodes)
        cases, runtimes, _ = found.setdefault(key, ([], [], one.nodes))
        cases += one.cases
        runtimes.append(one.runtime)
    return tuple(
        Figure(
            tuple(dict.fromkeys(cases)),
            tuple(dict.fromkeys(runtimes)),
            draw(nodes[:_MOST_NODES], report.ep),
            _words(nodes, report.ep),
            len(nodes[_MOST_NODES:]),
        )
        for cases, runtimes, nodes in list(found.values())[:_MOST_PICTURES]
    )


def _words(nodes: Sequence[Node], ep: str) -> str:
    """ "5 nodes: 4 by X in 2 parts, 1 by CPU"."""
    owners = Counter(node.ep for node in nodes)
    parts = {node.ep: set[int]() for node in nodes}
    for node in nodes:
        parts[node.ep].add(node.group)
    said = []
    for owner, number in sorted(owners.items(), key=lambda item: item[0] != ep):
        name = f"by {short(owner)}" if owner else "not reported"
        count = len(parts[owner] - {-1})
        where = f" in {count} part{'' if count == 1 else 's'}" if owner and count else ""
        said.append(f"{number} {name}{where}")
    return f"{len(nodes)} node{'' if len(nodes) == 1 else 's'}: {', '.join(said)}"


def conformance_sentence(table: Conformance) -> str:
    """The totals of a table."""
    totals = table.totals
    share = f" ({totals.percent:.1f} %)" if totals.percent is not None else ""
    return (
        f"{totals.passed} of {totals.denominator} node tests that the CPU provider passes{share}, "
        f"{totals.crashes} crash{'' if totals.crashes == 1 else 'es'}, "
        f"{totals.claimed} in types and versions that are claimed"
    )


def facts(report: Report) -> Iterator[tuple[str, str]]:
    """The environment, name and value; what is not known is left out."""
    env, file = report.environment, report.environment.library
    packages = ", ".join(f"{name} {version}" for name, version in env.packages.items() if version)
    known = (
        ("Library", report.library),
        ("Size", f"{file.size:,} bytes" if file.size is not None else ""),
        ("SHA-256 of the library", file.sha256),
        ("Format", " ".join(filter(None, (file.format, file.machine)))),
        ("Compiler", "; ".join(file.compilers)),
        ("Needs at least", ", ".join(file.floors)),
        ("Sanitizers", ", ".join(file.sanitizers)),
        ("Platform that it is for", report.target),
        ("Manifest", report.manifest),
        ("SHA-256 of the manifest", env.manifest_sha256),
        ("SHA-256 of the blueprint", env.blueprint_sha256),
        ("ONNX Runtime", ", ".join(report.runtimes)),
        ("Operating system", env.os),
        ("Processor", " ".join(filter(None, (env.cpu, env.machine and f"({env.machine})")))),
        ("Cores", str(env.cores) if env.cores is not None else ""),
        ("Python", env.python),
        ("epforge", env.epforge),
        ("Packages", packages),
        ("Started", report.started),
        ("Took", seconds(report.seconds)),
    )
    yield from ((name, value) for name, value in known if value)


def missed(table: Conformance) -> Sequence[NotPassed]:
    """The node tests that are not passed, as many as a page takes; what was refused comes last."""
    return sorted(table.not_passed, key=lambda each: each.standing == "refused")[:_MOST_ROWS]


def rows_of(table: Conformance) -> Sequence[ConformanceOp]:
    """The operators of a table of conformance, as many as a page takes."""
    return table.ops[:_MOST_ROWS]
