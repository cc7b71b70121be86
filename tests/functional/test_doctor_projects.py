"""`epforge doctor` on blueprints and projects: what they need, and a build that is out of date."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_project import asked, call
from projects import sdk
from small_project import small_project

from epforge.build import build as make
from epforge.doctor.project import gather, judge

REPOSITORY = Path(__file__).resolve().parents[2]
MINIMAL = (REPOSITORY / "blueprints/minimal.yaml").read_text(encoding="utf-8")


def by_code(data: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {each["code"]: each for each in data["findings"]}


def blueprint(folder: Path, text: str) -> Path:
    path = folder / "blueprint.yaml"
    path.write_text(text)
    return path


def test_the_mistakes_of_a_blueprint_are_check_s(tmp_path: Path) -> None:
    path = blueprint(tmp_path, MINIMAL.replace("Relu", "Rellu").replace("vendor", "vandor"))
    data = asked("doctor", path)
    assert (data["about"], data["exit_status"]) == ("blueprint", 1)
    (found,) = data["findings"]
    assert found["message"].startswith("line ")
    assert found["command"] == f"epforge check {path}"


def test_what_a_blueprint_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nvcc, and headers: what a variable names is not there."""
    monkeypatch.setenv("CUDACXX", str(tmp_path / "no-nvcc"))
    text = (REPOSITORY / "blueprints/cuda.yaml").read_text(encoding="utf-8")
    data = asked("doctor", blueprint(tmp_path, text))
    found = by_code(data)
    assert found["nvcc"]["severity"] == "missing"
    assert "nvidia-cuda-nvcc" in found["nvcc"]["command"]
    assert data["exit_status"] == 4
    monkeypatch.setenv("ORT_HOME", str(tmp_path / "none"))
    data = asked("doctor", tmp_path / "blueprint.yaml")
    assert by_code(data)["headers"]["command"] == "unset ORT_HOME"
    assert data["exit_status"] == 1


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"- " * 5000, b"\x1b[31m: {"])
def test_what_is_no_blueprint_is_a_finding(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.yaml"
    path.write_bytes(content)
    result = call("doctor", path)
    assert result.exit_code in (1, 2)
    assert "\x1b" not in result.output
    assert "Traceback" not in result.output


def test_a_directory_that_is_no_project_yet(tmp_path: Path) -> None:
    blueprint(tmp_path, MINIMAL)
    data = asked("doctor", tmp_path)
    assert by_code(data)["project"]["command"] == f"epforge scaffold {tmp_path}"


def test_a_build_that_is_out_of_date(tmp_path: Path) -> None:
    root = small_project(tmp_path / "small")
    make(root, sdk=sdk().include)
    assert codes(root) == ["ok build"]
    source = root / "src/kernels/two.cc"
    source.write_text("int Two() { return 3; }\n")
    assert codes(root) == ["warning build-stale"]
    make(root, sdk=sdk().include)
    assert codes(root) == ["ok build"]
    with (root / "CMakeLists.txt").open("a", encoding="utf-8") as file:
        file.write("\n")
    (found,) = judge(gather(root, "1.32.0"))
    assert found.what.endswith("Ninja would do 1 step")


def test_a_build_for_other_headers(tmp_path: Path) -> None:
    headers = tmp_path / "headers"
    shutil.copytree(sdk().include, headers)
    root = small_project(tmp_path / "small")
    make(root, sdk=headers)
    shutil.rmtree(headers)
    assert "warning build-headers" in codes(root)


def codes(root: Path) -> list[str]:
    found = gather(root, "1.32.0")
    return [f"{each.severity} {each.code}" for each in judge(found)]


def test_a_project_without_a_library_and_one_that_has_drifted(tmp_path: Path) -> None:
    root = tmp_path / "contoso-npu"
    assert call("scaffold", blueprint(tmp_path, MINIMAL), root).exit_code == 0
    found = by_code(asked("doctor", root))
    assert found["status"]["severity"] == "ok"
    assert found["build"]["severity"] == "note"
    assert found["build"]["command"] == f"epforge build {root}"
    with (root / "src/abi/ep.cc").open("a", encoding="utf-8") as file:
        file.write("// Mine.\n")
    found = by_code(asked("doctor", root))
    assert found["drift"]["severity"] == "warning"
    assert "src/abi/ep.cc" in found["drift"]["message"]
