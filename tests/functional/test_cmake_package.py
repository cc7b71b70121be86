"""The CMake package of a generated project: what find_package gives, and to whom."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import models
import onnx
import pytest
from projects import Project
from samples import (
    built_sample,
    cmake,
    environment,
    fine,
    start,
)


@pytest.mark.lab
def test_a_program_is_built_with_an_installation_that_was_moved(
    minimal: Project, tmp_path: Path
) -> None:
    onnx.save(models.mul(), tmp_path / "mul.onnx")
    program = built_sample(minimal, installed=True)
    (library,) = (program.parents[1] / "prefix").rglob(minimal.library.name)
    said = fine(start(program, tmp_path / "mul.onnx", cwd=Path("/")))
    assert f"plugin: {library}," in said
    assert f"nodes on {minimal.ep}: 1 (Mul)" in said


def test_the_package_has_the_operators_library(
    project_of: Callable[[str], Project], repository: Path, tmp_path: Path
) -> None:
    custom = project_of((repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8"))
    done = consume(tmp_path / "consumer", custom.library.parent, "COMPONENTS plugin custom_ops")
    assert done.returncode == 0, done.stderr
    library = custom.library.parent / "libcontoso_npu_custom_ops.so"
    assert f"CUSTOM_OPS_LIBRARY={library}\n" in done.stdout
    assert library.is_file()


# Asks for the package, and prints what it gives.
CONSUMER = """
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES NONE)
find_package(contoso_npu {wanted} CONFIG REQUIRED)
find_package(contoso_npu CONFIG REQUIRED)
get_target_property(type contoso_npu::plugin TYPE)
get_target_property(location contoso_npu::plugin IMPORTED_LOCATION)
message(STATUS "type=${{type}}")
message(STATUS "location=${{location}}")
foreach(name LIBRARY CUSTOM_OPS_LIBRARY EP_NAME REGISTRATION_NAME MINIMUM_ORT VERSION)
  message(STATUS "${{name}}=${{contoso_npu_${{name}}}}")
endforeach()
"""


def consume(folder: Path, package: Path, wanted: str = "") -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    (folder / "CMakeLists.txt").write_text(CONSUMER.format(wanted=wanted), encoding="utf-8")
    binary = folder / "build"
    return cmake("-G", "Ninja", "-B", binary, f"-DCMAKE_PREFIX_PATH={package}", cwd=folder)


def test_the_package_says_what_an_application_must_know(minimal: Project, tmp_path: Path) -> None:
    done = consume(tmp_path / "consumer", minimal.library.parent)
    assert done.returncode == 0, done.stderr
    given = dict(re.findall(r"^-- (\w+)=(.*)$", done.stdout, re.M))
    assert given == {
        "type": "MODULE_LIBRARY",
        "location": str(minimal.library),
        "LIBRARY": str(minimal.library),
        "CUSTOM_OPS_LIBRARY": "",
        "EP_NAME": minimal.ep,
        "REGISTRATION_NAME": minimal.ep,
        "MINIMUM_ORT": "1.24.4",
        "VERSION": minimal.manifest["version"],
    }


def test_the_package_is_refused_when_it_is_not_what_was_asked_for(
    minimal: Project, tmp_path: Path
) -> None:
    package = minimal.library.parent
    newer = consume(tmp_path / "newer", package, "7.0")
    assert newer.returncode != 0
    assert "7.0" in newer.stderr
    missing = consume(tmp_path / "missing", package, "COMPONENTS custom_ops")
    assert missing.returncode != 0
    assert "contoso_npu has no custom_ops" in missing.stderr


def test_a_build_directory_that_is_not_built_says_so(minimal: Project, tmp_path: Path) -> None:
    root = minimal.copy(tmp_path / "project")
    assert cmake("--preset", "release", cwd=root).returncode == 0
    done = consume(tmp_path / "consumer", root / "build/release")
    assert done.returncode != 0
    assert "Build it first: cmake --build" in " ".join(done.stderr.split())


def test_the_commands_of_the_readme_run(minimal: Project, tmp_path: Path) -> None:
    root = minimal.copy(tmp_path / "project")
    shutil.copytree(minimal.library.parent / "lib", root / "build/release/lib")
    text = (root / "README.md").read_text(encoding="utf-8").partition("## From C++")[2]
    (commands,) = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=root,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert f"device 0: {minimal.ep}" in done.stdout
    (listed,) = re.findall(r"^```cmake\n(.*?)^```", text, re.M | re.S)
    script = f"cmake_minimum_required(VERSION 3.22)\nproject(app LANGUAGES NONE)\n{listed}"
    application = tmp_path / "application"
    application.mkdir()
    (application / "CMakeLists.txt").write_text(script, encoding="utf-8")
    found = cmake("-B", "build", f"-DCMAKE_PREFIX_PATH={root / 'build/release'}", cwd=application)
    assert f"{minimal.ep} is in {minimal.library}" in found.stdout, found.stderr
