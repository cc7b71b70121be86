"""The whole ladder on one library, and what a file is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from epforge.cache import cache_dir
from epforge.errors import UsageError
from epforge.validate import kept as results
from epforge.validate import manifest as manifests
from epforge.validate.binary import Binary
from epforge.validate.cells import grid
from epforge.validate.climb import Climb
from epforge.validate.conformance.lists import exclusions
from epforge.validate.conformance.table import tables
from epforge.validate.cross import OfTarget, Target
from epforge.validate.environment import environment
from epforge.validate.instruments import NONE, Instruments
from epforge.validate.model import (
    FIRST,
    USUAL_FUZZING,
    Check,
    Fuzzing,
    Report,
    Rung,
)
from epforge.validate.process import Limits, run_worker
from epforge.validate.runtime import THIS, Runtime
from epforge.validate.static import Kind
from epforge.validate.telling import Teller


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
    climb = Climb(
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
