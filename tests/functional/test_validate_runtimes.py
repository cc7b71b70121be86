"""`validate` on other releases of onnxruntime, and with sanitizers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project
from runtimes import TOO_OLD, runtime
from toys import manifest, toy

from epforge.errors import MissingError
from epforge.validate import Check, Outcome, Report, Rung, Runtime, find_runtime, validate

OLD = "1.24.4"


def on(version: str, library: Path, claims: Path) -> Report:
    return validate(library, claims, runtimes=[Runtime(version, runtime(version))])


def too_old(report: Report) -> Check:
    assert not report.passed
    (check,) = (check for check in report.checks if check.rung is Rung.LOAD)
    assert check.runtime == TOO_OLD
    return check


@pytest.mark.lab
def test_one_library_on_two_runtimes(tmp_path: Path) -> None:
    runtimes = [Runtime(OLD, runtime(OLD)), Runtime("", None)]
    report = validate(toy(), manifest(tmp_path / "m.json"), runtimes=runtimes)
    assert report.passed, report.summary
    assert report.runtimes[0] == OLD
    assert len(set(report.runtimes)) == 2
    for version in report.runtimes:
        names = {c.name for c in report.checks if c.runtime == version and c.rung is Rung.OPS}
        assert names == {"Relu", "Add", "Mul", "rounds"}


def test_a_runtime_that_is_too_old_is_said_with_both_versions(tmp_path: Path) -> None:
    check = too_old(on(TOO_OLD, toy(), manifest(tmp_path / "m.json")))
    assert check.outcome is Outcome.FAILED
    assert "it says so" in check.detail
    assert "needs ONNX Runtime 1.24, this is 1.23.2" in check.detail


@pytest.mark.parametrize(
    ("fault", "outcome", "says"),
    [
        ("SILENT_WHEN_OLD", Outcome.FAILED, "yet it registers"),
        ("VAGUE_WHEN_OLD", Outcome.FAILED, "does not name 1.24 and 1.23: "),
        ("UNCHECKED_API", Outcome.CRASHED, "SIGSEGV"),
    ],
)
def test_bad_manners_on_an_old_runtime(
    fault: str, outcome: Outcome, says: str, tmp_path: Path
) -> None:
    check = too_old(on(TOO_OLD, toy(f"FAULT_{fault}"), manifest(tmp_path / "m.json")))
    assert check.outcome is outcome
    assert says in check.detail


def test_a_release_that_does_not_exist_is_missing() -> None:
    with pytest.raises(MissingError, match=r"cannot install onnxruntime 0\.0\.99") as caught:
        find_runtime("0.0.99")
    assert int(caught.value.exit_status) == 4


def test_a_version_is_installed_once(tmp_path: Path) -> None:
    assert find_runtime(OLD).directory == find_runtime(OLD).directory
    said: list[str] = []
    find_runtime(OLD, said.append)
    assert said == []


@pytest.mark.lab
def test_a_library_with_a_sanitizer_is_validated_with_it(tmp_path: Path) -> None:
    library = toy(flags=("-fsanitize=address",))
    report = validate(library, manifest(tmp_path / "m.json"), only=["Relu"])
    assert report.passed, report.summary
    broken = toy("FAULT_OVERFLOW", flags=("-fsanitize=address",))
    report = validate(broken, manifest(tmp_path / "m.json"), only=["Relu"])
    assert not report.passed
    assert "ops Relu" in report.summary


def test_why_an_op_was_not_taken_is_in_the_report(minimal: Project, tmp_path: Path) -> None:
    claims = json.loads(
        minimal.library.with_name(f"{minimal.library.name}.manifest.json").read_text()
    )
    for claim in claims["ops"]:
        claim["types"] = {"T": ["float32", "float64"]}
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(claims))
    report = validate(minimal.library, path, only=["Relu"])
    (check,) = (c for c in report.checks if c.name == "Relu")
    assert check.outcome is Outcome.FAILED
    assert "declared, but not taken: " in check.detail
    assert "float64" in check.detail


def test_the_table_names_runtimes_when_there_are_several(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "epforge", "validate", "--library", str(toy())),
        *("--manifest", str(manifest(tmp_path / "m.json")), "--op", "Add"),
        *("--runtime", OLD, "--runtime", TOO_OLD, "--rung", "load", "--rung", "ops"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert any(line.split()[:4] == ["ops", "Add", OLD, "ok"] for line in lines)
    assert any("too old" in line and TOO_OLD in line and "FAILED" in line for line in lines)
    assert lines[-1].startswith(f"failed at load too old on {TOO_OLD}: ")
    assert len(lines) < 40
