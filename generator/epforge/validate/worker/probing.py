"""Jobs for the C++ host: a library called as no runtime calls it, and sessions under sanitizers."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from epforge.validate.worker import failing, samples, session, there
from epforge.validate.worker.case import Cases, NotCheckedError
from epforge.validate.worker.ended import EndedError
from epforge.validate.worker.failing import is_struct
from epforge.validate.worker.records import Records

MARK = "epforge-step: "  # on stderr, before what a step reports there
# Enough to tell what stays behind each time from what is made once.
_CYCLES = 10
_MOST_FAILURES = 40


def run(job: Mapping[str, Any], records: Records) -> None:
    """Runs the probes of ``job["probes"]``; with ``job["sanitize"]`` it looks for leaks behind
    each, behind sessions, and with ``job["shim"]`` behind calls of the runtime that fail."""
    with there.started(job["host"], Path.cwd()) as program:
        records.write("runtime", version=program.version())
        bench = _Bench(job, records, program)
        cases = Cases(job, records)
        try:
            for what in job["probes"]:
                cases.run(what, partial(bench.probe, what))
            if job["sanitize"]:
                bench.hold()
                cases.run("sessions", bench.sessions)
                if job["shim"]:
                    bench.failures(cases)
        except EndedError:
            records.write("calling", where=program.calling)
            raise


class _Bench:
    def __init__(self, job: Mapping[str, Any], records: Records, program: there.There) -> None:
        self._job = job
        self._records = records
        self._program = program
        self._models: list[session.Model] = []

    def probe(self, what: str) -> str:
        self._mark(what)
        said = self._program.probe(what, self._job["library"], self._job["name"])
        self._records.write("tried", what=what, count=said["tried"])
        self._leaks()
        if said.get("skipped") and not said["wrong"]:
            raise NotCheckedError(str(said["skipped"]))
        return "; ".join(said["wrong"])

    def hold(self) -> None:
        """Keeps the library in memory from here on: stacks are read when it may be gone."""
        self._program.probe("streams", self._job["library"], self._job["name"])

    def sessions(self) -> str:
        self._mark("sessions")
        program = self._program
        with program.registered(self._job["name"], self._job["library"]):
            found = self._device(self._job["library"])
            self._models = list(
                samples.models(program, found, self._job["ep"], self._job["claims"])
            )
            for model in self._models:
                program.cycles(model, found, _CYCLES)
        self._leaks()
        if not self._models:
            raise NotCheckedError("it takes no model that could be run")
        return ""

    def failures(self, cases: Cases) -> None:
        """Calls of the runtime that fail, behind the shim: what is lost then has its stack."""
        self._control("reset")
        self._life()
        calls = json.loads(self._control("calls"))
        for name, nth in failing.points(calls, _MOST_FAILURES):
            cases.run(f"{name} ({nth})", partial(self._failure, name, nth))

    def _failure(self, name: str, nth: int) -> str:
        step = f"{name} ({nth})"
        self._mark(step)
        self._control("reset")
        self._control(f"fail {name} {nth}")
        self._life()
        self._control("fail_off")
        counts = json.loads(self._control("counts"))
        if any(c["created"] != c["released"] for kind, c in counts.items() if is_struct(kind)):
            self._records.write("kept", step=step)  # by the runtime, with all that it holds
        self._leaks()
        return ""

    def _life(self) -> None:
        """Registered, used, unregistered. What is said is for other lines to judge."""
        name, shim, program = self._job["name"], self._job["shim"], self._program
        try:
            program.register(name, shim)
        except there.ToldError:
            return
        for model in self._models:
            with suppress(there.ToldError, NotCheckedError, session.NotTakenError):
                program.open(model, self._device(shim), fallback=True).run(None, model.feeds)
        with suppress(there.ToldError):
            program.unregister(name)

    def _device(self, library: str) -> there.Device:
        found = self._program.devices(library, self._job["ep"])
        if not found:
            raise NotCheckedError(f"no device of {self._job['ep']}")
        return found[0]

    def _control(self, command: str) -> str:
        return self._program.control(self._job["shim"], command)

    def _mark(self, step: str) -> None:
        if not self._job["sanitize"]:
            return
        sys.stderr.write(f"{MARK}{step}\n")
        sys.stderr.flush()

    def _leaks(self) -> None:
        if self._job["sanitize"]:
            self._program.leaks()
