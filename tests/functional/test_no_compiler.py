"""A machine without a C++ compiler: zig builds, proves and packs what others do with g++."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from machines import without_compilers
from projects import sdk

from epforge.build import zig
from epforge.cache import cache_dir
from epforge.validate.binary import read

REPOSITORY = Path(__file__).resolve().parents[2]
# What zig has compiled of its own is kept between runs of these tests.
_CACHE = cache_dir("tests", "no-compiler")

pytestmark = pytest.mark.skipif(bool(zig.why_not()), reason=zig.why_not())

Epforge = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def epforge(tmp_path_factory: pytest.TempPathFactory) -> Epforge:
    """epforge on such a machine, in a home of its own."""
    place = tmp_path_factory.mktemp("machine")
    left_out = ("CXX", "CMAKE_CXX_COMPILER_LAUNCHER", "ZIG_GLOBAL_CACHE_DIR")
    machine = {
        **{name: value for name, value in os.environ.items() if name not in left_out},
        "PATH": without_compilers(place),
        "HOME": str(place / "home"),
        "EPFORGE_CACHE": str(_CACHE),
        "EPFORGE_ORT_SDK": str(sdk().include),
        "PIP_CACHE_DIR": str(place / "pip"),
    }
    config = Path.home() / ".config/pip/pip.conf"
    if config.is_file() and "PIP_CONFIG_FILE" not in machine:
        machine["PIP_CONFIG_FILE"] = str(config)
    (place / "home").mkdir()

    def run(
        *args: str | Path, variables: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "epforge", *map(str, args)],
            capture_output=True,
            text=True,
            check=False,
            env={**machine, **(variables or {})},
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{args}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        assert list((place / "home").iterdir()) == []
        return done

    return run


@pytest.fixture(scope="module")
def project(epforge: Epforge, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was made and built there, with kernels for NumPy."""
    place = tmp_path_factory.mktemp("project")
    text = (REPOSITORY / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    blueprint = place / "blueprint.yaml"
    blueprint.write_text(f"{text}python: {{native: separate}}\n", encoding="utf-8")
    done = epforge("scaffold", blueprint, place / "contoso-npu", "--build")
    assert "(release, zig-c++)" in done.stdout + done.stderr
    assert " warning" not in done.stdout + done.stderr
    return place / "contoso-npu"


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(done.stdout)
    return content


@pytest.mark.lab
def test_the_library_is_like_others_and_needs_no_c_library_of_a_newer_system(
    project: Path,
) -> None:
    found = read(next((project / "build/release").glob("lib*.so")))
    assert found.exports == ("CreateEpFactories", "ReleaseEpFactory")
    assert all(re.match(r"lib(c|m|dl|pthread)\.so|ld-linux", name) for name in found.needed)
    (floor,) = found.floors
    assert tuple(map(int, floor.removeprefix("GLIBC ").split("."))) <= (2, 28)


@pytest.mark.lab
def test_it_ends_its_static_objects_when_it_is_unloaded(epforge: Epforge, tmp_path: Path) -> None:
    """Otherwise a process falls at its end: it calls code that is gone."""
    from epforge.build.zig import zig_compiler

    source = tmp_path / "a.cc"
    source.write_text(
        "#include <cstdio>\n#include <stdexcept>\n"
        'struct End { ~End() { std::puts("ended"); } };\n'
        'static End end;\nextern "C" int Caught() {\n'
        '  try { throw std::runtime_error("x"); } catch (const std::exception&) { return 7; }\n}\n'
    )
    compiler = zig_compiler()
    command = [compiler, "-shared", "-fPIC", source, "-o", tmp_path / "a.so"]
    subprocess.run(command, check=True)
    code = (
        "import _ctypes, ctypes, sys\n"
        f"handle = _ctypes.dlopen({str(tmp_path / 'a.so')!r}, 2)\n"
        "assert ctypes.CFUNCTYPE(ctypes.c_int)(_ctypes.dlsym(handle, 'Caught'))() == 7\n"
        "_ctypes.dlclose(handle)\nprint('closed')\n"
    )
    done = subprocess.run(
        [sys.executable, "-u", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, sorted(done.stdout.split())) == (0, ["closed", "ended"])


@pytest.mark.lab
def test_wheels_are_for_old_systems(epforge: Epforge, project: Path) -> None:
    built = answer(epforge("build", project, "--wheel", "--json"))
    assert re.search(r"manylinux_2_(\d+)_", built["wheel"]["tag"])
    newest = max(map(int, re.findall(r"manylinux_2_(\d+)_", built["wheel"]["tag"])))
    assert newest <= 28
    assert Path(built["native_wheel"]["path"]).is_file()


@pytest.mark.lab
@pytest.mark.parametrize(
    ("target", "library"),
    [
        ("linux-x64", ("elf", "x86_64")),
        ("linux-arm64", ("elf", "aarch64")),
        ("windows-x64", ("pe", "x86_64")),
    ],
)
def test_libraries_for_other_platforms(
    target: str, library: tuple[str, str], epforge: Epforge, project: Path
) -> None:
    built = answer(epforge("build", project, "--target", target, "--json"))
    found = read(Path(built["library"]))
    assert (found.format, found.machine) == library
    assert found.exports == ("CreateEpFactories", "ReleaseEpFactory")
    assert built["warnings"] == 0


@pytest.mark.lab
@pytest.mark.parametrize(("target", "runner"), [("linux-arm64", "qemu-aarch64")])
def test_what_it_builds_for_another_platform_is_run_there(
    target: str, runner: str, epforge: Epforge, project: Path
) -> None:
    """The program that loads it is zig's, too."""
    if shutil.which(runner) is None:
        pytest.skip(f"no {runner}")
    epforge("build", project, "--target", target)
    done = epforge("validate", project, "--target", target, "--rung", "load", "--json")
    outcomes = {check["name"]: check["outcome"] for check in answer(done)["checks"]}
    assert (outcomes["register"], outcomes["unload"]) == ("passed", "passed")


@pytest.mark.lab
def test_what_sanitizers_would_say_is_not_checked_and_all_else_is(
    epforge: Epforge, project: Path
) -> None:
    rungs = ("--rung", "memory", "--rung", "threads")
    done = answer(epforge("validate", project, *rungs, "--sanitize", "--json"))
    open_ = {
        check["name"]: check["detail"]
        for check in done["checks"]
        if check["outcome"] == "not checked"
    }
    assert "zig brings no library of the sanitizers" in open_["sanitizers"]
    assert "neither g++ nor clang++" in open_["races"]
    passed = {check["name"] for check in done["checks"] if check["outcome"] == "passed"}
    assert {"entry points", "sessions", "handles", "runs", "creation"} <= passed


@pytest.mark.lab
@pytest.mark.skipif(not shutil.which("ccache"), reason="there is no ccache")
@pytest.mark.parametrize("options", [(), ("--target", "linux-x64")], ids=["here", "for a target"])
def test_a_compiler_s_cache_serves_zig_too(
    options: tuple[str, ...], epforge: Epforge, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ccache").symlink_to(str(shutil.which("ccache")))
    log = tmp_path / "log"
    variables = {
        "CMAKE_CXX_COMPILER_LAUNCHER": str(tmp_path / "bin/ccache"),
        "CCACHE_DIR": str(tmp_path / "ccache"),
        "CCACHE_STATSLOG": str(log),
    }
    said = []
    for place in ("one", "an other/deeper"):
        root = tmp_path / place
        shutil.copytree(project, root, ignore=shutil.ignore_patterns("build"))
        epforge("build", root, *options, variables=variables)
        calls = [w for w in log.read_text().split() if w in ("direct_cache_hit", "cache_miss")]
        said.append(calls)
        log.unlink()
    assert set(said[0]) == {"cache_miss"}
    assert len(said[0]) >= len(list((project / "src").rglob("*.cc")))
    assert said[1] == ["direct_cache_hit"] * len(said[0])


def test_doctor_says_so_and_fetches_nothing(epforge: Epforge, tmp_path: Path) -> None:
    cache = {"EPFORGE_CACHE": str(tmp_path / "cache")}
    done = epforge("doctor", "--json", variables=cache)
    said = json.dumps(answer(done))
    assert "no C++ compiler" in said
    assert "zig" in said
    assert not (tmp_path / "cache/zig").exists()
