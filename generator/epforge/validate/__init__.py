"""Validation of a built library: a ladder of checks that works on any plugin EP.

Foreign code never runs in epforge's own process: a crash, a hang or a flood of memory ends a
worker and becomes a result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from epforge.cache import cache_dir
from epforge.errors import UsageError
from epforge.validate import (
    conformance,
    context,
    fuzz,
    graphs,
    memory,
    ops,
    package,
    static,
    threads,
)
from epforge.validate import kept as results
from epforge.validate import manifest as manifests
from epforge.validate.binary import Binary
from epforge.validate.cells import grid
from epforge.validate.conformance.lists import exclusions
from epforge.validate.conformance.table import tables
from epforge.validate.cross import OfTarget, Target
from epforge.validate.environment import environment
from epforge.validate.instruments import NONE, Instruments
from epforge.validate.load import Loaded, Loader
from epforge.validate.matrix import Matrix
from epforge.validate.model import (
    FIRST,
    RUNGS,
    USUAL,
    USUAL_FUZZING,
    CaseResult,
    Check,
    Fuzzing,
    Outcome,
    Report,
    Rung,
)
from epforge.validate.process import Limits, run_worker
from epforge.validate.runtime import THIS, Runtime, find_runtime
from epforge.validate.sanitizers import preload_for
from epforge.validate.site import Site
from epforge.validate.static import Kind
from epforge.validate.telling import Teller

__all__ = [
    "FIRST",
    "RUNGS",
    "THIS",
    "USUAL",
    "CaseResult",
    "Check",
    "Fuzzing",
    "Instruments",
    "Kind",
    "Limits",
    "Outcome",
    "Report",
    "Rung",
    "Runtime",
    "find_runtime",
    "read_binary",
    "validate",
]

# The rungs above `load`, lowest first, and what climbs them.
_ABOVE: Mapping[Rung, Callable[[Site], Sequence[Check]]] = {
    Rung.OPS: ops.run,
    Rung.GRAPHS: graphs.run,
    Rung.CONTEXT: context.run,
    Rung.CONFORMANCE: conformance.run,
    Rung.MEMORY: memory.run,
    Rung.THREADS: threads.run,
    Rung.FUZZ: fuzz.run,
}
# Those whose lines are kept as a whole; rung `ops` keeps each of its own.
_KEPT = (Rung.GRAPHS, Rung.CONTEXT, Rung.MEMORY)


def read_binary(library: Path, limits: Limits | None = None) -> Binary:
    """What a file is. Foreign bytes are parsed in a process of their own.

    Raises UsageError when there is no such file.
    """
    if not library.exists():
        raise UsageError(f"{library}: no such file", "build the project first: epforge build")
    run = run_worker({"job": "binary", "library": str(library)}, limits or Limits())
    found = run.named("binary")
    if not found:
        return Binary("unknown", damage=f"reading it ends with {run.ended or 'nothing'}")
    return Binary.from_json({k: v for k, v in found[0].items() if k != "record"})


def validate(
    library: Path,
    manifest: Path | None = None,
    *,
    rungs: Sequence[Rung] = FIRST,
    runtimes: Sequence[Runtime | OfTarget] = (THIS,),
    target: Target | None = None,
    keep_going: bool = False,
    allow_no_devices: bool = False,
    expect: Kind = Kind.PLUGIN_EP,
    only: Sequence[str] = (),
    ep: str = "",
    more_exclusions: Path | None = None,
    limits: Limits | None = None,
    instruments: Instruments = NONE,
    thorough: bool = True,
    sanitize: bool = False,
    keep: bool = False,
    fuzzing: Fuzzing = USUAL_FUZZING,
    jobs: int = 2,
    make_wheel: Callable[[Path], Path] | None = None,
    make_native_wheel: Callable[[Path], Path] | None = None,
    progress: Callable[[str], None] = lambda _: None,
    on_check: Callable[[Check], None] = lambda _: None,
    blueprint: Path | None = None,
) -> Report:
    """Climbs the ladder on one library and reports what was found.

    Args:
        library: the plugin library.
        manifest: what it claims; by default ``<library>.manifest.json`` if that is there. Without
            one the claims are probed.
        rungs: which rungs to climb, lowest first.
        runtimes: the onnxruntime packages to do it on.
        target: the platform that the library is for; this machine's own if None. `runtimes` are
            then those of that platform.
        keep_going: climb on after a rung that failed, where that is possible at all.
        allow_no_devices: zero devices are no failure.
        expect: PLUGIN_EP, or CUSTOM_OPS, of which only rung `static` is known.
        only: names of ops to restrict the rungs `ops` and `conformance` to.
        ep: which execution provider, of a library that has several; the first by default.
        more_exclusions: a file of node tests that rung `conformance` excludes, beside its own.
        limits: what a worker process may use.
        instruments: what the rungs `memory` and `threads` look through.
        thorough: run every model of rung `ops`, in a process for each op; otherwise those that
            stand for all of them, and ops that are well share processes.
        sanitize: the rungs that can use the library with sanitizers, too.
        keep: keep what is well in the cache, and take from there what has not changed.
        fuzzing: what rung `fuzz` tries, and where it leaves what it finds.
        jobs: workers at a time.
        make_wheel: for rung `package`: makes the library's wheel in a directory and returns its
            path; it may raise EpforgeError. None for a library that has none.
        make_native_wheel: the same for the wheel of the kernels for NumPy.
        progress: told what is being done.
        on_check: told of each check as it is known, one call at a time, from whichever thread.
        blueprint: the file that the library was made from, for the report.

    Raises UsageError for a library, a manifest or a list of exclusions that is not there or cannot
    be read, MissingError
    when what rung `package` installs cannot be had. Whatever the library does is in the report,
    never an exception.
    """
    started, date = time.monotonic(), datetime.now(UTC)
    library = Path(library).absolute()
    if manifest is None and manifests.beside(library).is_file():
        manifest = manifests.beside(library)
    excluded = exclusions(more_exclusions)
    climb = _Climb(
        library=library,
        binary=read_binary(library, limits),
        rungs=tuple(rungs),
        keep_going=keep_going,
        allow_no_devices=allow_no_devices,
        only=tuple(only),
        ep=ep,
        limits=limits or Limits(),
        jobs=jobs,
        progress=progress,
        target=target,
        excluded=excluded,
        instruments=instruments,
        teller=Teller(on_check),
        thorough=thorough,
        sanitize=sanitize,
        folder=cache_dir("results") if keep else None,
        manifest=manifest,
        fuzzing=fuzzing,
    )
    claims = manifests.load(manifest) if manifest else None
    checks, loadable = climb.static(expect)
    climb.teller.note(Rung.STATIC, "", time.monotonic() - started)
    climb.teller.tell_all(checks)
    name = ep or (claims.ep if claims else "")
    versions: list[str] = []
    loading = loadable and set(rungs) - {Rung.STATIC, Rung.PACKAGE, Rung.MATRIX}
    for runtime in runtimes if loading else ():
        with runtime.at_hand(progress) as there:
            loaded, more = climb.on_runtime(there, claims)
        checks += more
        versions.append(loaded.runtime)
        name = name or loaded.ep
    if loadable and Rung.PACKAGE in rungs:
        failed = any(check.outcome.bad for check in checks)
        with climb.teller.timed(Rung.PACKAGE):
            packed = climb.package(make_wheel, make_native_wheel, runtimes, failed)
        climb.teller.tell_all(packed)
        checks += packed
        versions = versions or list(dict.fromkeys(check.runtime for check in checks))
    if loadable and Rung.MATRIX in rungs:
        failed = any(check.outcome.bad for check in checks)
        with climb.teller.timed(Rung.MATRIX):
            for check in climb.matrix(claims, failed):
                climb.teller.tell(check)
                checks.append(check)
    if climb.folder:
        results.prune(climb.folder)
    return Report(
        library=library,
        ep=name,
        manifest=manifest,
        runtimes=tuple(filter(None, versions)),
        checks=tuple(checks),
        seconds=time.monotonic() - started,
        target=target.name if target else "",
        conformance=tuple(tables(checks)),
        started=date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        environment=environment(library, climb.binary, manifest, blueprint),
        timings=climb.teller.of({check.rung for check in checks}),
        ops=tuple(grid(checks, claims.ops if claims else ())),
    )


@dataclass(frozen=True)
class _Climb:
    library: Path
    binary: Binary
    rungs: tuple[Rung, ...]
    keep_going: bool
    allow_no_devices: bool
    only: tuple[str, ...]
    ep: str
    limits: Limits
    jobs: int
    progress: Callable[[str], None]
    target: Target | None = None
    excluded: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    instruments: Instruments = NONE
    teller: Teller = field(default_factory=Teller)
    thorough: bool = True
    sanitize: bool = False
    folder: Path | None = None
    manifest: Path | None = None
    fuzzing: Fuzzing = USUAL_FUZZING

    def static(self, expect: Kind) -> tuple[list[Check], bool]:
        """The lines of rung `static`, and whether the library may be loaded.

        The rung is always climbed, for its sake; its lines count if it was asked for, or if they
        say why nothing more is done.
        """
        place = self.target.place if self.target else static.here()
        found = list(static.check(self.library, self.binary, expect, place))
        above = [rung for rung in self.rungs if rung is not Rung.STATIC]
        if expect is not Kind.PLUGIN_EP:
            why = "custom-op libraries have rung static only"
            return found + [_skipped(rung, why) for rung in above], False
        wrong = static.mismatch(self.binary, expect, place)
        loadable = not wrong and all(x in self.binary.exports for x in static.ENTRY_POINTS)
        if loadable and self.target and self.target.not_run:
            return found + [_skipped(rung, self.target.not_run) for rung in above], False
        if loadable and Rung.STATIC not in self.rungs:
            return [], True
        failed = any(check.outcome.bad for check in found)
        if loadable and (self.keep_going or not failed):
            return found, True
        return found + [_skipped(rung, "a lower rung failed") for rung in above], False

    def on_runtime(
        self, runtime: Runtime, claims: manifests.Manifest | None
    ) -> tuple[Loaded, list[Check]]:
        """The rungs above `static`, on one runtime."""
        where = f" in onnxruntime {runtime.label}" if runtime.label else ""
        self.progress(f"loading {self.library.name}{where}")
        preload = preload_for(self.binary)
        limits = self.limits
        if self.binary.sanitizers:  # they are slow, and reserve memory by the terabyte
            limits = Limits(limits.stall_s * 3, memory_mb=0)
        started = time.monotonic()
        loaded = Loader(
            self.library, claims, runtime, limits, self.allow_no_devices, preload, self.jobs,
            self.instruments, self.ep,
        ).run()  # fmt: skip
        self.teller.note(Rung.LOAD, loaded.runtime, time.monotonic() - started)
        failed = any(check.outcome.bad for check in loaded.checks)
        shown = Rung.LOAD in self.rungs or failed or not loaded.usable
        checks = list(loaded.checks) if shown else []
        self.teller.tell_all(checks)
        site = Site(
            self.library,
            claims,
            runtime,
            loaded.runtime,
            loaded.name,
            loaded.ep,
            limits,
            preload=preload,
            jobs=self.jobs,
            only=self.only,
            progress=self.progress,
            excluded=self.excluded,
            instruments=self.instruments,
            on_check=self.teller.tell,
            kept=self._kept(claims, runtime, loaded),
            thorough=self.thorough,
            sanitize=self.sanitize,
            fuzzing=self.fuzzing,
        )
        lacking = "" if loaded.usable else loaded.lacking
        for check in self._above_load(site, lacking, failed):
            self.teller.tell(check)
            checks.append(check)
        return loaded, checks

    def matrix(self, claims: manifests.Manifest | None, failed: bool) -> Iterable[Check]:
        """Rung `matrix`, on runtimes of its own.

        Args:
            failed: something below has failed.
        """
        if failed and not self.keep_going:
            return [_skipped(Rung.MATRIX, "a lower rung failed")]
        if self.target and not self.target.native:
            return [_skipped(Rung.MATRIX, "only on such a machine itself")]
        site = Site(
            self.library,
            claims,
            THIS,
            "",
            "",
            self.ep,
            self.limits,
            preload=preload_for(self.binary),
            jobs=self.jobs,
            only=self.only,
            progress=self.progress,
            instruments=self.instruments,
        )

        def kept(runtime: Runtime, version: str) -> results.Kept:
            return self._kept(claims, runtime, Loaded((), version, ep=self.ep))

        return Matrix(site, self.allow_no_devices, kept).run()

    def _kept(
        self, claims: manifests.Manifest | None, runtime: Runtime, loaded: Loaded
    ) -> results.Kept:
        """The results of this library in this runtime that are kept."""
        if self.folder is None or runtime.host:
            return results.Kept()
        own = claims.custom_ops_beside(self.library) if claims else None
        beside = [self.library.with_name(name) for name in self.binary.needed]
        files = [self.library, *filter(None, [self.manifest, own])]
        files += [path for path in beside if path.is_file()]
        facts = {
            "name": self.library.name,
            "claims": self.manifest is not None,
            "runtime": loaded.runtime,
            "registered": loaded.name,
            "ep": loaded.ep,
            "limits": asdict(self.limits),
        }
        return results.Kept(self.folder, results.origin(files, facts, runtime.directory))

    def package(
        self,
        make_wheel: Callable[[Path], Path] | None,
        make_native: Callable[[Path], Path] | None,
        runtimes: Sequence[Runtime | OfTarget],
        failed: bool,
    ) -> Sequence[Check]:
        """Rung `package`, on all runtimes.

        Args:
            failed: something below has failed.
        """
        if make_wheel is None:
            return [_skipped(Rung.PACKAGE, "a library alone has no package")]
        if failed and not self.keep_going:
            return [_skipped(Rung.PACKAGE, "a lower rung failed")]
        own = [runtime for runtime in runtimes if isinstance(runtime, Runtime)]
        if not own:
            return [_skipped(Rung.PACKAGE, "only on such a machine itself")]
        if self.binary.sanitizers:
            return [_skipped(Rung.PACKAGE, "nobody installs a library with sanitizers")]
        packing = package.Packing(
            self.library, make_wheel, own, self.limits, self.progress, make_native=make_native
        )
        return package.run(packing)

    def _above_load(self, site: Site, lacking: str, failed: bool) -> Iterator[Check]:
        """The rungs that need devices.

        Args:
            lacking: why none of them can be climbed; empty if they can.
            failed: something below has failed.
        """
        for rung, climb in _ABOVE.items():
            if rung not in self.rungs:
                continue
            if failed and not self.keep_going:
                yield _skipped(rung, "a lower rung failed", site.version)
            elif site.runtime.host and rung is not Rung.OPS:
                yield _skipped(rung, "only on such a machine itself", site.version)
            elif lacking:
                yield _skipped(rung, lacking, site.version)
            elif not site.records_placement:
                why = f"runtime {site.version} does not record which node went where (1.24 does)"
                yield _skipped(rung, why, site.version)
            else:
                with self.teller.timed(rung, site.version):
                    if rung in _KEPT and not site.sanitize:  # which has a library of its own
                        asked = {"rung": str(rung), "thorough": site.thorough}
                        found = site.kept.checks(asked, partial(climb, site))
                    else:
                        found = tuple(climb(site))
                failed = failed or any(check.outcome.bad for check in found)
                yield from found


def _skipped(rung: Rung, why: str, version: str = "") -> Check:
    return Check(rung, "all", Outcome.NOT_CHECKED, why, version)
