"""Which onnxruntime to validate on: this Python's, another release, or a directory."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from epforge.cache import cache_dir, publish, writable
from epforge.errors import MissingError, UsageError
from epforge.network import pip_environment
from epforge.validate.process import Limits, WorkerRun, run_worker

_VERSION = re.compile(r"\d+\.\d+\.\d+(\.?(a|b|rc|dev|post)\d+)?")
_PIP_S = 900


@dataclass(frozen=True)
class Host:
    """A program for another machine, with a runtime in it, that does the work of a worker.

    Args:
        command: how to start it.
        env: its whole environment.
        windows: its paths are those of Windows; this machine's are below drive Z.
        readable: takes out of what was written to stderr what is not the library's.
    """

    command: tuple[str, ...]
    env: Mapping[str, str]
    windows: bool
    readable: Callable[[str], str]

    def job(self) -> dict[str, object]:
        """What a worker has to know of it."""
        return {"command": self.command, "env": dict(self.env), "windows": self.windows}


@dataclass(frozen=True)
class Runtime:
    """An onnxruntime to run on.

    Args:
        label: what the user asked for: a version, a directory, or "" for this Python's own.
        directory: what goes first on the module path; None for this Python's own.
        host: the program for another machine that it is in; None where workers have it themselves.
    """

    label: str
    directory: Path | None
    host: Host | None = None

    @contextmanager
    def at_hand(self, progress: Callable[[str], None]) -> Iterator[Runtime]:
        """The runtime, ready to run libraries in."""
        yield self

    def run(
        self, job: Mapping[str, object], limits: Limits, preload: tuple[str, ...] = ()
    ) -> WorkerRun:
        """Runs a job of `run_worker` in it."""
        if self.host is None:
            return run_worker(job, limits, self.directory, preload)
        run = run_worker({**job, "host": self.host.job()}, limits)
        for ended in run.named("ended"):
            code, at_exit = int(ended["returncode"]), bool(ended["at_exit"])
            run = replace(run, returncode=code, finished=at_exit)
        return replace(run, stderr=self.host.readable(run.stderr))


THIS = Runtime("", None)


def find_runtime(wanted: str, progress: Callable[[str], None] = lambda _: None) -> Runtime:
    """The runtime of a ``--runtime`` argument: a directory, or a version to get from PyPI.

    A version is installed once into the cache, by pip, without its dependencies: those are
    epforge's own. Raises UsageError for neither a version nor a directory, and MissingError when
    pip cannot get it.
    """
    path = Path(wanted)
    if path.is_dir():
        if not _is_package(path):
            raise UsageError(
                f"{path} holds no package onnxruntime",
                "give the directory that contains the folder onnxruntime, or a version: 1.26.0",
            )
        return Runtime(wanted, path.resolve())
    if not _VERSION.fullmatch(wanted):
        raise UsageError(
            f"--runtime {wanted}: neither a version such as 1.26.0 nor a directory",
            "give a release of onnxruntime, or the directory that contains its package",
        )
    target = cache_dir("runtimes", f"{wanted}-cp{sys.version_info.major}{sys.version_info.minor}")
    if not _is_package(target):
        progress(f"installing onnxruntime {wanted} into the cache")
        _install(wanted, target)
    return Runtime(wanted, target)


def _install(version: str, target: Path) -> None:
    writable(target.parent)
    stage = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    command = [
        sys.executable, "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--only-binary", ":all:", "--target", str(stage), f"onnxruntime=={version}",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_PIP_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=pip_environment(),
        )
        if done.returncode or not _is_package(stage):
            raise MissingError(
                f"cannot install onnxruntime {version}: {_reason(done.stderr)}",
                "check the version and the connection, or unpack its wheel and give the directory",
            )
        publish(stage, target, _is_package)
    except subprocess.TimeoutExpired as error:
        raise MissingError(
            f"cannot install onnxruntime {version}: pip did not end within {_PIP_S} s",
            "check the connection, or unpack its wheel and give the directory",
        ) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _is_package(place: Path) -> bool:
    return (place / "onnxruntime" / "__init__.py").is_file()


def _reason(stderr: str) -> str:
    """pip's last error line."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1].removeprefix("ERROR: ") if errors else "pip says nothing"
