"""What is asked of libraries, models and reports: the same answer in both ways, as the schema says.

A function is asked first, then the command line, in a process of its own.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from answers import check_schema
from projects import Project, built_copy

import epforge

# What two runs never have in common.
TIMES = {"seconds", "started", "compiled", "cached", "summary"}


def printed(*args: str | Path, status: int = 0) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "epforge", *args, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def timeless(data: Any) -> Any:
    """Data without what two runs never have in common."""
    if isinstance(data, dict):
        return {key: timeless(value) for key, value in data.items() if key not in TIMES}
    return [timeless(each) for each in data] if isinstance(data, list | tuple) else data


def same(result: epforge.Result, answer: dict[str, Any], verb: str) -> None:
    assert timeless(result.to_json()) == timeless(answer)
    assert answer["format"] == 1
    check_schema(answer, verb)


def test_build(minimal: Project, tmp_path: Path) -> None:
    epforge.scaffold_project(minimal.root / "blueprint.yaml", tmp_path / "npu")
    root = built_copy(tmp_path / "npu")
    result = epforge.build_project(root)
    assert result.built.library.is_file()
    same(result, printed("build", root), "build")


def test_validate_and_its_reports(minimal: Project, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    checks: list[epforge.Check] = []
    result = epforge.validate_library(
        minimal.root, rung=["static", "load"], report=report, on_check=checks.append
    )
    assert result.passed
    assert [each.name for each in checks] == [each.name for each in result.checks]
    same(
        result, printed("validate", minimal.root, "--rung", "static", "--rung", "load"), "validate"
    )
    read = epforge.read_report(report)
    assert read.report.passed
    same(read, printed("report", "show", report), "report show")
    same(
        epforge.diff_reports(report, report),
        printed("report", "diff", report, report),
        "report diff",
    )
    page = tmp_path / "page.html"
    same(
        epforge.render_report(report, page),
        printed("report", "render", report, page),
        "report render",
    )
    assert page.read_text().startswith("<!doctype html>")


def test_a_library_that_fails_is_an_answer(tmp_path: Path) -> None:
    library = tmp_path / "libnothing.so"
    library.write_bytes(b"nothing")
    result = epforge.validate_library(library=library)
    assert result.exit_status == epforge.ExitStatus.CHECK_FAILED
    same(result, printed("validate", "--library", library, status=1), "validate")
    found = epforge.inspect_library(library)
    assert found.exit_status == epforge.ExitStatus.CHECK_FAILED
    same(found, printed("inspect", library, status=1), "inspect")


def test_inspect(minimal: Project) -> None:
    library = minimal.library
    found = epforge.inspect_library(library)
    assert found.fine
    same(found, printed("inspect", library), "inspect")


def test_compile(compiled: Project, tmp_path: Path) -> None:
    import onnx

    text = '<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y) {y = Relu(x)}'
    model = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model(text), model)
    result = epforge.compile_models(model, library=compiled.library, force=True)
    assert result.data["models"][0]["compiled_nodes"] == 1
    command = ("compile", "--library", compiled.library, "--force", model)
    same(result, printed(*command), "compile")
    with pytest.raises(epforge.RefusedError) as refused:
        epforge.compile_models(model, library=compiled.library, output=model)
    error = printed("compile", "--library", compiled.library, model, "-o", model, status=2)
    assert error["error"]["message"] == refused.value.message
    check_schema(error, "error")


def test_operators_of_models(tmp_path: Path) -> None:
    import onnx

    text = '<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y) {y = Relu(x)}'
    model = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model(text), model)
    same(epforge.ops_from_model(model), printed("ops", "from-model", model), "ops from-model")


def test_headers() -> None:
    same(epforge.find_sdk(), printed("sdk", "path"), "sdk path")
    same(epforge.verify_sdk(), printed("sdk", "verify"), "sdk verify")


def test_a_build_that_fails_is_an_error_with_its_place(minimal: Project, tmp_path: Path) -> None:
    root = tmp_path / "npu"
    epforge.scaffold_project(minimal.root / "blueprint.yaml", root)
    (root / "src/device/discovery.cc").write_text("int x = nothing;\n")
    with pytest.raises(epforge.BuildError) as error:
        epforge.build_project(root)
    answer = printed("build", root, status=1)
    assert answer["error"] == {**answer["error"], **error.value.details()}
    assert answer["error"]["line"] == 1
    check_schema(answer, "error")
