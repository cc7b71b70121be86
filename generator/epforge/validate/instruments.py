"""What the rungs `memory` and `threads` look through: made elsewhere, handed to `validate`.

This room knows neither API tables nor projects, so the caller says where such things come from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


def _nowhere() -> Path | None:
    return None


def _no_sources(sanitizer: str) -> Path | None:
    return None


@dataclass(frozen=True)
class Instruments:
    """Each is asked for when it is needed, and may take its time.

    Args:
        shim: the shim plugin for this machine, built; None where there can be none. It may raise
            MissingError without a compiler.
        sanitized: the library of the same sources, built with "asan" or "tsan"; None where there
            are no sources. It may raise EpforgeError.
        headers: the directory of onnxruntime_c_api.h, to compile the host program with; None if
            there are none to be had.
        compiler: the command of a C++ compiler for the host program, where there is neither g++
            nor clang++; nothing if there is none. It may raise MissingError.
    """

    shim: Callable[[], Path | None] = _nowhere
    sanitized: Callable[[str], Path | None] = _no_sources
    headers: Callable[[], Path | None] = _nowhere
    compiler: Callable[[], Sequence[str]] = tuple


NONE = Instruments()
