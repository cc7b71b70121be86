"""Rung `fuzz`: random graphs of what a library claims, and compiled models that somebody spoilt.

The same seed tries the same. What is found is made small and left in a directory, with its inputs.
"""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from epforge.cache import cache_dir
from epforge.errors import UsageError
from epforge.validate.load import fate
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import workers
from epforge.validate.site import Ran, Site, as_case, verdict_of
from epforge.validate.worker.records import BY_CPU

_BATCH = 100  # graphs of one worker
_RESTARTS = 4
_MOST_ROUNDS = 30  # in which a graph that ends the process is made smaller
_MOST_SMALLER = 2  # such graphs are
_DEADLY = (Outcome.CRASHED, Outcome.TIMED_OUT)


def run(site: Site) -> tuple[Check, ...]:
    """A line for the graphs, and one for the compiled models where there are any."""
    folder = _folder(site)
    return (random_graphs(site, folder), *compiled_models(site, folder))


def _folder(site: Site) -> Path:
    """The directory for what is found. Raises UsageError if it cannot be made."""
    place = site.fuzzing.output or cache_dir("fuzz", site.library.stem)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"--output {place}: {error.strerror}"
        raise UsageError(what, "Name a directory of yours.") from error
    return place.absolute()


# ---- graphs ----


def random_graphs(site: Site, folder: Path) -> Check:
    """Graphs of what the library claims; those that are not right are left in ``folder``."""
    count, seed = site.fuzzing.cases, site.fuzzing.seed
    claims = site.claims.job()
    done = itertools.count(1)

    def batch(first: int) -> Ran:
        found = site.cases(
            _job(site, folder, claims, first, min(_BATCH, count - first)), _RESTARTS, hangs=2
        )
        site.progress(f"[{min(next(done) * _BATCH, count)}/{count}] fuzz: random graphs")
        return found

    with workers(site.jobs) as pool:
        ran = list(pool.map(batch, range(0, count, _BATCH)))
    cases = list(_judged(site, folder, ran))
    cases += [each.idle for each in ran[:1] if each.idle]
    nodes = _nodes(ran)
    passed = sum(case.outcome is Outcome.PASSED for case in cases)
    detail = f"{passed} graphs right, of {len(nodes)} operators, seed {seed}"
    outcome, detail = verdict_of(cases, detail)
    seconds = sum(each.seconds for each in ran)
    return Check(Rung.FUZZ, "graphs", outcome, detail, site.version, seconds, tuple(cases))


def _job(
    site: Site, folder: Path, claims: Sequence[Mapping[str, object]], first: int, count: int
) -> dict[str, object]:
    return {
        "job": "fuzz",
        "set": "graphs",
        "declared": site.manifest is not None,
        "claims": list(claims),
        "seed": site.fuzzing.seed,
        "first": first,
        "count": count,
        "output": str(folder),
    }


def _nodes(ran: Iterable[Ran]) -> Counter[str]:
    """How many nodes there were of which operator."""
    found: Counter[str] = Counter()
    for each in ran:
        for record in each.named("nodes"):
            found.update({str(name): int(n) for name, n in record["nodes"].items()})
    return found


def _judged(site: Site, folder: Path, ran: Iterable[Ran]) -> Iterable[CaseResult]:
    deadly = 0
    for case in (as_case(record) for each in ran for record in each.cases):
        if case.outcome not in _DEADLY:
            yield case
        elif case.label.startswith(BY_CPU):  # the library has nothing to do with it
            yield CaseResult(case.label, Outcome.NOT_CHECKED, case.detail)
        else:
            deadly += 1
            yield _smaller(site, folder, case, _MOST_ROUNDS if deadly <= _MOST_SMALLER else 0)


def _smaller(site: Site, folder: Path, case: CaseResult, rounds: int) -> CaseResult:
    """A graph that ends the process, made smaller in processes that may end."""
    number = case.label.partition(" ")[2].partition(",")[0]
    if not number.isdigit():
        return case
    path: list[int] = []
    named = str(folder / f"graph-{site.fuzzing.seed}-{number}.onnx")
    job = {**_job(site, folder, site.claims.job(), int(number), 1), "set": "smaller", "skip": []}
    for _ in range(rounds):
        ended = site.worker({**job, "path": path})
        named = _last(ended.named("graph")) or named
        if ended.finished or fate(ended) is not case.outcome or not ended.step.isdigit():
            break
        path.append(int(ended.step))
    return CaseResult(case.label, case.outcome, f"{case.detail} ({named})")


# ---- compiled models ----


def compiled_models(site: Site, folder: Path) -> tuple[Check, ...]:
    """Spoilt copies of compiled models; those that are not refused are left in ``folder``.

    There is no line for a library that says it compiles no models; of others it is found out.
    """
    if site.manifest is not None and not site.manifest.ep_context.any:
        return ()
    count, seed = site.fuzzing.cases, site.fuzzing.seed
    done = itertools.count(1)
    with tempfile.TemporaryDirectory(prefix="epforge-fuzz-") as scratch:

        def batch(first: int) -> Ran:
            job = _job(site, folder, site.claims.job(), first, min(_BATCH, count - first))
            job = {**job, "set": "compiled models", "folder": scratch}
            found = site.cases(job, _RESTARTS, hangs=2)
            site.progress(f"[{min(next(done) * _BATCH, count)}/{count}] fuzz: spoilt models")
            return found

        with workers(site.jobs) as pool:
            ran = list(pool.map(batch, range(0, count, _BATCH)))
    cases = [as_case(record) for each in ran for record in each.cases]
    cases += [each.idle for each in ran[:1] if each.idle]
    if not cases:
        return ()
    passed = sum(case.outcome is Outcome.PASSED for case in cases)
    modes = " and ".join(ran[0].named("modes")[0]["modes"]) if ran[0].named("modes") else ""
    detail = f"{passed} spoilt copies refused or harmless, {modes}, seed {seed}"
    outcome, detail = verdict_of([_where(folder, case) for case in cases], detail)
    seconds = sum(each.seconds for each in ran)
    name = "compiled models"
    return (Check(Rung.FUZZ, name, outcome, detail, site.version, seconds, tuple(cases)),)


def _where(folder: Path, case: CaseResult) -> CaseResult:
    """A copy that ends the process, with where it lies."""
    if case.outcome not in _DEADLY:
        return case
    place = folder / case.label.rpartition("/")[2].replace(" ", "-")
    return replace(case, detail=f"{case.detail} ({place})")


def _last(records: Sequence[Mapping[str, Any]]) -> str:
    return str(records[-1]["text"]) if records else ""
