"""The shim plugin in front of real libraries, in real runtimes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from epforge.shim import build_shim
from epforge.validate.runtime import find_runtime
from epforge.validate.worker.shimmed import under_way

if TYPE_CHECKING:
    from projects import Project

SCRIPT = Path(__file__).resolve().parents[1] / "support/shim_sessions.py"
TARGET = 27  # what blueprints are built for by default


@pytest.fixture(scope="session")
def shim() -> Path:
    return build_shim()


def behind(shim: Path, project: Project, runtime: str = "", **job: object) -> dict[str, Any]:
    """What the shim noted of a project's library at work."""
    directory = find_runtime(runtime).directory if runtime else None
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(shim), str(project.library), json.dumps(job)],
        env=project.environment(directory),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    noted: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return noted


def unequal(noted: dict[str, Any]) -> dict[str, Any]:
    """The kinds of which not all are back."""
    return {k: c for k, c in noted["counts"].items() if c["created"] != c["released"]}


@pytest.mark.parametrize("runtime", ["1.24.4", "1.28.0", ""])
def test_a_generated_library_gives_everything_back(
    runtime: str, shim: Path, minimal: Project
) -> None:
    noted = behind(shim, minimal, runtime, cycles=3, level=TARGET)
    assert noted["devices"]["check"] == 1
    assert noted["said"] == []
    assert noted["findings"] == []
    assert unequal(noted) == {}
    assert noted["counts"]["OrtEp"] == {"created": 3, "released": 3}
    assert noted["counts"]["OrtKernelImpl"]["created"] == 9
    assert noted["counts"]["EpDevice"]["created"] >= 1
    calls = noted["calls"]
    assert calls["OrtEpFactory.CreateEp"] == calls["OrtEpFactory.ReleaseEp"] == 3
    assert calls["OrtEpApi.CreateEpDevice"] == noted["counts"]["EpDevice"]["created"]
    level = int(runtime.split(".")[1]) if runtime else 32
    stamps = {stamp["version"] for stamp in noted["stamps"]}
    assert stamps == {min(TARGET, level)}
    assert all(stamp["version"] == stamp["expected"] for stamp in noted["stamps"])
    assert not any(stamp["slots_bad"] for stamp in noted["stamps"])


def test_it_is_safe_under_threads(shim: Path, minimal: Project) -> None:
    noted = behind(shim, minimal, cycles=4, threads=8)
    assert noted["said"] == []
    assert noted["findings"] == []
    assert unequal(noted) == {}
    assert noted["counts"]["OrtEp"]["created"] == 32


@pytest.mark.parametrize("function", ["OrtEpApi.CreateEpDevice", "OrtApi.CreateKeyValuePairs"])
def test_only_what_returns_a_status_can_fail(function: str, shim: Path, minimal: Project) -> None:
    noted = behind(shim, minimal, fail=[function, 1])
    assert noted["findings"] == []
    assert unequal(noted) == {}
    assert any("as it was asked to" in text for text in noted["said"]) == (
        function == "OrtEpApi.CreateEpDevice"
    )


@pytest.mark.parametrize(
    "function",
    [
        "OrtEpApi.CreateHardwareDevice",
        "OrtEpApi.CreateEpDevice",
        "OrtEpApi.EpDevice_AddAllocatorInfo",
    ],
)
def test_a_failure_leaks_nothing(function: str, shim: Path, device_memory: Project) -> None:
    noted = behind(shim, device_memory, fail=[function, 1], cycles=1)
    assert any("as it was asked to" in text for text in noted["said"])
    assert noted["findings"] == []
    assert unequal(noted) == {}


def test_the_log_says_what_ran(shim: Path, minimal: Project, tmp_path: Path) -> None:
    log = tmp_path / "log"
    behind(shim, minimal, log=str(log), cycles=1)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    entered = [record["what"] for record in records if record["event"] == "enter"]
    left = [record["what"] for record in records if record["event"] in ("leave", "failed")]
    assert sorted(entered) == sorted(left)
    assert entered[0] == "CreateEpFactories"
    assert under_way(log) == []
    cut = tmp_path / "cut"
    whole = log.read_text()
    at = whole.index('"OrtKernelImpl.Compute"')
    cut.write_text(whole[: whole.index("\n", at) + 1])
    assert [step.what for step in under_way(cut)] == ["OrtKernelImpl.Compute"]
