"""What a library is: by its bytes, and by what it says when it is asked.

Foreign code runs in processes of its own; how one ended is a line of the report, and the rest of
the report stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epforge.validate import static
from epforge.validate.binary import Binary
from epforge.validate.inspection import findings
from epforge.validate.inspection.hardware import MadeUp
from epforge.validate.inspection.model import (
    Answers,
    Ended,
    Factory,
    Filled,
    Finding,
    Inspection,
    OnHardware,
    Slot,
    slots,
)
from epforge.validate.load import NAME, VIRTUAL, in_short, verdict
from epforge.validate.manifest import beside
from epforge.validate.process import Limits, WorkerRun, workers
from epforge.validate.runtime import THIS, Runtime
from epforge.validate.static import Kind

__all__ = ["Finding", "Inspection", "MadeUp", "Slot", "inspect", "json_schema"]

#: Per struct, its members in order.
Layouts = Mapping[str, Sequence[Slot]]
_OF_ORT = "The requested API version ["  # what old runtimes write when they are asked for a new one
_CRASHES = 4  # of made-up devices, until the rest is left alone


def inspect(
    library: Path,
    layouts: Layouts,
    *,
    binary: Binary,
    runtime: Runtime = THIS,
    hardware: Sequence[MadeUp] = (),
    expect: Kind = Kind.PLUGIN_EP,
    limits: Limits | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Inspection:
    """Finds out what a file is.

    Args:
        layouts: the structs of ONNX Runtime's that are looked at; see `capi.Layouts`.
        binary: the file's facts.
        hardware: made-up devices to offer it.
        expect: what the file should be.
        limits: what a worker process may use.
    """
    place = static.here()
    wrong = static.mismatch(binary, expect, place)
    manifest = beside(library)
    found = Inspection(
        library=library,
        kind=static.identify(binary),
        expected=expect,
        wrong=wrong,
        size=0 if library.is_dir() else library.stat().st_size,
        binary=binary,
        manifest=manifest if manifest.is_file() else None,
        answers=None,
        not_run=_not_run(binary, expect, place, wrong),
    )
    lines = static.check(library, binary, expect, place)
    static_findings = tuple(findings.of_file(lines)) if not wrong else ()
    if found.not_run:
        return replace(found, findings=static_findings)
    job = {
        "job": "entry",
        "library": str(library),
        "name": NAME,
        "layouts": {name: [(m.name, m.since) for m in of] for name, of in layouts.items()},
    }
    asking = _Asking(library, layouts, job, runtime, limits or Limits(), progress)
    answers = asking.run(hardware)
    more = tuple(findings.of_answers(answers, NAME))
    return replace(found, answers=answers, findings=(*static_findings, *more))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of an inspection's JSON."""
    path = Path(__file__).with_name("schema.json")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _not_run(binary: Binary, expect: Kind, place: static.Place, wrong: str) -> str:
    """Why the file is only looked at."""
    if static.is_foreign(binary, place):
        return f"it is for {binary.format} on {binary.machine}, which this machine is not"
    if wrong:
        return f"it is no {expect} for this machine"
    if expect is not Kind.PLUGIN_EP:
        return "custom-op libraries are only looked at"
    missing = [name for name in static.ENTRY_POINTS if name not in binary.exports]
    return f"{missing[0]} is not exported" if missing else ""


@dataclass(frozen=True)
class _Asking:
    library: Path
    layouts: Layouts
    job: Mapping[str, object]
    runtime: Runtime
    limits: Limits
    progress: Callable[[str], None]

    def _worker(self, **more: object) -> WorkerRun:
        return self.runtime.run({**self.job, **more}, self.limits)

    def run(self, hardware: Sequence[MadeUp]) -> Answers:
        """Everything that it can be asked."""
        self.progress(f"asking {self.library.name}")
        names = [NAME, NAME + VIRTUAL]
        with workers(2) as pool:
            asking = pool.submit(self._worker)
            older = pool.submit(self._worker, pretend=findings.OLDER)
            registered = self._registered(names)
            entry, old = asking.result(), older.result()
        seen = {str(r["name"]): tuple(r["devices"]) for r in registered.named("devices")}
        name = next((each for each in names if seen.get(each)), "")
        if name not in ("", NAME):  # a virtual device: it is asked under the name that it needs
            entry = self._worker(name=name)
        gone = registered.named("unregistered")
        versions = [*entry.named("runtime"), *registered.named("runtime")]
        answers = Answers(
            runtime=str(versions[0]["version"]) if versions else "",
            level=int(str(versions[0].get("level") or 0)) if versions else 0,
            asked=tuple((int(r["level"]), bool(r["given"])) for r in entry.named("asked")),
            older=_older(old),
            entry=_ended(entry),
            registered=_registered(registered),
            name=name,
            factories=tuple(self._factories(entry)),
            devices=seen.get(name, ()),
            unmapped=None if not gone or gone[-1]["mapped"] is None else not gone[-1]["mapped"],
            log=tuple(str(r["text"]) for r in entry.named("log")),
            stray=self._stray(registered),
        )
        if hardware and answers.factories:
            self.progress(f"offering {self.library.name} made-up hardware")
            answers = replace(answers, hardware=tuple(self._made_up(hardware)))
        return answers

    def _registered(self, names: Sequence[str]) -> WorkerRun:
        job = {"job": "register", "library": str(self.library), "names": names, "severity": 1}
        return self.runtime.run(job, self.limits)

    def _stray(self, registered: WorkerRun) -> tuple[str, ...]:
        """What it writes to stderr that a runtime without it does not."""
        if not registered.stray:
            return ()
        job = {"job": "baseline", "library": str(self.library), "severity": 1}
        usual = set(self.runtime.run(job, self.limits).stray)
        own = [line for line in registered.stray if not line.startswith(_OF_ORT)]
        return tuple(line for line in own if line not in usual)

    def _factories(self, run: WorkerRun) -> list[Factory]:
        made = []
        for said in run.named("factory"):
            index = int(said["index"])

            def mine(record: str, index: int = index) -> list[Mapping[str, Any]]:
                return [each for each in run.named(record) if each["factory"] == index]

            eps, offered = mine("ep"), mine("offered")
            made.append(
                Factory(
                    **{key: value for key, value in said.items() if key != "record"},
                    ep=str(eps[0]["name"]) if eps else None,
                    memory=tuple(offered[0]["memory"]) if offered else (),
                    structs=tuple(map(self._filled, mine("struct"))),
                    errors=tuple((str(e["where"]), str(e["text"])) for e in mine("error")),
                )
            )
        return made

    def _filled(self, said: Mapping[str, Any]) -> Filled:
        name = str(said["struct"])
        there, unset, lacking = slots(said["members"], self.layouts[name])
        ints = int(said["factory"]), name, str(said["of"]), int(said["stamp"])
        return Filled(*ints, there, unset, lacking)

    def _made_up(self, hardware: Sequence[MadeUp]) -> list[OnHardware]:
        """What is offered on each, over as many workers as it takes."""
        found: dict[int, OnHardware] = {}
        asked = [each.job() for each in hardware]
        for _ in range(_CRASHES):
            run = self._worker(hardware=asked, skip=sorted(found))
            for said in run.named("made up"):
                place, devices = int(said["place"]), said["devices"]
                before = found.get(place, OnHardware(hardware[place].name))
                eps = (*before.eps, *(str(each["ep"]) for each in devices))
                own = before.own or any(each["own"] for each in devices)
                found[place] = replace(before, eps=eps, own=own)
            texts = {each.name: place for place, each in enumerate(hardware)}
            for error in run.named("error"):
                hit = texts.get(str(error["where"]).removeprefix("GetSupportedDevices on "))
                if hit is not None:
                    found.setdefault(hit, OnHardware(hardware[hit].name))
                    found[hit] = replace(found[hit], detail=str(error["text"]))
            if run.finished:
                break
            at = run.step.removeprefix("GetSupportedDevices on ").rpartition(" of factory ")[0]
            if at not in texts:
                break
            found[texts[at]] = OnHardware(at, detail=run.fault)
        return [
            found.get(i, OnHardware(h.name, detail="not asked")) for i, h in enumerate(hardware)
        ]


def _ended(run: WorkerRun) -> Ended:
    """How a job that asks directly went."""
    if run.timed_out or run.signal:
        return Ended("timed out" if run.timed_out else "crashed", run.ended)
    for record, outcome in (("unloadable", "failed"), ("refused", "refused")):
        if run.named(record):
            return Ended(outcome, " ".join(str(run.named(record)[0]["text"]).split())[:400])
    if run.ended:
        return Ended("not run" if not run.named("runtime") else "failed", run.ended)
    return Ended("fine")


def _older(run: WorkerRun) -> Ended:
    """How it goes on a runtime that has nothing for it; fine with words means: it says nothing."""
    ended = _ended(run)
    made = run.named("factories")
    if ended.outcome != "fine" or not made:
        return ended
    if not made[0]["count"]:
        return Ended("fine", "registers without a factory and without an error")
    if any(not record["given"] for record in run.named("asked")):
        return Ended("fine", f"was refused, and yet makes {made[0]['count']} factories")
    return ended


def _registered(run: WorkerRun) -> Ended:
    outcome, detail = verdict(run)
    word = str(outcome)
    errors = run.named("error")
    if word == "failed" and errors and run.step.startswith("register as"):
        return Ended("refused", in_short(str(errors[0]["text"])))
    return Ended("fine" if word == "passed" else word, detail)
