"""Rung `threads`: sessions and runs at once, EPs made at once, and what the library says of that.

FR 54, 55 and traps D46, D56 of the field reports.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from epforge.errors import MissingError
from epforge.validate import races
from epforge.validate.load import verdict
from epforge.validate.locate import words
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import WorkerRun, workers
from epforge.validate.site import Ran, Site, as_case, by_line, idle, verdict_of
from epforge.validate.worker.shimmed import under_way

_LINES = ("runs", "churn", "pool", "creation")
_SETS = ("runs", "creation")
_CREATE = "OrtEpApi.CreateKernelRegistry"


def run(site: Site) -> tuple[Check, ...]:
    """One line per kind of crowd; two of what the shim sees; one of what ThreadSanitizer sees."""
    site.progress("threads")
    job = {"job": "threads", "declared": site.manifest is not None, "claims": site.claims.job()}
    with workers(site.jobs) as pool:
        ran = list(pool.map(lambda name: site.cases({**job, "set": name}), _SETS))
        if ran[0].idle:
            return (site.check(Rung.THREADS, "all", ran[0].idle.outcome, ran[0].idle.detail),)
        seen = pool.submit(_seen, site, job)
        lines = [*_lines(site, ran), *seen.result()]
    if site.sanitize:
        lines.append(races.check(site, job))
    return tuple(lines)


def _lines(site: Site, ran: Sequence[Ran]) -> Iterator[Check]:
    cases: list[CaseResult] = []
    for one in ran:
        cases += map(as_case, one.cases)
    lines = by_line(cases)
    for name in sorted(lines, key=lambda n: _LINES.index(n) if n in _LINES else -1):
        known = [r for one in ran for r in one.named("runs") if _is_of(r, name)]
        outcome, detail = verdict_of(lines[name], _passed(name, lines[name], known))
        seconds = sum(one.seconds_of(name) for one in ran)
        yield Check(Rung.THREADS, name, outcome, detail, site.version, seconds, tuple(lines[name]))


def _is_of(record: Mapping[str, Any], line: str) -> bool:
    return str(record["label"]).startswith(f"{line}/")


def _passed(line: str, cases: Sequence[CaseResult], runs: Sequence[Mapping[str, Any]]) -> str:
    """The detail of a line that is well."""
    what = "; ".join(case.label for case in cases)
    if not runs:
        return f"{what}: all right"
    number = sum(int(record["number"]) for record in runs)
    return f"{what}: {number} runs right, {runs[0]['nodes']} nodes taken in each"


def _seen(site: Site, job: Mapping[str, object]) -> list[Check]:
    """What the shim sees: is the question about concurrent runs answered, and how many kernel
    registries are made by EPs that are made at once?"""
    names = ("concurrency", "registry")
    check = partial(site.check, Rung.THREADS)
    try:
        shim = site.instruments.shim()
    except MissingError as error:
        return [check(name, Outcome.NOT_CHECKED, error.message) for name in names]
    if shim is None:
        return [check(name, Outcome.NOT_CHECKED, "there is no shim here") for name in names]
    with tempfile.TemporaryDirectory(prefix="epforge-threads-") as folder:
        log = Path(folder, "log")
        through = site.shimmed(shim)
        turns = through.worker({**job, "set": "shim", "at once": False})
        crowd = site.shimmed(shim, log).worker({**job, "set": "shim", "at once": True})
        return [_concurrency(site, turns), _registry(site, turns, crowd, log)]


def _concurrency(site: Site, run: WorkerRun) -> Check:
    check = partial(site.check, Rung.THREADS, "concurrency")
    if wrong := _wrong(run):
        return check(*wrong, run.seconds)
    (record,) = run.named("shim")
    if not record["asked"]:
        text = (
            "OrtEp.IsConcurrentRunSupported is null, and onnxruntime takes that for a yes: "
            "say so, or say no"
        )
        outcome = Outcome.FAILED if site.manifest else Outcome.NOT_CHECKED
        return check(outcome, text, run.seconds)
    if record["answer"] == 0:
        text = "it says no: onnxruntime runs one session's runs one after the other"
    else:
        text = "it says that runs of one session may overlap"
    return check(Outcome.PASSED, text, run.seconds)


def _registry(site: Site, turns: WorkerRun, crowd: WorkerRun, log: Path) -> Check:
    check = partial(site.check, Rung.THREADS, "registry")
    seconds = turns.seconds + crowd.seconds
    if wrong := _wrong(turns):
        return check(*wrong, seconds)
    if wrong := _wrong(crowd):
        outcome, fault = wrong
        place = words(under_way(log))
        return check(outcome, fault + (f"; EPs made at once are in {place}" * bool(place)), seconds)
    (alone,), (together,) = turns.named("shim"), crowd.named("shim")
    if together["wrong"]:
        return check(Outcome.FAILED, f"EPs made at once: {together['wrong']}", seconds)
    one, many, eps = (int(alone["registries"]), int(together["registries"]), int(together["eps"]))
    if not one and not many:
        return check(Outcome.PASSED, "it makes no kernel registry after registration", seconds)
    if many > one:
        text = (
            f"{many} kernel registries are made for {eps} EPs made at once, and {one} for as many "
            f"made one after the other: made by {_maker(log)} when first asked for, without a lock"
        )
        return check(Outcome.FAILED, text, seconds)
    text = f"{many} for {eps} EPs, made at once or one after the other"
    return check(Outcome.PASSED, text, seconds)


def _maker(log: Path) -> str:
    """The callback in which kernel registries are made, by the shim's log."""
    open_: dict[int, list[str]] = {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            record = json.loads(line)
            steps = open_.setdefault(int(record["thread"]), [])
            if record["event"] == "enter":
                if record["what"] == _CREATE and steps:
                    return steps[-1]
                steps.append(str(record["what"]))
            elif steps:
                steps.pop()
        except (ValueError, KeyError):  # the last line, cut off
            continue
    return "the library"


def _wrong(run: WorkerRun) -> tuple[Outcome, str] | None:
    """Outcome and detail if a worker did not come to its end."""
    if nothing := idle(run.named("error")):
        return nothing.outcome, nothing.detail
    outcome, fault = verdict(run)
    return None if outcome is Outcome.PASSED else (outcome, fault)
