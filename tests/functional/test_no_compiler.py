"""A machine without a C++ compiler: zig builds, proves and packs what others do with g++."""

from __future__ import annotations

import json
import os
import re
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


def test_doctor_says_so_and_fetches_nothing(epforge: Epforge, tmp_path: Path) -> None:
    cache = {"EPFORGE_CACHE": str(tmp_path / "cache")}
    done = epforge("doctor", "--json", variables=cache)
    said = json.dumps(answer(done))
    assert "no C++ compiler" in said
    assert "zig" in said
    assert not (tmp_path / "cache/zig").exists()
