"""Libraries built with sanitizers: what must be loaded before Python for them to work."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from epforge.errors import MissingError
from epforge.validate.binary import Binary


def preload_for(binary: Binary) -> tuple[str, ...]:
    """The libraries to preload for a library built with ASan or TSan; none for any other.

    The C++ runtime comes along, or the first exception ends the process. Raises MissingError when
    the compiler that has them is not there.
    """
    wanted = [name for name in ("asan", "tsan") if name in binary.sanitizers]
    if not wanted or not sys.platform.startswith("linux"):
        return ()
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise MissingError(
            f"the library is built with lib{wanted[0]}, and no compiler is there to find that in",
            "install g++, or validate the release build",
        )
    return tuple(_find(compiler, f"lib{name}.so") for name in (*wanted, "stdc++"))


def _find(compiler: str, name: str) -> str:
    done = subprocess.run(
        [compiler, f"-print-file-name={name}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    path = Path(done.stdout.strip())
    if not path.is_absolute():
        raise MissingError(f"{compiler} has no {name}", "install the compiler's sanitizer runtime")
    return str(path.resolve())
