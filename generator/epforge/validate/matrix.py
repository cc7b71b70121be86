"""Rung `matrix`: one binary on every onnxruntime from the oldest it promises to the newest, and on
one that is older: there it must be refused, with both versions in the text.

FR 3, 4 of the field reports, rule R4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from epforge.errors import MissingError
from epforge.validate import ops
from epforge.validate.kept import Kept
from epforge.validate.load import NAME, VIRTUAL, Loaded, Loader, fate, refused
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.process import WorkerRun
from epforge.validate.releases import Releases, choose, find_releases
from epforge.validate.runtime import Runtime, find_runtime
from epforge.validate.site import Site, as_case, idle, verdict_of

# A glimpse of rung `graphs`.
_GRAPHS = (
    "partitions/chain",
    "partitions/chain in two parts",
    "partitions/diamond",
    "shapes/rank 0",
    "shapes/zero size",
)


@dataclass(frozen=True)
class Matrix:
    """A library to be run on many runtimes.

    Args:
        site: of the library; its runtime is replaced by each in turn. Its provider is the one to
            look at, if there are several.
        allow_no_devices: offering none is no failure.
        kept: the results of before, for a runtime and its version.
        find: lists the releases.
    """

    site: Site
    allow_no_devices: bool
    kept: Callable[[Runtime, str], Kept]
    find: Callable[[], Releases] = find_releases

    def run(self) -> Iterator[Check]:
        """One line per release, oldest first."""
        self.site.progress("matrix: which releases of onnxruntime there are")
        releases = self.find()
        if releases.lacking:
            why = f"only releases on this machine are known: {releases.lacking}"
            yield Check(Rung.MATRIX, "releases", Outcome.NOT_CHECKED, why)
        manifest = self.site.manifest
        choice = choose(releases.versions, manifest.minimum if manifest else None)
        if manifest and not choice.too_old:
            why = f"no release older than {_minor(manifest.minimum)} is to be had"
            yield Check(Rung.MATRIX, "too old", Outcome.NOT_CHECKED, why)
        versions = [*filter(None, [choice.too_old]), *choice.supported]
        for number, version in enumerate(versions, 1):
            line = self._line(version, version == choice.too_old)
            count = f"[{number}/{len(versions)}]"
            self.site.progress(f"{count} matrix onnxruntime {version}: {line.outcome}")
            yield line

    def _line(self, version: str, too_old: bool) -> Check:
        name = "too old" if too_old else "works"
        try:
            runtime = find_runtime(version, self.site.progress)
        except MissingError as error:
            return Check(Rung.MATRIX, name, Outcome.NOT_CHECKED, error.message, version)
        made = self._refused if too_old else self._works
        asked = {"rung": str(Rung.MATRIX), "too old": too_old, "only": list(self.site.only)}
        (line,) = self.kept(runtime, version).checks(asked, lambda: [made(runtime, version)])
        return line

    def _refused(self, runtime: Runtime, version: str) -> Check:
        site = self.site
        assert site.manifest is not None
        job = {"job": "register", "library": str(site.library), "names": [NAME, NAME + VIRTUAL]}
        run = runtime.run({**job, "severity": 1}, site.limits, site.preload)
        outcome, detail = refused(run, site.manifest.minimum, version)
        return Check(Rung.MATRIX, "too old", outcome, detail, version, run.seconds)

    def _works(self, runtime: Runtime, version: str) -> Check:
        site = self.site
        loaded = Loader(
            site.library, site.manifest, runtime, site.limits, self.allow_no_devices, site.preload,
            site.jobs, site.instruments, site.ep,
        ).run()  # fmt: skip
        cases = [CaseResult(f"load {c.name}", c.outcome, c.detail) for c in loaded.checks]
        seconds = sum(check.seconds for check in loaded.checks)
        if loaded.usable and not any(check.outcome.bad for check in loaded.checks):
            here = replace(
                site, runtime=runtime, version=loaded.runtime, name=loaded.name, ep=loaded.ep
            )
            for record in (_ops(here), _graphs(here)):
                cases += record.cases
                seconds += record.seconds
        outcome, detail = verdict_of(cases, _passed(cases, loaded))
        return Check(Rung.MATRIX, "works", outcome, detail, version, seconds, tuple(cases))


@dataclass(frozen=True)
class _Part:
    cases: list[CaseResult]
    seconds: float


def _ops(site: Site) -> _Part:
    """One model of each op and since-version."""
    if not site.records_placement:
        why = f"runtime {site.version} does not record which node went where"
        return _Part([CaseResult("ops", Outcome.NOT_CHECKED, why)], 0)
    groups = list(ops.asked(site).values())
    batch = [ops.claimed(site, claims) for claims in groups]
    if not batch:
        return _Part([CaseResult("ops", Outcome.NOT_CHECKED, "no op is claimed")], 0)
    run = site.worker({"job": "ops", "skip": [], "brief": True, "batch": batch})
    name, cases = "", []
    for record in run.records:
        if record["record"] == "operator":
            name = groups[int(record["index"])][0].name
        elif record["record"] == "case":
            case = as_case(record)
            cases.append(replace(case, label=f"{name} {case.label}"))
    return _Part([*cases, *_end(run, f"ops {name} {run.step}".rstrip())], run.seconds)


def _graphs(site: Site) -> _Part:
    if not site.records_placement:
        return _Part([], 0)
    job: Mapping[str, Any] = {"declared": site.manifest is not None, "claims": site.claims.job()}
    run = site.worker({"job": "graphs", "skip": [], "only": _GRAPHS, **job})
    cases = [as_case(record) for record in run.named("case")]
    return _Part([*cases, *_end(run, f"graphs {run.step}".rstrip())], run.seconds)


def _end(run: WorkerRun, label: str) -> Iterator[CaseResult]:
    """A process that did not come to its end, or did nothing, as a case."""
    if nothing := idle(run.named("error")):
        yield replace(nothing, label=label)
    elif run.ended or not run.finished:
        yield CaseResult(label, fate(run), run.fault)


def _passed(cases: Sequence[CaseResult], loaded: Loaded) -> str:
    """The detail of a line that is well."""
    passed = [case.label for case in cases if case.outcome is Outcome.PASSED]
    graphs = sum(label.startswith(("partitions/", "shapes/")) for label in passed)
    models = len(passed) - graphs - sum(label.startswith("load ") for label in passed)
    parts = [f"{models} models of ops and {graphs} graphs right"] if models or graphs else []
    open_ = [c.detail for c in cases if c.outcome is Outcome.NOT_CHECKED and c.label == "ops"]
    return "; ".join(["loads", *parts, *open_]) if loaded.usable else "loads, no device"


def _minor(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version[:2]))
