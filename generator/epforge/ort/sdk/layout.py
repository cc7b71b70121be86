"""Where the headers lie below a root: release archives, distributions and checkouts differ."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from epforge.ort.reader import C_API, EP_API

LAYOUTS = (
    "",
    "include",
    "include/onnxruntime",
    "include/onnxruntime/core/session",
    "onnxruntime",
    "onnxruntime/core/session",
    "core/session",
    "usr/include/onnxruntime",
    "build/native/include",
)
"""Directories below a root that are probed, in this order."""


def searched(root: Path) -> tuple[Path, ...]:
    """The directories that `locate` looks at."""
    return tuple(root / layout if layout else root for layout in LAYOUTS)


def locate(root: Path) -> Path | None:
    """The directory below ``root`` that holds the headers.

    The first that has both C headers; failing that the first that has one of them, so that the
    check can name the file that is missing; else None.
    """
    partial: Path | None = None
    for directory in searched(root):
        present = [(directory / name).is_file() for name in (C_API, EP_API)]
        if all(present):
            return directory
        if any(present) and partial is None:
            partial = directory
    return partial


def system_roots() -> tuple[Path, ...]:
    """Where a machine keeps headers for all its users; the environment's own prefix comes first."""
    if sys.platform == "win32":
        program_files = os.environ.get("PROGRAMFILES", r"C:\Program Files")
        return (Path(sys.prefix) / "Library", Path(program_files) / "onnxruntime")
    return (
        *((Path(sys.prefix),) if sys.prefix != "/usr" else ()),
        Path("/usr/local"),
        Path("/usr"),
        Path("/opt/onnxruntime"),
        *((Path("/opt/homebrew"),) if sys.platform == "darwin" else ()),
    )
