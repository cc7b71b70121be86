"""The wheel of the kernels for NumPy: looked into, and used beside the main one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import EpforgeError, MissingError
from epforge.validate.load import fate
from epforge.validate.model import CaseResult, Check, Outcome, Rung
from epforge.validate.package import archive
from epforge.validate.package.environment import Environment, InstallError
from epforge.validate.process import WorkerRun
from epforge.validate.site import as_case, verdict_of

NAME = "native"
_MODULE = re.compile(r"_native\.([\w.-]+\.)?(so|pyd)")


@dataclass(frozen=True)
class NativeWheel:
    """The wheel, and what could be seen of it without installing it."""

    wheel: archive.Wheel
    cases: tuple[CaseResult, ...]
    seconds: float


def make_and_inspect(
    make: Callable[[Path], Path], folder: Path, main: archive.Wheel
) -> NativeWheel | Check:
    """Makes the wheel in a directory; the failed line where that cannot be done.

    Raises MissingError when what is needed for it cannot be had on this machine.
    """
    started = time.monotonic()
    try:
        wheel = archive.read_wheel(make(folder), _MODULE)
        cases = archive.inspect(wheel, {"version": main.metadata.get("Version")}, _CHECKS)
    except MissingError:
        raise
    except (EpforgeError, archive.BadWheelError) as error:
        what = error.message if isinstance(error, EpforgeError) else f"archive: {error}"
        return _line(Outcome.FAILED, what, "", started)
    return NativeWheel(wheel, cases, time.monotonic() - started)


def check(
    native: NativeWheel,
    environment: Environment,
    use: Callable[..., WorkerRun],
    version: str,
) -> Check:
    """The line about the wheel, installed and taken out again.

    Args:
        environment: has the main wheel, and numpy.
        use: runs the script that uses it, with more for its job.
        version: of onnxruntime.
    """
    started, wheel = time.monotonic(), native.wheel
    before = environment.contents()
    try:
        environment.pip("install", "--no-deps", "--no-index", str(wheel.path))
        run = use(package=wheel.package, distribution=wheel.distribution)
        environment.pip("uninstall", "--yes", wheel.distribution)
    except InstallError as error:
        return _line(Outcome.FAILED, str(error), version, started)
    cases = [*native.cases, *(as_case(record) for record in run.named("case"))]
    if not run.finished or run.fault:
        cases.append(CaseResult(run.step or "exit", fate(run), run.fault or "ended early"))
    elif run.stray:
        cases.append(CaseResult("stderr", Outcome.FAILED, run.stray[0].strip()[:300]))
    if left := sorted(str(path) for path in environment.contents() - before):
        cases.append(CaseResult("uninstall", Outcome.FAILED, f"it leaves {', '.join(left)}"))
    told = next(iter(run.named("value")), {"text": ""})
    outcome, detail = verdict_of(cases, f"{wheel.path.name}: {told['text']}")
    if outcome.bad:
        detail = "; ".join(f"{c.label}: {c.detail}" for c in cases if c.outcome.bad)
    elif not told.get("checked"):
        outcome = Outcome.NOT_CHECKED
    return _line(outcome, detail, version, started - native.seconds, tuple(cases))


def _line(
    outcome: Outcome,
    detail: str,
    version: str,
    started: float,
    cases: tuple[CaseResult, ...] = (),
) -> Check:
    seconds = time.monotonic() - started
    return Check(Rung.PACKAGE, NAME, outcome, detail, version, seconds, cases)


def _tag(wheel: archive.Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    python, abi, platform = wheel.tag.split("-")
    stable = abi == "abi3" and python == "cp312"
    if not re.fullmatch(r"cp3\d+", python) or not (stable or abi == python) or platform == "any":
        yield f"it is {wheel.tag}, neither cpXY-cpXY-PLATFORM nor cp312-abi3-PLATFORM"
    yield from archive.tags_inside(wheel)


def _version(wheel: archive.Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    if wheel.metadata.get("Version") != claims["version"]:
        yield f"it is {wheel.metadata.get('Version')}, the main wheel {claims['version']}"


def _dependencies(wheel: archive.Wheel, claims: Mapping[str, Any]) -> Iterator[str]:
    for line in map(str, wheel.metadata.get_all("Requires-Dist", [])):
        if line.lower().startswith("onnxruntime") and "extra" not in line.partition(";")[2]:
            yield f"it depends on {line}"


_CHECKS: Mapping[str, archive.Inspection] = {
    "tag": _tag,
    "purelib": archive.purelib,
    "licence": archive.licence,
    "dependencies": _dependencies,
    "version": _version,
    "record": archive.record,
}
