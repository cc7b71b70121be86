"""Builds `blueprints/cuda.yaml` and checks it on this machine's GPU, in less than eight minutes.

    python tests/device/run.py                    # with epforge, nvcc and a GPU
    python tests/device/run.py --project DIR      # a project that was built elsewhere

Takes the onnxruntime, onnx and numpy of this Python, or gets them from PyPI. On a machine without
a GPU it says so in one line and exits with 0, or with 4 after ``--require-gpu``. What is checked is
in `checks.py`, which needs no more than those packages.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
LIMIT_S = 8 * 60
PACKAGES = ("numpy", "onnx", "onnxruntime")
FAILED, MISSING = 1, 4


def why_no_gpu() -> str:
    """What keeps this machine from running CUDA code; empty if nothing does."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return "there is no NVIDIA driver"
    error = driver.cuInit(0)
    if error:
        return f"the NVIDIA driver does not start (cuInit: {error})"
    count = ctypes.c_int(0)
    error = driver.cuDeviceGetCount(ctypes.byref(count))
    return f"the NVIDIA driver finds no GPU (cuDeviceGetCount: {error})" if not count.value else ""


def make_project(directory: Path) -> Path:
    """Scaffolds and builds the blueprint's project. Raises CalledProcessError."""
    project = directory / "contoso-cuda"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(REPOSITORY / "generator"), os.environ.get("PYTHONPATH", "")])
        ),
    }
    blueprint = REPOSITORY / "blueprints/cuda.yaml"
    for verb in (["scaffold", str(blueprint), str(project)], ["build", str(project)]):
        subprocess.run([sys.executable, "-m", "epforge", *verb], env=environment, check=True)
    return project


def packages(directory: Path) -> list[str]:
    """Where to find what the checks import, beside this Python. Raises CalledProcessError."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if not missing:
        return []
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(directory), *missing]
    subprocess.run(command, check=True)
    return [str(directory)]


def check(project: Path, more: list[str], seconds: float) -> int:
    """Runs the checks; returns their exit status."""
    places = [*more, str(project / "python"), str(project / "tests/python"), str(HERE)]
    inherited = os.environ.get("PYTHONPATH", "")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [*places, inherited])),
    }
    command = [sys.executable, str(HERE / "checks.py"), str(project)]
    return subprocess.run(command, env=environment, timeout=seconds, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the CUDA project on this machine's GPU.")
    parser.add_argument("--project", type=Path, help="a built project; by default one is made")
    parser.add_argument(
        "--require-gpu", action="store_true", help=f"exit with {MISSING} where there is no GPU"
    )
    arguments = parser.parse_args()
    started = time.monotonic()
    reason = why_no_gpu()
    if reason:
        print(f"nothing is checked: {reason}")
        return MISSING if arguments.require_gpu else 0
    with tempfile.TemporaryDirectory(prefix="epforge-device-") as folder:
        try:
            project = (arguments.project or make_project(Path(folder))).resolve()
            more = packages(Path(folder) / "packages")
            status = check(project, more, LIMIT_S - (time.monotonic() - started))
        except subprocess.CalledProcessError as error:
            print(f"FAILED: {error}")
            return FAILED
        except subprocess.TimeoutExpired:
            print(f"FAILED: not done in {LIMIT_S} s")
            return FAILED
    print(f"{'passed' if status == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s")
    return FAILED if status else 0


if __name__ == "__main__":
    sys.exit(main())
