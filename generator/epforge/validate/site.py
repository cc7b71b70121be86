"""A library at work in one runtime: what the rungs above `load` have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from epforge.validate.instruments import NONE, Instruments
from epforge.validate.kept import NOTHING, Kept
from epforge.validate.load import fate
from epforge.validate.locate import run_located
from epforge.validate.manifest import Manifest, OpClaim, version_tuple
from epforge.validate.model import USUAL_FUZZING, CaseResult, Check, Fuzzing, Outcome, Rung
from epforge.validate.process import Limits, WorkerRun
from epforge.validate.runtime import Runtime

_RECORDS_SINCE = (1, 24)  # the first runtime that says who got which node
_MOST_RESTARTS = 3  # a worker that died goes on behind the case it died in
_WORST = (Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.FAILED)


@dataclass(frozen=True)
class Ran:
    """What a job of cases came to, over as many workers as it took.

    Args:
        records: everything the workers said, in order.
        cases: the records of cases; one more for each worker that did not end well.
        stderr: what all of them wrote there.
    """

    records: tuple[Mapping[str, Any], ...]
    cases: tuple[Mapping[str, Any], ...]
    seconds: float
    stderr: str = ""

    def named(self, record: str) -> list[Mapping[str, Any]]:
        """The records of one name."""
        return [item for item in self.records if item["record"] == record]

    def seconds_of(self, line: str) -> float:
        """What the cases of a line took."""
        cases = [case for case in self.cases if str(case["label"]).startswith(f"{line}/")]
        return sum(float(case.get("seconds", 0)) for case in cases)

    @property
    def idle(self) -> CaseResult | None:
        """Why a worker did nothing, if one did."""
        return idle(self.named("error"))


@dataclass(frozen=True)
class Claims:
    """What a library takes, by its manifest or by what it took when it was asked.

    Args:
        lines: what went wrong while it was asked.
    """

    ops: tuple[OpClaim, ...]
    lines: tuple[Check, ...] = ()

    def job(self) -> list[dict[str, object]]:
        """The claims that are ready, for a worker."""
        return [
            {"domain": c.domain, "op": c.op, "since": c.since, "types": dict(c.types)}
            for c in self.ops
            if c.ready
        ]


@dataclass(frozen=True)
class Site:
    """A library in a runtime where rung `load` has found devices.

    Args:
        version: of the runtime.
        name: registration name under which there are devices.
        ep: name of the execution provider.
        preload: libraries the loader must load first (sanitizer runtimes).
        only: ops to restrict the rungs `ops` and `conformance` to.
        excluded: reasons why tests of rung `conformance` are excluded, by operator and test.
        instruments: what the rungs `memory` and `threads` look through.
        environment: more variables of workers.
        on_check: told of a check before its rung ends; each is told of once.
        kept: results of the same from before.
        thorough: run every model, also those that others stand for.
        sanitize: the rungs that can use the library with sanitizers, too.
        fuzzing: what rung `fuzz` tries.
    """

    library: Path
    manifest: Manifest | None
    runtime: Runtime
    version: str
    name: str
    ep: str
    limits: Limits
    preload: tuple[str, ...] = ()
    jobs: int = 2
    only: tuple[str, ...] = ()
    progress: Callable[[str], None] = lambda _: None
    excluded: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    instruments: Instruments = NONE
    environment: Mapping[str, str] = field(default_factory=dict)
    on_check: Callable[[Check], None] = lambda _: None
    kept: Kept = NOTHING
    thorough: bool = True
    sanitize: bool = False
    fuzzing: Fuzzing = USUAL_FUZZING

    @property
    def records_placement(self) -> bool:
        """Does the runtime say which node went where?"""
        return version_tuple(self.version) >= _RECORDS_SINCE

    @cached_property
    def claims(self) -> Claims:
        """What the library takes; found out once."""
        return Claims(self.manifest.ops) if self.manifest else self._probe()

    def shimmed(
        self, shim: Path, log: Path | None = None, pretend: int = 0, log_calls: bool = True
    ) -> Site:
        """The same, with the shim plugin registered in the library's place.

        Args:
            log: the file that the shim writes what is under way, and what it finds to.
            pretend: the level of an older runtime to play; 0 for what the runtime is.
            log_calls: False for findings alone.
        """
        from epforge.validate.worker.shimmed import environment, hooks

        variables = {**self.environment, **environment(self.library, log, pretend, log_calls)}
        preload = self.preload or hooks(shim)  # sanitizers have hooks of their own
        return replace(self, library=shim, environment=variables, preload=preload)

    def worker(self, job: Mapping[str, object]) -> WorkerRun:
        given = {
            "library": str(self.library),
            "name": self.name,
            "ep": self.ep,
            "environment": dict(self.environment),
            **job,
        }
        return run_located(self.runtime, given, self.limits, self.preload, self.instruments)

    def cases(
        self,
        job: Mapping[str, object],
        restarts: int = _MOST_RESTARTS,
        hangs: int = 0,
        place: Callable[[], str] = lambda: "",
    ) -> Ran:
        """Runs a job of cases to its end: past the cases in which a worker dies.

        Args:
            restarts: so often a new worker goes on.
            hangs: so often it does behind a case that made no progress.
            place: says more closely where a worker died.
        """
        records: list[Mapping[str, Any]] = []
        cases: list[Mapping[str, Any]] = []
        seconds, stderr = 0.0, ""
        for attempt in range(restarts + 1):
            run = self.worker({**job, "skip": [case["label"] for case in cases]})
            seconds += run.seconds
            stderr += run.stderr
            records += run.records
            cases += run.named("case")
            if run.finished and not run.ended:
                break
            what = "at process exit" if run.finished else run.step or "the process"
            cases.append(_death(what, fate(run), f"{place()}{run.fault}"))
            hangs -= run.timed_out
            if is_final(run, patient=hangs >= 0):
                break
            if attempt == restarts:
                cases.append(_death("the rest", Outcome.NOT_CHECKED, "too many crashes"))
        return Ran(tuple(records), tuple(cases), seconds, stderr)

    def check(self, rung: Rung, name: str, outcome: Outcome, detail: str, s: float = 0.0) -> Check:
        return Check(rung, name, outcome, detail, self.version, s)

    def _probe(self) -> Claims:
        """What a library without a manifest takes."""
        if self.runtime.host:
            why = "no manifest says which ops the library has"
            return Claims((), (self.check(Rung.OPS, "claims", Outcome.NOT_CHECKED, why),))
        self.progress("no manifest: asking which ops the library takes")
        skip: list[str] = []
        claims: list[OpClaim] = []
        lines: list[Check] = []
        gaps: list[Mapping[str, Any]] = []
        for _ in range(_MOST_RESTARTS + 1):
            run = self.worker({"job": "probe", "skip": skip})
            gaps += run.named("gap")
            skip += [str(record["name"]) for record in run.named("asked")]
            claims += [c for c in map(_claim, run.named("claim")) if c.name in skip]
            if run.finished and not run.ended:
                break
            what = f"claim of {run.step or 'the process'}"
            lines.append(self.check(Rung.OPS, what, fate(run), run.fault, run.seconds))
            if is_final(run):
                break
            skip.append(run.step)
        lines += [self.check(Rung.OPS, *_gap(gap)) for gap in gaps]
        return Claims(tuple(claims), tuple(lines))


def is_final(run: WorkerRun, patient: bool = False) -> bool:
    """Would a worker that goes on behind the case in which this one died end like it?

    Args:
        patient: there is time for one more case that makes no progress.
    """
    hung = run.timed_out and not patient
    return run.finished or hung or run.step in ("", "register", "unregister")


def idle(errors: Sequence[Mapping[str, Any]]) -> CaseResult | None:
    """What records of errors say about a worker that did nothing."""
    if not errors:
        return None
    lacking = errors[0]["type"] == "NoBlocks"
    outcome = Outcome.NOT_CHECKED if lacking else Outcome.FAILED
    return CaseResult("the process", outcome, str(errors[0]["text"]))


def as_case(record: Mapping[str, Any]) -> CaseResult:
    return CaseResult(str(record["label"]), Outcome(record["outcome"]), str(record["detail"]))


def verdict_of(cases: Sequence[CaseResult], passed: str) -> tuple[Outcome, str]:
    """Outcome and detail of a line that has several cases.

    Args:
        passed: the detail where nothing is wrong.
    """
    bad = [case for case in cases if case.outcome.bad]
    if bad:
        worst = min(bad, key=lambda case: _WORST.index(case.outcome))
        more = f" (and {len(bad) - 1} more of {len(cases)})" if len(bad) > 1 else ""
        return worst.outcome, f"{worst.label}: {worst.detail}{more}"
    if any(case.outcome is Outcome.PASSED for case in cases):
        return Outcome.PASSED, passed
    reasons = list(dict.fromkeys(case.detail for case in cases)) or ["nothing to check"]
    return Outcome.NOT_CHECKED, "; ".join(reasons[:2])


def by_line(cases: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    """Cases whose labels are ``line/what it is``, by their lines, without that part."""
    lines: dict[str, list[CaseResult]] = {}
    for case in cases:
        line, slash, label = case.label.partition("/")
        name, what = (line, label) if slash else ("worker", case.label)
        lines.setdefault(name, []).append(replace(case, label=what))
    return lines


def numbers(cases: Sequence[CaseResult], one: str, many: str) -> str:
    """ "3 graphs, 1 not checked"."""
    count = Counter(case.outcome for case in cases)
    passed, left = count[Outcome.PASSED], count[Outcome.NOT_CHECKED]
    return f"{passed} {one if passed == 1 else many}" + (f", {left} not checked" if left else "")


def _gap(record: Mapping[str, Any]) -> tuple[str, Outcome, str]:
    """The line of a version that is left out between two that are taken."""
    name = f"{record['domain']}::{record['op']}" if record["domain"] else str(record["op"])
    before, after = record["between"]
    since = record["since"]
    text = f"taken since {before} and since {after}, but not since {since}: nodes of models "
    return f"versions of {name}", Outcome.FAILED, f"{text}of those opsets go to the CPU, unsaid"


def _claim(record: Mapping[str, Any]) -> OpClaim:
    types = {key: tuple(value) for key, value in record["types"].items()}
    return OpClaim(str(record["domain"]), str(record["op"]), int(record["since"]), types)


def _death(label: str, outcome: Outcome, detail: str) -> Mapping[str, Any]:
    """The record of a case that the worker could not write any more."""
    return {"label": label, "outcome": str(outcome), "detail": detail, "kind": "death"}
