"""A Python that has PyTorch: the tests of the generated PyTorch package run in it."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

from locking import locked

from epforge.cache import cache_dir

TORCH = "2.13.0"
_PACKAGES = (f"torch=={TORCH}", "numpy", "onnx", "onnxruntime", "onnxscript", "pytest")


def torch_python() -> Path:
    """The interpreter of a virtual environment that is made once and kept."""
    place = cache_dir("tests", "torch") / f"{TORCH}-cp{sys.version_info[0]}{sys.version_info[1]}"
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = place / "installed"
    with locked(place):
        if not done.is_file():
            venv.create(place, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *_PACKAGES], check=True)
            done.touch()
    return python
