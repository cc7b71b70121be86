"""The lines of rung `memory` that the shim plugin sees: what is given back, what fails in words."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from epforge.errors import EpforgeError
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import workers
from epforge.validate.site import Ran, Site, as_case, by_line, numbers, verdict_of
from epforge.validate.symbols import named
from epforge.validate.worker import shimmed

CYCLES = 1000
CYCLES_DIVIDED = 200
ROUNDS = 50
MOST_FAILURES = 400
_ORDER = (
    "sessions",
    "registrations",
    "handles",
    "versions",
    "contracts",
    "failures",
    "exhausted",
    "twins",
)


@dataclass(frozen=True)
class Effort:
    """How much is done.

    Args:
        cycles: sessions of a model of one node.
        divided: sessions of one in which the CPU computes something in between.
        rounds: of register, session, unregister.
        failures: calls that are made to fail, at most.
    """

    cycles: int = CYCLES
    divided: int = CYCLES_DIVIDED
    rounds: int = ROUNDS
    failures: int = MOST_FAILURES


def lines(site: Site, effort: Effort | None = None) -> Iterator[Check]:
    """A line for each thing that is looked at; one that says why if nothing can be."""
    effort = effort or Effort()
    try:
        shim = site.instruments.shim()
    except EpforgeError as error:
        yield site.check(Rung.MEMORY, "sessions", Outcome.NOT_CHECKED, error.message)
        return
    if shim is None:
        yield site.check(Rung.MEMORY, "sessions", Outcome.NOT_CHECKED, "there is no shim plugin")
        return
    site.progress(f"memory: {effort.cycles} sessions, and calls that fail")
    with tempfile.TemporaryDirectory(prefix="epforge-memory-") as folder, workers(2) as pool:
        lives = pool.submit(_lives, site, shim, effort)
        logs = [Path(folder) / name for name in ("calls", "allocations")]
        failing = pool.submit(_failing, site, shim, {**_job(site, effort), "fail": True}, logs[0])
        job = {**_job(site, effort), "exhaust": True}
        exhausting = pool.submit(_failing, site, shim, job, logs[1])
        ran = [lives.result(), failing.result(), exhausting.result()]
        yield from _checks(site, ran, effort)


def _job(site: Site, effort: Effort) -> dict[str, object]:
    return {
        "job": "memory",
        "claims": site.claims.job(),
        "level": site.manifest.target if site.manifest else 0,
        "cycles": effort.cycles,
        "cycles_divided": effort.divided,
        "rounds": effort.rounds,
        "most": effort.failures,
        "fail": False,
        "exhaust": False,
        "log": "",
    }


def _lives(site: Site, shim: Path, effort: Effort) -> Ran:
    return site.shimmed(shim).cases(_job(site, effort))


def _failing(site: Site, shim: Path, job: Mapping[str, object], log: Path) -> Ran:
    """The lives in which calls or allocations fail. Each worker writes a log of its own, which says
    where it died."""

    def place() -> str:
        steps = shimmed.under_way(log)
        log.unlink(missing_ok=True)
        return f"in {steps[0].what}: " if steps else ""

    return site.shimmed(shim, log).cases({**job, "log": str(log)}, place=place)


def _checks(site: Site, runs: Sequence[Ran], effort: Effort) -> Iterator[Check]:
    cases = [as_case(record) for ran in runs for record in ran.cases]
    cases += [ran.idle for ran in runs if ran.idle]
    found = by_line([replace(c, detail=named(c.detail, site.library)) for c in cases])
    for name in sorted(found, key=lambda n: _ORDER.index(n) if n in _ORDER else -1):
        seconds = sum(ran.seconds_of(name) for ran in runs)
        outcome, detail = verdict_of(found[name], _passed(name, runs, effort, found[name]))
        yield Check(Rung.MEMORY, name, outcome, detail, site.version, seconds, tuple(found[name]))


def _passed(name: str, runs: Sequence[Ran], effort: Effort, cases: Sequence[CaseResult]) -> str:
    """What a line says that has nothing to complain of."""

    def noted(record: str) -> int:
        return sum(int(item["count"]) for ran in runs for item in ran.named(record))

    return {
        "sessions": f"{effort.cycles} made, run and released: all handles are given back",
        "registrations": f"{effort.rounds} of register, session, unregister in one process",
        "handles": f"{noted('kinds')} made, each given back",
        "versions": f"{noted('stamps')} structs, all of the version that they should have",
        "contracts": f"{noted('calls')} calls, none against the contract",
        "failures": f"{numbers(cases, 'call', 'calls')} failed: each ends in a status, in less "
        "being offered or in right results, and nothing stays behind",
        "twins": f"two devices of one kind work, and {numbers(cases[1:], 'call', 'calls')} failed "
        "while they are listed",
        "exhausted": f"{numbers(cases, 'allocation', 'allocations')} failed: no exception leaves a "
        "callback",
    }.get(name, "")
