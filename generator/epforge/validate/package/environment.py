"""A fresh Python environment for one package, in a place that not every program gets right."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import MissingError
from epforge.network import pip_variables
from epforge.validate.process import Limits, WorkerRun, run_recorded
from epforge.validate.runtime import Runtime

FOLDER = "päckage test"  # below it is the environment: a space and a letter that is not ASCII
_PIP_S = 900
_VENV_S = 120
# What would make programs find files outside the environment.
_DROPPED = (
    *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUTF8", "VIRTUAL_ENV"),
    *("LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"),
)


class InstallError(Exception):
    """pip did not do what it was asked; the text is its reason."""


@dataclass(frozen=True)
class Environment:
    """An environment.

    Args:
        folder: its directory.
        without: variables that programs in it do not get.
    """

    folder: Path
    without: tuple[str, ...] = ()

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment's variables: this process's, without what leads elsewhere."""
        dropped = {*_DROPPED, *self.without}
        return {name: value for name, value in os.environ.items() if name not in dropped}

    def contents(self) -> set[Path]:
        """What is installed: the entries of the directories that packages are installed to."""
        folders = [*self.folder.glob("lib*/python*/site-packages"), self.python.parent]
        folders += self.folder.glob("Lib/site-packages")
        entries = {entry.resolve() for folder in folders for entry in folder.iterdir()}
        return {entry for entry in entries if entry.is_relative_to(self.folder.resolve())}

    def pip(self, verb: str, *args: str) -> None:
        """Runs this Python's pip on the environment. Raises InstallError."""
        command = [
            *(sys.executable, "-P", "-m", "pip", "--python", str(self.python)),
            *("--disable-pip-version-check", "--no-input", "--quiet", verb, *args),
        ]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=_PIP_S,
                check=False,
                stdin=subprocess.DEVNULL,
                env={**self.variables, **pip_variables()},
            )
        except subprocess.TimeoutExpired as error:
            raise InstallError(f"pip did not end within {_PIP_S} s") from error
        if done.returncode:
            raise InstallError(_reason(done.stderr))

    def add_runtime(self, runtime: Runtime) -> None:
        """Installs an onnxruntime, and numpy. Raises MissingError when they cannot be had."""
        wanted = ["numpy"]
        if runtime.directory is None or runtime.directory != Path(runtime.label).resolve():
            wanted.append(_requirement(runtime))
        try:
            self.pip("install", "--no-compile", *wanted)
        except InstallError as error:
            raise MissingError(
                f"cannot install {' and '.join(wanted)}: {error}",
                "check the connection; rung package installs them in an environment of its own",
            ) from error
        if len(wanted) == 1:  # it is a directory of the caller's, and stays there
            site = next(entry for entry in self.contents() if entry.name == "numpy").parent
            (site / "runtime.pth").write_text(f"{runtime.directory}\n", encoding="utf-8")

    def run(self, arguments: Sequence[str], limits: Limits, records: Path) -> WorkerRun:
        """Runs its Python from the root directory; what it says in ``records`` counts.

        Args:
            arguments: of the Python.
            records: a file that is made for it; another one beside it gets its stderr.
        """
        records.touch()
        stderr = records.with_name(f"{records.name}.stderr")
        command = [str(self.python), *arguments]
        root = Path(self.folder.anchor)
        return run_recorded(command, records, stderr, root, self.variables, limits.stall_s)


def make(parent: Path, without: Sequence[str] = (), python: str = sys.executable) -> Environment:
    """Makes an empty environment in a directory below ``parent``.

    Args:
        without: variables that programs in it do not get.
        python: whose environment it is.

    Raises:
        MissingError: the Python cannot make environments.
    """
    folder = Path(tempfile.mkdtemp(dir=parent)) / FOLDER / "venv"
    command = [python, "-m", "venv", "--without-pip", str(folder)]
    environment = Environment(folder, tuple(without))
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_VENV_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=environment.variables,
        )
        reason = _reason(done.stderr or done.stdout) if done.returncode else ""
    except subprocess.TimeoutExpired:
        reason = f"it did not end within {_VENV_S} s"
    except OSError as error:
        reason = str(error)
    if reason:
        raise MissingError(
            f"{python} cannot make an environment: {reason}",
            "install the module venv for it (on Debian: python3-venv)",
        )
    return environment


def _requirement(runtime: Runtime) -> str:
    """What pip is asked for: the version that was named, or what this Python has."""
    if runtime.label:
        return f"onnxruntime=={runtime.label}"
    names = importlib.metadata.packages_distributions().get("onnxruntime", [])
    if not names:
        raise MissingError(
            "this Python has no onnxruntime to install another one of",
            "name a version: --runtime 1.26.0",
        )
    return f"{names[0]}=={importlib.metadata.version(names[0])}"


def _reason(text: str) -> str:
    """The last line that reports an error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1].removeprefix("ERROR: ")[:400] if errors else "it says nothing"
