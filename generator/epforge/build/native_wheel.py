"""The wheel of a project's kernels for NumPy, made by pip in the environment that makes wheels."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from epforge.build import cmake_cache
from epforge.build.diagnostics import BuildError, first_error, locate
from epforge.build.project import Project, open_project
from epforge.build.wheel import Job, WheelResult, checked, result, stage_in
from epforge.errors import UsageError
from epforge.workspace.exclusive import exclusive

LOG = "epforge-native-wheel.log"
_FOLDER = "native"
_NOT_COPIED = ("build", "dist", "__pycache__")
_VERSION = re.compile(r"^version = .*$", re.MULTILINE)


def has_native(project: Path) -> bool:
    """Does the project have kernels for NumPy (``python: {native: separate}``)?"""
    return (Path(project) / _FOLDER / "pyproject.toml").is_file()


def build_native_wheel(
    project: Path,
    preset: str = "release",
    *,
    version: str | None = None,
    output: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
    timeout_s: float = 900.0,
) -> WheelResult:
    """Builds the kernels for NumPy, for this machine and the Python that runs this.

    They are compiled by the compiler that has built the library, and what was compiled is kept
    beside it: only what changed is compiled again.

    Args:
        project: directory of a generated project that has them.
        preset: one of its CMake presets, built.
        version: of the wheel; by default the project's.
        output: directory for the wheel; by default ``dist`` in the project.
        progress: gets one line per step.
        timeout_s: bound for each of pip and auditwheel, in seconds.

    Raises as ``build_wheel``: UsageError, MissingError, BuildError with the first error of the
    build, BuildTimeoutError.
    """
    started = time.monotonic()
    opened = open_project(project)
    opened.check()
    if not has_native(opened.root):
        raise UsageError(
            f"{opened.root} has no kernels for NumPy",
            "Set python: {native: separate} in its blueprint, and run: epforge regenerate",
        )
    requirements = checked(opened, preset)
    if "nanobind" not in requirements.read_text(encoding="utf-8"):
        again = shlex.join(["epforge", "regenerate", str(opened.root)])
        raise UsageError(f"{requirements} does not list nanobind", f"Run: {again}")
    binary_dir = opened.binary_dir(preset)
    folder = (Path(output) if output else opened.root / "dist").absolute()
    log_path = binary_dir / LOG
    with log_path.open("w", encoding="utf-8") as log:
        job = Job(opened.root, log, log_path, progress, timeout_s)
        python = job.environment(requirements)
        compiler = cmake_cache(binary_dir / "CMakeCache.txt").get("CMAKE_CXX_COMPILER", "")
        place = binary_dir / _FOLDER / _key(python, compiler, version)
        place.mkdir(parents=True, exist_ok=True)
        with stage_in(folder) as stage, exclusive(place, timeout_s, progress):
            progress("making the wheel of the kernels for NumPy")
            sources = _sources(opened.root / _FOLDER, place / "sources", version)
            _compile(job, opened, sources, place, stage / "built", python, compiler)
            made = job.only_wheel(stage / "built", "pip")
            if sys.platform == "linux":
                made = _repair(job, made, stage / "repaired", python)
            return result(made, folder, started, log_path)


def _key(python: Path, compiler: str, version: str | None) -> str:
    """Names what CMake remembers: it keeps its tools, and the place of the sources."""
    return hashlib.sha256(f"{python}\0{compiler}\0{version}".encode()).hexdigest()[:12]


def _sources(native: Path, copy: Path, version: str | None) -> Path:
    """The folder to build: the project's own, or a copy of it that has another version."""
    if version is None:
        return native
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(native, copy, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    path = copy / "pyproject.toml"
    text, found = _VERSION.subn(
        lambda _: f"version = {json.dumps(version)}", path.read_text(encoding="utf-8")
    )
    if found != 1:
        raise UsageError(f"{native / path.name} has no one line with a version", "Restore it.")
    path.write_text(text, encoding="utf-8")
    return copy


def _compile(
    job: Job,
    project: Project,
    sources: Path,
    place: Path,
    output: Path,
    python: Path,
    compiler: str,
) -> None:
    command = [
        *(str(python), "-P", "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"),
        *("--disable-pip-version-check", "--no-input", "--no-index", "--wheel-dir", str(output)),
        *("-C", f"build-dir={place / '{wheel_tag}'}"),
        *("-C", f"cmake.define.EP_ROOT={project.root.as_posix()}"),
        str(sources),
    ]
    variables = {"LC_ALL": "C", **({"CXX": compiler} if compiler else {})}
    status, lines = job.run(command, python, variables=variables)
    if status:
        said = [line.removeprefix("      ") for line in lines]  # pip indents what others say
        diagnosis = first_error(said)
        file = locate(diagnosis, project.root, place)
        raise BuildError(diagnosis, file, project.owners.get(file, ""), job.log_path)


def _repair(job: Job, wheel: Path, output: Path, python: Path) -> Path:
    """Lets auditwheel name the oldest systems that the wheel runs on."""
    command = [str(python), "-P", "-m", "auditwheel", "repair", "--wheel-dir", str(output)]
    status, lines = job.run([*command, str(wheel)], python)
    if status:
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing")
        raise job.failure(f"auditwheel, on {wheel.name}: {last}")
    return job.only_wheel(output, "auditwheel")
