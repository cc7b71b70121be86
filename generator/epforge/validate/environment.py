"""Where a library was validated, and which file it is: without it no report can be understood."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path

from epforge import __version__
from epforge.validate.binary import Binary

_PACKAGES = ("onnx", "onnxruntime", "numpy", "lief")


def environment(
    library: Path, binary: Binary, manifest: Path | None, blueprint: Path | None
) -> dict[str, object]:
    """The facts, ready for JSON; the keys are stable. What cannot be found out is null.

    Args:
        binary: what the library's file is.
        blueprint: what the library was made from, if that is known.
    """
    return {
        "epforge": __version__,
        "os": platform.platform(),
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "library": {
            "size": library.stat().st_size if library.is_file() else None,
            "sha256": _digest(library),
            "format": binary.format,
            "machine": binary.machine,
            "compilers": list(binary.made_by),
            "floors": list(binary.floors),
            "sanitizers": list(binary.sanitizers),
        },
        "manifest_sha256": _digest(manifest),
        "blueprint_sha256": _digest(blueprint),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _digest(path: Path | None) -> str | None:
    if path is None or not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _cpu() -> str | None:
    """The processor's name."""
    return _linux_cpu(Path("/proc/cpuinfo")) or platform.processor() or None


def _linux_cpu(info: Path) -> str:
    try:
        text = info.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    facts: Mapping[str, str] = {
        key.strip(): value.strip()
        for key, _, value in (x.partition(":") for x in text.splitlines())
    }
    return facts.get("model name") or facts.get("Model") or facts.get("Hardware") or ""
