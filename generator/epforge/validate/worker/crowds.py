"""Job for the C++ host: sessions of the library by many threads at once, for ThreadSanitizer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from epforge.validate.worker import samples, session, there
from epforge.validate.worker.blocks import NONE, choose
from epforge.validate.worker.case import Cases, NotCheckedError
from epforge.validate.worker.records import Records
from epforge.validate.worker.sketch import Sketch, chain
from epforge.validate.worker.threads import THREADS

_RUNS = 25  # of each thread: a race is seen at once, whether values are wrong or not
_REGISTRATIONS = 4  # each has first EPs, which may be lucky
_CROWDS = {
    "made": f"{THREADS} EPs made at once",
    "one": f"one session, {THREADS} threads",
    "two": f"two sessions, {THREADS} threads each",
    "churn": f"sessions made and released while {THREADS} threads run",
}


def run(job: Mapping[str, Any], records: Records) -> None:
    """One case for each crowd."""
    with there.started(job["host"], Path.cwd()) as program:
        records.write("runtime", version=program.version())
        drawn = _drawn(job, program)
        if drawn is None:
            records.write("error", type="NoBlocks", text=NONE)
            return
        cases = Cases(job, records)
        library, ep = str(job["library"]), str(job["ep"])
        cases.run(_CROWDS["made"], partial(_first, program, job, drawn))
        with program.registered(job["name"], library):
            found = program.devices(library, ep)
            if not found:
                records.write("error", type="NoDevice", text=f"no device of {ep}")
                return
            models = [drawn, *samples.models(program, found[0], ep, job["claims"])]
            model = models[-1]  # the one that the CPU has a part in, if there is one
            for what in ("one", "two", "churn"):
                cases.run(_CROWDS[what], partial(_crowd, program, what, model, found[0]))


def _first(program: there.There, job: Mapping[str, Any], drawn: session.Model) -> str:
    """The first EPs of a registration, made at once, over some registrations."""
    for _ in range(_REGISTRATIONS):
        with program.registered(job["name"], job["library"]):
            for device in program.devices(str(job["library"]), str(job["ep"]))[:1]:
                _crowd(program, "made", drawn, device)
    return ""


def _crowd(program: there.There, what: str, model: session.Model, device: there.Device) -> str:
    program.crowd(what, model, device, THREADS, _RUNS)
    return ""


def _drawn(job: Mapping[str, Any], program: there.There) -> session.Model | None:
    """A model that the library takes as a whole, drawn without asking it."""
    blocks = choose(job["claims"], program.newest_opset())
    if not blocks.any:
        return None
    drawn = Sketch(replace(blocks, foreign=None))
    try:
        chain(drawn)
    except NotCheckedError:
        return None
    proto = drawn.model()
    return session.Model(proto.SerializeToString(), drawn.feeds(), proto)
