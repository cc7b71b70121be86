"""The way up the ladder, rung by rung, on one library."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

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
from epforge.validate.cross import OfTarget, Target
from epforge.validate.instruments import NONE, Instruments
from epforge.validate.load import Loaded, Loader
from epforge.validate.matrix import Matrix
from epforge.validate.model import (
    USUAL_FUZZING,
    Check,
    Fuzzing,
    Outcome,
    Rung,
)
from epforge.validate.process import Limits
from epforge.validate.runtime import THIS, Runtime
from epforge.validate.sanitizers import preload_for
from epforge.validate.site import Site
from epforge.validate.static import Kind
from epforge.validate.telling import Teller

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


@dataclass(frozen=True)
class Climb:
    """What is climbed, and how. See `validate` for what the members mean.

    Args:
        binary: the facts of the library's file.
        teller: told of each check as it ends.
        folder: where results are kept; None to keep none.
    """

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
            return found + [skipped(rung, why) for rung in above], False
        wrong = static.mismatch(self.binary, expect, place)
        loadable = not wrong and all(x in self.binary.exports for x in static.ENTRY_POINTS)
        if loadable and self.target and self.target.not_run:
            return found + [skipped(rung, self.target.not_run) for rung in above], False
        if loadable and Rung.STATIC not in self.rungs:
            return [], True
        failed = any(check.outcome.bad for check in found)
        if loadable and (self.keep_going or not failed):
            return found, True
        return found + [skipped(rung, "a lower rung failed") for rung in above], False

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
            return [skipped(Rung.MATRIX, "a lower rung failed")]
        if self.target and not self.target.native:
            return [skipped(Rung.MATRIX, "only on such a machine itself")]
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
            return [skipped(Rung.PACKAGE, "a library alone has no package")]
        if failed and not self.keep_going:
            return [skipped(Rung.PACKAGE, "a lower rung failed")]
        own = [runtime for runtime in runtimes if isinstance(runtime, Runtime)]
        if not own:
            return [skipped(Rung.PACKAGE, "only on such a machine itself")]
        if self.binary.sanitizers:
            return [skipped(Rung.PACKAGE, "nobody installs a library with sanitizers")]
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
                yield skipped(rung, "a lower rung failed", site.version)
            elif site.runtime.host and rung is not Rung.OPS:
                yield skipped(rung, "only on such a machine itself", site.version)
            elif lacking:
                yield skipped(rung, lacking, site.version)
            elif not site.records_placement:
                why = f"runtime {site.version} does not record which node went where (1.24 does)"
                yield skipped(rung, why, site.version)
            else:
                with self.teller.timed(rung, site.version):
                    if rung in _KEPT and not site.sanitize:  # which has a library of its own
                        asked = {"rung": str(rung), "thorough": site.thorough}
                        found = site.kept.checks(asked, partial(climb, site))
                    else:
                        found = tuple(climb(site))
                failed = failed or any(check.outcome.bad for check in found)
                yield from found


def skipped(rung: Rung, why: str, version: str = "") -> Check:
    """The one line of a rung that is not climbed."""
    return Check(rung, "all", Outcome.NOT_CHECKED, why, version)
