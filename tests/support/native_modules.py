"""Native modules built from blueprints, kept between test runs like the projects are."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from locking import locked
from projects import expanded

from epforge.cache import cache_dir

_STORE = cache_dir("tests", "native")
_DONE = "built"
# What a wheel is made from, and what the package's own tests read beside that.
_PARTS = ("native/", "src/", "cmake/", "tests/")
_TESTS = ("native/tests/", "src/abi/", "src/gen/manifest.json", "tests/")
_VARIANT = "NATIVE_TEST_VARIANT"  # has some of the C++ tests in it


@dataclass(frozen=True)
class NativeModule:
    """A project's native module: its sources, its wheel, and the wheel unpacked."""

    root: Path
    wheel: Path
    site: Path

    @property
    def package(self) -> str:
        """The import name."""
        return next(self.site.glob("*/_call.py")).parent.name

    def environment(self, **variables: str) -> dict[str, str]:
        """For a process that imports the package."""
        return {**os.environ, "PYTHONPATH": str(self.site), **variables}

    def run(
        self, code: str, *, python: str = sys.executable, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs code in a fresh process. It finds `native` (the package) and `np`."""
        prelude = f"import json, threading\nimport numpy as np\nimport {self.package} as native\n"
        return subprocess.run(
            [python, "-c", prelude + textwrap.dedent(code)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=self.environment(**variables),
        )

    def suite(
        self, *arguments: str, python: str = sys.executable, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs the package's own tests."""
        command = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(
            command,
            cwd=self.root / "native",
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
            env=self.environment(**variables),
        )


def native_module(
    text: str,
    *,
    changes: Mapping[str, str] | None = None,
    python: str = sys.executable,
    settings: Sequence[str] = (),
) -> NativeModule:
    """The native module of a blueprint, built.

    Args:
        text: the blueprint.
        changes: the contents of files that somebody has rewritten.
        python: the interpreter that it is for; one other than this gets what it needs by pip.
        settings: settings of the build, as ``cmake.define.NAME=VALUE``.
    """
    written = {path: content.encode() for path, content in (changes or {}).items()}
    expansion = expanded(text)
    files = {file.path: file.content for file in expansion.files if file.path.startswith(_PARTS)}
    unknown = written.keys() - files.keys()
    assert not unknown, f"the project has no {', '.join(sorted(unknown))}"
    files |= written
    of_tests = () if any(_VARIANT in setting for setting in settings) else _TESTS
    parts = {path: content for path, content in files.items() if not path.startswith(of_tests)}
    place = _STORE / _digest(parts, _tools(python), *sorted(settings))
    root = place / _digest(files)
    with locked(place):
        if not (place / _DONE).is_file():
            shutil.rmtree(place, ignore_errors=True)
            _write(root, files)
            _build(root, place, python, settings)
            (place / _DONE).touch()
        elif not root.is_dir():  # the tests are others
            _write(root, files)
        os.utime(place)
    _prune()
    return _found(root)


def _digest(files: Mapping[str, bytes], *more: str) -> str:
    digest = hashlib.sha256("\0".join(more).encode())
    for path, content in sorted(files.items()):
        digest.update(f"\0{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:20]


def _write(root: Path, files: Mapping[str, bytes]) -> None:
    """Writes a project as a whole or not at all."""
    new = root.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    for path, content in files.items():
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        (new / path).write_bytes(content)
    new.rename(root)


def _found(root: Path) -> NativeModule:
    (wheel,) = (root.parent / "dist").glob("*.whl")
    return NativeModule(root, wheel, root.parent / "site")


def _build(root: Path, place: Path, python: str, settings: Sequence[str]) -> None:
    isolation = ["--no-build-isolation"] if python == sys.executable else []
    command = [python, "-m", "pip", "wheel", "--no-deps", *isolation, "-w", str(place / "dist")]
    command += [argument for setting in settings for argument in ("-C", setting)]
    tools = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "CMAKE_BUILD_PARALLEL_LEVEL": "2",
    }
    done = subprocess.run(
        [*command, str(root / "native")], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    shutil.rmtree(root / "native/build", ignore_errors=True)
    with zipfile.ZipFile(_found(root).wheel) as wheel:
        wheel.extractall(place / "site")


@functools.cache
def _tools(python: str) -> str:
    """The versions of what builds."""
    asked = [["c++", "--version"], [python, "-c", "import sys; print(sys.version)"]]
    if python == sys.executable:
        names = "nanobind", "scikit_build_core"
        code = f"import importlib.metadata as m; print([m.version(x) for x in {names}])"
        asked.append([python, "-c", code])
    lines = [subprocess.run(each, capture_output=True, text=True, check=True) for each in asked]
    return "\0".join(line.stdout for line in lines)


def _prune(kept: int = 24) -> None:
    places = [place for place in _STORE.iterdir() if (place / _DONE).is_file()]
    places.sort(key=lambda place: place.stat().st_mtime)
    for place in places[:-kept]:
        with locked(place):
            shutil.rmtree(place, ignore_errors=True)


__all__ = ["NativeModule", "native_module"]
