"""The wheel of a project, made by the project's own script in an environment kept for it."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from epforge.build.diagnostics import BuildError, Diagnosis
from epforge.build.environments import NotInstalledError, clean_environment, environment
from epforge.build.process import run
from epforge.build.project import Project, open_project
from epforge.cache import compiler_cache
from epforge.errors import MissingError, UsageError

LOG = "epforge-wheel.log"
SCRIPT = "packaging/build_wheel.py"
REQUIREMENTS = "packaging/requirements-build-wheel.txt"
_ERROR, _NOTE = "error: ", "note: "


@dataclass(frozen=True)
class WheelResult:
    """A wheel that was made.

    Args:
        wheel: the file.
        tag: for what it is: "py3-none-manylinux_2_34_x86_64".
        size: in bytes.
        seconds: wall time of everything.
        log: what pip and the project's script wrote.
    """

    wheel: Path
    tag: str
    size: int
    seconds: float
    log: Path

    def to_json(self) -> dict[str, object]:
        """The result for programs; the keys are stable."""
        return {
            "path": str(self.wheel),
            "tag": self.tag,
            "size": self.size,
            "seconds": round(self.seconds, 3),
            "log": str(self.log),
        }


def build_wheel(
    project: Path,
    preset: str = "release",
    *,
    version: str | None = None,
    package_name: str | None = None,
    platform_tag: str | None = None,
    output: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
    timeout_s: float = 900.0,
) -> WheelResult:
    """Packs what a preset has built, by the project's ``packaging/build_wheel.py``.

    The script runs in an environment that has what the project's requirements file lists. That is
    made once for each such file and Python, and kept in the cache.

    Args:
        project: directory of a generated project.
        preset: one of its CMake presets, built.
        version: of the wheel; by default the project's.
        package_name: of the distribution; by default the project's first.
        platform_tag: what the library was built for; by default this machine.
        output: directory for the wheel; by default ``dist`` in the project. What else is in there
            stays.
        progress: gets one line per step, and the notes of the script.
        timeout_s: bound for each of pip and the script, in seconds.

    Raises UsageError for what is no project, not built or without a script, MissingError when the
    script's requirements cannot be had, BuildError with the script's own words when it fails,
    BuildTimeoutError.
    """
    started = time.monotonic()
    opened = open_project(project)
    opened.check()
    requirements = checked(opened, preset)
    folder = (Path(output) if output else opened.root / "dist").absolute()
    log_path = opened.binary_dir(preset) / LOG
    with log_path.open("w", encoding="utf-8") as log:
        job = Job(opened.root, log, log_path, progress, timeout_s)
        python = job.environment(requirements)
        with stage_in(folder) as stage:
            command = [
                *(str(python), str(opened.root / SCRIPT)),
                *("--binary_dir", str(opened.binary_dir(preset)), "--output_dir", str(stage)),
                *_given(version=version, package_name=package_name, platform_tag=platform_tag),
            ]
            return result(job.wheel(command, python, stage), folder, started, log_path)


def result(made: Path, folder: Path, started: float, log: Path) -> WheelResult:
    """Publishes a wheel that was staged in ``folder``, by renaming it, and says what it is.

    Args:
        started: by time.monotonic().
        log: what the tools wrote.
    """
    wheel = folder / made.name
    os.replace(made, wheel)
    return WheelResult(
        wheel=wheel,
        tag="-".join(wheel.stem.split("-")[-3:]),
        size=wheel.stat().st_size,
        seconds=time.monotonic() - started,
        log=log,
    )


def checked(project: Project, preset: str) -> Path:
    """The requirements file of a project that has all that a wheel is made from.

    Raises UsageError for one without the script, or whose preset is not built.
    """
    for name in (SCRIPT, REQUIREMENTS):
        if not (project.root / name).is_file():
            regenerate = shlex.join(["epforge", "regenerate", str(project.root)])
            raise UsageError(
                f"{project.root} has no {name}", f"Bring the project up to date: {regenerate}"
            )
    library = project.library_path(preset)
    if not library.is_file():
        command = shlex.join(["epforge", "build", str(project.root), "--preset", preset])
        raise UsageError(f"there is no {library} to make a wheel of", f"Run: {command}")
    return project.root / REQUIREMENTS


@contextlib.contextmanager
def stage_in(folder: Path) -> Iterator[Path]:
    """A directory for unfinished wheels in the one that they are for, which is made.

    Raises UsageError when nothing can be put there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=".wheel-", dir=folder))
    except (FileExistsError, NotADirectoryError) as error:
        raise UsageError(f"{folder} is not a directory", "Choose another --output.") from error
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            f"{folder} cannot be written to: {why}", "Choose another --output."
        ) from error
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _given(**flags: str | None) -> list[str]:
    return [word for name, value in flags.items() if value for word in (f"--{name}", value)]


@dataclass(frozen=True)
class Job:
    """Makes wheels of a project, with the tools of an environment in the cache.

    Args:
        root: the project.
        log: gets what all tools say.
        log_path: where that is.
        progress: gets one line per step.
        timeout_s: bound for each tool, in seconds.
    """

    root: Path
    log: IO[str]
    log_path: Path
    progress: Callable[[str], None]
    timeout_s: float

    def environment(self, requirements: Path) -> Path:
        """The Python of the environment that a requirements file asks for."""
        try:
            return environment(
                "wheel-environments",
                ["--requirement", str(requirements)],
                requirements.read_bytes(),
                log=self.log,
                announce=lambda: self.progress("installing what makes wheels into the cache"),
                progress=self.progress,
                timeout_s=self.timeout_s,
            )
        except NotInstalledError as error:
            raise MissingError(
                f"cannot install what {SCRIPT} needs: {error.message}",
                f"Check the connection and {REQUIREMENTS}. The whole log: {self.log_path}",
            ) from error

    def wheel(self, command: list[str], python: Path, stage: Path) -> Path:
        """Runs the project's script; the one wheel that it leaves in ``stage``."""
        self.progress("making the wheel")

        def show(line: str) -> None:
            if line.startswith(_NOTE):
                self.progress(line)

        status, lines = self.run(command, python, show)
        if status:
            raise self.failure(f"{SCRIPT}: {_error(lines)}")
        return self.only_wheel(stage, SCRIPT)

    def run(
        self,
        command: list[str],
        python: Path | None,
        show: Callable[[str], None] = lambda _: None,
        variables: Mapping[str, str] | None = None,
    ) -> tuple[int, list[str]]:
        """Runs a tool in the project; its exit status and its lines.

        Args:
            python: whose programs it finds first.
            show: gets each line.
            variables: more for its environment.
        """
        environment = {
            **clean_environment(python),
            **compiler_cache(self.root),
            **(variables or {}),
        }
        return run(command, self.root, environment, self.log, show, self.timeout_s)

    def only_wheel(self, folder: Path, maker: str) -> Path:
        """The one wheel in a directory. Raises BuildError when there is not one."""
        found = sorted(folder.glob("*.whl"))
        if len(found) != 1:
            what = ", ".join(path.name for path in found) or "none"
            raise self.failure(f"{maker} ended well, but the wheels that it left are: {what}")
        return found[0]

    def failure(self, text: str) -> BuildError:
        """The error of a tool, in words."""
        return BuildError(Diagnosis("", 0, 0, text), "", "", self.log_path)


def _error(lines: list[str]) -> str:
    """What the script says went wrong, in one line: its first line that reports an error, with what
    follows in its words, or, of a tool's long output, the last line."""
    said = [line for line in lines if line.strip()]
    at = next((i for i, line in enumerate(said) if line.startswith(_ERROR)), None)
    if at is None:
        return said[-1].strip() if said else "it says nothing"
    first, rest = said[at].removeprefix(_ERROR), said[at + 1 :]
    if first.endswith(":"):
        return " ".join([first, *(line.strip() for line in rest[-1:])])
    return "; ".join([first, *(line.strip() for line in rest if line.startswith("  "))])
