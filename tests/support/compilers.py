"""Which C++ compilers this machine has: tests of a second compiler need one."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from epforge.build.toolchain import find_nvcc
from epforge.errors import MissingError


def needed(compiler: str) -> str:
    """The compiler's name; skips the test on a machine that does not have it."""
    if shutil.which(compiler) is None:
        pytest.skip(f"this machine has no {compiler}")
    return compiler


def needed_nvcc() -> str:
    """NVIDIA's compiler, as a build finds it; skips the test on a machine that does not have it."""
    try:
        return str(find_nvcc())
    except MissingError as error:
        pytest.skip(f"this machine has {error.message}")


@functools.cache
def sanitizing() -> str:
    """A compiler whose sanitizers link here: clang++ where its runtime is installed, else g++."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "a.cc"
        source.write_text("int main() {}\n", encoding="utf-8")
        for compiler in ("clang++", "g++"):
            if shutil.which(compiler) is None:
                continue
            command = [compiler, "-fsanitize=address,undefined", source, "-o", Path(folder) / "a"]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return compiler
    pytest.skip("no compiler here has the address sanitizer's runtime")
