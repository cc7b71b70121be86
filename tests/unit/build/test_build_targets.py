"""Builds for other platforms: which a project has, what is needed, and what must come out."""

from __future__ import annotations

import dataclasses
import json
import platform
import sys
from pathlib import Path

import pytest
from small_project import small_project

from epforge.build import BuildError
from epforge.build.project import Project, open_project
from epforge.build.targets import (
    TARGETS,
    check_library,
    find_target,
    is_foreign,
    target_toolchain,
    wheel_tag,
)
from epforge.errors import MissingError, UsageError

FOREIGN = "windows-x64"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project for Windows, macOS and Linux on Arm, with a preset of its owner's."""
    root = small_project(tmp_path / "small")
    path = root / "CMakePresets.json"
    presets = json.loads(path.read_text())
    for name in ("windows-x64", "macos-arm64", "linux-arm64"):
        file = f"${{sourceDir}}/cmake/toolchains/{name}.cmake"
        presets["configurePresets"].append(
            {"name": name, "inherits": "release", "toolchainFile": file}
        )
    presets["configurePresets"].append({"name": "checked", "inherits": ["windows-x64"]})
    path.write_text(json.dumps(presets))
    return open_project(root)


@pytest.fixture(autouse=True)
def no_zig(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a Python without the package ziglang, with a cache that nothing can be put into."""
    monkeypatch.setitem(sys.modules, "ziglang", None)
    (tmp_path / "file").touch()
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "file" / "cache"))


def program(place: Path, name: str, says: str = "Thread model: posix") -> str:
    path = place / name
    path.write_text(f'#!/bin/sh\necho "{says}" >&2\n')
    path.chmod(0o755)
    return str(path)


def zig_with_tools(place: Path) -> str:
    """zig, and what makes archives: with that, nothing has to be put into the cache."""
    for name in ("ar", "ranlib"):
        program(place, name)
    return program(place, "zig")


def test_the_library_is_named_as_its_platform_names_libraries(project: Project) -> None:
    files = {preset: project.library_path(preset).name for preset in (*project.targets, "release")}
    assert files == {
        "windows-x64": "small.dll",
        "macos-arm64": "libsmall.dylib",
        "linux-arm64": "libsmall.so",
        "release": project.library_file,
    }
    assert project.library_path(FOREIGN).parent == project.root / "build" / FOREIGN


def test_a_preset_that_builds_on_a_target_s_is_for_that_platform(project: Project) -> None:
    assert project.library_path("checked").name == "small.dll"
    assert "checked" not in project.targets


def test_a_target_that_the_blueprint_does_not_list(project: Project) -> None:
    with pytest.raises(UsageError, match="is not built for 'linux-x64'") as caught:
        find_target(project, "linux-x64")
    assert "windows-x64, macos-arm64, linux-arm64" in caught.value.cure
    assert "`targets` in the blueprint" in caught.value.cure


def test_what_is_no_target_is_not_recommended_for_the_blueprint(project: Project) -> None:
    with pytest.raises(UsageError, match="is not built for 'checked'") as caught:
        find_target(project, "checked")
    assert "`targets`" not in caught.value.cure


def test_gcc_is_taken_before_zig_and_either_on_demand(project: Project, tmp_path: Path) -> None:
    target, env = TARGETS[FOREIGN], {"PATH": str(tmp_path)}
    zig = zig_with_tools(tmp_path)
    assert target_toolchain(project, target, env=env).compiler == zig
    gcc = program(tmp_path, "x86_64-w64-mingw32-g++-posix")
    chosen = target_toolchain(project, target, env=env)
    assert (chosen.compiler, chosen.settings) == (gcc, ("-DSMALL_CROSS_COMPILER=gcc",))
    chosen = target_toolchain(project, target, "zig", env)
    assert chosen.settings == ("-DSMALL_CROSS_COMPILER=zig", f"-DSMALL_ZIG={zig}")


@pytest.mark.parametrize("name", TARGETS)
def test_a_project_s_own_file_asks_for_the_same_compilers(name: str, repository: Path) -> None:
    """CMake alone finds what epforge finds."""
    toolchain = repository / f"templates/plugin/cmake/toolchains/{name}.cmake"
    asked = toolchain.read_text().partition("ep_build_for(")[2].partition(")")[0].split()
    target = TARGETS[name]
    gcc = ["GCC", *target.gcc, "PACKAGE", target.package] if target.gcc else []
    assert asked[2:] == [*gcc, "ZIG", target.zig]


def test_a_mingw_without_threads_is_passed_over(project: Project, tmp_path: Path) -> None:
    program(tmp_path, "x86_64-w64-mingw32-g++", "Thread model: win32")
    with pytest.raises(MissingError, match="no compiler for windows-x64"):
        target_toolchain(project, TARGETS[FOREIGN], env={"PATH": str(tmp_path)})
    program(tmp_path, "x86_64-w64-mingw32-g++")
    assert target_toolchain(project, TARGETS[FOREIGN], env={"PATH": str(tmp_path)}).compiler


@pytest.mark.parametrize(
    ("compiler", "named", "not_named"),
    [
        (None, ["apt install g++-mingw-w64-x86-64", "pip install ziglang"], []),
        ("gcc", ["apt install g++-mingw-w64-x86-64"], ["ziglang"]),
        ("zig", ["pip install ziglang"], ["mingw"]),
    ],
)
def test_what_is_missing_is_named_with_its_package(
    compiler: str | None,
    named: list[str],
    not_named: list[str],
    project: Project,
    tmp_path: Path,
) -> None:
    with pytest.raises(MissingError) as caught:
        target_toolchain(project, TARGETS[FOREIGN], compiler, {"PATH": str(tmp_path)})
    assert int(caught.value.exit_status) == 4
    assert all(text in caught.value.cure for text in named)
    assert not any(text in str(caught.value) for text in not_named)


def test_macos_needs_a_linker_too(project: Project, tmp_path: Path) -> None:
    target, env = TARGETS["macos-arm64"], {"PATH": str(tmp_path)}
    with pytest.raises(MissingError, match=r"ld64\.lld") as caught:
        target_toolchain(project, target, env=env)
    assert "apt install lld" in caught.value.cure
    program(tmp_path, "ld64.lld-14")
    with pytest.raises(MissingError, match="LLVM 16 or newer"):
        target_toolchain(project, target, env=env)
    program(tmp_path, "ld64.lld-22")
    with pytest.raises(MissingError, match="zig is not there"):
        target_toolchain(project, target, env=env)
    zig_with_tools(tmp_path)
    assert target_toolchain(project, target, env=env).compiler == str(tmp_path / "zig")
    with pytest.raises(UsageError, match="GCC does not build for macos-arm64"):
        target_toolchain(project, target, "gcc", env)


def test_another_compiler_is_refused(project: Project) -> None:
    with pytest.raises(UsageError, match="it can be gcc or zig"):
        target_toolchain(project, TARGETS[FOREIGN], "clang++")


def test_device_code_is_not_built_for_another_machine(project: Project) -> None:
    with pytest.raises(UsageError, match="device code is not compiled for windows-x64"):
        target_toolchain(dataclasses.replace(project, cuda=True), TARGETS[FOREIGN])


def test_a_library_of_another_platform_is_no_result(tmp_path: Path) -> None:
    elf = tmp_path / "libsmall.so"
    elf.write_bytes(b"\x7fELF" + bytes(14) + b"\xb7\0" + bytes(100))
    check_library(elf, TARGETS["linux-arm64"], tmp_path / "log")
    for name in ("linux-x64", "windows-x64", "macos-arm64"):
        with pytest.raises(BuildError, match=f"is no library for {name}"):
            check_library(elf, TARGETS[name], tmp_path / "log")
    for content in (b"", b"MZ", b"MZ" + b"\xff" * 100):
        elf.write_bytes(content)
        with pytest.raises(BuildError, match="is no library for windows-x64"):
            check_library(elf, TARGETS["windows-x64"], tmp_path / "log")
    with pytest.raises(BuildError, match="made no"):
        check_library(tmp_path / "absent", TARGETS["linux-x64"], tmp_path / "log")


def test_a_wheel_s_platform_is_given_where_it_is_not_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On Linux auditwheel reads the libraries of every Linux, and says what they promise."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    names = ("", "linux-x64", "linux-arm64", "windows-x64", "macos-arm64")
    assert [wheel_tag(name) for name in names] == [None] * 3 + ["win_amd64", "macosx_13_0_arm64"]
    assert [is_foreign(name) for name in names] == [False, False, True, True, True]
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert [wheel_tag(name) for name in names][2:] == ["linux_aarch64", "win_amd64", None]
