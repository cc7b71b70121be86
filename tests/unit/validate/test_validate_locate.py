"""Where a worker died, and what stays allocated: the words for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from epforge.errors import MissingError
from epforge.validate.instruments import NONE, Instruments
from epforge.validate.locate import run_located, words
from epforge.validate.process import Limits, WorkerRun
from epforge.validate.runtime import Runtime
from epforge.validate.worker.leftover import grown
from epforge.validate.worker.shimmed import Blocks, Step

_CRASHED = WorkerRun((), False, -11, False, "", "session", 0.0)
_ENDED = WorkerRun((), True, 0, False, "", "", 0.0)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([], ""),
        ([Step("OrtEp.Compile", ("OrtEpFactory.CreateEp",))], "OrtEp.Compile"),
        (
            [Step("OrtApi.Node_GetName", ("OrtEp.Compile",))],
            "OrtEp.Compile, in a call of OrtApi.Node_GetName",
        ),
        ([Step("OrtEp.Compile", ()), Step("OrtEp.Sync", ())], "OrtEp.Compile; OrtEp.Sync"),
        ([Step("OrtEp.Compile", ()), Step("OrtEp.Compile", ())], "OrtEp.Compile"),
    ],
)
def test_a_place_is_the_callback_and_what_it_called(steps: list[Step], text: str) -> None:
    assert words(steps) == text


def _runtime(monkeypatch: pytest.MonkeyPatch, runs: list[WorkerRun]) -> list[Mapping[str, Any]]:
    """Workers end as said; returns the jobs that they get."""
    jobs: list[Mapping[str, Any]] = []

    def run(self: Runtime, job: Mapping[str, Any], *_: object) -> WorkerRun:
        jobs.append(job)
        log = job.get("environment", {}).get("EPFORGE_SHIM_LOG")
        if log:
            line = '{"event": "enter", "what": "OrtEpFactory.ReleaseEp", "thread": 1}\n'
            Path(log).write_text(line, encoding="utf-8")
        return runs[len(jobs) - 1]

    monkeypatch.setattr(Runtime, "run", run)
    return jobs


def _located(instruments: Instruments) -> WorkerRun:
    job = {"job": "rounds", "library": "/lib/ep.so", "environment": {"A": "1"}}
    return run_located(Runtime("", None), job, Limits(), (), instruments)


_SHIM = Instruments(shim=lambda: Path("/shim.so"))


def test_a_crash_is_looked_at_again_through_the_shim(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = _runtime(monkeypatch, [_CRASHED, _CRASHED])
    run = _located(_SHIM)
    assert run.ended == "session: SIGSEGV in OrtEpFactory.ReleaseEp"
    assert jobs[1]["library"] == "/shim.so"
    assert jobs[1]["environment"]["EPFORGE_SHIM_TARGET"] == "/lib/ep.so"
    assert jobs[1]["environment"]["A"] == "1"


def test_a_crash_that_does_not_happen_again_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    _runtime(monkeypatch, [_CRASHED, _ENDED])
    assert _located(_SHIM).ended == "session: SIGSEGV"


def _no_compiler() -> Path:
    raise MissingError("no compiler", "install one")


@pytest.mark.parametrize("instruments", [NONE, Instruments(shim=_no_compiler)])
def test_without_a_shim_a_crash_has_no_place(
    instruments: Instruments, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = _runtime(monkeypatch, [_CRASHED])
    assert _located(instruments).ended == "session: SIGSEGV"
    assert len(jobs) == 1


def test_what_ends_well_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = _runtime(monkeypatch, [_ENDED])
    assert _located(_SHIM).ended == ""
    assert len(jobs) == 1


def test_more_blocks_of_one_place_are_named() -> None:
    key = ("OrtEp.Compile", "0x12")
    before = {key: Blocks("0x12", 18, "OrtEp.Compile", 3, 48)}
    after = {key: Blocks("0x12", 18, "OrtEp.Compile", 5, 80)}
    assert grown(before, after) == ["2 blocks of 32 bytes allocated in OrtEp.Compile, 0x12"]
    assert grown({}, after, least=6) == []
    assert grown(after, before) == []


def test_where_the_shim_keeps_a_run_alive_its_first_breach_is_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [
        '{"event": "enter", "what": "OrtEp.Compile", "thread": 1}',
        '{"event": "finding", "what": "leaked", "thread": 1, "text": "no reason to die"}',
        '{"event": "finding", "what": "released-twice", "thread": 1, "text": "a Status, twice"}',
    ]

    def run(_: Runtime, job: Mapping[str, Any], *__: object) -> WorkerRun:
        log = job.get("environment", {}).get("EPFORGE_SHIM_LOG")
        if log:
            Path(log).write_text("\n".join(lines), encoding="utf-8")
        return _ENDED if log else _CRASHED

    monkeypatch.setattr(Runtime, "run", run)
    assert _located(_SHIM).ended == "session: SIGSEGV in OrtEp.Compile, a Status, twice"
