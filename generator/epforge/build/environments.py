"""Environments in the cache for packages that a build needs and epforge itself does not."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from epforge.build.process import run
from epforge.cache import cache_dir, writable
from epforge.errors import EpforgeError
from epforge.network import pip_variables
from epforge.workspace.exclusive import exclusive

_READY = "ready"
# What would lead the environment's Python, or its tools, to another environment's files.
_NOT_OURS = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")


class NotInstalledError(EpforgeError):
    """An environment could not be made; the message is the tool's own last word."""


def environment(
    kind: str,
    wanted: Sequence[str],
    about: bytes,
    *,
    log: IO[str],
    announce: Callable[[], None],
    progress: Callable[[str], None],
    timeout_s: float,
) -> Path:
    """The Python of an environment that has some packages: made once by pip, then found.

    It is made in its last place, under a lock, because scripts in it name that place. One that
    was not finished is made anew.

    Args:
        kind: the directory of such environments in the cache.
        wanted: what ``pip install`` is to install, in its words.
        about: tells this environment from others of its kind.
        log: gets what all tools say.
        announce: called when there is something to wait for.
        progress: gets a line when another epforge is waited for.
        timeout_s: bound for each tool, in seconds.

    Raises NotInstalledError, MissingError where the cache cannot be written to, BuildTimeoutError.
    """
    place = cache_dir(kind, _key(about))
    python = place / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (place / _READY).is_file() and python.is_file():
        return python
    with exclusive(writable(place), timeout_s, progress):
        if (place / _READY).is_file() and python.is_file():
            return python
        announce()
        (place / _READY).unlink(missing_ok=True)
        shutil.rmtree(place / "venv", ignore_errors=True)
        pip = [str(python), "-P", "-m", "pip", "install", "--disable-pip-version-check"]
        for command in (
            [sys.executable, "-P", "-m", "venv", str(place / "venv")],
            [*pip, "--quiet", "--no-input", *wanted],
        ):
            variables = {**clean_environment(None), **pip_variables()}
            status, lines = run(command, place, variables, log, lambda _: None, timeout_s)
            if status:
                raise NotInstalledError(_last(lines))
        (place / _READY).touch()
    return python


def _key(about: bytes) -> str:
    """Tells environments apart: what is in them, and whose they are."""
    digest = hashlib.sha256(about)
    digest.update(f"\0{sys.version}\0{sys.base_prefix}\0{sys.platform}".encode())
    return f"cp{sys.version_info.major}{sys.version_info.minor}-{digest.hexdigest()[:20]}"


def clean_environment(python: Path | None) -> Mapping[str, str]:
    """This process's environment, for a Python that has its own packages.

    Args:
        python: whose programs come first; this epforge's CMake and Ninja are behind them.
    """
    env = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    first = [str(python.parent)] if python else []
    path = env.get("PATH", os.defpath)
    env["PATH"] = os.pathsep.join([*first, str(Path(sys.executable).parent), path])
    env["PYTHONUNBUFFERED"] = "1"
    env["PYTHONDONTWRITEBYTECODE"] = "1"  # a project's script has modules beside it, in the project
    return env


def _last(lines: list[str]) -> str:
    """What pip says went wrong: the last line that reports an error, else the last one of all."""
    said = [line.strip() for line in lines if line.strip()]
    errors = [line for line in said if line.startswith("ERROR: ")] or said
    return errors[-1].removeprefix("ERROR: ") if errors else "it says nothing"
