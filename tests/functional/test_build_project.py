"""`epforge build` on a small real project: what is built, what is built again, what goes wrong."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project, sdk
from small_project import small_project

from epforge.build import BuildError, BuildResult, BuildTimeoutError, build
from epforge.build.toolchain import find_toolchain
from epforge.errors import MissingError, UsageError
from epforge.ort.sdk import find_sdk
from epforge.validate.binary import read


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "small")


def make(project: Path, **changes: object) -> BuildResult:
    return build(project, jobs=2, **{"sdk": find_sdk(None, 24).include, **changes})  # type: ignore[arg-type]


def test_the_library_and_its_manifest_are_there(project: Path) -> None:
    steps: list[str] = []
    result = make(project, progress=steps.append)
    assert result.library == project / "build/release/libsmall.so"
    assert result.library.is_file()
    assert result.manifest.is_file()
    assert (result.warnings, result.compiled) == (0, 2)
    assert any(step.startswith("[1/3] compiling src/") for step in steps)
    assert steps[-1] == "[3/3] linking libsmall.so"
    assert "Building CXX object" in result.log.read_text()


def test_only_what_changed_is_built_again(project: Path) -> None:
    make(project)
    assert make(project).compiled == 0
    source = project / "src/kernels/two.cc"
    source.write_text("int Two() { return 3; }\n")
    os.utime(source, (2_000_000_000, 2_000_000_000))
    steps: list[str] = []
    again = make(project, progress=steps.append)
    assert again.compiled == 1
    assert not any("configuring" in step for step in steps)
    assert any("src/kernels/two.cc" in step for step in steps)


def test_presets_do_not_share_a_directory(project: Path) -> None:
    release, debug = make(project), make(project, preset="debug")
    assert release.library != debug.library
    assert debug.library.parent.name == "debug"


def test_spaces_in_every_path(tmp_path: Path) -> None:
    headers = tmp_path / "my headers"
    shutil.copytree(find_sdk(None, 24).include, headers)
    project = small_project(tmp_path / "my project")
    assert make(project, sdk=headers).library.is_file()


def test_characters_that_mean_something_to_a_linker_or_a_shell(
    minimal: Project, tmp_path: Path
) -> None:
    place = tmp_path / "a,b=c:d" / "e+f#g%h@i~" / "-(j)&'k'<l>" / "{m}[n]*o?!^`p ä"
    done = make(minimal.copy(place), sdk=sdk().include)
    assert read(done.library).exports == ("CreateEpFactories", "ReleaseEpFactory")


@pytest.mark.parametrize("bad", [";", '"', "\\", "|", "\n", "\r"])
def test_a_place_that_cmake_cannot_name(bad: str, tmp_path: Path) -> None:
    project = small_project(tmp_path / f"a{bad}b" / "project")
    with pytest.raises(UsageError, match="cannot build below") as caught:
        make(project)
    assert repr(bad) in caught.value.message


def test_warnings_are_counted(project: Path) -> None:
    (project / "src/kernels/two.cc").write_text("int Two() { int unused; return 2; }\n")
    assert make(project).warnings == 1


@pytest.mark.parametrize(
    ("file", "text", "line", "owner", "says"),
    [
        ("src/kernels/two.cc", "int Two() {\n  return two;\n}\n", 2, "yours", "two"),
        ("src/gen/one.cc", "int One() { return }\n", 1, "generated", "expected"),
        ("src/gen/one.cc", '\n#include "absent.h"\n', 2, "generated", "absent.h"),
    ],
)
def test_the_first_error_and_whose_file_it_is_in(
    file: str, text: str, line: int, owner: str, says: str, project: Path
) -> None:
    (project / file).write_text(text)
    with pytest.raises(BuildError) as caught:
        make(project)
    error = caught.value
    assert (error.file, error.line, error.owner) == (file, line, owner)
    assert says in error.message
    assert "\n" not in error.message
    assert error.log.is_file()
    assert str(error.log) in error.cure
    assert int(error.exit_status) == 1


def test_an_undefined_name_is_named(project: Path) -> None:
    (project / "src/kernels/two.cc").write_text("int Three() { return 3; }\n")
    with pytest.raises(BuildError, match=r"undefined reference to Two\(\)"):
        make(project)


def test_an_error_of_cmake_is_in_one_line(project: Path) -> None:
    with (project / "CMakeLists.txt").open("a") as file:
        file.write('message(FATAL_ERROR "The moon is too far. %s")\n' % ("Walk on. " * 20))
    with pytest.raises(BuildError) as caught:
        make(project)
    assert (caught.value.file, caught.value.owner) == ("CMakeLists.txt", "shared")
    assert "The moon is too far. Walk on." in caught.value.message
    assert caught.value.message.count("Walk on.") == 20


def test_a_repaired_project_builds(project: Path) -> None:
    source = project / "src/kernels/two.cc"
    good = source.read_text()
    source.write_text("int")
    with pytest.raises(BuildError):
        make(project)
    source.write_text(good)
    assert make(project).library.is_file()


def test_another_compiler_is_used_at_once(project: Path) -> None:
    other = shutil.which("clang++")
    if other is None:
        pytest.skip("one compiler only on this machine")
    make(project)
    again = make(project, compiler="clang++")
    assert again.compiled == 2
    cache = (again.library.parent / "CMakeCache.txt").read_text()
    assert f"CMAKE_CXX_COMPILER:STRING={other}" in cache or other in cache


def test_settings_made_by_hand_stay(project: Path) -> None:
    result = make(project)
    cache = result.library.parent / "CMakeCache.txt"
    cache.write_text(cache.read_text() + "MY_OWN:STRING=1\n")
    (result.library.parent / "epforge-configured.json").unlink()
    make(project)
    assert "MY_OWN:STRING=1" in cache.read_text()


def test_a_project_that_moved_is_configured_again(project: Path, tmp_path: Path) -> None:
    make(project)
    moved = tmp_path / "elsewhere"
    project.rename(moved)
    assert make(moved).library == moved / "build/release/libsmall.so"


def test_a_build_that_does_not_end_is_stopped(project: Path) -> None:
    with (project / "CMakeLists.txt").open("a") as file:
        file.write("execute_process(COMMAND sleep 600)\n")
    with pytest.raises(BuildTimeoutError, match="did not end within 3 s"):
        make(project, timeout_s=3)


def test_a_compiler_that_makes_no_programs_is_missing(project: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken-c++"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(MissingError, match="cannot make a program") as caught:
        make(project, compiler=str(broken))
    assert int(caught.value.exit_status) == 4


@pytest.mark.parametrize("cause", ["words", "CXXFLAGS"])
def test_a_compiler_that_failed_once_is_not_held_against_the_next(
    cause: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = find_toolchain().compiler
    if cause == "CXXFLAGS":
        monkeypatch.setenv("CXXFLAGS", "-no-such-flag")
    with pytest.raises(MissingError, match="cannot make a program"):
        make(project, compiler=f"{good} -no-such-flag" if cause == "words" else good)
    monkeypatch.delenv("CXXFLAGS", raising=False)
    assert make(project, compiler=good).library.is_file()


def test_files_that_are_gone_are_named_with_their_owner(project: Path) -> None:
    (project / "src/kernels/two.cc").unlink()
    with pytest.raises(BuildError, match="the file is missing") as caught:
        make(project)
    assert (caught.value.file, caught.value.owner) == ("src/kernels/two.cc", "yours")
    (project / "src/gen/one.cc").unlink()
    with pytest.raises(UsageError, match=r"lacks generated files: src/gen/one\.cc") as lacking:
        make(project)
    assert "epforge regenerate" in lacking.value.cure
    assert "--restore src/gen/one.cc" in lacking.value.cure


@pytest.mark.lab
def test_what_a_stopped_build_started_ends_with_it(project: Path, tmp_path: Path) -> None:
    """Ninja puts each compiler into a process group of its own."""
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    reader = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    slow = tmp_path / "slow-c++"
    compiler = find_toolchain().compiler
    script = f'case "$*" in *two.cc*) exec 9>"{alive}"; echo on >&9; exec sleep 600;; esac\n'
    slow.write_text(f'#!/bin/sh\n{script}exec {compiler} "$@"\n')
    slow.chmod(0o755)
    make(project)  # so that the time limit is for compiling alone
    with pytest.raises(BuildTimeoutError):
        make(project, compiler=str(slow), timeout_s=15)
    assert os.read(reader, 3) == b"on\n"
    ready, _, _ = select.select([reader], [], [], 10)
    assert ready, "the compiler still runs"
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_bad_headers_are_named_before_cmake_runs(project: Path, tmp_path: Path) -> None:
    headers = tmp_path / "headers"
    shutil.copytree(find_sdk(None, 24).include, headers)
    (headers / "onnxruntime_ep_c_api.h").unlink()
    with pytest.raises(Exception, match=r"onnxruntime_ep_c_api\.h"):
        make(project, sdk=headers)
    assert not (project / "build/release/CMakeCache.txt").exists()


def test_what_is_no_project_or_preset(project: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such directory"):
        make(tmp_path / "none")
    with pytest.raises(UsageError, match="not a project"):
        make(tmp_path)
    with pytest.raises(UsageError, match="no preset 'fast'") as caught:
        make(project, preset="fast")
    assert "release, debug" in caught.value.cure
    with pytest.raises(UsageError, match="no preset 'base'"):
        make(project, preset="base")


def test_command_line(project: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "epforge", "build", str(project), "-j", "2", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    first = run()
    assert first.returncode == 0, first.stderr
    assert "2 files compiled" in first.stdout
    assert "[3/3] linking libsmall.so" in first.stderr
    data = json.loads(run("--json").stdout)
    assert data["compiled"] == 0
    assert Path(data["library"]).is_file()
    missing = run("--compiler", "no-such-compiler")
    assert missing.returncode == 4
    assert "no-such-compiler" in missing.stderr
    assert "Traceback" not in missing.stderr
