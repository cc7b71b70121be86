"""The shim's sources, compiled on this machine and kept by their content."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from epforge.build.toolchain import find_toolchain
from epforge.cache import cache_dir, compiler_launcher, writable
from epforge.errors import EpforgeError
from epforge.shim.render import render_shim, templates_dir

_WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion")
_FLAGS = ("-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden")
_BLOCKS = "libepforge_blocks.so"
_COMPILE_S = 900.0  # zig compiles its C++ library first


class ShimError(EpforgeError):
    """The shim does not compile."""


def build_shim(
    progress: Callable[[str], None] = lambda _: None, compiler: Sequence[str] | None = None
) -> Path:
    """The shim plugin for this machine: compiled once, then found.

    Args:
        progress: told when there is something to wait for.
        compiler: the command of a C++ compiler; this machine's by default.

    Raises MissingError without a compiler, ShimError when it fails.
    """
    command = tuple(compiler or find_toolchain(progress=progress).command)
    sources = render_shim()
    digest = hashlib.sha256("\0".join((*command, *_FLAGS, _identity(command[0]))).encode())
    for name, text in sorted(sources.items()):
        digest.update(f"\0{name}\0{text}".encode())
    place = cache_dir("shim", digest.hexdigest()[:20])
    if not (place / library_name()).is_file():
        progress("compiling the shim plugin")
        _make(command, sources, place)
    return place / library_name()


def library_name() -> str:
    """What the shim's file is called on this machine."""
    endings = {"win32": "epforge_shim.dll", "darwin": "libepforge_shim.dylib"}
    return endings.get(sys.platform, "libepforge_shim.so")


def _identity(program: str) -> str:
    """Tells one version of a compiler from the next."""
    found = shutil.which(program)
    stat = os.stat(found) if found else None
    return f"{stat.st_size} {stat.st_mtime_ns}" if stat else program


def _make(command: Sequence[str], sources: Mapping[str, str], place: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=writable(place.parent)) as name:
        folder = Path(name)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
        stage = folder / "made"
        stage.mkdir()
        if not sys.platform.startswith("linux"):
            sources = {file: text for file, text in sources.items() if file != "blocks.cc"}
        code = [file for file in sources if file.endswith(".cc")]
        compiling = [*compiler_launcher(), *command, *_FLAGS, *_WARNINGS, "-c"]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            jobs = [
                pool.submit(_run, [*compiling, file, "-o", f"{file}.o"], folder) for file in code
            ]
            for job in jobs:
                job.result()
        libraries: list[str] = []
        if sys.platform.startswith("linux"):
            exports = templates_dir() / "exports.lds"  # no symbol may keep the shim in memory
            libraries = [f"-Wl,--version-script={exports}", "-ldl", "-lpthread"]
        objects = [f"{file}.o" for file in code if file != "blocks.cc"]
        _run([*command, "-shared", *objects, *libraries, "-o", f"made/{library_name()}"], folder)
        if "blocks.cc" in sources:
            _run([*command, "-shared", "blocks.cc.o", "-o", f"made/{_BLOCKS}"], folder)
        try:
            os.replace(stage, place)
        except OSError:
            if not (place / library_name()).is_file():
                raise  # nobody else made it meanwhile


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMPILE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise ShimError(f"compiling the shim did not end within {_COMPILE_S:.0f} s") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr]
        raise ShimError(
            f"the shim does not compile with {Path(command[0]).name}: {lines[0][:300]}",
            "Set CXX to g++ 10, clang++ 12 or newer.",
        )
