"""Toy plugins: hand-written libraries, right or wrong in one known way."""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

from locking import locked

from epforge.cache import cache_dir
from epforge.ort.sdk import find_sdk
from epforge.validate import THIS, Limits
from epforge.validate.manifest import load
from epforge.validate.site import Site

_SOURCES = Path(__file__).resolve().parent / "toy_plugins"
_STORE = cache_dir("tests", "toys")
EP = "ToyExecutionProvider"
OPS = {"Relu": (6, 13, 14), "Add": (7, 13, 14), "Mul": (7, 13, 14)}
COMPILED = "toy_compiled.c"  # the toy that fuses and compiles
CONTEXTS = {"embed": True, "external": True, "share": True}


def toy(*macros: str, source: str = "toy_ep.c", flags: tuple[str, ...] = ()) -> Path:
    """A toy plugin compiled with some ``FAULT_...`` macros."""
    headers = b"".join(path.read_bytes() for path in sorted(_SOURCES.glob("*.h")))
    text = (_SOURCES / source).read_bytes() + headers
    command = [
        *(_compiler(), "-shared", "-fPIC", "-fvisibility=hidden", "-O1"),
        *flags,
        *(f"-D{macro}" for macro in macros),
        *("-isystem", str(_headers())),
    ]
    key = hashlib.sha256(text + "\0".join(command).encode()).hexdigest()[:16]
    library = _STORE / f"{key}.so"
    with locked(library):
        if not library.is_file():
            stage = library.with_suffix(".part")
            subprocess.run([*command, str(_SOURCES / source), "-o", str(stage)], check=True)
            stage.rename(library)
    return library


def manifest(path: Path, **changes: object) -> Path:
    """Writes what the toy claims, with some keys changed."""
    content: dict[str, object] = {
        "format": 1,
        "library": "toy",
        "ep": EP,
        "version": "0.1.0",
        "vendor": "Toy",
        "ort": {"min": "1.24.0", "target": 24},
        "device_memory": False,
        "virtual": False,
        "device_types": ["cpu"],
        "options": [],
        "ops": [
            {"domain": "", "op": op, "since": since, "ready": True, "types": {"T": ["float32"]}}
            for op, versions in OPS.items()
            for since in versions
        ],
    }
    path.write_text(json.dumps({**content, **changes}), encoding="utf-8")
    return path


def compiled_manifest(path: Path, **changes: object) -> Path:
    """Writes what the compiling toy claims, with some keys changed."""
    versions = {**OPS, "Clip": (12, 13)}
    usual = {
        "paradigm": "compiled",
        "ep_context": CONTEXTS,
        "ops": [
            {"domain": "", "op": op, "since": since, "ready": True, "types": {"T": ["float32"]}}
            for op, since_versions in versions.items()
            for since in since_versions
        ],
    }
    return manifest(path, **{**usual, **changes})


def toy_site(library: Path, claims: Path | None) -> Site:
    """A toy in this Python's runtime, for the rungs above `load`."""
    import onnxruntime

    return Site(
        library=library,
        manifest=load(claims) if claims else None,
        runtime=THIS,
        version=onnxruntime.__version__,
        name="toy-check",
        ep=EP,
        limits=Limits(stall_s=6),
    )


@functools.cache
def _headers() -> Path:
    return find_sdk(None, 24).include


@functools.cache
def _compiler() -> str:
    found = shutil.which("gcc") or shutil.which("cc")
    assert found, "the toy plugins need a C compiler"
    return found
