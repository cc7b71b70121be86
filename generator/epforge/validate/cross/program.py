"""The host program of a target, compiled once by the target's compiler."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from epforge.cache import cache_dir, compiler_launcher, publish, writable
from epforge.compiling import Compilation, compiler_identity
from epforge.errors import EpforgeError, MissingError
from epforge.validate.cross.targets import Target

_SOURCES = Path(__file__).with_name("host")
_FLAGS = ("-std=c++17", "-pthread", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion")


@dataclass(frozen=True)
class _Compiler:
    """
    Args:
        program: a cross compiler's name.
        package: the apt package that has it.
        zig: zig's name of the target.
        link: how to link, by either.
    """

    program: str
    package: str
    zig: str
    link: tuple[str, ...]


_COMPILERS = {
    "windows-x64": _Compiler(
        "x86_64-w64-mingw32-g++-posix", "g++-mingw-w64-x86-64", "x86_64-windows-gnu", ("-static",)
    ),
    "linux-arm64": _Compiler(
        "aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu", "aarch64-linux-gnu.2.28", ("-ldl",)
    ),
    "linux-x64": _Compiler("g++", "g++", "x86_64-linux-gnu.2.28", ("-ldl",)),
}


class CompileError(EpforgeError):
    """The host program does not compile."""


_COMPILATION = Compilation(
    "the host program",
    CompileError,
    "Are the headers those of onnxruntime 1.24 or newer? See: epforge sdk",
)


def sources() -> list[Path]:
    """The files of the host program."""
    return sorted(path for path in _SOURCES.iterdir() if path.suffix in (".cc", ".h"))


def zig_here() -> str:
    """zig, of the package ziglang of this Python or on the ``PATH``; empty if it is not there."""
    spec = importlib.util.find_spec("ziglang")
    name = "zig.exe" if sys.platform == "win32" else "zig"
    for root in (spec.submodule_search_locations or []) if spec else []:
        if (Path(root) / name).is_file():
            return str(Path(root) / name)
    return shutil.which("zig") or ""


def find_program(
    target: Target,
    headers: Path,
    progress: Callable[[str], None],
    zig: Callable[[], str] = zig_here,
) -> Path:
    """The host program of a target.

    Args:
        headers: the directory of onnxruntime_c_api.h.
        zig: the program, or nothing; it is asked where there is no other compiler. It may raise
            MissingError.

    Raises MissingError without a compiler, CompileError when it fails.
    """
    compiler = _COMPILERS[target.name]
    command = [*_command(target, compiler, zig), "-O2", *_FLAGS]
    name = "host.exe" if target.system == "win32" else "host"
    return _made(command, compiler.link, headers, target.name, name, progress)


def find_native_program(
    headers: Path,
    progress: Callable[[str], None],
    sanitizers: Sequence[str] = (),
    stand_in: Callable[[], Sequence[str]] = tuple,
) -> Path:
    """The host program for this machine, where libraries find its ``operator new``.

    Args:
        headers: the directory of onnxruntime_c_api.h.
        sanitizers: as ``-fsanitize`` takes them.
        stand_in: the command of another C++ compiler, which has none of them; it is asked where
            there is neither g++ nor clang++. It may raise MissingError.

    Raises MissingError without a compiler (with sanitizers: g++ or clang++), CompileError when it
    fails.
    """
    compiler = shutil.which("g++") or shutil.which("clang++")
    command = [compiler] if compiler else [] if sanitizers else list(stand_in())
    if not command:
        raise MissingError(
            "no compiler for the host program: neither g++ nor clang++ is on the PATH",
            "Install it: apt-get install --no-install-recommends g++ (Debian, Ubuntu)",
        )
    label = "-".join(("native", *sanitizers))
    # Reports name lines; a frame that is left out would hide whose memory it is.
    command += ["-O1", "-g", "-fno-omit-frame-pointer", *_FLAGS]
    command += [f"-fsanitize={name}" for name in sanitizers]
    return _made(command, ("-ldl", "-rdynamic"), headers, label, "host", progress)


def _made(
    command: list[str],
    link: tuple[str, ...],
    headers: Path,
    label: str,
    name: str,
    progress: Callable[[str], None],
) -> Path:
    """The program as a command makes it, from the cache if it is there."""
    digest = hashlib.sha256("\0".join((*command, *link, compiler_identity(command[0]))).encode())
    for path in (*sources(), headers / "onnxruntime_c_api.h"):
        digest.update(path.read_bytes())
    place = cache_dir("targets", f"host-{label}-{digest.hexdigest()[:20]}")
    if not (place / name).is_file():
        progress(f"compiling the host program for {label}")
        _compile(command, link, headers, place, name)
    return place / name


def _command(target: Target, compiler: _Compiler, zig: Callable[[], str]) -> list[str]:
    found = shutil.which(compiler.program)
    if found:
        return [found]
    why = ""
    try:
        program = zig()
    except MissingError as error:
        program, why = "", f"; zig could stand in, but {error.message}"
    if program:
        return [program, "c++", f"--target={compiler.zig}"]
    raise MissingError(
        f"no compiler for {target.name}: {compiler.program} is not on the PATH{why}",
        f"Install it: apt-get install --no-install-recommends {compiler.package} (Debian, Ubuntu)",
    )


def _compile(
    command: list[str], link: tuple[str, ...], headers: Path, place: Path, name: str
) -> None:
    parent = writable(place.parent)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=parent) as name_of_stage:
        folder = Path(name_of_stage)
        stage = folder / "made"
        stage.mkdir()
        code = [path for path in sources() if path.suffix == ".cc"]
        objects = [str(folder / f"{path.name}.o") for path in code]
        compiling = [*compiler_launcher(), *command, "-isystem", str(headers), "-c"]
        # Debug information has the directory, and so has the key of a compiler's cache.
        _COMPILATION.run_all(
            ([*compiling, path.name, "-o", made] for path, made in zip(code, objects, strict=True)),
            _SOURCES,
        )
        _COMPILATION.run([*command, *objects, *link, "-o", str(stage / name)], folder)
        publish(stage, place, lambda there: (there / name).is_file())
