"""The tools of a build: CMake and Ninja from PyPI, the C++ compiler from the system."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import MissingError

_COMPILERS = ("g++", "clang++", "c++")
_CURE = {
    "linux": "Install one: apt install g++ (Debian, Ubuntu), dnf install gcc-c++ (Fedora).",
    "darwin": "Install one: xcode-select --install",
    "win32": "Install the Visual Studio build tools and use their command prompt.",
}


@dataclass(frozen=True)
class Toolchain:
    """What to build with.

    Args:
        cmake: the program.
        ninja: the program.
        compiler: the C++ compiler's command, as CMake takes it in ``CXX``.
        compiler_from: how it was found, for people.
    """

    cmake: Path
    ninja: Path
    compiler: str
    compiler_from: str


def find_toolchain(compiler: str | None = None, env: Mapping[str, str] = os.environ) -> Toolchain:
    """Finds all tools.

    Args:
        compiler: the command wanted, or None for ``CXX``, then g++, clang++, c++.
        env: where ``CXX`` and ``PATH`` come from.

    Raises MissingError that says how to get what is missing.
    """
    command, source = _compiler(compiler, env)
    return Toolchain(
        cmake=_from_pypi("cmake", "CMAKE_BIN_DIR"),
        ninja=_from_pypi("ninja", "BIN_DIR"),
        compiler=command,
        compiler_from=source,
    )


def _compiler(wanted: str | None, env: Mapping[str, str]) -> tuple[str, str]:
    path = env.get("PATH", os.defpath)
    for command, source in ((wanted, "--compiler"), (env.get("CXX"), "CXX")):
        if not command:
            continue
        words = [command] if Path(command).exists() else shlex.split(command)
        program = shutil.which(words[0], path=path) if words else None
        if program is None:
            raise MissingError(
                f"the C++ compiler {command!r} (from {source}) is not there",
                f"Correct {source}, or leave it away to use the system's compiler.",
            )
        return (str(Path(program).absolute()) if len(words) == 1 else command), source
    names = ("cl", *_COMPILERS) if sys.platform == "win32" else _COMPILERS
    for name in names:
        found = shutil.which(name, path=path)
        if found:
            return found, "PATH"
    raise MissingError(
        f"no C++ compiler: none of {', '.join(names)} is on the PATH, and CXX is not set",
        _CURE.get(sys.platform, "Install one, and set CXX to it."),
    )


def _from_pypi(package: str, folder: str) -> Path:
    """The program of a PyPI package, next to this Python; PATH does not matter."""
    cure = f"Install it next to epforge: {sys.executable} -m pip install {package}"
    try:
        module = importlib.import_module(package)
    except ImportError as error:
        raise MissingError(f"{package} is not installed in this Python", cure) from error
    name = package + (".exe" if sys.platform == "win32" else "")
    places = [Path(str(getattr(module, folder, ""))), Path(sys.executable).parent]
    for place in places:
        if (place / name).is_file():
            return place / name
    looked = ", ".join(map(str, places))
    raise MissingError(f"the package {package} has no program {name} in {looked}", cure)
