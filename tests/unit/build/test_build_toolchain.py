"""The tools of a build are found, or named with the way to get them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path
from types import SimpleNamespace

import pytest
from rooms import PACKAGE
from small_project import small_project

from epforge.build import toolchain, zig
from epforge.build.project import open_project
from epforge.build.toolchain import find_nvcc, find_toolchain, from_pypi
from epforge.errors import MissingError, UsageError


def program(directory: Path, name: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_order_of_compilers(tmp_path: Path) -> None:
    place = tmp_path / "bin"
    clang = program(place, "clang++")
    env = {"PATH": str(place)}
    assert find_toolchain(env=env).compiler == str(clang)
    gcc = program(place, "g++")
    assert find_toolchain(env=env).compiler == str(gcc)
    own = program(tmp_path / "my tools", "c++-99")
    assert find_toolchain(env={**env, "CXX": str(own)}).compiler == str(own)
    assert find_toolchain(env={**env, "CXX": str(own)}).compiler_from == "CXX"
    assert find_toolchain("clang++", env={**env, "CXX": str(own)}).compiler == str(clang)


def test_a_compiler_may_have_a_launcher(tmp_path: Path) -> None:
    place = tmp_path / "bin"
    program(place, "ccache")
    env = {"PATH": str(place), "CXX": "ccache g++"}
    assert find_toolchain(env=env).compiler == "ccache g++"


def test_no_compiler_says_what_was_looked_for_and_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.raises(MissingError, match="no C\\+\\+ compiler") as caught:
        find_toolchain(env={"PATH": str(tmp_path)})
    assert int(caught.value.exit_status) == 4
    assert "nstall" in caught.value.cure
    if not zig.why_not():
        assert "zig could stand in" in caught.value.message
        assert "EPFORGE_CACHE" in caught.value.cure


@pytest.mark.parametrize("source", ["CXX", "--compiler"])
def test_a_wrong_compiler_is_not_replaced_in_silence(source: str, tmp_path: Path) -> None:
    program(tmp_path, "g++")
    env = {"PATH": str(tmp_path), **({"CXX": "nope"} if source == "CXX" else {})}
    with pytest.raises(MissingError, match=f"'nope' \\(from {source}\\)"):
        find_toolchain("nope" if source == "--compiler" else None, env)


def test_cmake_and_ninja_come_from_this_python(tmp_path: Path) -> None:
    program(tmp_path, "g++")
    tools = find_toolchain(env={"PATH": str(tmp_path)})
    assert tools.cmake.is_file()
    assert tools.ninja.is_file()


@pytest.mark.parametrize("package", ["cmake", "ninja"])
def test_a_missing_tool_says_how_to_install_it(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(MissingError, match=f"{package} is not installed") as caught:
        from_pypi(package)
    assert f"pip install {package}" in caught.value.cure


def test_tools_of_an_environment_that_this_one_sees(tmp_path: Path) -> None:
    """A .pth file shows a package, and not its programs; those lie where it was installed."""
    place = tmp_path / "inner"
    venv.create(place, with_pip=False)
    seen = {str(distribution(name).locate_file("")) for name in ("ninja", "cmake")}
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    (Path(packages.stdout.strip()) / "outer.pth").write_text("\n".join(seen))
    code = (
        "import subprocess\nfrom epforge.build.toolchain import from_pypi\n"
        "for name in ('ninja', 'cmake'):\n"
        "    subprocess.run([from_pypi(name), '--version'], check=True)\n"
    )
    subprocess.run(
        [python, "-c", code],
        check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PATH": str(place)},
    )


def test_a_tool_beside_the_packages_of_pip_s_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ninja = ninja_in(tmp_path / "packages", tmp_path / "packages/bin", monkeypatch)
    assert from_pypi("ninja") == ninja
    ninja.unlink()
    with pytest.raises(MissingError, match="has no program ninja") as caught:
        from_pypi("ninja")
    assert str(ninja.parent) in caught.value.message
    assert "pip install --force-reinstall ninja" in caught.value.cure


def ninja_in(packages: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python that sees a package ninja, and has no program beside itself."""
    about = packages / "ninja-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ninja\nVersion: 1.0\n")
    (about / "RECORD").write_text("../../bin/ninja,,\n")
    monkeypatch.setattr(sys, "path", [str(packages)])
    monkeypatch.setattr(sys, "executable", str(packages.parent / "none/python"))
    return program(programs, "ninja")


@pytest.fixture
def no_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has no CUDA toolkit in its usual place, and no package of it."""
    monkeypatch.setattr(toolchain, "_CUDA_ROOTS", ())
    monkeypatch.setattr(toolchain, "_nvidia_packages", list)


def test_nvcc_is_looked_for_where_cuda_code_is_compiled_only(tmp_path: Path, no_cuda: None) -> None:
    program(tmp_path, "g++")
    assert find_toolchain(env={"PATH": str(tmp_path)}).nvcc == ""
    with pytest.raises(MissingError, match="no nvcc"):
        find_toolchain(env={"PATH": str(tmp_path)}, cuda=True)
    nvcc = program(tmp_path, "nvcc")
    assert find_toolchain(env={"PATH": str(tmp_path)}, cuda=True).nvcc == str(nvcc)


def test_the_order_of_places_for_nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for release in ("cu9", "cu12", "cu13"):
        program(tmp_path / f"nvidia/{release}/bin", "nvcc")
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path / "nvidia")])
    monkeypatch.setattr(toolchain, "_CUDA_ROOTS", ())
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: spec)
    env = {"PATH": str(tmp_path / "bin")}
    assert find_nvcc(env) == tmp_path / "nvidia/cu13/bin/nvcc"
    usual = program(tmp_path / "usual/bin", "nvcc")
    monkeypatch.setattr(toolchain, "_CUDA_ROOTS", (tmp_path / "usual",))
    assert find_nvcc(env) == usual
    of_variable = program(tmp_path / "variable/bin", "nvcc")
    env["CUDA_PATH"] = str(tmp_path / "variable")
    assert find_nvcc(env) == of_variable
    on_path = program(tmp_path / "bin", "nvcc")
    assert find_nvcc(env) == on_path
    env["CUDACXX"] = str(program(tmp_path / "own", "nvcc-99"))
    assert find_nvcc(env) == tmp_path / "own/nvcc-99"
    env["CUDACXX"] = "nope"
    with pytest.raises(MissingError, match=r"'nope' \(from CUDACXX\)"):
        find_nvcc(env)


def test_no_nvcc_says_how_to_get_one(tmp_path: Path, no_cuda: None) -> None:
    with pytest.raises(MissingError) as caught:
        find_nvcc({"PATH": str(tmp_path)})
    assert int(caught.value.exit_status) == 4
    assert "pip install nvidia-cuda-nvcc nvidia-cuda-runtime" in caught.value.cure


def test_a_damaged_project_is_named(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").touch()
    manifest = tmp_path / "src/gen/manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("{")
    with pytest.raises(UsageError, match=r"manifest\.json cannot be read"):
        open_project(tmp_path)
    manifest.write_text('{"library": "x"}')
    with pytest.raises(UsageError, match=r"manifest\.json is damaged"):
        open_project(tmp_path)
    manifest.write_text('{"library": "x", "ort": {"target": 27}}')
    with pytest.raises(UsageError, match=r"manifest\.json is damaged: it has no 'macro'"):
        open_project(tmp_path)


@pytest.mark.parametrize("name", ["a;b", 'a"b', "a\\b", "a\nb"])
def test_a_place_that_cmake_cannot_build_in_is_refused(name: str, tmp_path: Path) -> None:
    project = small_project(tmp_path / name)
    with pytest.raises(UsageError, match="CMake cannot build"):
        open_project(project).check()


def test_a_tilde_is_a_letter_like_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the shell's to expand; what it leaves is a name."""
    small_project(tmp_path / "~nobody-of-that-name")
    monkeypatch.chdir(tmp_path)
    assert open_project(Path("~nobody-of-that-name")).library == "small"


@pytest.mark.parametrize("parents", [["release"], ["a"], 5, [5], None])
def test_presets_that_make_no_sense_are_left_to_cmake(parents: object, tmp_path: Path) -> None:
    project = small_project(tmp_path / "p")
    entries = [{"name": "release", "inherits": parents}, {"name": "a", "inherits": "release"}]
    (project / "CMakePresets.json").write_text(json.dumps({"configurePresets": entries}))
    assert open_project(project).binary_dir("release") == project / "build/release"


def test_a_preset_inherits_its_place_from_the_nearest(tmp_path: Path) -> None:
    project = small_project(tmp_path / "p")
    entries = [
        {"name": "release", "inherits": ["a", "b"]},
        {"name": "a", "inherits": "c"},
        {"name": "b", "binaryDir": "${sourceDir}/b"},
        {"name": "c", "binaryDir": "${sourceDir}/c/${presetName}"},
    ]
    (project / "CMakePresets.json").write_text(json.dumps({"configurePresets": entries}))
    assert open_project(project).binary_dir("release") == project / "c/release"
