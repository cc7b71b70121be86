"""Projects scaffolded and built from blueprints, kept between test runs.

A project is kept under the hash of everything it is made of: its rendered files, the compiler and
its launcher, the headers and the way it is built. So a kept one is never out of date.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locking import locked

from epforge.blueprint import parse
from epforge.build import build, open_project
from epforge.build.toolchain import find_nvcc, find_toolchain
from epforge.cache import cache_dir
from epforge.ort.sdk import Sdk, find_sdk
from epforge.resolve import resolve_supported
from epforge.verbs.change.project import Expansion, expand, tool
from epforge.workspace import publish

_SUPPORT = Path(__file__).resolve().parent
_GENERATOR = _SUPPORT.parents[1] / "generator"
_STORE = cache_dir("tests", "projects")  # asked before any test moves the cache elsewhere
_KEPT = 48
_IN_USE_S = 4 * 3600
_DONE = "built"


@dataclass(frozen=True)
class Project:
    """A project on disk with its library built. Shared between tests: copy it to change it."""

    root: Path
    library: Path

    @property
    def manifest(self) -> dict[str, Any]:
        text = (self.root / "src/gen/manifest.json").read_text(encoding="utf-8")
        content: dict[str, Any] = json.loads(text)
        return content

    @property
    def ep(self) -> str:
        """The execution provider's name."""
        return str(self.manifest["ep"])

    @property
    def custom_ops_library(self) -> Path | None:
        """The library that has the custom operators alone."""
        stem = self.manifest["custom_op_library"]
        return self.library.with_name(f"lib{stem}.so") if stem else None

    @property
    def package(self) -> str:
        """The Python package's import name."""
        return next((self.root / "python").glob("*/_identity.py")).parent.name

    def environment(self, runtime: Path | None = None) -> dict[str, str]:
        """For a process that uses the project's package, the helpers here, and one onnxruntime."""
        places = [runtime, self.root / "python", self.root / "tests/python", _SUPPORT, _GENERATOR]
        macro = open_project(self.root).macro
        custom = self.custom_ops_library
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(place) for place in places if place),
            f"{macro}_LIBRARY": str(self.library),
            **({f"{macro}_CUSTOM_OPS_LIBRARY": str(custom)} if custom else {}),
        }

    def python(
        self, code: str, *, runtime: Path | None = None, timeout: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Runs code in a fresh process. It finds `plugin` (the package, registered), `device`,
        `np`, `ort` and `models`."""
        prelude = f"""
            import json, numpy as np, onnxruntime as ort, models
            import {self.package} as plugin
            name = plugin.register(virtual={self.manifest["virtual"]})
            device = (plugin.devices() or [None])[0]
        """
        return self.run_python(
            textwrap.dedent(prelude) + textwrap.dedent(code), runtime=runtime, timeout=timeout
        )

    def run_python(
        self, code: str, *, runtime: Path | None = None, timeout: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Runs code in a fresh process that has registered nothing."""
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env=self.environment(runtime),
        )

    def copy(self, to: Path) -> Path:
        """The sources of the project, to be changed; returns the new root."""
        return Path(shutil.copytree(self.root, to, ignore=shutil.ignore_patterns("build")))


def built(
    text: str,
    *,
    preset: str = "release",
    compiler: str | None = None,
    variables: Mapping[str, str] | None = None,
    headers: Path | None = None,
    changes: Mapping[str, str] | None = None,
) -> Project:
    """The project of a blueprint, built.

    Args:
        text: the blueprint.
        preset: the CMake preset.
        compiler: the C++ compiler's command; by default whatever epforge finds.
        variables: further CMake cache variables.
        headers: ONNX Runtime's headers; by default those that the tests build against.
        changes: the contents of files that somebody has rewritten.
    """
    expansion = _changed(expanded(text), changes or {})
    headers = headers or sdk().include
    key = _key(expansion, preset, compiler, variables or {}, headers)
    place = _STORE / key
    root = place / expansion.blueprint.names.name.kebab
    with locked(place):
        marker = place / _DONE
        if not marker.is_file():
            _discard(place)
            publish(root, expansion.files, tool=tool(), blueprint=expansion.blueprint.text.encode())
            _set_variables(root, preset, compiler, variables or {}, headers)
            done = build(root, preset, sdk=headers, compiler=compiler, jobs=2)
            marker.write_text(str(done.library.relative_to(place)), encoding="utf-8")
        library = place / marker.read_text(encoding="utf-8")
        os.utime(place)
    _prune()
    return Project(root, library)


def built_copy(root: Path) -> Path:
    """A copy of a project, built by ``epforge build`` with everything that its owner added to it.

    Args:
        root: the project. Its files are the key: a copy of the same files is built once.
    """
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "")
    digest = hashlib.sha256(f"{_version('c++')}\0{sdk().include}\0{launcher}\0".encode())
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode() + content)
    place = _STORE / digest.hexdigest()[:20]
    with locked(place):
        if not (place / _DONE).is_file():
            _discard(place)
            shutil.copytree(root, place / root.name)
            command = [sys.executable, "-m", "epforge", "build", str(place / root.name)]
            subprocess.run([*command, "--ort-sdk", str(sdk().include)], check=True)
            (place / _DONE).touch()
        os.utime(place)
    _prune()
    return place / root.name


def expanded(text: str) -> Expansion:
    """The blueprint's project, in memory."""
    return expand(resolve_supported(parse(text, "blueprint.yaml")))


def _changed(expansion: Expansion, changes: Mapping[str, str]) -> Expansion:
    unknown = changes.keys() - {file.path for file in expansion.files}
    assert not unknown, f"the project has no {', '.join(sorted(unknown))}"
    files = tuple(
        dataclasses.replace(file, content=changes[file.path].encode())
        if file.path in changes
        else file
        for file in expansion.files
    )
    return dataclasses.replace(expansion, files=files)


@functools.cache
def sdk() -> Sdk:
    """The headers that the tests build against."""
    return find_sdk(None, 27)


def _key(
    expansion: Expansion,
    preset: str,
    compiler: str | None,
    variables: Mapping[str, str],
    headers: Path,
) -> str:
    digest = hashlib.sha256()
    for file in expansion.files:
        digest.update(f"{file.path}\0{len(file.content)}\0".encode() + file.content)
    has_device_code = any(file.path == "cmake/gen/cuda.cmake" for file in expansion.files)
    for text in (
        preset,
        _version(compiler or "c++"),
        *([_version(str(find_nvcc()))] if has_device_code else []),
        str(headers),
        os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", ""),  # part of each command
        sorted(variables.items()),
    ):
        digest.update(f"{text}\0".encode())
    return digest.hexdigest()[:20]


@functools.cache
def _version(compiler: str) -> str:
    program = shutil.which(compiler) or compiler
    text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return f"{program} {text.splitlines()[0]}"


def _set_variables(
    root: Path, preset: str, compiler: str | None, variables: Mapping[str, str], headers: Path
) -> None:
    """Configures with settings of a person's own; `build` leaves such settings alone."""
    if not variables:
        return
    tools = find_toolchain(compiler)
    macro = open_project(root).macro
    command = [
        *(str(tools.cmake), "--preset", preset, f"-DCMAKE_MAKE_PROGRAM={tools.ninja}"),
        f"-D{macro}_ORT_INCLUDE_DIR={headers}",
        *(f"-D{name}={value}" for name, value in variables.items()),
    ]
    environment = {**os.environ, "CXX": tools.compiler}
    subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)


def _discard(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)


def _prune() -> None:
    """Forgets the projects that have not been used for longest. What another test run, or another
    process of this one, may be at work with is left: it was asked for not long ago."""
    used = {}
    for place in _STORE.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another run forgets projects, too
            if (place / _DONE).is_file():
                used[place] = place.stat().st_mtime
    for place in sorted(used, key=lambda place: used[place])[:-_KEPT]:
        if time.time() - used[place] < _IN_USE_S:
            return
        with locked(place):
            shutil.rmtree(place, ignore_errors=True)
