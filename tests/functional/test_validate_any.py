"""The ladder on libraries without a manifest: nobody has told it what they take."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from projects import Project
from toys import EP, manifest, toy

from epforge.validate import Outcome, Report, Rung, validate

OTHER = "SecondExecutionProvider"


def line(report: Report, rung: Rung, name: str) -> tuple[Outcome, str]:
    found = [check for check in report.checks if (check.rung, check.name) == (rung, name)]
    assert len(found) == 1, [(c.rung, c.name, c.detail) for c in report.checks]
    return found[0].outcome, found[0].detail


@pytest.mark.lab
def test_a_version_in_the_middle_that_is_not_taken_is_found() -> None:
    report = validate(toy("FAULT_GAP"), rungs=(Rung.LOAD, Rung.OPS))
    outcome, detail = line(report, Rung.OPS, "versions of Relu")
    assert outcome is Outcome.FAILED
    assert "taken since 6 and since 14, but not since 13" in detail
    assert line(report, Rung.OPS, "Relu")[0] is Outcome.PASSED
    assert [check.name for check in report.checks if check.name.startswith("versions")] == [
        "versions of Relu"
    ]


def test_a_device_that_is_virtual_may_have_no_sessions() -> None:
    report = validate(toy("VIRTUAL_ONLY", "FAULT_NO_EP"))
    assert report.passed, report.summary
    outcome, detail = line(report, Rung.LOAD, "session")
    assert outcome is Outcome.NOT_CHECKED
    assert detail.endswith("no session with it: there is no hardware behind this device")
    assert line(report, Rung.LOAD, "rounds")[0] is Outcome.PASSED
    # ONNX Runtime logs the refusal, which has two lines.
    assert line(report, Rung.LOAD, "stderr")[0] is Outcome.PASSED
    for rung in (Rung.OPS, Rung.GRAPHS, Rung.CONTEXT):
        assert line(report, rung, "all") == (Outcome.NOT_CHECKED, "no session with the device")


@pytest.mark.parametrize("declared", [False, True])
def test_a_device_without_sessions_is_a_failure(declared: bool, tmp_path: Path) -> None:
    claims = manifest(tmp_path / "claims.json") if declared else None
    report = validate(toy("FAULT_NO_EP"), claims, keep_going=True)
    outcome, detail = line(report, Rung.LOAD, "session")
    assert outcome is Outcome.FAILED
    assert "no hardware behind this device" in detail
    assert line(report, Rung.OPS, "all")[1] == "no session with the device"
    assert report.ep == EP


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        (OTHER, OTHER),
        pytest.param("", EP, marks=pytest.mark.lab),
        pytest.param(EP, EP, marks=pytest.mark.lab),
    ],
)
def test_one_of_several_eps_can_be_chosen(chosen: str, name: str, tmp_path: Path) -> None:
    claims = manifest(tmp_path / "claims.json", eps=[EP, OTHER])
    report = validate(toy("TWO_EPS"), claims, rungs=(Rung.LOAD, Rung.OPS), ep=chosen)
    assert report.passed, report.summary
    assert report.ep == name
    assert f"what follows is {name} (--ep names another)" in line(report, Rung.LOAD, "devices")[1]
    assert line(report, Rung.OPS, "Relu")[0] is Outcome.PASSED


def test_an_ep_that_is_not_there_is_said() -> None:
    report = validate(toy("TWO_EPS"), rungs=(Rung.LOAD,), ep="Other")
    outcome, detail = line(report, Rung.LOAD, "devices")
    assert outcome is Outcome.FAILED
    assert f"{EP}, SecondExecutionProvider" in detail
    assert detail.endswith("none is of Other")


@pytest.mark.lab
@pytest.mark.parametrize("name", ["device_memory", "strict_gpu", "compiled", "full"])
def test_what_ours_take_is_found_without_their_manifest(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    project: Project = request.getfixturevalue(name)
    alone = tmp_path / project.library.name
    shutil.copy(project.library, alone)
    report = validate(alone)
    assert report.manifest is None
    assert report.passed, report.summary
    assert sum(check.rung is Rung.OPS for check in report.checks) > 2
