"""Compiles the C++ of a generated project, once: objects are kept by what they are made of.

Tests of kernels compile a hundred small files, mostly the same ones as in the run before.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from locking import locked

from epforge.cache import cache_dir

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
#: Whoever runs into one of these aborts.
SANITIZERS = (
    "-fsanitize=address,undefined,float-cast-overflow",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)


def link(
    project: Path,
    sources: Sequence[Path],
    compiler: str,
    flags: Sequence[str],
    link_flags: Sequence[str] = (),
) -> Path:
    """A program, or with ``-shared`` a library, of ``sources`` and all that is below ``src``.

    Args:
        project: where the project is; its ``src`` and ``tests/cpp`` are searched for headers.
        sources: files beside those of the project; a .cu is compiled as C++.
        compiler: its name.
        flags: for compiling and linking, beside C++17 and the warnings, which are errors.
        link_flags: for linking alone.

    Raises:
        AssertionError: with what the compiler said, be it a warning.
    """
    own = sorted((project / "src").rglob("*.cc"))
    objects = [str(o) for o in _objects(project, [*own, *sources], compiler, flags)]
    target = _place(repr((compiler, objects, flags, link_flags)), "out")
    with locked(target):
        if not target.is_file():
            part = f"{target}.part"
            _call([compiler, *flags, *link_flags, *objects, "-o", part], project)
            Path(part).rename(target)
    return target


def remembered(
    project: Path, source: Path, command: Sequence[str], make: Callable[[], list[str]]
) -> list[str]:
    """What ``make`` returns for a source: it is called once for each state that the source, and
    all it includes, is in. An exception of its is not remembered.

    Args:
        project: where the project is; its ``src`` and ``tests/cpp`` are searched for headers.
        source: the file.
        command: how it is compiled; the compiler first.
        make: what is remembered.
    """
    read: dict[Path, bytes] = {}
    _read(source, (project / "src", project / "tests/cpp"), read)
    key = repr((_version(command[0]), list(command), sorted(read.values())))
    target = _place(key, "json")
    with locked(target):
        if not target.is_file():
            part = Path(f"{target}.part")
            part.write_text(json.dumps(make()), encoding="utf-8")
            part.rename(target)
    texts: list[str] = json.loads(target.read_text(encoding="utf-8"))
    return texts


def _objects(
    project: Path, sources: Sequence[Path], compiler: str, flags: Sequence[str]
) -> list[Path]:
    command = [compiler, "-std=c++17", *WARNINGS, *flags, "-Isrc", "-Itests/cpp"]
    folders = (project / "src", project / "tests/cpp")

    def compile_one(source: Path) -> Path:
        read: dict[Path, bytes] = {}
        _read(source, folders, read)
        target = _place(repr((_version(compiler), command, sorted(read.values()))), "o")
        with locked(target):
            if not target.is_file():
                language = ["-x", "c++"] if source.suffix == ".cu" else []
                _call([*command, *language, "-c", str(source), "-o", f"{target}.part"], project)
                Path(f"{target}.part").rename(target)
        return target

    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return list(pool.map(compile_one, sources))


def _read(file: Path, folders: Sequence[Path], read: dict[Path, bytes]) -> None:
    """Adds a file to ``read``, and all it includes from ``folders``."""
    if file in read:
        return
    read[file] = file.read_bytes()
    for name in re.findall(rb'^#include "(.+)"', read[file], re.MULTILINE):
        for header in filter(Path.is_file, (folder / name.decode() for folder in folders)):
            _read(header, folders, read)


def _place(key: str, suffix: str) -> Path:
    digest = hashlib.sha256(key.encode()).hexdigest()
    return cache_dir("tests", "compiled") / digest[:2] / f"{digest[2:24]}.{suffix}"


@functools.cache
def _version(compiler: str) -> str:
    return subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout


def _call(command: Sequence[str], directory: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stderr[:4000]}")
