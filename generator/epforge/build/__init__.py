"""Builds a generated project: CMake and Ninja from PyPI, a C++ compiler, ORT's headers."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from epforge.build.diagnostics import (
    BuildError,
    Diagnosis,
    count_warnings,
    first_error,
    locate,
    unusable_compiler,
    unusable_nvcc,
)
from epforge.build.process import BuildTimeoutError, run
from epforge.build.project import Project, open_project
from epforge.build.targets import TARGETS, check_library, find_target, target_toolchain
from epforge.build.toolchain import Toolchain, find_toolchain
from epforge.cache import compiler_cache, compiler_launcher
from epforge.errors import MissingError

__all__ = [
    "BuildError",
    "BuildResult",
    "BuildTimeoutError",
    "Project",
    "build",
    "cmake_cache",
    "open_project",
]

LOG = "epforge-build.log"
_STAMP = "epforge-configured.json"
_CACHE_ENTRY = re.compile(r"^(\w+):\w+=(.*)$", re.MULTILINE)
_COMPILER = re.compile(r'^set\(CMAKE_CXX_COMPILER "([^"]*)"\)', re.MULTILINE)
_STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")
_OBJECT = re.compile(r"Building \w+ object (?:.*?\.dir/)(.*)\.(?:o|obj)")
_LINK = re.compile(r"Linking \w+ (?:shared library|shared module|executable|static library) (.*)")


@dataclass(frozen=True)
class BuildResult:
    """A library that was built.

    Args:
        library: the file.
        manifest: what it claims, beside it.
        preset: the CMake preset.
        warnings: how many the compilers gave; 0 too when nothing had to be compiled.
        seconds: wall time of everything.
        compiled: how many files were compiled in this run.
        log: the whole output of CMake and Ninja.
        target: the platform that it is for; empty for this one.
    """

    library: Path
    manifest: Path
    preset: str
    warnings: int
    seconds: float
    compiled: int
    log: Path
    target: str = ""

    def to_json(self) -> dict[str, object]:
        """The result for programs; the keys are stable."""
        return {
            "library": str(self.library),
            "manifest": str(self.manifest),
            "preset": self.preset,
            "target": self.target,
            "warnings": self.warnings,
            "seconds": round(self.seconds, 3),
            "compiled": self.compiled,
            "log": str(self.log),
        }


def build(
    project: Path,
    preset: str = "release",
    sdk: Path | None = None,
    compiler: str | None = None,
    jobs: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
    timeout_s: float = 3600.0,
) -> BuildResult:
    """Configures what is not configured and builds what is not up to date.

    Args:
        project: directory of a generated project.
        preset: one of its CMake presets; those of targets build for another platform.
        sdk: ORT's headers; by default they are searched for, and installed where that can be done.
        compiler: the C++ compiler's command; by default ``CXX``, then what the system has, then
            zig, which is fetched. For another platform: "gcc" or "zig", by default the first that
            there is.
        jobs: compilers at a time; by default one per core.
        progress: gets one line per step: "[12/40] compiling src/abi/ep.cc".
        timeout_s: bound for each of CMake and Ninja, in seconds.

    A compiler's cache is used that ``CMAKE_CXX_COMPILER_LAUNCHER`` names, such as ccache.

    Raises UsageError for what is no project or preset, MissingError for a tool or headers that are
    not there, BadSdkError for headers that are not whole, BuildError with the first error of a
    build that failed, BuildTimeoutError.
    """
    from epforge.ort.sdk import find_sdk

    started = time.monotonic()
    opened = open_project(project)
    opened.check()
    binary_dir = opened.binary_dir(preset)
    name = opened.target_of(preset)
    target = find_target(opened, name) if name in TARGETS else None
    if target:
        tools = target_toolchain(opened, target, compiler, progress=progress)
    else:
        sanitizers = opened.sanitizers(preset)
        tools = find_toolchain(compiler, cuda=opened.cuda, sanitizers=sanitizers, progress=progress)
    headers = find_sdk(sdk, opened.level, report=progress)
    binary_dir.mkdir(parents=True, exist_ok=True)
    log_path = binary_dir / LOG
    with log_path.open("w", encoding="utf-8") as log:
        job = _Job(opened, preset, binary_dir, tools, log, log_path, progress, timeout_s)
        job.configure(headers.include)
        lines = job.compile(jobs or os.cpu_count() or 1)
    library = opened.library_path(preset)
    if target:
        check_library(library, target, log_path)
    elif not library.is_file():
        missing = Diagnosis("", 0, 0, f"the build ended well but made no {library}")
        raise BuildError(missing, "", "", log_path)
    return BuildResult(
        library=library,
        manifest=library.with_name(library.name + ".manifest.json"),
        preset=preset,
        warnings=count_warnings(lines),
        seconds=time.monotonic() - started,
        compiled=sum(" Building " in line for line in lines),
        log=log_path,
        target=name if target else "",
    )


@dataclass(frozen=True)
class _Job:
    project: Project
    preset: str
    binary_dir: Path
    tools: Toolchain
    log: IO[str]
    log_path: Path
    progress: Callable[[str], None]
    timeout_s: float

    def configure(self, include: Path) -> None:
        """Runs CMake unless it ran before with the same tools, headers and place."""
        wanted = {
            "source": str(self.project.root),
            "cmake": str(self.tools.cmake),
            "ninja": str(self.tools.ninja),
            "compiler": self.tools.compiler,
            "include": str(include),
            **({"nvcc": self.tools.nvcc} if self.tools.nvcc else {}),
            **({"settings": " ".join(self.tools.settings)} if self.tools.settings else {}),
        }
        launchers = {
            f"CMAKE_{language}_COMPILER_LAUNCHER": ";".join(compiler_launcher(language))
            for language in ("CXX", *(("CUDA",) if self.tools.nvcc else ()))
        }
        wanted |= {name: words for name, words in launchers.items() if words}
        stamp = self.binary_dir / _STAMP
        before = _read(stamp)
        ready = (self.binary_dir / "build.ninja").is_file() and self._still_configured(include)
        if ready and before == wanted:
            return
        self.progress(f"configuring ({self.preset}, {Path(self.tools.compiler).name})")
        stamp.unlink(missing_ok=True)
        command = [
            str(self.tools.cmake),
            "--preset",
            self.preset,
            f"-DCMAKE_MAKE_PROGRAM={self.tools.ninja.as_posix()}",
            f"-D{self.project.macro}_ORT_INCLUDE_DIR={include.as_posix()}",
            *self.tools.settings,
            # CMake reads the variables once alone, and keeps what they said then.
            *(f"-D{key}={value}" for key, value in launchers.items() if value or key in before),
        ]
        cache = self.binary_dir / "CMakeCache.txt"
        if not _same_cache(cache, self.project.root, self.tools) or self._other_compiler():
            command.insert(1, "--fresh")
        status, lines = self._run(command, self.project.root, lambda _: None)
        if status:
            self._fail(lines, self.project.root)
        stamp.write_text(json.dumps(wanted), encoding="utf-8")

    def _other_compiler(self) -> bool:
        """Was a target configured with another compiler? A toolchain file's is not in CMake's
        cache, and CMake itself would go on with the first one."""
        files = self.binary_dir.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")
        used = [_COMPILER.search(file.read_text(errors="replace")) for file in files]
        return bool(self.project.target_of(self.preset)) and any(
            Path(match[1]) != Path(self.tools.compiler) for match in used if match
        )

    def _still_configured(self, include: Path) -> bool:
        """Was nobody else's CMake here since? That of `pip install -e` is gone when pip is done,
        and its Ninja and its headers need not be these."""
        found = cmake_cache(self.binary_dir / "CMakeCache.txt")
        return (
            Path(found.get("CMAKE_COMMAND", "")).is_file()
            and found.get("CMAKE_MAKE_PROGRAM") == self.tools.ninja.as_posix()
            and found.get(f"{self.project.macro}_ORT_INCLUDE_DIR") == include.as_posix()
        )

    def compile(self, jobs: int) -> list[str]:
        """Runs Ninja; returns its output."""

        def show(line: str) -> None:
            match = _STEP.match(line)
            if match:
                self.progress(f"[{match[1]}/{match[2]}] {_plain(match[3])}")

        command = [str(self.tools.ninja), "-C", str(self.binary_dir), f"-j{jobs}"]
        status, lines = self._run(command, self.project.root, show)
        if status:
            self._fail(lines, self.binary_dir)
        return lines

    def _run(
        self, command: list[str], cwd: Path, show: Callable[[str], None]
    ) -> tuple[int, list[str]]:
        return run(command, cwd, self._environment(), self.log, show, self.timeout_s)

    def _environment(self) -> dict[str, str]:
        env = dict(os.environ)
        # The project's CMake asks `python` for onnxruntime: let it be this one.
        env["PATH"] = os.pathsep.join(
            [str(Path(sys.executable).parent), env.get("PATH", os.defpath)]
        )
        env["CXX"] = self.tools.compiler
        env.update(self.tools.variables)
        if self.tools.nvcc:
            env["CUDACXX"] = self.tools.nvcc
        env["LC_ALL"] = "C"  # so that errors can be told from other lines
        env["NINJA_STATUS"] = "[%f/%t] "
        env.pop("CLICOLOR_FORCE", None)
        return env | compiler_cache(self.project.root)

    def _fail(self, lines: list[str], base: Path) -> None:
        if unusable_compiler(lines) or unusable_nvcc(lines):
            # CMake would remember the failure, and the flags that may have caused it.
            (self.binary_dir / "CMakeCache.txt").unlink(missing_ok=True)
            shutil.rmtree(self.binary_dir / "CMakeFiles", ignore_errors=True)
            if unusable_nvcc(lines):
                raise MissingError(
                    f"{self.tools.nvcc} cannot make a program with {self.tools.compiler}",
                    "It may lack parts of the toolkit, or not take so new a C++ compiler: choose "
                    f"another with --compiler. The whole log: {self.log_path}",
                )
            raise MissingError(
                f"the C++ compiler {self.tools.compiler} (from {self.tools.compiler_from}) "
                "cannot make a program",
                f"Repair or replace it. The whole log: {self.log_path}",
            )
        diagnosis = first_error(lines)
        file = locate(diagnosis, self.project.root, base)
        raise BuildError(diagnosis, file, self.project.owners.get(file, ""), self.log_path)


def _same_cache(cache: Path, root: Path, tools: Toolchain) -> bool:
    """May CMake go on with this cache? Not when it is of another place or compiler.

    Settings that a person made in it survive otherwise.
    """
    found = cmake_cache(cache)
    home, compiler = found.get("CMAKE_HOME_DIRECTORY"), found.get("CMAKE_CXX_COMPILER")
    # A command of several words is kept in two entries.
    compiler = (compiler or "") + found.get("CMAKE_CXX_COMPILER_ARG1", "")
    nvcc = found.get("CMAKE_CUDA_COMPILER", "")
    return (
        (home is None or Path(home) == root)
        and (compiler in ("", "NOTFOUND") or Path(compiler) == Path(tools.compiler))
        and (nvcc in ("", "NOTFOUND", tools.nvcc) or not tools.nvcc)
    )


def cmake_cache(cache: Path) -> dict[str, str]:
    """What CMake remembers in a file CMakeCache.txt; nothing when there is none."""
    try:
        text = cache.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return dict(_CACHE_ENTRY.findall(text))


def _plain(text: str) -> str:
    """Ninja's description of a step, for people."""
    compiling = _OBJECT.match(text)
    if compiling:
        return f"compiling {compiling[1]}"
    linking = _LINK.match(text)
    return f"linking {linking[1]}" if linking else text


def _read(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in data.items()} if isinstance(data, dict) else {}
