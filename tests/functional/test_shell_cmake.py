"""The generated CMake: presets, installation, and what it says when something is not there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from projects import Project, built, sdk

from epforge.build.toolchain import find_toolchain
from epforge.ort.sdk import ENVIRONMENT
from epforge.ort.sdk.layout import LAYOUTS

MINIMAL = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"


@pytest.fixture(scope="module")
def project() -> Project:
    return built(MINIMAL)


def cmake(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    tools = find_toolchain(None)
    return subprocess.run(
        [str(tools.cmake), *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CXX": tools.compiler, **environment},
    )


def configure(
    root: Path, binary: Path, *variables: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    ninja = find_toolchain(None).ninja
    return cmake(
        *("-G", "Ninja", "-S", str(root), "-B", str(binary), f"-DCMAKE_MAKE_PROGRAM={ninja}"),
        *(f"-DCONTOSO_NPU_{variable}" for variable in variables),
        cwd=root,
        **environment,
    )


def test_there_is_a_preset_for_each_purpose(project: Project) -> None:
    listed = cmake("--list-presets", cwd=project.root)
    for name in ("release", "debug", "asan", "tsan"):
        assert f'"{name}"' in listed.stdout
    presets = json.loads((project.root / "CMakePresets.json").read_text(encoding="utf-8"))
    tests = {
        preset["name"]: preset.get("cacheVariables", {}).get("CONTOSO_NPU_BUILD_TESTS")
        for preset in presets["configurePresets"]
        if "toolchainFile" not in preset  # those are for other platforms
    }
    assert tests == {"base": None, "release": "OFF", "debug": "ON", "asan": "ON", "tsan": "ON"}


def test_installing_puts_library_and_manifest_in_one_place(
    project: Project, tmp_path: Path
) -> None:
    prefix = tmp_path / "a prefix"
    done = cmake("--install", "build/release", "--prefix", str(prefix), cwd=project.root)
    assert done.returncode == 0, done.stderr
    installed = [path for path in prefix.rglob("*") if path.is_file()]
    libraries = sorted(path for path in installed if path.suffix != ".cmake")
    name = project.library.name
    assert [path.name for path in libraries] == [name, name + ".manifest.json"]
    assert len({path.parent for path in libraries}) == 1
    package = libraries[0].parent / "cmake/contoso_npu"
    assert {path.parent for path in installed if path.suffix == ".cmake"} == {package}


def test_the_environment_names_the_headers(project: Project, tmp_path: Path) -> None:
    place = tmp_path / "an sdk" / "include"
    place.parent.mkdir()
    place.symlink_to(sdk().include)
    for variable in ("ORT_HOME", "EPFORGE_ORT_SDK"):
        done = configure(project.root, tmp_path / variable, **{variable: str(place.parent)})
        assert done.returncode == 0, done.stderr
        assert f"ONNX Runtime headers: {place}" in done.stdout


def test_headers_are_looked_for_in_the_order_that_build_has(
    project: Project, tmp_path: Path
) -> None:
    places = {}
    for variable in ENVIRONMENT:
        places[variable] = tmp_path / variable / "include"
        places[variable].parent.mkdir()
        places[variable].symlink_to(sdk().include)
    settings = {variable: str(place.parent) for variable, place in places.items()}
    done = configure(project.root, tmp_path / "build", **settings)
    assert f"ONNX Runtime headers: {places[ENVIRONMENT[0]]}" in done.stdout
    script = (project.root / "cmake/gen/ort_headers.cmake").read_text(encoding="utf-8")
    listed = re.search(r"set\(layouts ([^)]*)\)", script)
    assert listed
    assert listed[1].split() == [layout or "." for layout in LAYOUTS]


def test_headers_that_were_asked_for_are_not_replaced_by_others(
    project: Project, tmp_path: Path
) -> None:
    """A wrong setting is an error, though the cache has what is needed."""
    empty = tmp_path / "empty"
    empty.mkdir()
    done = configure(project.root, tmp_path / "build", f"ORT_INCLUDE_DIR={empty}")
    assert done.returncode != 0
    assert "CONTOSO_NPU_ORT_INCLUDE_DIR" in done.stderr
    assert f"{empty}: no onnxruntime_c_api.h" in " ".join(done.stderr.split())


def test_without_a_runtime_the_host_test_is_left_out_loudly(
    project: Project, tmp_path: Path
) -> None:
    lonely = tmp_path / "bin"
    lonely.mkdir()
    (lonely / "python3").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (lonely / "python3").chmod(0o755)
    done = configure(
        project.root,
        tmp_path / "build",
        *(f"ORT_INCLUDE_DIR={sdk().include}", "BUILD_TESTS=ON"),
        PATH=f"{lonely}:{os.environ['PATH']}",
    )
    assert done.returncode == 0, done.stderr
    assert "CMake Warning" in done.stderr
    assert "host_test is left out" in done.stderr
    assert "CONTOSO_NPU_ORT_LIBRARY" in done.stderr


def test_a_wrong_runtime_library_fails_the_test_not_the_configuration(
    project: Project, tmp_path: Path
) -> None:
    done = configure(
        project.root,
        tmp_path / "build",
        f"ORT_INCLUDE_DIR={sdk().include}",
        *("BUILD_TESTS=ON", f"ORT_LIBRARY={tmp_path / 'nowhere.so'}"),
    )
    assert done.returncode == 0, done.stderr
    listed = (tmp_path / "build/tests/cpp/CTestTestfile.cmake").read_text(encoding="utf-8")
    assert "nowhere.so" in listed
