"""Toy plugins for other platforms, and those platforms' runtimes."""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
from pathlib import Path

import onnxruntime
import pytest
from locking import locked

from epforge.cache import cache_dir
from epforge.ort.sdk import find_sdk
from epforge.validate.cross import API_LEVEL, OfTarget, find_target

_SOURCE = Path(__file__).resolve().parent / "toy_plugins/toy_ep.c"
_STORE = cache_dir("tests", "toys")
_DEF = "EXPORTS\n    CreateEpFactories\n    ReleaseEpFactory\n"
# Per target: the C compiler, and what runs its programs here.
_NEEDS = {
    "windows-x64": ("x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-g++-posix", "wine"),
    "linux-arm64": ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64"),
}


def needed_target(target: str) -> str:
    """The target's name; skips the test on a machine that cannot build for it or run it."""
    for tool in _NEEDS[target]:
        if shutil.which(tool) is None:
            pytest.skip(f"this machine has no {tool}")
    return target


def of_target(target: str) -> OfTarget:
    """The target's onnxruntime, of the same release as this Python's."""
    return OfTarget(find_target(target), "", headers())


def of_this_machine() -> OfTarget:
    """This Python's own onnxruntime, in a program beside it."""
    capi = Path(onnxruntime.__file__).parent / "capi"
    machine = next(t for t in ("linux-x64", "linux-arm64") if find_target(t).native)
    return OfTarget(find_target(machine), str(capi), headers())


@functools.cache
def headers() -> Path:
    return find_sdk(None, API_LEVEL).include


def cross_toy(target: str, *macros: str) -> Path:
    """A toy plugin for another platform, with some ``FAULT_...`` macros."""
    windows = target.startswith("windows")
    text = _SOURCE.read_bytes()
    command = [
        *(_NEEDS[target][0], "-shared", "-O1", "-isystem", str(headers())),
        *(("-static",) if windows else ("-fPIC", "-fvisibility=hidden")),
        *(f"-D{macro}" for macro in macros),
    ]
    key = hashlib.sha256(text + "\0".join(command).encode()).hexdigest()[:16]
    library = _STORE / (f"{key}.dll" if windows else f"lib{key}.so")
    with locked(library):
        if not library.is_file():
            names = library.with_suffix(".def")
            names.write_text(_DEF, encoding="utf-8")
            stage = library.with_suffix(".part")
            exports = [str(names)] if windows else []
            subprocess.run([*command, str(_SOURCE), *exports, "-o", str(stage)], check=True)
            stage.rename(library)
    return library
