"""Releases of onnxruntime beside the installed one: the hosts to get along with."""

from __future__ import annotations

from pathlib import Path

from locking import locked

from epforge.cache import cache_dir
from epforge.validate import find_runtime

TOO_OLD = "1.23.2"
SUPPORTED = ("1.24.4", "1.26.0", "1.28.0", "1.32.0")


def runtime(version: str) -> Path:
    """A directory that has onnxruntime ``version`` and nothing else; put it first on PYTHONPATH."""
    with locked(cache_dir("tests", "runtimes") / version):
        place = find_runtime(version).directory
    assert place is not None
    return place
