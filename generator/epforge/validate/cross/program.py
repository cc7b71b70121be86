"""The host program of a target, compiled once by the target's compiler."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from epforge.cache import cache_dir, compiler_launcher, publish, writable
from epforge.compiling import Compilation, compiler_identity
from epforge.compiling.platforms import find_gcc
from epforge.compiling.zig import find_zig
from epforge.errors import EpforgeError, MissingError
from epforge.validate.cross.targets import Target

_SOURCES = Path(__file__).with_name("host")
_FLAGS = ("-std=c++17", "-pthread", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion")


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


def find_program(
    target: Target,
    headers: Path,
    progress: Callable[[str], None],
    zig: Callable[[], str] = find_zig,
) -> Path:
    """The host program of a target.

    Args:
        headers: the directory of onnxruntime_c_api.h.
        zig: the program, or nothing; it is asked where there is no other compiler. It may raise
            MissingError.

    Raises MissingError without a compiler, CompileError when it fails.
    """
    windows = target.system == "win32"
    command = [*_command(target, zig), "-O2", *_FLAGS]
    link, name = (("-static",), "host.exe") if windows else (("-ldl",), "host")
    return _made(command, link, headers, target.name, name, progress)


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


def _command(target: Target, zig: Callable[[], str]) -> list[str]:
    found = (shutil.which("g++") if target.native else None) or find_gcc(target)
    if found:
        return [found]
    why = ""
    try:
        program = zig()
    except MissingError as error:
        program, why = "", f"; zig could stand in, but {error.message}"
    if program:
        return [program, "c++", f"--target={target.zig}"]
    raise MissingError(
        f"no compiler for {target.name}: {target.gcc[0]} is not on the PATH{why}",
        f"Install it: apt-get install --no-install-recommends {target.package} (Debian, Ubuntu)",
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
