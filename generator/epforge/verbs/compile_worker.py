"""Compiles models with foreign code: in a process of its own, by what generated packages do."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from epforge.errors import EpforgeError, ExitStatus
from epforge.validate.process import Limits, WorkerRun, run_worker
from epforge.verbs.types import FORMAT

_PACKAGE = "epforge_compiling"
_STAGING = ".compiling-"  # as in the template compiling.py


@dataclass(frozen=True)
class CompileRequest:
    """What to compile and how; the fields are those of `Request` in the template."""

    models: tuple[str, ...]
    library: str = ""
    ep: str = ""
    output: str | None = None
    embed: bool = False
    share_weights: bool = False
    provider_options: tuple[str, ...] = ()
    session_options: tuple[str, ...] = ()
    config: str | None = None
    device: int | None = None
    virtual: bool | None = None
    force: bool = False
    allow_none: bool = False
    verbose: bool = False


@dataclass(frozen=True)
class CompileResult:
    """How it went.

    Args:
        status: the exit status of a process that ended well.
        data: what was done, ready for JSON.
        lines: the same in words.
        complaints: what failed, and notes.
        log: what the process wrote to stderr: everything, or what is not ONNX Runtime's log.
    """

    status: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()
    log: tuple[str, ...] = ()

    @property
    def exit_status(self) -> ExitStatus:
        """`ExitStatus.CHECK_FAILED` if a model is not compiled."""
        return ExitStatus(self.status)

    def to_json(self) -> dict[str, Any]:
        """What was done, for programs."""
        return {"format": FORMAT, **self.data}


class BrokenDownError(EpforgeError):
    """The process that compiled did not end well.

    Args:
        result: what was done before.
    """

    def __init__(self, message: str, cure: str, result: CompileResult) -> None:
        super().__init__(message, cure)
        self.result = result

    def details(self) -> Mapping[str, object]:
        """What was compiled before it came to that."""
        return {"before": self.result.data} if self.result.data else {}


class RefusedError(EpforgeError):
    """Nothing was tried."""

    def __init__(self, message: str, cure: str, status: int) -> None:
        super().__init__(message, cure)
        self.exit_status = ExitStatus(status)


def compile_models(request: CompileRequest, time_limit: float) -> CompileResult:
    """Compiles in a process of its own.

    Args:
        request: what to compile; its paths are absolute.
        time_limit: seconds for each model, and for loading the library.

    Raises:
        RefusedError: the call is wrong, or something is missing.
        BrokenDownError: the library crashed, or took too long.
    """
    token = secrets.token_hex(8)
    limits = Limits(
        stall_s=time_limit, memory_mb=0, computing=(os.cpu_count() or 1) * (len(request.models) + 2)
    )
    with tempfile.TemporaryDirectory(prefix="epforge-compile-") as code:
        _write_code(Path(code))
        job = {
            "job": "compile",
            "code": code,
            "package": _PACKAGE,
            "request": {**asdict(request), "token": token},
        }
        absent = _absent(request)
        try:
            run = run_worker(job, limits)
        finally:
            _clean_up(request, token, absent)
    return _result(run, request)


def _write_code(place: Path) -> None:
    """Writes the modules of generated packages that compile models."""
    from epforge.plan import Plan
    from epforge.plan.python import compiling_files
    from epforge.render import render

    for path, file in render(Plan(tuple(compiling_files(_PACKAGE)))).items():
        (place / path).parent.mkdir(exist_ok=True)
        (place / path).write_bytes(file.content)
    (place / _PACKAGE / "__init__.py").touch()


def _absent(request: CompileRequest) -> list[Path]:
    """The output folders that are not there yet, the innermost first."""
    if request.output is None:
        return []
    output = Path(request.output)
    return [place for place in (output, *output.parents) if not place.exists()]


def _clean_up(request: CompileRequest, token: str, absent: list[Path]) -> None:
    """Removes what a process that did not end well has left where it worked."""
    places = {Path(model).parent for model in request.models}
    if request.output is not None:
        places |= {Path(request.output), Path(request.output).parent}
    for place in places:
        for left in place.glob(f"{_STAGING}{token}*"):
            shutil.rmtree(left, ignore_errors=True)
    for place in absent:
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def _result(run: WorkerRun, request: CompileRequest) -> CompileResult:
    errors = run.named("error")
    if errors and not run.fault:
        found = errors[0]
        raise RefusedError(str(found["message"]), str(found["cure"]), int(found["status"]))
    outcomes = run.named("outcome")
    last = outcomes[-1] if outcomes else {}
    result = CompileResult(
        status=int(last.get("status", 0)),
        data=last.get("data", {}),
        lines=tuple(last.get("lines", ())),
        complaints=tuple(last.get("complaints", ())),
        log=tuple(run.stderr.splitlines()) if request.verbose else run.stray,
    )
    if run.fault:
        cure = "Give it more time: --time-limit SECONDS." if run.timed_out else ""
        raise BrokenDownError(run.ended, cure, result)
    return result
