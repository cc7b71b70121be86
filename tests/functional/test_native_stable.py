"""The native module in other Pythons: one wheel from 3.12 on, on the stable ABI."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from acting_kernel import ACTING
from locking import locked
from native_modules import NativeModule, native_module

from epforge.cache import cache_dir

pytestmark = pytest.mark.lab

_CODE = """
    x = np.arange(-3, 3, dtype=np.float32)
    print(native.ops.relu(x), native.run("Add", x, x, out=np.empty_like(x)))
    try:
        native.run("Relu", x.astype(np.float64))
    except NotImplementedError as error:
        print(error)
"""


@cache
def interpreter(version: str) -> str:
    """A Python of that version; the test is skipped where there is none."""
    homes = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    found = str(homes[-1]) if homes else shutil.which(f"python{version}")
    if found is None:
        pytest.skip(f"there is no Python {version} here")
    return found


def numpy_for(version: str) -> Path:
    """A folder with NumPy for that Python."""
    place = cache_dir("tests", "numpy") / version
    with locked(place):
        if not (place / "done").is_file():
            command = [interpreter(version), "-m", "pip", "install", "-q", "--target", str(place)]
            subprocess.run([*command, "numpy"], check=True)
            (place / "done").touch()
    return place


@pytest.fixture(scope="module")
def stable() -> NativeModule:
    return native_module(ACTING, python=interpreter("3.12"))


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_a_wheel_of_3_12_serves_later_pythons(stable: NativeModule, version: str) -> None:
    assert "-cp312-abi3-" in stable.wheel.name
    python = interpreter(version)
    path = f"{stable.site}:{numpy_for(version)}"
    done = stable.run(_CODE, python=python, PYTHONPATH=path)
    wanted = "[0. 0. 0. 0. 1. 2.] [-6. -4. -2.  0.  2.  4.]"
    assert wanted in done.stdout, done.stderr
    assert "Relu-14: input 0 is float64: there is no kernel for this type" in done.stdout


def test_it_keeps_to_the_stable_abi(stable: NativeModule) -> None:
    pytest.importorskip("abi3audit")
    command = [sys.executable, "-m", "abi3audit", "--strict", "--verbose", str(stable.wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_older_python_gets_a_wheel_of_its_own() -> None:
    module = native_module(ACTING, python=interpreter("3.11"))
    assert "-cp311-cp311-" in module.wheel.name
