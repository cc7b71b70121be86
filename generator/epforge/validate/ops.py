"""Rung `ops`: every declared op, one process each; what is declared, runs and is right.

FR 27, 29, 35, 36, 41, 44 of the field reports.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.validate.load import ROUNDS, fate, verdict
from epforge.validate.manifest import Manifest, OpClaim, version_tuple
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import Limits, WorkerRun, run_worker, workers
from epforge.validate.runtime import Runtime

_RECORDS_SINCE = (1, 24)  # the first runtime that says who got which node
_CLOSE = 1e-4  # largest difference between two float32 results that are the same
_MOST_RESTARTS = 3  # a worker that died goes on behind the case it died in


@dataclass(frozen=True)
class OpsRung:
    """How to run this rung; `run` does."""

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

    def run(self) -> tuple[Check, ...]:
        """One line per op, sorted as declared."""
        if version_tuple(self.version) < _RECORDS_SINCE:
            text = f"runtime {self.version} does not record which node went where (1.24 does)"
            return (Check(Rung.OPS, "placement", Outcome.NOT_CHECKED, text, self.version),)
        lines: list[Check] = []
        if self.manifest is None:
            claims, lines = self._probe()
        else:
            claims = list(self.manifest.ops)
        groups: dict[str, list[OpClaim]] = {}
        for claim in claims:
            if not self.only or claim.name in self.only:
                groups.setdefault(claim.name, []).append(claim)
        if unknown := [name for name in self.only if name not in groups]:
            known = ", ".join(dict.fromkeys(claim.name for claim in claims)) or "none"
            verb = "declared" if self.manifest else "taken"
            text = f"{', '.join(unknown)}: not {verb}; {verb} are {known}"
            return (*lines, Check(Rung.OPS, "claims", Outcome.FAILED, text, self.version))
        if not groups:
            text = (
                "no op is declared"
                if self.manifest
                else "it takes no op that epforge has cases for"
            )
            return (*lines, Check(Rung.OPS, "claims", Outcome.FAILED, text, self.version))
        done = itertools.count(1)

        def one(claims: list[OpClaim]) -> Check:
            line = self._op(claims)
            self.progress(f"[{next(done)}/{len(groups)}] {line.name}: {line.outcome}")
            return line

        with workers(self.jobs) as pool:
            lines += pool.map(one, groups.values())
        if not any(line.outcome.bad for line in lines):
            lines.append(self._again())
        return tuple(lines)

    def _worker(self, job: Mapping[str, object]) -> WorkerRun:
        given = {"library": str(self.library), "name": self.name, "ep": self.ep, **job}
        return run_worker(given, self.limits, self.runtime.directory, self.preload)

    def _op(self, claims: Sequence[OpClaim]) -> Check:
        first = claims[0]
        job: dict[str, object] = {
            "job": "ops",
            "domain": first.domain,
            "op": first.op,
            "declared": self.manifest is not None,
            "claims": [{"since": c.since, "types": c.types, "ready": c.ready} for c in claims],
        }
        cases: list[CaseResult] = []
        left_alone = 0
        seconds = 0.0
        for attempt in range(_MOST_RESTARTS + 1):
            run = self._worker({**job, "skip": [case.label for case in cases]})
            seconds += run.seconds
            records = run.named("case")
            cases += [_case(record) for record in records]
            left_alone += sum(
                r["kind"] == "left alone" and r["outcome"] == "passed" for r in records
            )
            if run.finished and not run.ended:
                break
            what = "at process exit" if run.finished else run.step or "the process"
            cases.append(CaseResult(what, fate(run), run.fault))
            if _is_final(run):
                break
            if attempt == _MOST_RESTARTS:
                cases.append(CaseResult("the rest", Outcome.NOT_CHECKED, "too many crashes"))
        errors = run.named("error")
        if errors:
            cases.append(CaseResult("the process", Outcome.FAILED, str(errors[0]["text"])))
        return _summary(claims, cases, left_alone, self.version, seconds)

    def _again(self) -> Check:
        """Rounds of register, compute, unregister in one process: all with the same numbers."""
        run = self._worker({"job": "rounds", "rounds": ROUNDS, "compute": True})
        outcome, detail = verdict(run)
        off = [r for r in run.named("round") if not r["difference"] <= _CLOSE]
        if outcome is Outcome.PASSED and off:
            outcome = Outcome.FAILED
            detail = f"round {off[0]['index'] + 1} differs from the CPU by {off[0]['difference']:g}"
        text = detail or f"{ROUNDS} of register, compute, unregister in one process"
        return Check(Rung.OPS, "rounds", outcome, text, self.version, run.seconds)

    def _probe(self) -> tuple[list[OpClaim], list[Check]]:
        """What a library without a manifest takes."""
        self.progress("no manifest: asking which ops the library takes")
        skip: list[str] = []
        claims: list[OpClaim] = []
        lines: list[Check] = []
        for _ in range(_MOST_RESTARTS + 1):
            run = self._worker({"job": "probe", "skip": skip})
            skip += [str(record["name"]) for record in run.named("asked")]
            claims += [_claim(record) for record in run.named("claim") if _name(record) in skip]
            if run.finished and not run.ended:
                break
            what = f"claim of {run.step or 'the process'}"
            lines.append(Check(Rung.OPS, what, fate(run), run.fault, self.version, run.seconds))
            if _is_final(run):
                break
            skip.append(run.step)
        return claims, lines


def _is_final(run: WorkerRun) -> bool:
    """Would a worker that goes on behind the case in which this one died end like it?"""
    return run.finished or run.timed_out or run.step in ("", "register", "unregister")


def _claim(record: Mapping[str, Any]) -> OpClaim:
    types = {key: tuple(value) for key, value in record["types"].items()}
    return OpClaim(str(record["domain"]), str(record["op"]), int(record["since"]), types)


def _name(record: Mapping[str, Any]) -> str:
    return f"{record['domain']}::{record['op']}" if record["domain"] else str(record["op"])


def _case(record: Mapping[str, Any]) -> CaseResult:
    return CaseResult(str(record["label"]), Outcome(record["outcome"]), str(record["detail"]))


def _summary(
    claims: Sequence[OpClaim],
    cases: list[CaseResult],
    left_alone: int,
    version: str,
    seconds: float,
) -> Check:
    """The line of one op."""
    bad = [case for case in cases if case.outcome.bad]
    passed = sum(case.outcome is Outcome.PASSED for case in cases)
    ready = any(claim.ready for claim in claims)
    if bad:
        worst = min(bad, key=lambda case: _WORST.index(case.outcome))
        more = f" (and {len(bad) - 1} more of {len(cases)})" if len(bad) > 1 else ""
        outcome, detail = worst.outcome, f"{worst.label}: {worst.detail}{more}"
    elif not ready and cases and passed == left_alone:
        outcome, detail = Outcome.PASSED, "a stub that is not ready: not taken, as it should"
    elif passed - left_alone > 0:
        since = " ".join(str(claim.since) for claim in claims)
        types = sorted({t for claim in claims for values in claim.types.values() for t in values})
        shown = ", ".join(types[:4]) + (f" +{len(types) - 4}" if len(types) > 4 else "")
        open_ = sum(case.outcome is Outcome.NOT_CHECKED for case in cases)
        detail = f"since {since}; {shown}; {_models(passed - left_alone)} right"
        detail += f", {left_alone} undeclared left alone" if left_alone else ""
        detail += f", {open_} not checked" if open_ else ""
        outcome = Outcome.PASSED
    else:
        reasons = list(dict.fromkeys(case.detail for case in cases)) or ["no case for this op"]
        outcome, detail = Outcome.NOT_CHECKED, "; ".join(reasons[:2])
    return Check(Rung.OPS, claims[0].name, outcome, detail, version, seconds, tuple(cases))


def _models(number: int) -> str:
    return f"{number} model{'' if number == 1 else 's'}"


_WORST = (Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.FAILED)
