"""The tools of a build: CMake and Ninja from PyPI, the C++ compiler from the system, or from PyPI
where there is none, nvcc from either."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distributions
from pathlib import Path

from epforge.build import zig
from epforge.compiling.zig import variables
from epforge.errors import MissingError, UsageError

_COMPILERS = ("g++", "clang++", "c++")
_CUDA_ROOTS = (Path("/usr/local/cuda"),)
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
        nvcc: the compiler of device code, as CMake takes it in ``CUDACXX``; empty if none is
            needed.
        settings: what else CMake is told, as its arguments.
        is_zig: whether the compiler is zig: its sanitizers need more than it brings.
        variables: what the environment of the compiler has beside this process's own.
    """

    cmake: Path
    ninja: Path
    compiler: str
    compiler_from: str
    nvcc: str = ""
    settings: tuple[str, ...] = ()
    is_zig: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        """The C++ compiler as a command's first words."""
        one = Path(self.compiler).exists()
        return [self.compiler] if one else shlex.split(self.compiler)


def find_toolchain(
    compiler: str | None = None,
    env: Mapping[str, str] = os.environ,
    cuda: bool = False,
    sanitizers: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> Toolchain:
    """Finds all tools. On Linux, zig stands in where there is no C++ compiler; it is fetched once.

    Args:
        compiler: the command wanted, or None for ``CXX``, then g++, clang++, c++, then zig. "zig"
            is the one that stands in.
        env: where ``CXX``, ``CUDACXX`` and ``PATH`` come from.
        cuda: whether there is device code to be compiled.
        sanitizers: what is built with, as ``-fsanitize`` takes it.
        progress: gets a line per step that takes time.

    Raises MissingError that says how to get what is missing, UsageError for zig where it cannot be.
    """
    why = _why_no_zig(cuda, sanitizers)
    is_zig = compiler == "zig"
    if is_zig:
        if why:
            raise UsageError(f"--compiler zig: {why}", "Leave it away to use another one.")
        command, source = str(zig.zig_compiler(env, progress)), "--compiler"
    else:
        try:
            command, source = system_compiler(compiler, env)
        except NoCompilerError as error:
            if why:
                raise NoCompilerError(f"{error.message}; {why}", error.cure) from error
            command, source = str(_stand_in(error, env, progress)), "PyPI"
            is_zig = True
    return Toolchain(
        cmake=from_pypi("cmake"),
        ninja=from_pypi("ninja"),
        compiler=command,
        compiler_from=source,
        nvcc=str(find_nvcc(env)) if cuda else "",
        is_zig=is_zig,
        variables=variables() if is_zig else {},
    )


class NoCompilerError(MissingError):
    """This machine has no C++ compiler, and none was named."""


def _why_no_zig(cuda: bool, sanitizers: str) -> str:
    """Why zig cannot be the compiler; empty where it can."""
    if cuda:
        return "nvcc works with g++ or clang++, and not with zig"
    if sanitizers:
        return f"zig brings no library of the sanitizers ({sanitizers})"
    return zig.why_not()


def _stand_in(
    lacking: NoCompilerError, env: Mapping[str, str], progress: Callable[[str], None]
) -> Path:
    try:
        return zig.zig_compiler(env, progress)
    except MissingError as error:
        raise NoCompilerError(
            f"{lacking.message}; zig could stand in, but {error.message}",
            f"{lacking.cure} Or: {error.cure}",
        ) from error


def find_nvcc(env: Mapping[str, str] = os.environ) -> Path:
    """NVIDIA's compiler: that of ``CUDACXX`` and no other if it is set; else on the ``PATH``, in
    ``CUDA_PATH`` or ``CUDA_HOME``, in /usr/local/cuda, or of a package of this Python.

    Raises MissingError that says how to get it.
    """
    path = env.get("PATH", os.defpath)
    wanted = env.get("CUDACXX")
    if wanted:
        program = shutil.which(wanted, path=path)
        if program is None:
            raise MissingError(
                f"nvcc {wanted!r} (from CUDACXX) is not there",
                "Correct CUDACXX, or leave it away to use the system's nvcc.",
            )
        return Path(program).absolute()
    name = "nvcc.exe" if sys.platform == "win32" else "nvcc"
    roots = [Path(env[key]) for key in ("CUDA_PATH", "CUDA_HOME") if env.get(key)]
    places = [root / "bin" for root in (*roots, *_CUDA_ROOTS)]
    places += _nvidia_packages()
    on_path = shutil.which(name, path=path)
    for found in (*([Path(on_path)] if on_path else []), *(place / name for place in places)):
        if os.access(found, os.X_OK):
            return found.absolute()
    packages = "nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl"
    raise MissingError(
        "no nvcc: NVIDIA's compiler is not on the PATH, and CUDACXX and CUDA_PATH are not set",
        f"Install the CUDA toolkit, or: {sys.executable} -m pip install {packages}",
    )


def _nvidia_packages() -> list[Path]:
    """Where packages of this Python have programs of the CUDA toolkit, the newest first."""
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(root) for root in (spec.submodule_search_locations or [])] if spec else []
    found = [place for root in roots for place in root.glob("cu*/bin")]
    release = re.compile(r"\d+")
    return sorted(
        found, key=lambda place: [int(n) for n in release.findall(place.parent.name)], reverse=True
    )


def system_compiler(
    wanted: str | None = None, env: Mapping[str, str] = os.environ
) -> tuple[str, str]:
    """The C++ compiler that this machine has, and how it was found: the command wanted, ``CXX``,
    or the first on the ``PATH``. Nothing is fetched.

    Raises NoCompilerError where there is none, MissingError for one that was named and is not
    there.
    """
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
    raise NoCompilerError(
        f"no C++ compiler: none of {', '.join(names)} is on the PATH, and CXX is not set",
        _CURE.get(sys.platform, "Install one, and set CXX to it."),
    )


def from_pypi(package: str) -> Path:
    """The program of a PyPI package of the same name, as it was installed for this Python; PATH
    does not matter.

    The package may be another environment's, which this one sees: its program lies there.

    Raises MissingError that says how to get it.
    """
    install = f"{sys.executable} -m pip install"
    found = list(distributions(name=package))
    if not found:
        cure = f"Install it next to epforge: {install} {package}"
        raise MissingError(f"{package} is not installed in this Python", cure)
    name = package + (".exe" if sys.platform == "win32" else "")
    places = [place for one in found for place in _places(one, name)]
    places.append(Path(sys.executable).parent)
    for place in places:
        if (place / name).is_file():
            return place / name
    looked = ", ".join(map(str, dict.fromkeys(places)))
    raise MissingError(
        f"the package {package} has no program {name} in {looked}",
        f"Install it once more, next to epforge: {install} --force-reinstall {package}",
    )


def _places(found: Distribution, name: str) -> list[Path]:
    """Where a package says that it has files of a name, those in the package itself first: what
    lies in an environment's directory of programs may be a script that only calls them."""
    own = [file for file in found.files or () if file.name == name]
    own.sort(key=lambda file: file.parts[0] == "..")
    listed = [Path(str(file.locate())).parent.resolve() for file in own]
    return [*listed, Path(str(found.locate_file("bin")))]  # the latter by `pip install --target`
