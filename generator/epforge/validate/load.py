"""Rung `load`: the library in a real runtime, registered, listed, unregistered.

Rules R4, R5, R15 and FR 3, 13, 15, 20, 25 of the field reports. Each check is a fresh process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.validate import options
from epforge.validate.instruments import NONE, Instruments
from epforge.validate.locate import run_located
from epforge.validate.manifest import Manifest, OptionClaim, version_tuple
from epforge.validate.model import Check, Outcome, Rung
from epforge.validate.process import Limits, WorkerRun, workers
from epforge.validate.runtime import Runtime

NAME = "epforge-check"  # differs from every EP's name: the registration name must not matter
VIRTUAL = ".virtual"  # ORT allows virtual devices under names that end so
ROUNDS = 3
_OF_ORT = ("Loading EP library",)  # said by the runtime about every library
_UNLOADS_SINCE = (1, 28)  # measured: older runtimes keep every library in memory


@dataclass(frozen=True)
class Loaded:
    """What rung `load` learned.

    Args:
        checks: the lines of the report.
        runtime: the version that answered; empty if none did.
        name: registration name under which there are devices; empty if there are none.
        ep: name of the execution provider.
        usable: can rung `ops` go on?
        lacking: what it lacks for that.
    """

    checks: tuple[Check, ...]
    runtime: str
    name: str = ""
    ep: str = ""
    usable: bool = False
    lacking: str = "no device to run on"


@dataclass(frozen=True)
class Loader:
    """How to run the checks of this rung; `run` does."""

    library: Path
    manifest: Manifest | None
    runtime: Runtime
    limits: Limits
    allow_no_devices: bool
    preload: tuple[str, ...] = ()  # not empty for a library built with a sanitizer
    jobs: int = 2
    instruments: Instruments = NONE
    ep: str = ""  # which of several to go on with; the first device's if empty

    def run(self) -> Loaded:
        """All checks on one runtime. The second half needs the first to have worked."""
        with workers(self.jobs) as pool:
            base = pool.submit(self._worker, "baseline", severity=1)
            first = pool.submit(
                self._worker, "register", names=[NAME, NAME + VIRTUAL], severity=1
            ).result()
            baseline = base.result()
            if not baseline.named("runtime"):
                line = self._line("runtime", Outcome.FAILED, baseline.ended or "does not start", "")
                return Loaded((line,), "")
            version = str(baseline.named("runtime")[0]["version"])
            refused = self._refusal(first, version)
            if refused:
                return Loaded((refused,), version)
            checks = [self._registered(first, version)]
            if checks[0].outcome.bad:
                return Loaded(tuple(checks), version)
            name, devices, line = self._devices(first, baseline, version)
            checks.append(line)
            checks += self._manifest_agrees(devices, version)
            checks += self._unloaded(first, version)
            use = name or NAME
            jobs = [
                pool.submit(self._worker, "twice", names=[f"a-{use}", f"b-{use}"]),
                pool.submit(self._worker, "rounds", name=use, rounds=ROUNDS, compute=False),
                pool.submit(self._worker, "abandon", name=use),
            ]
            claims = self.manifest.options if self.manifest else None
            if self.runtime.host is None:
                asked = options.given(claims)
                jobs.append(pool.submit(self._worker, "options", name=use, ep="", given=asked))
                jobs.append(pool.submit(self._worker, "surroundings", name=use))
            twice, rounds, abandon, *more = (job.result() for job in jobs)
        sessions = self._sessions((rounds, twice), devices, version)
        checks += sessions
        checks.append(self._twice(twice, bool(devices), version))
        text = f"{ROUNDS} of register, session, unregister in one process"
        checks.append(self._worked(rounds, "rounds", text, version))
        checks.append(
            self._worked(abandon, "exit", "the process may end while it is registered", version)
        )
        checks.append(self._quiet((first, twice, rounds, abandon, *more), baseline, version))
        if more:
            if not sessions:  # which options are for
                checks.append(self._options(more[0], claims, version))
            checks.append(self._surroundings(more[1], version))
        ep = self._chosen(devices) if devices else ""
        lacking = "no session with the device" if sessions else Loaded.lacking
        usable = bool(devices) and not sessions
        return Loaded(tuple(checks), version, name, ep, usable, lacking)

    def _worker(self, job: str, **values: object) -> WorkerRun:
        given = {"job": job, "library": str(self.library), **values}
        return run_located(self.runtime, given, self.limits, self.preload, self.instruments)

    def _line(self, name: str, outcome: Outcome, detail: str, version: str, s: float = 0) -> Check:
        return Check(Rung.LOAD, name, outcome, detail, version, s)

    def _worked(self, run: WorkerRun, name: str, passed: str, version: str) -> Check:
        outcome, fault = verdict(run)
        return self._line(name, outcome, fault or passed, version, run.seconds)

    def _refusal(self, run: WorkerRun, version: str) -> Check | None:
        """On a runtime older than the library's minimum: it must say so, with both versions.

        That it says so well does not make the library work there: the check fails in any case.
        """
        if self.manifest is None or version_tuple(version)[:2] >= self.manifest.minimum[:2]:
            return None
        outcome, fault = refused(run, self.manifest.minimum, version)
        bad = Outcome.FAILED if outcome is Outcome.PASSED else outcome
        return self._line("too old", bad, fault, version, run.seconds)

    def _registered(self, run: WorkerRun, version: str) -> Check:
        return self._worked(run, "register", f"as {NAME} and as {NAME}{VIRTUAL}", version)

    def _devices(
        self, run: WorkerRun, baseline: WorkerRun, version: str
    ) -> tuple[str, list[Mapping[str, Any]], Check]:
        """The registration name that has devices, those devices, and the line about them."""
        seen = {str(r["name"]): list(r["devices"]) for r in run.named("devices")}
        plain, virtual = seen.get(NAME, []), seen.get(NAME + VIRTUAL, [])
        if self.manifest is not None and self.manifest.virtual and plain:
            detail = "offers a virtual device although the name does not end in .virtual"
            real = [d for d in plain if not _is_virtual(d)]
            if not real:
                return NAME, plain, self._line("devices", Outcome.FAILED, detail, version)
        name = NAME if plain else NAME + VIRTUAL if virtual else ""
        devices = plain or virtual
        if devices:
            kinds = ", ".join(sorted({str(d["type"]) for d in devices}))
            one = devices[0]
            how = f" under a name ending in {VIRTUAL}" if not plain else ""
            names = ", ".join(dict.fromkeys(str(d["ep"]) for d in devices))
            text = f"{len(devices)} ({kinds}){how}: {names} {one['version']} by {one['vendor']}"
            text += self._others(devices)
            if self.ep and self._chosen(devices) != self.ep:
                fault = f"{text}; none is of {self.ep}"
                return "", [], self._line("devices", Outcome.FAILED, fault, version)
            if not plain and not all(map(_is_virtual, devices)):
                fault = f"{text}; its metadata lacks is_virtual=1"
                outcome = Outcome.FAILED if self.manifest else Outcome.PASSED
                return name, devices, self._line("devices", outcome, fault, version)
            return name, devices, self._line("devices", Outcome.PASSED, text, version)
        reason = _reason(run, baseline)
        text = f"none is offered{reason}"
        if self.allow_no_devices:
            return "", [], self._line("devices", Outcome.NOT_CHECKED, f"{text} (allowed)", version)
        return (
            "",
            [],
            self._line(
                "devices", Outcome.FAILED, f"{text}; --allow-no-devices accepts it", version
            ),
        )

    def _chosen(self, devices: Sequence[Mapping[str, Any]]) -> str:
        """The EP to go on with."""
        names = [str(device["ep"]) for device in devices]
        return self.ep if self.ep in names else names[0]

    def _others(self, devices: Sequence[Mapping[str, Any]]) -> str:
        names = list(dict.fromkeys(str(device["ep"]) for device in devices))
        chosen = self._chosen(devices)
        return f"; what follows is {chosen} (--ep names another)" if len(names) > 1 else ""

    def _manifest_agrees(self, devices: list[Mapping[str, Any]], version: str) -> Iterator[Check]:
        manifest = self.manifest
        if manifest is None or not devices:
            return
        wrong = []
        for device in devices:
            pairs = (
                ("vendor", device["vendor"], manifest.vendor),
                ("version", device["version"], manifest.version),
            )
            wrong += [
                f"{key} is {got!r}, the manifest says {want!r}"
                for key, got, want in pairs
                if got != want
            ]
            if device["ep"] not in (manifest.eps or (manifest.ep,)):
                wrong.append(f"name is {device['ep']!r}, the manifest says {_list(manifest)}")
            if manifest.device_types and device["type"] not in manifest.device_types:
                wrong.append(f"device type {device['type']} is not in the manifest")
        detail = "; ".join(dict.fromkeys(wrong)) or "name, vendor, version and device type agree"
        yield self._line("manifest", Outcome.FAILED if wrong else Outcome.PASSED, detail, version)

    def _unloaded(self, run: WorkerRun, version: str) -> Iterator[Check]:
        gone = run.named("unregistered")
        listed = [r["name"] for r in gone if r["devices"]]
        if listed:
            text = f"devices are still listed after unregistering {listed[0]}"
            yield self._line("unload", Outcome.FAILED, text, version)
        elif not gone or gone[-1]["mapped"] is None:
            yield self._line("unload", Outcome.NOT_CHECKED, "this system does not say", version)
        elif self.preload:
            yield self._line("unload", Outcome.NOT_CHECKED, "sanitizers keep libraries", version)
        elif version_tuple(version) < _UNLOADS_SINCE:
            oldest = ".".join(map(str, _UNLOADS_SINCE))
            text = f"runtimes before {oldest} never unload a library"
            yield self._line("unload", Outcome.NOT_CHECKED, text, version)
        elif gone[-1]["mapped"]:
            text = "still mapped after unregistering (unique or thread-local symbols?)"
            yield self._line("unload", Outcome.FAILED, text, version)
        else:
            yield self._line("unload", Outcome.PASSED, "unmapped after unregistering", version)

    def _quiet(self, runs: Sequence[WorkerRun], baseline: WorkerRun, version: str) -> Check:
        ended = [run for run in runs if run.finished and not run.ended]  # others have their lines
        new = [line for run in ended for line in run.stray if line not in baseline.stray]
        if new:
            text = f"writes to stderr past ORT's logger: {new[0].strip()[:200]}"
            return self._line("stderr", Outcome.FAILED, text, version)
        return self._line("stderr", Outcome.PASSED, "nothing but ORT's log", version)

    def _sessions(
        self, runs: Sequence[WorkerRun], devices: Sequence[Mapping[str, Any]], version: str
    ) -> list[Check]:
        """A line if there is no session with the device. A device that only stands for another
        may say no; ours compute."""
        errors = [str(error["text"]) for run in runs for error in run.named("no session")]
        if not errors:
            return []
        virtual = self.manifest is None and all(map(_is_virtual, devices))
        outcome = Outcome.NOT_CHECKED if virtual else Outcome.FAILED
        why = (
            "the device is virtual, and there is no session with it" if virtual else "there is none"
        )
        return [self._line("session", outcome, f"{why}: {in_short(errors[0])}", version)]

    def _twice(self, run: WorkerRun, offers: bool, version: str) -> Check:
        line = self._worked(run, "two names", "released in either order", version)
        if line.outcome is not Outcome.PASSED:
            return line
        for record in run.named("twice"):
            if record["none"] or (
                offers and (record["one"] == 0 or record["both"] < record["one"])
            ):
                text = (
                    f"devices with both, one and no registration: "
                    f"{record['both']}, {record['one']}, {record['none']}"
                )
                return self._line("two names", Outcome.FAILED, text, version, run.seconds)
        return line

    def _options(self, run: WorkerRun, claims: Sequence[OptionClaim] | None, version: str) -> Check:
        outcome, detail = verdict(run)
        if outcome is Outcome.PASSED:
            outcome, detail = options.judge(run, claims)
        elif run.step not in detail:
            detail = f"{run.step}: {detail}"
        return self._line("options", outcome, detail, version, run.seconds)

    def _surroundings(self, run: WorkerRun, version: str) -> Check:
        """Rule R13: a guest leaves the process as it was."""
        outcome, detail = verdict(run)
        for record in run.named("surroundings") if outcome is Outcome.PASSED else ():
            said = record["stdout"]
            wrong = [*record["changed"], *([f"writes to stdout: {said}"] if said else [])]
            outcome = Outcome.FAILED if wrong else outcome
            detail = "; ".join(wrong)
        text = "environment, folder, locale, signals, files and threads are as they were"
        return self._line("surroundings", outcome, detail or text, version, run.seconds)


def refused(run: WorkerRun, minimum: tuple[int, ...], version: str) -> tuple[Outcome, str]:
    """How a library that needs a newer runtime was refused; PASSED if with both versions.

    Args:
        run: of job "register".
        version: of the runtime.
    """
    oldest = ".".join(map(str, minimum[:2]))
    this = ".".join(version.split(".")[:2])
    outcome, fault = verdict(run)
    text = _error(run)
    if outcome is Outcome.PASSED:
        outcome = Outcome.FAILED
        fault = "yet it registers, so its users see no devices and not why"
    elif outcome is Outcome.FAILED and text and not run.fault:
        lacking = [v for v in (oldest, this) if not re.search(rf"\b{re.escape(v)}\b", text)]
        good = f"the refusal does not name {' and '.join(lacking)}" if lacking else "it says so"
        outcome = Outcome.FAILED if lacking else Outcome.PASSED
        fault = f"{good}: {text}"
    return outcome, f"the library needs onnxruntime {oldest}, this is {version}; {fault}"


def verdict(run: WorkerRun) -> tuple[Outcome, str]:
    """How a process went that only has to end well, and what is wrong if it did not."""
    if run.timed_out or run.signal:
        return fate(run), run.ended
    error = _error(run)
    if error:
        return Outcome.FAILED, f"{run.step}: {error}" if run.step else error
    return (Outcome.FAILED, run.ended) if run.ended else (Outcome.PASSED, "")


def fate(run: WorkerRun) -> Outcome:
    """The outcome for what a process was at that did not end well."""
    if run.timed_out:
        return Outcome.TIMED_OUT
    return Outcome.CRASHED if run.signal else Outcome.FAILED


def _error(run: WorkerRun) -> str:
    errors = run.named("error")
    return _one_line(str(errors[0]["text"])) if errors else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())[:400]


def in_short(text: str) -> str:
    """The last of ORT's errors that quote each other, without the place in its sources."""
    last = re.split(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", _one_line(text))[-1]
    return re.sub(r"^/\S+:\d+ .*?\) (const )?(\[with .*?\] )?", "", last)


def _list(manifest: Manifest) -> str:
    return " or ".join(map(repr, manifest.eps or (manifest.ep,)))


def _is_virtual(device: Mapping[str, Any]) -> bool:
    return any(
        str(device[key].get("is_virtual", "")) in ("1", "true")
        for key in ("metadata", "hardware_metadata")
    )


def _reason(run: WorkerRun, baseline: WorkerRun) -> str:
    """What was logged about it, by the library rather than by ORT itself."""
    usual = {_shape(line) for line in baseline.log}
    own = [line for line in run.log if _shape(line) not in usual and "device" in line.lower()]
    said = [line for line in own if not line.startswith(_OF_ORT)]
    return f": {said[0][:200]}" if said else " and no reason is logged"


def _shape(line: str) -> str:
    return re.sub(r"0x[0-9a-f]+|\d+", "#", line)
