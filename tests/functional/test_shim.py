"""The shim plugin in front of real libraries, in real runtimes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from epforge.shim import build_shim
from epforge.validate.runtime import find_runtime
from epforge.validate.worker.shimmed import hooks, under_way

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
        env={**project.environment(directory), "LD_PRELOAD": " ".join(hooks(shim))},
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


@pytest.mark.parametrize("runtime", ["1.24.4", ""])
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


def test_the_callbacks_are_asked_what_no_runtime_asks(shim: Path, strict_gpu: Project) -> None:
    ask = ["create max0", "create old", "create null", "can_copy 1:1:1:0 1:1:2:0", "streams"]
    noted = behind(shim, strict_gpu, cycles=1, ask=ask)
    full, old, null, copies, streams = noted["asked"]
    assert full["failed"]
    assert full["written"] == 0
    assert old["failed"]
    assert "1.24.4" in old["text"]
    assert "1.21.0" in old["text"]
    assert (null["count"], null["written"]) == (0, 0)
    assert copies == [False]  # from one device of another vendor to the next
    assert [stream["wrong"] for stream in streams] == [""]
    assert streams[0]["aware"]
    assert streams[0]["handle"]
    assert streams[0]["notification"]
    assert noted["findings"] == []
    assert unequal(noted) == {}


def test_an_older_runtime_is_played(shim: Path, minimal: Project) -> None:
    noted = behind(shim, minimal, cycles=1, level=TARGET, pretend=25)
    assert noted["said"] == []
    assert {stamp["version"] for stamp in noted["stamps"]} == {25}
    too_old = behind(shim, minimal, pretend=23)
    assert any("1.24.4" in text and "1.23.0" in text for text in too_old["said"])


def test_devices_that_are_not_there(shim: Path, minimal: Project) -> None:
    """The library of minimal.yaml runs on a CPU of any vendor, and on nothing else."""
    gpu = {"type": 1, "vendor_id": 0x10DE, "device_id": 7, "vendor": "Some, one"}
    cpu = {"type": 0, "vendor_id": 1, "device_id": 2, "vendor": "x;y", "metadata": {"a b": "c=d"}}
    assert behind(shim, minimal, hardware=[gpu])["devices"]["check"] == 0
    assert behind(shim, minimal, hardware=[])["devices"]["check"] == 0
    noted = behind(shim, minimal, hardware=[gpu, cpu], cycles=1)
    assert noted["devices"]["check"] == 1
    assert noted["said"] == []
    assert noted["findings"] == []


def test_every_allocation_may_fail(shim: Path, minimal: Project) -> None:
    noted = behind(shim, minimal, cycles=1, exhaust=True, ask=["live_blocks"])
    failures, blocks = noted["asked"]
    assert failures > 20
    assert noted["said"]
    assert all("bad_alloc" in text for text in noted["said"])
    assert noted["findings"] == []
    assert unequal(noted) == {}
    assert blocks["count"] == sum(group["count"] for group in blocks["groups"])
    assert {group["callback"] for group in blocks["groups"]} >= {"CreateEpFactories"}
    assert blocks["lost"] == 0


def test_it_stays_in_memory_no_longer_than_others(shim: Path, minimal: Project) -> None:
    noted = behind(shim, minimal, cycles=1, unload=True)
    assert noted["mapped"] == []


@pytest.mark.parametrize(
    "blueprint",
    [
        "blueprints/kernel-registry.yaml",
        "blueprints/compiled.yaml",
        "blueprints/custom-ops.yaml",
        "blueprints/virtual-memory.yaml",
        "blueprints/strict-gpu.yaml",
    ],
)
@pytest.mark.parametrize("runtime", ["1.24.4", "1.28.0", ""])
@pytest.mark.lab
def test_nothing_is_found_in_clean_libraries(
    runtime: str, blueprint: str, shim: Path, project_of: Callable[..., Project]
) -> None:
    project = project_of(Path(blueprint).read_text(encoding="utf-8"))
    noted = behind(shim, project, runtime, cycles=5, threads=8, level=TARGET, ask=["streams"])
    assert noted["said"] == []
    assert noted["findings"] == []
    assert unequal(noted) == {}
    assert all(stamp["version"] == stamp["expected"] for stamp in noted["stamps"])
