"""Rung `memory` on generated projects and on libraries with faults of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from selection import plain

from epforge.validate import THIS, Check, Outcome, Rung, find_runtime, validate
from epforge.validate.instruments import Instruments
from epforge.validate.memory import hosted, watched
from epforge.validate.memory.watched import Effort
from epforge.validate.site import Site
from epforge.verbs.instruments import instruments

if TYPE_CHECKING:
    from projects import Project

QUICK = Effort(cycles=80, divided=20, rounds=8, failures=24)
Climb = Callable[..., dict[str, Check]]


@pytest.fixture
def climb(monkeypatch: pytest.MonkeyPatch) -> Climb:
    """Climbs rung `memory`; its lines by name."""

    def lines(
        project: Project,
        runtime: str = "",
        *,
        effort: Effort = QUICK,
        sanitize: bool = False,
        built: Path | None = None,
    ) -> dict[str, Check]:
        usual = watched.lines

        def with_effort(site: Site, _: Effort | None = None) -> Iterator[Check]:
            return usual(site, effort)

        monkeypatch.setattr(watched, "lines", with_effort)
        seen = instruments(None, lambda _: None)
        report = validate(
            project.library,
            rungs=(Rung.LOAD, Rung.MEMORY),
            runtimes=[find_runtime(runtime)] if runtime else (THIS,),
            instruments=Instruments(seen.shim, lambda _: built, seen.headers),
            sanitize=sanitize,
        )
        monkeypatch.undo()
        return {check.name: check for check in report.checks if check.rung is Rung.MEMORY}

    return lines


def bad(lines: dict[str, Check]) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in lines.values() if check.outcome.bad]


@pytest.mark.parametrize("name", plain("minimal", of=["minimal", "device_memory"]))
def test_a_generated_library_is_well(
    name: str, climb: Climb, request: pytest.FixtureRequest
) -> None:
    lines = climb(request.getfixturevalue(name))
    assert bad(lines) == []
    passed = {name for name, check in lines.items() if check.outcome is Outcome.PASSED}
    assert passed >= {
        *("entry points", "factory", "sessions", "registrations", "handles"),
        *("versions", "contracts", "failures", "exhausted", "twins"),
    }


@pytest.mark.lab
def test_without_instruments_nothing_is_said_to_be_well(minimal: Project) -> None:
    report = validate(minimal.library, rungs=(Rung.MEMORY,))
    lines = [check for check in report.checks if check.rung is Rung.MEMORY]
    assert {check.name for check in lines} == {"entry points", "sessions"}
    assert {check.outcome for check in lines} == {Outcome.NOT_CHECKED}
    assert "no headers" in lines[0].detail


@pytest.mark.lab
@pytest.mark.parametrize("runtime", ["1.24.4", "1.28.0", "1.32.0"])
@pytest.mark.parametrize(
    "name", ["minimal", "compiled", "device_memory", "custom_ops", "strict_gpu", "full"]
)
def test_nothing_is_found_in_what_is_well(
    name: str, runtime: str, climb: Climb, request: pytest.FixtureRequest
) -> None:
    lines = climb(request.getfixturevalue(name), runtime, effort=Effort())
    assert bad(lines) == []
    assert lines["sessions"].outcome is Outcome.PASSED
    assert lines["failures"].outcome is Outcome.PASSED


_DOUBLES = """\
epforge: 1
name: contoso-doubles
vendor: Contoso
types: [float64]
ops: [BatchNormalization, GlobalMaxPool, LRN, LpPool, MaxPool]
"""


@pytest.mark.lab
@pytest.mark.parametrize("runtime", ["1.24.4", ""])
def test_operators_of_float64_alone_are_well(
    runtime: str, climb: Climb, project_of: Callable[..., Project]
) -> None:
    """Neither those that ONNX Runtime's CPU provider has no such kernel for, nor an attribute that
    cannot be read, for which the default stands in."""
    project = project_of(_DOUBLES)
    runtimes = [find_runtime(runtime)] if runtime else (THIS,)
    report = validate(project.library, rungs=(Rung.OPS,), runtimes=runtimes)
    outcomes = {check.name: check.outcome for check in report.checks if check.rung is Rung.OPS}
    wanted = ("BatchNormalization", "GlobalMaxPool", "LRN", "LpPool", "MaxPool")
    assert {name: outcomes[name] for name in wanted} == dict.fromkeys(wanted, Outcome.PASSED)
    assert bad(climb(project, runtime, effort=Effort())) == []


@pytest.mark.lab
@pytest.mark.parametrize("name", ["minimal", "compiled", "virtual-memory", "custom-ops"])
def test_sanitizers_find_nothing_in_what_is_well(
    name: str, climb: Climb, project_of: Callable[..., Project], repository: Path
) -> None:
    text = (repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8")
    sanitized = project_of(text, preset="asan")
    lines = climb(project_of(text), sanitize=True, built=sanitized.library)
    assert lines["sanitizers"].outcome is Outcome.PASSED, lines["sanitizers"].detail
    assert "AddressSanitizer" in lines["sanitizers"].detail


_LEAK = """  *device_count = 0;
  auto* lost = new std::string(100, 'x');
  lost->size();
"""


@pytest.mark.lab
def test_a_leak_is_found_with_its_line(
    climb: Climb, project_of: Callable[..., Project], repository: Path
) -> None:
    text = (repository / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    place = "src/abi/factory_devices.cc"
    code = (project_of(text).root / place).read_text(encoding="utf-8")
    changed = code.replace("  *device_count = 0;\n", _LEAK, 1)
    assert changed != code
    changes = {place: changed}
    release = project_of(text, changes=changes)
    sanitized = project_of(text, preset="asan", changes=changes)
    lines = climb(release, sanitize=True, built=sanitized.library)
    assert lines["factory"].outcome is Outcome.FAILED
    assert "GetSupportedDevices" in lines["factory"].detail
    number = changed[: changed.index("auto* lost")].count("\n") + 1
    assert lines["sanitizers"].outcome is Outcome.FAILED
    assert f"ListDevices ({place}:{number})" in lines["sanitizers"].detail
    # Without sources, the release build is looked at: by function and offset.
    lines = climb(release, sanitize=True)
    assert "ListDevices (libonnxruntime_ep_contoso_npu.so+0x" in lines["sanitizers"].detail


@pytest.mark.lab
def test_what_is_lost_when_a_call_fails_has_its_stack(climb: Climb) -> None:
    from defects import DEFECTS
    from defects.judge import defective

    defect = next(each for each in DEFECTS if each.name == "D43")
    lines = climb(defective(defect), sanitize=True)
    assert lines["failures"].outcome is Outcome.FAILED
    assert "OrtEp.Compile" in lines["failures"].detail
    assert lines["sanitizers"].outcome is Outcome.FAILED
    assert "contoso_compiler::Ep::Make" in lines["sanitizers"].detail


def test_the_probes_are_those_of_the_host() -> None:
    header = Path(hosted.__file__).parents[1] / "cross/host/probes.cc"
    code = header.read_text(encoding="utf-8")
    for probes in hosted.LINES.values():
        for probe in probes:
            assert f'{{"{probe}", ' in code
