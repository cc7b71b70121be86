"""Rung `ops` on libraries with custom ops: their cases come from the manifest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from own_blueprints import COMPILED, MEMORY, RICH
from projects import Project, built

from epforge.validate import Check, Outcome, Report, Rung, find_runtime, validate

FUNCTION = "src/gen/kernels/com_contoso_gated_unit_function.h"


def line(report: Report, name: str) -> Check:
    (found,) = (c for c in report.checks if (c.rung, c.name) == (Rung.OPS, name))
    return found


def copied(
    project: Project, to: Path, change: Callable[[dict[str, Any]], None] = lambda _: None
) -> Path:
    """The plugin library with its manifest, changed, in a folder of its own."""
    library = Path(shutil.copy(project.library, to))
    manifest = project.manifest
    change(manifest)
    library.with_name(f"{library.name}.manifest.json").write_text(json.dumps(manifest))
    return library


def test_every_custom_op_is_proven(custom_ops: Project) -> None:
    report = validate(custom_ops.library)
    assert report.passed, report.summary
    for op in ("Clip", "GatedUnit", "Scale"):
        check = line(report, f"com.contoso::{op}")
        assert check.outcome is Outcome.PASSED
        assert "undeclared left alone" in check.detail
        assert "not checked" not in check.detail
    labels = [case.label for case in line(report, "com.contoso::Scale").cases]
    assert any("optional inputs absent" in label for label in labels)
    labels = [case.label for case in line(report, "com.contoso::Clip").cases]
    assert any("lo=0.0" in label for label in labels)
    stub = line(report, "com.contoso::PairSum")
    assert (stub.outcome, "stub" in stub.detail) == (Outcome.PASSED, True)


@pytest.mark.lab
@pytest.mark.parametrize("version", ["1.24.4", "1.26.0", "1.28.0", "1.32.0"])
def test_on_every_runtime(custom_ops: Project, version: str) -> None:
    report = validate(custom_ops.library, runtimes=[find_runtime(version)])
    assert report.passed, report.summary
    assert "not checked" not in line(report, "com.contoso::Scale").detail


@pytest.mark.lab
@pytest.mark.parametrize("text", [COMPILED, MEMORY, RICH], ids=["compiled", "memory", "rich"])
def test_in_projects_of_every_kind(text: str) -> None:
    """All rungs, and every custom op that is written has the reference of the library."""
    project = built(text)
    report = validate(project.library)
    assert report.passed, report.summary
    written = {op["op"] for op in project.manifest["custom_ops"] if op["kernel"] == "generated"}
    for op in project.manifest["custom_ops"]:
        check = line(report, f"{op['domain']}::{op['op']}")
        assert check.outcome is Outcome.PASSED, check
        assert ("right" in check.detail) is (op["op"] in written), check.detail
        assert "not checked" not in check.detail, check.detail


@pytest.mark.lab
@pytest.mark.parametrize("text", [COMPILED, RICH], ids=["compiled", "rich"])
def test_under_the_address_sanitizer(text: str) -> None:
    report = validate(built(text, preset="asan").library)
    assert report.passed, report.summary
    assert any("asan" in check.detail for check in report.checks if check.name == "needs")


def test_one_of_them_alone(custom_ops: Project) -> None:
    report = validate(custom_ops.library, rungs=[Rung.OPS], only=["com.contoso::Clip"])
    assert report.passed, report.summary
    assert {c.name for c in report.checks} == {"com.contoso::Clip", "rounds"}


@pytest.mark.lab
def test_without_their_library_there_is_no_reference(custom_ops: Project, tmp_path: Path) -> None:
    report = validate(copied(custom_ops, tmp_path), rungs=[Rung.OPS])
    check = line(report, "com.contoso::Clip")
    assert check.outcome is Outcome.NOT_CHECKED
    assert "no library of the custom ops beside this one" in check.detail
    assert line(report, "Relu").outcome is Outcome.PASSED


def test_another_result_than_that_of_the_library_is_found(
    custom_ops: Project, repository: Path, tmp_path: Path
) -> None:
    text = (repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8")
    right = (custom_ops.root / FUNCTION).read_text(encoding="utf-8")
    wrong = built(text, changes={FUNCTION: right.replace("return x * ", "return x + ")})
    library = copied(wrong, tmp_path)
    assert custom_ops.custom_ops_library is not None
    shutil.copy(custom_ops.custom_ops_library, tmp_path)
    report = validate(library, rungs=[Rung.OPS])
    check = line(report, "com.contoso::GatedUnit")
    assert check.outcome is Outcome.FAILED
    assert "expected" in check.detail
    assert line(report, "com.contoso::Clip").outcome is Outcome.PASSED


def test_a_type_that_is_taken_and_not_declared_is_found(
    custom_ops: Project, tmp_path: Path
) -> None:
    def fewer(manifest: dict[str, Any]) -> None:
        """Of Scale, int64 is not declared."""
        (op,) = (each for each in manifest["ops"] if each["op"] == "Scale")
        (own,) = (each for each in manifest["custom_ops"] if each["op"] == "Scale")
        own["types"] = {"T": ["float32", "bool"]}
        op["types"] = {"T": ["float32"]}

    library = copied(custom_ops, tmp_path, fewer)
    assert custom_ops.custom_ops_library is not None
    shutil.copy(custom_ops.custom_ops_library, tmp_path)
    report = validate(library, rungs=[Rung.OPS], only=["com.contoso::Scale"])
    check = line(report, "com.contoso::Scale")
    assert check.outcome is Outcome.FAILED
    assert "undeclared T=int64: taken, but not declared" in check.detail


@pytest.mark.lab
def test_an_op_whose_kernel_is_elsewhere_is_not_taken(custom_ops: Project, tmp_path: Path) -> None:
    def elsewhere(manifest: dict[str, Any]) -> None:
        """A lie: it is computed here."""
        (own,) = (each for each in manifest["custom_ops"] if each["op"] == "Clip")
        own["kernel"] = "elsewhere"
        manifest["ops"] = [each for each in manifest["ops"] if each["op"] != "Clip"]

    report = validate(copied(custom_ops, tmp_path, elsewhere), rungs=[Rung.OPS])
    check = line(report, "com.contoso::Clip")
    assert check.outcome is Outcome.FAILED
    assert "taken" in check.detail
    half = built(
        """\
epforge: 1
name: contoso-half
vendor: Contoso
ops: [Relu]
custom_ops:
  - op: com.contoso::Half
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32, float64]}
    compute: x * 0.5

  - op: com.contoso::Twice
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: x * 2
    kernel: elsewhere
"""
    )
    report = validate(half.library)
    assert report.passed, report.summary
    assert line(report, "com.contoso::Twice").detail == (
        "its kernel is elsewhere: not taken, as it should"
    )
