"""Rung `package`: what users get. A wheel is made, looked at, installed in an environment of its
own, used there as an application uses it, and taken out again.

FR 5, 8, 13-16, 23, 25, 67-71 of the field reports.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epforge.errors import EpforgeError, MissingError
from epforge.validate import manifest as manifests
from epforge.validate.load import fate
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.package import archive
from epforge.validate.package import native as natives
from epforge.validate.package.environment import FOLDER, Environment, InstallError, make
from epforge.validate.process import Limits, WorkerRun, run_worker
from epforge.validate.runtime import Runtime
from epforge.validate.site import as_case, verdict_of

__all__ = ["Packing", "run"]

NAME = "anything-42"  # to register under: the EP's name must not matter
_VERBOSE = "ORT_TEST_VERBOSE"  # as ONNX Runtime's own packages have it
_SMOKE = Path(__file__).with_name("smoke.py")


@dataclass(frozen=True)
class Packing:
    """A library and the way to its wheel.

    Args:
        library: as it was built, with its manifest beside it.
        make: makes the wheel in a directory and returns its path. May raise EpforgeError.
        python: whose environments the wheel is installed in.
        make_native: the same as ``make`` for the kernels for NumPy; None without those.
    """

    library: Path
    make: Callable[[Path], Path]
    runtimes: Sequence[Runtime]
    limits: Limits = field(default_factory=Limits)
    progress: Callable[[str], None] = lambda _: None
    python: str = sys.executable
    make_native: Callable[[Path], Path] | None = None


def run(packing: Packing) -> tuple[Check, ...]:
    """The lines of the rung: about the wheel once, all others on each runtime.

    Raises MissingError when what is needed for it cannot be had on this machine.
    """
    path = manifests.beside(packing.library)
    if not path.is_file():
        why = f"there is no {path}, which says what has to be in the wheel"
        return (Check(Rung.PACKAGE, "wheel", Outcome.FAILED, why),)
    claims = json.loads(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="epforge-package-") as folder:
        check, wheel = make_and_inspect(packing, claims, Path(folder))
        lines = [check]
        if wheel is None:
            return (check,)
        native = _native(packing, wheel, Path(folder) / "native")
        for runtime in packing.runtimes:
            installation = _Installation(packing, claims, wheel, runtime, Path(folder), native)
            lines += installation.run()
    return tuple(lines)


def _native(
    packing: Packing, wheel: archive.Wheel, folder: Path
) -> natives.NativeWheel | Check | None:
    """The wheel of the kernels for NumPy, or the line that says why there is none to install."""
    if packing.make_native is None:
        return None
    return natives.make_and_inspect(packing.make_native, folder, wheel)


def make_and_inspect(
    packing: Packing, claims: Mapping[str, Any], folder: Path
) -> tuple[Check, archive.Wheel | None]:
    """The line about the wheel, and the wheel unless it cannot even be opened."""
    started = time.monotonic()
    try:
        path = packing.make(folder / "wheel")
        wheel = archive.open_wheel(path)
    except MissingError:
        raise
    except (EpforgeError, archive.BadWheelError) as error:
        what = error.message if isinstance(error, EpforgeError) else f"archive: {error}"
        seconds = time.monotonic() - started
        return Check(Rung.PACKAGE, "wheel", Outcome.FAILED, what, "", seconds), None
    cases = archive.inspect(wheel, claims)
    size = f"{path.stat().st_size / 1e6:.2f} MB"
    outcome, detail = verdict_of(cases, f"{path.name}, {size}")
    if outcome.bad:
        detail = "; ".join(f"{c.label}: {c.detail}" for c in cases if c.outcome.bad)
    seconds = time.monotonic() - started
    return Check(Rung.PACKAGE, "wheel", outcome, detail, "", seconds, cases), wheel


@dataclass(frozen=True)
class _Installation:
    packing: Packing
    claims: Mapping[str, Any]
    wheel: archive.Wheel
    runtime: Runtime
    folder: Path
    native: natives.NativeWheel | Check | None

    def run(self) -> list[Check]:
        where = f" for onnxruntime {self.runtime.label}" if self.runtime.label else ""
        self.packing.progress(f"installing {self.wheel.path.name} in a fresh environment{where}")
        variables = [str(v) for k, v in self.wheel.identity.items() if k.endswith("_VARIABLE")]
        environment = make(self.folder, variables, self.packing.python)
        try:
            return list(self._lines(environment))
        finally:
            shutil.rmtree(environment.folder.parent.parent, ignore_errors=True)

    def _lines(self, environment: Environment) -> Iterator[Check]:
        empty = environment.contents()
        started = time.monotonic()
        try:
            environment.pip("install", "--no-deps", "--no-index", str(self.wheel.path))
        except InstallError as error:
            yield self._line("install", Outcome.FAILED, str(error), "", time.monotonic() - started)
            return
        installed = environment.contents() - empty
        first = self._script(environment, "bare")
        environment.add_runtime(self.runtime)
        seconds = time.monotonic() - started - first.seconds
        self.packing.progress("using it")
        if os.environ.get(_VERBOSE) == "1":
            for line in self._script(environment, "diagnose").named("diagnostic"):
                self.packing.progress(str(line["text"]))
        sample = Path(tempfile.mkdtemp(dir=self.folder))
        smoke = self._smoke(environment, sample)
        told = next(iter(smoke.named("runtime")), {"version": self.runtime.label, "python": "?"})
        version = str(told["version"])
        where = f"with onnxruntime {version}, for Python {told['python']}, in .../{FOLDER}/venv"
        yield self._line("install", Outcome.PASSED, where, version, seconds)
        yield self._cases("import", first, "works, and says what is missing to go on", version)
        yield self._smoke_line(smoke, version)
        yield self._main_program(environment, version, next(iter(smoke.named("devices")), None))
        if isinstance(self.native, Check):
            yield self.native
        elif self.native:
            use = functools.partial(
                self._script,
                environment,
                "native",
                folder=str(sample),
                main=self.wheel.distribution,
            )
            yield natives.check(self.native, environment, use, version)
        yield self._uninstalled(environment, installed, version)

    def _line(self, name: str, outcome: Outcome, detail: str, version: str, s: float) -> Check:
        return Check(Rung.PACKAGE, name, outcome, detail, version, s)

    def _script(self, environment: Environment, job: str, **more: object) -> WorkerRun:
        """Runs the script that uses the package, from the root directory."""
        claims, limits = self.claims, self.packing.limits
        given = {
            "job": job,
            "package": self.wheel.package,
            "name": NAME,
            "ep": claims["ep"],
            "eps": claims["eps"],
            "virtual": bool(claims.get("virtual")),
            "minimum": claims["ort"]["min"],
            "version": claims["version"],
            "package_version": self.wheel.identity.get("VERSION"),
            **more,
            **limits.job(),
        }
        place = Path(tempfile.mkdtemp(dir=self.folder))
        (place / "job.json").write_text(json.dumps(given), encoding="utf-8")
        shutil.copyfile(_SMOKE, place / "smoke.py")  # alone, as it will be on a user's machine
        arguments = [str(place / name) for name in ("smoke.py", "job.json", "records")]
        return environment.run(arguments, limits, place / "records")

    def _smoke(self, environment: Environment, sample: Path) -> WorkerRun:
        options = self.claims.get("options", ())
        found = self._sample(sample)
        return self._script(
            environment,
            "smoke",
            folder=str(sample) if found else "",
            converted=bool(found and found["converted"]),
            defaults={option["name"]: _text(option["default"]) for option in options},
            options=dict(filter(None, map(another_value, options))),
        )

    def _sample(self, folder: Path) -> Mapping[str, Any] | None:
        """A model that the library takes, if it takes any that there is a reference for."""
        manifest = manifests.load(manifests.beside(self.packing.library))
        library = manifest.custom_ops_beside(self.packing.library)
        claims = []
        for claim in manifest.ops:
            own = manifest.custom_op(claim.domain, claim.op)
            if not claim.ready or (own and (library is None or own.kernel == "elsewhere")):
                continue
            claims.append(
                {
                    "domain": claim.domain,
                    "op": claim.op,
                    "since": claim.since,
                    "types": dict(claim.types),
                    "converted": not claim.domain and claim.op in manifest.converted,
                    "custom": own.job() if own else None,
                    "library": str(library) if own else "",
                }
            )
        job = {"job": "sample", "folder": str(folder), "claims": claims}
        done = run_worker(job, self.packing.limits, self.runtime.directory)
        return next(iter(done.named("sample")), None)

    def _cases(self, name: str, run: WorkerRun, passed: str, version: str) -> Check:
        """A line about what the script did."""
        cases = [as_case(record) for record in run.named("case")]
        if not run.finished or run.fault:
            cases.append(CaseResult(run.step or "exit", fate(run), run.fault or "ended early"))
        elif run.stray:
            cases.append(CaseResult("stderr", Outcome.FAILED, run.stray[0].strip()[:300]))
        outcome, detail = verdict_of(cases, passed)
        return Check(Rung.PACKAGE, name, outcome, detail, version, run.seconds, tuple(cases))

    def _smoke_line(self, run: WorkerRun, version: str) -> Check:
        devices = next(iter(run.named("devices")), None)
        labels = [str(record["label"]) for record in run.named("case")]
        text = f"as {devices['name'] if devices else NAME}: {', '.join(labels)}"
        if devices and devices["count"]:
            text += f"; {devices['text']}"
            if "values" not in labels:
                text += "; no operator that there is a model for"
        line = self._cases("smoke", run, text, version)
        if line.outcome is Outcome.PASSED and devices and not devices["count"]:
            why = f"registered and unregistered as {NAME}, but no device is offered on this machine"
            return Check(Rung.PACKAGE, "smoke", Outcome.NOT_CHECKED, why, version, run.seconds)
        return line

    def _main_program(
        self, environment: Environment, version: str, devices: Mapping[str, Any] | None
    ) -> Check:
        """``python -m PACKAGE``. Without a device it says so, by its exit status, too."""
        virtual = bool(devices and devices["name"] != NAME)
        arguments = ["-m", self.wheel.package, *(["--virtual"] if virtual else [])]
        records = Path(tempfile.mkdtemp(dir=self.folder)) / "records"
        run = environment.run(arguments, self.packing.limits, records)
        shown = " ".join(["python", *arguments])
        if run.timed_out or run.signal:
            outcome, detail = fate(run), f"{shown}: {run.fault}"
        elif run.returncode or run.stray:
            said = f": {run.stray[-1].strip()[:300]}" if run.stray else ""
            alone = run.returncode == 1 and devices is not None and not devices["count"]
            outcome = Outcome.NOT_CHECKED if alone else Outcome.FAILED
            detail = f"{shown}: exit status {run.returncode}{said}"
        else:
            outcome, detail = Outcome.PASSED, f"{shown}, from {environment.folder.anchor}"
        return self._line("main program", outcome, detail, version, run.seconds)

    def _uninstalled(self, environment: Environment, installed: set[Path], version: str) -> Check:
        started = time.monotonic()
        try:
            environment.pip("uninstall", "--yes", self.wheel.distribution)
            left = sorted(str(path) for path in installed if path.exists())
            outcome = Outcome.FAILED if left else Outcome.PASSED
            detail = f"it leaves {', '.join(left)}" if left else "nothing is left"
        except InstallError as error:
            outcome, detail = Outcome.FAILED, str(error)
        return self._line("uninstall", outcome, detail, version, time.monotonic() - started)


def _text(value: object) -> str:
    """An option's value as strings have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def another_value(option: Mapping[str, Any]) -> tuple[str, str] | None:
    """The option with a legal value that is not its default, where any such value will do: not for
    one that others exclude, nor for a number without bounds, which may be an address."""
    name, default = str(option["name"]), option["default"]
    if option.get("excludes"):
        return None
    if option["type"] == "enum":
        return next(((name, str(c)) for c in option["choices"] if c != default), None)
    bounds = (option.get("minimum"), option.get("maximum"))
    if option["type"] == "int" and None not in bounds:
        return next(((name, str(bound)) for bound in bounds if bound != default), None)
    return None
