"""Libraries for other platforms, built on this one."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_project import asked
from projects import Project, sdk

from epforge.build import build
from epforge.build.toolchain import find_toolchain
from epforge.validate.binary import read

EXPORTS = ("CreateEpFactories", "ReleaseEpFactory")
GCC = {"windows-x64": "x86_64-w64-mingw32-g++", "linux-arm64": "aarch64-linux-gnu-g++"}
FORMATS = {
    "linux-x64": ("elf", "x86_64"),
    "linux-arm64": ("elf", "aarch64"),
    "windows-x64": ("pe", "x86_64"),
    "macos-arm64": ("mach-o", "aarch64"),
}
SYSTEM = {
    "linux-x64": r"lib(c|m|dl|pthread|stdc\+\+|gcc_s)\.so\.\d|ld-linux-x86-64\.so\.2",
    "linux-arm64": r"lib(c|m|dl|pthread|stdc\+\+|gcc_s)\.so\.\d|ld-linux-aarch64\.so\.1",
    "windows-x64": r"(KERNEL32|msvcrt|api-ms-win-crt-[\w-]+)\.dll",
    "macos-arm64": r"/usr/lib/libSystem\.B\.dylib",
}
BLUEPRINTS = (
    "compiled", "custom-ops", "kernel-registry", "minimal", "strict-gpu", "virtual",
    "virtual-memory",
)  # fmt: skip


def text_of(repository: Path, name: str) -> str:
    return (repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8")


def needs(program: str) -> None:
    if shutil.which(program) is None and shutil.which(f"{program}-posix") is None:
        pytest.skip(f"no {program}")


def needs_zig() -> None:
    if importlib.util.find_spec("ziglang") is None and shutil.which("zig") is None:
        pytest.skip("no ziglang")


def assert_made_for(target: str, library: Path, exports: tuple[str, ...] = EXPORTS) -> None:
    found = read(library)
    assert (found.format, found.machine) == FORMATS[target]
    assert found.shared
    assert tuple(name.lstrip("_") for name in found.exports) == exports
    own = f"@rpath/{library.name}"  # what a library of macOS calls itself is listed with the rest
    foreign = [n for n in found.needed if n != own and not re.fullmatch(SYSTEM[target], n)]
    assert foreign == []
    assert set(found.search) <= {"$ORIGIN", "@loader_path"}


@pytest.mark.parametrize("target", GCC)
def test_a_library_exports_two_functions_and_needs_the_system_alone(
    target: str, project_of: Callable[..., Project], repository: Path
) -> None:
    project = project_of(text_of(repository, "minimal"), preset=target)
    assert project.library.parent == project.root / "build" / target
    assert_made_for(target, project.library)


def test_the_result_names_the_target(project_of: Callable[..., Project], repository: Path) -> None:
    project = project_of(text_of(repository, "minimal"), preset="windows-x64")
    answer = asked("build", project.root, "--target", "windows-x64", "--ort-sdk", sdk().include)
    assert (answer["target"], answer["preset"], answer["compiled"]) == ("windows-x64",) * 2 + (0,)
    assert answer["library"] == str(project.library)
    assert json.loads(Path(answer["manifest"]).read_text()) == project.manifest


def test_a_target_and_a_preset_exclude_each_other(minimal: Project) -> None:
    answer = asked("build", minimal.root, "--target", "windows-x64", "--preset", "debug")
    assert "--target has a preset of its own" in answer["error"]["message"]
    assert answer["error"]["exit_status"] == 2


def test_a_target_that_is_none_of_the_project_s(minimal: Project) -> None:
    error = asked("build", minimal.root, "--target", "windows-arm64")["error"]
    assert "is not built for 'windows-arm64'" in error["message"]
    assert "linux-x64, linux-arm64, windows-x64, macos-arm64" in error["cure"]
    assert error["exit_status"] == 2


def test_what_a_person_set_survives(minimal: Project, tmp_path: Path) -> None:
    """Configured by hand first, then by epforge; nothing gets as far as a library."""
    root = minimal.copy(tmp_path / "project")
    tools = find_toolchain()
    subprocess.run(
        [
            *(str(tools.cmake), "--preset", "windows-x64", "-DMY_OWN_SETTING=kept"),
            *(
                f"-DCMAKE_MAKE_PROGRAM={tools.ninja}",
                f"-DCONTOSO_NPU_ORT_INCLUDE_DIR={sdk().include}",
            ),
        ],
        cwd=root,
        check=True,
        capture_output=True,
    )
    (root / "src/abi/ep.cc").write_text("#error on purpose\n")
    answer = asked("build", root, "--target", "windows-x64", "--ort-sdk", sdk().include, "-j1")
    assert "on purpose" in answer["error"]["message"]
    cache = (root / "build/windows-x64/CMakeCache.txt").read_text()
    assert "MY_OWN_SETTING:UNINITIALIZED=kept" in cache


@pytest.mark.lab
@pytest.mark.parametrize("target", [*GCC, "linux-x64"])
@pytest.mark.parametrize("name", BLUEPRINTS)
def test_every_blueprint_builds_without_a_warning(
    name: str, target: str, project_of: Callable[..., Project], repository: Path
) -> None:
    needs(GCC.get(target, "g++"))
    project = project_of(text_of(repository, name), preset=target)
    assert_made_for(target, project.library)
    if stem := project.manifest["custom_op_library"]:
        prefix = "" if target == "windows-x64" else "lib"
        other = project.library.with_name(f"{prefix}{stem}{project.library.suffix}")
        assert_made_for(target, other, ("RegisterCustomOps",))


@pytest.mark.lab
@pytest.mark.parametrize("target", GCC)
@pytest.mark.parametrize("name", ["compiled", "strict-gpu"])
def test_the_project_s_own_tests_build(
    name: str, target: str, project_of: Callable[..., Project], repository: Path
) -> None:
    needs(GCC[target])
    text = text_of(repository, name)
    macro = json.loads((project_of(text).root / "src/gen/manifest.json").read_text())["macro"]
    project = project_of(text, preset=target, variables={f"{macro}_BUILD_TESTS": "ON"})
    suffix = ".exe" if target == "windows-x64" else ""
    assert (project.library.parent / f"tests/cpp/entry_test{suffix}").is_file()
    assert not list(project.library.parent.rglob("host_test*.exe"))  # this machine's runtime only


@pytest.mark.lab
@pytest.mark.parametrize("target", GCC)
def test_the_same_sources_give_the_same_file(target: str, minimal: Project, tmp_path: Path) -> None:
    needs(GCC[target])
    roots = [minimal.copy(tmp_path / place) for place in ("one", "some where/else")]
    first, second = (build(root, target, sdk=sdk().include).library for root in roots)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.lab
@pytest.mark.parametrize("target", ["linux-x64", "linux-arm64", "windows-x64", "macos-arm64"])
def test_zig_builds_for_every_target(target: str, minimal: Project, tmp_path: Path) -> None:
    needs_zig()
    if target == "macos-arm64" and not any(map(shutil.which, ("ld64.lld-22", "ld64.lld"))):
        pytest.skip("no ld64.lld")
    root = minimal.copy(tmp_path / "project")
    done = build(root, target, sdk=sdk().include, compiler="zig")
    assert_made_for(target, done.library)


@pytest.mark.lab
@pytest.mark.parametrize(
    ("target", "tag"),
    [
        ("linux-x64", "manylinux_2_24_x86_64"),
        ("linux-arm64", "manylinux_2_24_aarch64"),
        ("windows-x64", "win_amd64"),
    ],
)
def test_a_wheel_promises_what_its_library_needs(
    target: str, tag: str, minimal: Project, tmp_path: Path
) -> None:
    needs(GCC.get(target, "g++"))
    root = minimal.copy(tmp_path / "project")
    answer = asked("build", root, "--target", target, "--ort-sdk", sdk().include, "--wheel")
    assert answer["wheel"]["tag"] == f"py3-none-{tag}"
