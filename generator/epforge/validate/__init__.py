"""Validation of a built library: a ladder of checks that works on any plugin EP.

Foreign code never runs in epforge's own process: a crash, a hang or a flood of memory ends a
worker and becomes a result.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from epforge.errors import UsageError
from epforge.validate import manifest as manifests
from epforge.validate import static
from epforge.validate.binary import Binary
from epforge.validate.load import Loader
from epforge.validate.model import RUNGS, CaseResult, Check, Outcome, Report, Rung
from epforge.validate.ops import OpsRung
from epforge.validate.process import Limits, run_worker
from epforge.validate.runtime import THIS, Runtime, find_runtime
from epforge.validate.sanitizers import preload_for
from epforge.validate.static import Kind

__all__ = [
    "RUNGS",
    "THIS",
    "CaseResult",
    "Check",
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
    rungs: Sequence[Rung] = RUNGS,
    runtimes: Sequence[Runtime] = (THIS,),
    keep_going: bool = False,
    allow_no_devices: bool = False,
    expect: Kind = Kind.PLUGIN_EP,
    only: Sequence[str] = (),
    limits: Limits | None = None,
    jobs: int = 2,
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Climbs the ladder on one library and reports what was found.

    Args:
        library: the plugin library.
        manifest: what it claims; by default ``<library>.manifest.json`` if that is there. Without
            one the claims are probed.
        rungs: which rungs to climb, lowest first.
        runtimes: the onnxruntime packages to do it on.
        keep_going: climb on after a rung that failed, where that is possible at all.
        allow_no_devices: zero devices are no failure.
        expect: PLUGIN_EP, or CUSTOM_OPS, of which only rung `static` is known.
        only: names of ops to restrict rung `ops` to.
        limits: what a worker process may use.
        jobs: workers at a time.
        progress: told what is being done.

    Raises UsageError for a library or manifest that is not there or cannot be read. Whatever the
    library does is in the report, never an exception.
    """
    started = time.monotonic()
    library = Path(library).absolute()
    limits = limits or Limits()
    binary = read_binary(library, limits)
    if manifest is None and manifests.beside(library).is_file():
        manifest = manifests.beside(library)
    claims = manifests.load(manifest) if manifest else None
    checks = list(static.check(library, binary, expect, sys.platform))
    stop = any(check.outcome.bad for check in checks)
    loadable = not static.mismatch(binary, expect, sys.platform) and not _lacks_entry(binary)
    if Rung.STATIC not in rungs and loadable and expect is Kind.PLUGIN_EP:
        checks, stop = [], False
    ep = claims.ep if claims else ""
    versions: list[str] = []
    climb = [rung for rung in rungs if rung is not Rung.STATIC]
    if expect is not Kind.PLUGIN_EP:
        checks += [_skipped(rung, "custom-op libraries have rung static only") for rung in climb]
        climb = []
    if climb and (not loadable or (stop and not keep_going)):
        checks += [_skipped(rung, "a lower rung failed") for rung in climb]
        climb = []
    for runtime in runtimes if climb else ():
        progress(
            f"loading {library.name}"
            + (f" in onnxruntime {runtime.label}" if runtime.label else "")
        )
        preload = preload_for(binary)
        bounds = limits if not binary.sanitizers else Limits(limits.stall_s * 3, 0)
        loaded = Loader(library, claims, runtime, bounds, allow_no_devices, preload, jobs).run()
        versions.append(loaded.runtime)
        ep = ep or loaded.ep
        failed = any(check.outcome.bad for check in loaded.checks)
        if Rung.LOAD in climb or failed or not loaded.usable:
            checks += loaded.checks
        if Rung.OPS not in climb:
            continue
        if not loaded.usable or (failed and not keep_going):
            why = "a lower rung failed" if failed else "no device to run on"
            checks.append(_skipped(Rung.OPS, why, loaded.runtime))
            continue
        checks += OpsRung(
            library, claims, runtime, loaded.runtime, loaded.name, loaded.ep, bounds,
            preload, jobs, tuple(only), progress,
        ).run()  # fmt: skip
    return Report(
        library=library,
        ep=ep,
        manifest=manifest,
        runtimes=tuple(filter(None, versions)),
        checks=tuple(checks),
        seconds=time.monotonic() - started,
    )


def _lacks_entry(binary: Binary) -> bool:
    return any(name not in binary.exports for name in static.ENTRY_POINTS)


def _skipped(rung: Rung, why: str, version: str = "") -> Check:
    return Check(rung, "all", Outcome.NOT_CHECKED, why, version)
