"""This machine as a poorer one: without compilers, without a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

_COMPILERS = re.compile(
    r"(.*-)?(g\+\+|gcc|c\+\+|cc|clang.*|cpp|ld|ld\..*|lld.*|as|ar|ranlib|strip|nm|objdump|objcopy)"
    r"(-[\d.]+)?|.*mingw.*|llvm.*|c89.*|c99.*|ccache|sccache|zig|rust.*|cargo.*"
)


def without_compilers(folder: Path) -> str:
    """A ``PATH`` with this machine's programs but compilers and what belongs to them."""
    place = folder / "without-compilers"
    place.mkdir(parents=True, exist_ok=True)
    for directory in os.environ["PATH"].split(os.pathsep):
        for program in Path(directory).iterdir() if Path(directory).is_dir() else ():
            link = place / program.name
            if not _COMPILERS.fullmatch(program.name) and not link.is_symlink():
                link.symlink_to(program)
    return str(place)


def needs_unshare() -> str:
    """The program that gives a process a machine of its own. Skips the test where it may not."""
    program = shutil.which("unshare")
    if program is None:
        pytest.skip("no unshare")
    done = subprocess.run(
        [program, "--net", "--mount", "true"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no namespaces here: {done.stderr.strip()}")
    return program


def without_network() -> list[str]:
    """The first words of a command that runs without a network."""
    return [needs_unshare(), "--net"]
