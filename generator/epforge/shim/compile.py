"""The shim's sources, compiled on this machine and kept by their content."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from epforge.build.toolchain import find_toolchain
from epforge.cache import cache_dir, compiler_launcher, publish, writable
from epforge.compiling import Compilation, compiler_identity
from epforge.errors import EpforgeError
from epforge.shim.render import render_shim, templates_dir

_WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion")
_FLAGS = ("-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden")
_BLOCKS = "libepforge_blocks.so"


class ShimError(EpforgeError):
    """The shim does not compile."""


_COMPILATION = Compilation("the shim", ShimError, "Set CXX to g++ 10, clang++ 12 or newer.")


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
    digest = hashlib.sha256("\0".join((*command, *_FLAGS, compiler_identity(command[0]))).encode())
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
        _COMPILATION.run_all(([*compiling, file, "-o", f"{file}.o"] for file in code), folder)
        libraries: list[str] = []
        if sys.platform.startswith("linux"):
            exports = templates_dir() / "exports.lds"  # no symbol may keep the shim in memory
            libraries = [f"-Wl,--version-script={exports}", "-ldl", "-lpthread"]
        objects = [f"{file}.o" for file in code if file != "blocks.cc"]
        linking = [*command, "-shared", *objects, *libraries, "-o", f"made/{library_name()}"]
        _COMPILATION.run(linking, folder)
        if "blocks.cc" in sources:
            _COMPILATION.run([*command, "-shared", "blocks.cc.o", "-o", f"made/{_BLOCKS}"], folder)
        publish(stage, place, lambda there: (there / library_name()).is_file())
