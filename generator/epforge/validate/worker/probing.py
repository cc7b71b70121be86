"""Jobs for the C++ host: a library called as no runtime calls it, and sessions under sanitizers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from epforge.validate.worker import samples, there
from epforge.validate.worker.case import Cases, NotCheckedError
from epforge.validate.worker.ended import EndedError
from epforge.validate.worker.records import Records

MARK = "epforge-step: "  # on stderr, before what a step reports there
# Enough to tell what stays behind each time from what is made once.
_CYCLES = 10


def run(job: Mapping[str, Any], records: Records) -> None:
    """Runs the probes of ``job["probes"]``; with ``job["sanitize"]`` it looks for leaks behind
    each, and behind sessions."""
    with there.started(job["host"], Path.cwd()) as program:
        records.write("runtime", version=program.version())
        bench = _Bench(job, records, program)
        cases = Cases(job, records)
        try:
            for what in job["probes"]:
                cases.run(what, partial(bench.probe, what))
            if job["sanitize"]:
                cases.run("sessions", bench.sessions)
        except EndedError:
            records.write("calling", where=program.calling)
            raise


class _Bench:
    def __init__(self, job: Mapping[str, Any], records: Records, program: there.There) -> None:
        self._job = job
        self._records = records
        self._program = program

    def probe(self, what: str) -> str:
        self._mark(what)
        said = self._program.probe(what, self._job["library"], self._job["name"])
        self._records.write("tried", what=what, count=said["tried"])
        self._leaks()
        if said.get("skipped") and not said["wrong"]:
            raise NotCheckedError(str(said["skipped"]))
        return "; ".join(said["wrong"])

    def sessions(self) -> str:
        self._mark("sessions")
        library, ep = self._job["library"], str(self._job["ep"])
        program = self._program
        with program.registered(self._job["name"], library):
            found = program.devices(library, ep)
            if not found:
                raise NotCheckedError(f"no device of {ep}")
            models = list(samples.models(program, found[0], ep, self._job["claims"]))
            for model in models:
                program.cycles(model, found[0], _CYCLES)
        self._leaks()
        if not models:
            raise NotCheckedError("it takes no model that could be run")
        return ""

    def _mark(self, step: str) -> None:
        if not self._job["sanitize"]:
            return
        sys.stderr.write(f"{MARK}{step}\n")
        sys.stderr.flush()

    def _leaks(self) -> None:
        if self._job["sanitize"]:
            self._program.leaks()
