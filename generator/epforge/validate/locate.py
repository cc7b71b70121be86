"""Where in a library's contract a worker died: the same run again, seen through the shim."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from epforge.errors import EpforgeError
from epforge.validate.instruments import Instruments
from epforge.validate.process import Limits, WorkerRun
from epforge.validate.runtime import Runtime
from epforge.validate.worker.shimmed import Step, environment, under_way

# Breaches after which a process may die at any time.
_DEADLY = (
    "null-argument", "released-twice", "used-after-release", "unknown-handle",
    "returned-released-status", "exception-left-callback",
)  # fmt: skip


def run_located(
    runtime: Runtime,
    job: Mapping[str, object],
    limits: Limits,
    preload: tuple[str, ...],
    instruments: Instruments,
) -> WorkerRun:
    """Runs a job. Where a signal ends it, the result says in which callback of the library that
    was, if it happens again with the shim in between.

    Args:
        job: with the library under "library".
    """
    run = runtime.run(job, limits, preload)
    if not run.signal or preload or runtime.host is not None:
        return run
    try:
        shim = instruments.shim()
    except EpforgeError:  # without a compiler there is none
        return run
    if shim is None or str(shim) == str(job["library"]):
        return run
    return replace(run, place=_place(runtime, job, limits, shim))


def _place(runtime: Runtime, job: Mapping[str, object], limits: Limits, shim: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="epforge-place-") as folder:
        log = Path(folder) / "log"
        known = job.get("environment", {})
        assert isinstance(known, Mapping)
        variables = {**known, **environment(str(job["library"]), log)}
        again = runtime.run({**job, "library": str(shim), "environment": variables}, limits)
        return words(under_way(log)) if again.signal else _first_breach(log)


def _first_breach(log: Path) -> str:
    """What the shim took out of the way, so that the run ended well: the first breach of contract.

    Returns:
        The callback and the shim's words.
    """
    open_: dict[int, list[str]] = {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # the last one, cut off
        steps = open_.setdefault(int(record["thread"]), [])
        if record["event"] == "enter":
            steps.append(str(record["what"]))
        elif record["event"] in ("leave", "failed") and steps:
            steps.pop()
        elif record["event"] == "finding" and record["what"] in _DEADLY:
            callbacks = [step for step in steps if not _is_function(step)]
            within = f"{callbacks[-1]}, " if callbacks else ""
            return f"{within}{record['text']}"
    return ""


def words(steps: list[Step]) -> str:
    """The callbacks that were under way: OrtEp.Compile, in a call of OrtApi.Node_GetName."""
    found = []
    for step in steps:
        path = (*step.outer, step.what)
        callbacks = [each for each in path if not _is_function(each)] or [step.what]
        found.append(callbacks[-1] + (f", in a call of {step.what}" * _is_function(step.what)))
    return "; ".join(dict.fromkeys(found))


def _is_function(what: str) -> bool:
    """Is it a function of the runtime's, rather than a callback of the library's?"""
    return what.partition(".")[0].endswith("Api")
