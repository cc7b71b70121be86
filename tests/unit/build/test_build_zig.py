"""zig stands in for a C++ compiler that is not there. The zig of these tests says what it is told;
tests/functional/test_no_compiler.py has the real one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_project import small_project

from epforge.build import build, zig
from epforge.build.project import open_project
from epforge.build.targets import TARGETS, target_toolchain
from epforge.build.toolchain import NoCompilerError, find_toolchain, system_compiler
from epforge.compiling.zig import variables
from epforge.errors import MissingError, UsageError

pytestmark = pytest.mark.skipif(bool(zig.why_not()), reason=zig.why_not())

# Writes its arguments to a file, and the outputs that it is asked for.
ZIG = """\
#!/bin/sh
echo "$ZIG_GLOBAL_CACHE_DIR | $*" >>{log}
while [ "$1" ]; do
  if [ "$1" = -o ]; then : >"$2"; fi
  shift
done
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the only program on the PATH, zig; and an empty cache."""
    place = tmp_path / "it's bin"
    place.mkdir()
    program(place, "zig", ZIG.format(log=f'"{tmp_path / "told"}"'))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "my cache's"))
    monkeypatch.delenv("ZIG_GLOBAL_CACHE_DIR", raising=False)
    return place


def program(place: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    path = place / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def told(machine: Path) -> list[str]:
    """What zig was told since the last call."""
    log = machine.parent / "told"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def env(machine: Path) -> dict[str, str]:
    return {"PATH": str(machine)}


def test_zig_stands_in_where_there_is_no_compiler(machine: Path) -> None:
    said: list[str] = []
    found = find_toolchain(env=env(machine), progress=said.append)
    assert (found.is_zig, found.compiler_from) == (True, "PyPI")
    assert Path(found.compiler).is_relative_to(machine.parent / "my cache's" / "zig")
    assert len(said) == 1
    assert "once" in said[0]
    assert find_toolchain(env=env(machine), progress=said.append) == found
    assert len(said) == 1


def test_a_compiler_of_the_system_is_taken_before_zig(machine: Path) -> None:
    gcc = program(machine, "g++")
    assert find_toolchain(env=env(machine)).compiler == str(gcc)
    assert not told(machine)
    assert find_toolchain("zig", env(machine)).is_zig
    assert told(machine)


def test_looking_for_a_compiler_of_the_system_fetches_nothing(machine: Path) -> None:
    with pytest.raises(NoCompilerError):
        system_compiler(env=env(machine))
    assert not (machine.parent / "my cache's").exists()


def test_another_zig_gives_another_compiler(machine: Path) -> None:
    first = find_toolchain(env=env(machine)).compiler
    with (machine / "zig").open("a") as file:
        file.write("# newer\n")
    assert find_toolchain(env=env(machine)).compiler != first


@pytest.mark.parametrize(
    ("given", "links", "level"),
    [
        (["-c", "a.cc", "-o", "a.o"], False, False),
        (["-E", "a.cc"], False, False),
        (["-shared", "a.o", "-o", "a.so"], True, True),
        (["-shared", "-O3", "a.o", "-o", "a.so"], True, False),
        (["a b.o", "-o", "a"], False, True),
        (["--version"], False, False),
    ],
)
def test_what_is_linked_ends_its_static_objects_and_takes_one_c_library_of_zig(
    given: list[str], links: bool, level: bool, machine: Path, tmp_path: Path
) -> None:
    compiler = find_toolchain(env=env(machine)).compiler
    told(machine)
    subprocess.run([compiler, *given], cwd=tmp_path, check=True)
    place, _, said = told(machine)[0].partition(" | ")
    assert place == str(tmp_path / "my cache's" / "zig" / "cache")
    assert said.startswith("c++ -target ")
    assert "-linux-gnu.2.28 " in said
    assert " ".join(given) in said
    assert said.endswith("unload.o") is links
    assert (" -O2" in said) is level


def test_a_place_that_the_user_gave_zig_is_kept(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path / "own"))
    found = find_toolchain(env=env(machine))
    assert {line.partition(" | ")[0] for line in told(machine)} == {str(tmp_path / "own")}
    assert found.variables == {"ZIG_GLOBAL_CACHE_DIR": str(tmp_path / "own")}


def test_tools_that_link_archives_lie_beside_the_compiler(machine: Path) -> None:
    compiler = Path(find_toolchain(env=env(machine)).compiler)
    told(machine)
    subprocess.run([compiler.parent / "ar", "rcs", "a b.a"], check=True)
    assert told(machine)[0].endswith(" | ar rcs a b.a")


def test_a_zig_that_makes_nothing_is_no_compiler(machine: Path) -> None:
    program(machine, "zig", "#!/bin/sh\necho 'error: no space left' >&2\nexit 1\n")
    for _ in range(2):
        with pytest.raises(MissingError, match="error: no space left") as caught:
            find_toolchain(env=env(machine))
        assert "The whole log: " in caught.value.cure
        assert "apt install g++" in caught.value.cure


def test_nvcc_does_not_take_zig(machine: Path) -> None:
    program(machine, "nvcc")
    with pytest.raises(NoCompilerError, match="nvcc works with g"):
        find_toolchain(env=env(machine), cuda=True)
    with pytest.raises(UsageError, match="--compiler zig: nvcc works with g"):
        find_toolchain("zig", env(machine), cuda=True)


@pytest.mark.parametrize(("preset", "name"), [("asan", "address,undefined"), ("mine", "thread")])
def test_presets_with_sanitizers_are_refused_before_anything_is_fetched(
    preset: str, name: str, machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = small_project(tmp_path / "small")
    presets = project / "CMakePresets.json"
    macro = open_project(project).macro
    variables = f'{{"{macro}_SANITIZE": "{name}"}}'
    presets.write_text(
        f"""{{"version": 3, "configurePresets": [
        {{"name": "asan", "cacheVariables": {variables}}},
        {{"name": "mine", "inherits": ["asan"], "cacheVariables": {{}}}}]}}"""
    )
    monkeypatch.setenv("PATH", str(machine))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(NoCompilerError, match=f"sanitizers \\({name}\\)"):
        build(project, preset)
    with pytest.raises(UsageError, match="--compiler zig: zig brings no library"):
        build(project, preset, compiler="zig")
    assert not told(machine)


def test_a_target_that_is_this_machine_is_left_to_zig_with_the_project_s_own_file(
    machine: Path, tmp_path: Path
) -> None:
    project = open_project(small_project(tmp_path / "small"))
    target = next(target for target in TARGETS.values() if target.native)
    found = target_toolchain(project, target, env=env(machine))
    zig_itself = str(machine / "zig")
    assert found.compiler == zig_itself
    assert found.settings[:2] == ("-DSMALL_CROSS_COMPILER=zig", f"-DSMALL_ZIG={zig_itself}")
    assert found.variables == variables()
    program(machine, "g++")
    assert target_toolchain(project, target, env=env(machine)).settings == ()


@pytest.mark.parametrize("name", ["linux-arm64", "windows-x64"])
def test_where_nothing_makes_archives_for_cmake_zig_does(
    name: str, machine: Path, tmp_path: Path
) -> None:
    project = open_project(small_project(tmp_path / "small"))
    found = target_toolchain(project, TARGETS[name], "zig", env(machine))
    settings = dict(setting[2:].split("=", 1) for setting in found.settings)
    for tool in ("ar", "ranlib"):
        subprocess.run([settings[f"CMAKE_{tool.upper()}"], "a b.a"], check=True)
        assert told(machine)[0].endswith(f" | {tool} a b.a")
        program(machine, tool)
    found = target_toolchain(project, TARGETS[name], "zig", env(machine))
    assert not [setting for setting in found.settings if "CMAKE" in setting]


def test_a_cache_that_cannot_be_written_to_says_which_variable_moves_it(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.parent / "file").touch()
    monkeypatch.setenv("EPFORGE_CACHE", str(machine.parent / "file/cache"))
    with pytest.raises(MissingError, match="cannot be written to") as caught:
        find_toolchain(env=env(machine))
    assert "EPFORGE_CACHE" in caught.value.cure
    assert os.environ["EPFORGE_CACHE"] in caught.value.message
