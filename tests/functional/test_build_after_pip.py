"""`pip install -e .` has configured the build's directory with tools that are gone since."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from projects import Project, sdk

from epforge.build import build, cmake_cache

_GONE = "/tmp/pip-build-env-gone/bin"


@pytest.fixture
def small(minimal: Project, tmp_path: Path) -> Path:
    """A project with a library of one function, so that it is soon built."""
    root = minimal.copy(tmp_path / "project")
    (root / "src/one.cc").write_text('extern "C" int CreateEpFactories() { return 0; }\n')
    (root / "cmake/gen/sources.cmake").write_text("set(EP_SOURCES src/one.cc)\n")
    return root


def forget(root: Path, entry: str) -> Path:
    """Has the build's directory name a file that is gone, wherever it names that of an entry of
    CMake's cache; the cache."""
    cache = root / "build/release/CMakeCache.txt"
    own = cmake_cache(cache)[entry]
    for path in (cache, cache.with_name("build.ninja")):
        text = path.read_text().replace(own, f"{_GONE}/{Path(own).name}")
        assert _GONE in text or path != cache
        path.write_text(text)
    return cache


@pytest.mark.parametrize("entry", ["CMAKE_COMMAND", "CONTOSO_NPU_ORT_INCLUDE_DIR"])
def test_a_build_configures_anew_with_its_own_tools(small: Path, entry: str) -> None:
    build(small, sdk=sdk().include)
    own = cmake_cache(small / "build/release/CMakeCache.txt")[entry]
    cache = forget(small, entry)
    build(small, sdk=sdk().include)
    assert cmake_cache(cache)[entry] == own


def test_the_preset_finds_another_ninja(small: Path) -> None:
    configure = ["cmake", "--preset", "release"]
    headers = f"-DCONTOSO_NPU_ORT_INCLUDE_DIR={sdk().include}"
    subprocess.run([*configure, headers], cwd=small, check=True, capture_output=True)
    cache = forget(small, "CMAKE_MAKE_PROGRAM")
    done = subprocess.run(configure, cwd=small, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path(cmake_cache(cache)["CMAKE_MAKE_PROGRAM"]).is_file()
