"""The sample application of a generated project, built as its own user builds it, and kept."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from locking import locked
from projects import Project, sdk
from runtimes import runtime

from epforge.build import open_project
from epforge.build.toolchain import find_toolchain
from epforge.cache import cache_dir

_STORE = cache_dir("tests", "samples")  # asked before any test moves the cache elsewhere
_KEPT = 12
_DONE = "built"


def environment(**further: str) -> dict[str, str]:
    """One whose `python3`, `cmake` and `ninja` are those of the tests."""
    tools = find_toolchain(None)
    folders = [Path(sys.executable).parent, tools.cmake.parent, tools.ninja.parent]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    return {**os.environ, "CXX": tools.compiler, "PATH": path, **further}


def start(
    program: Path, *arguments: object, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the sample, in its own folder unless told otherwise."""
    return subprocess.run(
        [str(program), *map(str, arguments)],
        cwd=cwd or program.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"},
    )


def fine(done: subprocess.CompletedProcess[str]) -> str:
    """What a run that ended well has printed: nothing on stderr."""
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of a run that did not."""
    assert done.returncode == 1, done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("sample: "), line
    return line


def library_of(version: str) -> Path:
    """The shared library of a release of onnxruntime."""
    (found,) = (runtime(version) / "onnxruntime/capi").glob("libonnxruntime.so.*")
    return found


def arrays(folder: Path, given: Mapping[str, Any]) -> list[str]:
    """Writes arrays, and gives them as inputs of the command line."""
    for name, array in given.items():
        np.save(folder / f"{name}.npy", array)
    return [word for name in given for word in ("--input", f"{name}={folder / name}.npy")]


def cmake(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs CMake."""
    return subprocess.run(
        ["cmake", *map(str, arguments)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def installed_runtime() -> Path:
    """The shared library of the onnxruntime that the tests run with."""
    spec = importlib.util.find_spec("onnxruntime")
    assert spec is not None
    assert spec.origin is not None
    (library,) = Path(spec.origin).parent.glob("capi/libonnxruntime.so.*")
    return library


def built_sample(
    project: Project,
    *,
    installed: bool = False,
    compiler: str | None = None,
    flags: str = "",
    shipped: bool = False,
) -> Path:
    """The sample of a project, built in a folder of its own without a warning.

    Args:
        project: whose library it finds as a CMake package.
        installed: whether that is an installation, moved after it was made; else the build
            directory.
        compiler: the C++ compiler's command.
        flags: further ones for it.
        shipped: whether it must do without the paths of this machine.

    Returns:
        The program. An installation is in `prefix` beside its folder.
    """
    variables = {
        "CMAKE_CXX_COMPILER": find_toolchain(compiler).compiler,
        "CMAKE_BUILD_TYPE": "Debug",  # compiles in half the time
        "CMAKE_CXX_FLAGS": f"-Werror {flags}",
        "SAMPLE_KNOWS_BUILD_PATHS": "OFF" if shipped else "ON",
    }
    place = _STORE / _key(project, installed, variables)
    with locked(place):
        if not (place / _DONE).is_file():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            _build(project, place, installed, variables)
            (place / _DONE).touch()
        os.utime(place)
    _prune()
    return place / "a program" / "sample"


def _key(project: Project, installed: bool, variables: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    folders = (project.root / "samples/cpp", project.library.parent / "lib/cmake")
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest.update(path.name.encode() + b"\0" + path.read_bytes())
    compiler = variables["CMAKE_CXX_COMPILER"]
    version = subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout
    settings = (project.root, installed, sorted(variables.items()), sdk().include)
    digest.update(version + repr((*map(str, settings), str(installed_runtime()))).encode())
    if installed:
        digest.update(project.library.read_bytes())
    return digest.hexdigest()[:20]


def _build(project: Project, place: Path, installed: bool, variables: Mapping[str, str]) -> None:
    package = project.library.parent
    if installed:
        _done("--install", package, "--prefix", place / "first", cwd=place)
        package = (place / "first").rename(place / "prefix")
    sources = shutil.copytree(project.root / "samples/cpp", place / "sources")
    macro = open_project(project.root).macro
    needed = {
        "CMAKE_PREFIX_PATH": package,
        f"{macro}_ORT_INCLUDE_DIR": sdk().include,
        f"{macro}_ORT_LIBRARY": installed_runtime(),
    }
    binary = place / "a program"
    settings = [f"-D{name}={value}" for name, value in {**variables, **needed}.items()]
    _done("-G", "Ninja", "-S", sources, "-B", binary, *settings, cwd=place)
    _done("--build", binary, "-j2", cwd=place)


def _done(*arguments: object, cwd: Path) -> None:
    result = cmake(*arguments, cwd=cwd)
    assert result.returncode == 0, (result.stdout + result.stderr)[-6000:]


def _prune() -> None:
    """Forgets the samples that have not been used for longest."""
    places = [place for place in _STORE.iterdir() if (place / _DONE).is_file()]
    places.sort(key=lambda place: place.stat().st_mtime)
    for place in places[:-_KEPT]:
        with locked(place):
            shutil.rmtree(place, ignore_errors=True)
