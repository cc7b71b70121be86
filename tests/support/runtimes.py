"""Releases of onnxruntime beside the installed one: the hosts to get along with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from locking import locked

from epforge.cache import cache_dir

_STORE = cache_dir("tests", "runtimes")

TOO_OLD = "1.23.2"
SUPPORTED = ("1.24.4", "1.26.0", "1.28.0", "1.32.0")


def runtime(version: str) -> Path:
    """A directory that has onnxruntime ``version`` and nothing else; put it first on PYTHONPATH."""
    place = _STORE / version
    with locked(place):
        if not place.is_dir():
            part = place.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
            subprocess.run([*install, str(part), f"onnxruntime=={version}"], check=True)
            part.rename(place)
    return place
