"""What a validation finds: checks with outcomes, gathered in a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from epforge.errors import ExitStatus
from epforge.validate.pictures import Picture, shown


class Rung(StrEnum):
    """The rungs of the ladder, lowest first."""

    STATIC = "static"  # the file alone, nothing of it is run
    LOAD = "load"  # register, list devices, unregister
    OPS = "ops"  # every declared op x type x since-version x shape
    GRAPHS = "graphs"  # models that have to be divided, sessions side by side
    CONTEXT = "context"  # compiled models: written, moved, damaged, read again
    CONFORMANCE = "conformance"  # ONNX's own tests of every operator that is claimed
    MEMORY = "memory"  # handles, statuses and memory given back, whatever fails
    THREADS = "threads"  # sessions and runs at once, made and released meanwhile
    FUZZ = "fuzz"  # random graphs, and compiled models that somebody has spoilt
    PACKAGE = "package"  # the wheel: made, installed in a fresh environment, used, uninstalled
    MATRIX = "matrix"  # every onnxruntime from the oldest promised one to the newest


RUNGS = tuple(Rung)
# What shows soon that a library works; it needs no compiler.
FIRST = (Rung.STATIC, Rung.LOAD, Rung.OPS, Rung.GRAPHS, Rung.CONTEXT)
# What is climbed unless somebody asks for others: all that installs nothing and ends soon.
_ASKED_FOR = (Rung.CONFORMANCE, Rung.FUZZ, Rung.PACKAGE, Rung.MATRIX)
USUAL = tuple(rung for rung in RUNGS if rung not in _ASKED_FOR)


@dataclass(frozen=True)
class Fuzzing:
    """What rung `fuzz` tries.

    Args:
        seed: the same seed tries the same.
        cases: how many graphs, and how many spoilt models.
        output: the directory for what is found; one in the cache if None.
    """

    seed: int = 0
    cases: int = 500
    output: Path | None = None


USUAL_FUZZING = Fuzzing()


class Outcome(StrEnum):
    """How a check or a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    NOT_CHECKED = "not checked"  # with the reason; never counted as passed

    @property
    def bad(self) -> bool:
        return self in (Outcome.FAILED, Outcome.CRASHED, Outcome.TIMED_OUT)


@dataclass(frozen=True)
class CaseResult:
    """One model run on the library, as part of a check.

    Args:
        label: what was asked: since-version, types, shapes.
        detail: empty when passed; otherwise what differed.
    """

    label: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class Check:
    """One line of the report.

    Args:
        name: what was checked; in rung `ops` the operator.
        detail: one line: the result's numbers, or what is wrong.
        runtime: version of onnxruntime it ran on; empty for rung `static`.
        seconds: wall time.
        cases: the single models behind the line, if any.
        pictures: how models were divided between the library and others.
        models_left_out: so many more there are, which those that ran stand for.
        cached: it was not run: nothing has changed since it passed.
    """

    rung: Rung
    name: str
    outcome: Outcome
    detail: str
    runtime: str = ""
    seconds: float = 0.0
    cases: tuple[CaseResult, ...] = ()
    pictures: tuple[Picture, ...] = ()
    models_left_out: int = field(default=0, kw_only=True)
    cached: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class RungTime:
    """How long a rung took on one runtime.

    Args:
        runtime: its version; empty where the rung needs none.
        seconds: wall time.
    """

    rung: Rung
    runtime: str
    seconds: float


@dataclass(frozen=True)
class Report:
    """Everything a validation found.

    Args:
        library: the file that was validated.
        ep: name of its execution provider, empty when it never got that far.
        manifest: the file that said what the library claims, if there was one.
        runtimes: the onnxruntime versions it was validated on.
        checks: in the order they were made.
        seconds: wall time of all.
        target: the platform that the library is for, if that was said.
        conformance: the tables of that rung, one per runtime; see `conformance.table`.
        started: when, in UTC: "2026-11-30T17:33:59Z".
        environment: where it was validated, and what the library's file is; see `environment`.
        timings: of the rungs, as they were climbed.
        ops: operator x since-version x type; see `cells`.
    """

    library: Path
    ep: str
    manifest: Path | None
    runtimes: tuple[str, ...]
    checks: tuple[Check, ...]
    seconds: float
    target: str = ""
    conformance: tuple[Mapping[str, object], ...] = ()
    started: str = ""
    environment: Mapping[str, object] = field(default_factory=dict)
    timings: tuple[RungTime, ...] = ()
    ops: tuple[Mapping[str, object], ...] = ()

    @property
    def failures(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.outcome.bad)

    @property
    def passed(self) -> bool:
        """No check failed, and at least one passed."""
        return not self.failures and any(c.outcome is Outcome.PASSED for c in self.checks)

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK if self.passed else ExitStatus.CHECK_FAILED

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """Number of checks by outcome."""
        return Counter(check.outcome for check in self.checks)

    @property
    def case_counts(self) -> Mapping[Outcome, int]:
        """Number of cases by outcome."""
        return Counter(case.outcome for check in self.checks for case in check.cases)

    @property
    def summary(self) -> str:
        """One line: the verdict, and where it failed."""
        counts = self.counts
        cases = Counter(
            case.outcome
            for check in self.checks
            if check.rung is not Rung.PACKAGE  # whose cases are no models
            for case in check.cases
        )
        numbers = ", ".join(f"{counts[o]} {o}" for o in Outcome if counts[o])
        ran = sum(cases.values()) - cases[Outcome.NOT_CHECKED]
        models = f"; {ran} model{'' if ran == 1 else 's'} run" if ran else ""
        left = sum(check.models_left_out for check in self.checks)
        models += f", {left} alike left out" if ran and left else ""
        cached = sum(check.cached for check in self.checks)
        models += f"; {cached} checks cached" if cached else ""
        text = f"{numbers or 'nothing checked'}{models} in {self.seconds:.1f} s"
        if self.passed:
            return f"passed: {text}"
        where = [
            f"{c.rung} {c.name}" + (f" on {c.runtime}" if c.runtime else "") for c in self.failures
        ]
        more = f" and {len(where) - 3} more" if len(where) > 3 else ""
        return f"failed at {'; '.join(where[:3])}{more}: {text}" if where else f"failed: {text}"

    def to_json(self) -> dict[str, object]:
        """The report for programs; the keys are stable."""
        return {
            "format": 1,
            "library": str(self.library),
            "target": self.target or None,
            "ep": self.ep,
            "manifest": str(self.manifest) if self.manifest else None,
            "runtimes": list(self.runtimes),
            "passed": self.passed,
            "summary": self.summary,
            "started": self.started,
            "seconds": round(self.seconds, 3),
            "environment": dict(self.environment),
            "counts": {str(k): v for k, v in self.counts.items()},
            "case_counts": {str(k): v for k, v in self.case_counts.items()},
            "checks": [
                {
                    "rung": str(check.rung),
                    "name": check.name,
                    "outcome": str(check.outcome),
                    "detail": check.detail,
                    "runtime": check.runtime,
                    "seconds": round(check.seconds, 3),
                    "cached": check.cached,
                    "models_left_out": check.models_left_out,
                    "cases": [
                        {"label": c.label, "outcome": str(c.outcome), "detail": c.detail}
                        for c in check.cases
                    ],
                }
                for check in self.checks
            ],
            "timings": [
                {"rung": str(t.rung), "runtime": t.runtime, "seconds": round(t.seconds, 3)}
                for t in self.timings
            ],
            "ops": list(self.ops),
            "partitions": shown([(c.runtime, c.name, c.pictures) for c in self.checks]),
            **({"conformance": list(self.conformance)} if self.conformance else {}),
        }
