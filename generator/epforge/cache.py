"""Where epforge keeps what it can make again, and the cache of its user's compiler."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from epforge.errors import MissingError


def cache_dir(*parts: str) -> Path:
    """A directory below epforge's cache; it is not created.

    ``EPFORGE_CACHE`` wins, then the platform's own place for caches. Raises MissingError when
    there is neither.
    """
    override = os.environ.get("EPFORGE_CACHE")
    if override:
        root = Path(os.path.expanduser(override)).absolute()
    elif sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or _home() / "AppData/Local") / "epforge"
    elif sys.platform == "darwin":
        root = _home() / "Library/Caches/epforge"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "epforge"
    return root.joinpath(*parts)


def writable(directory: Path) -> Path:
    """A directory of the cache, made if it is not there, in which files can be made.

    Raises MissingError where that cannot be.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        why = "" if os.access(directory, os.W_OK | os.X_OK) else "it is not writable"
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise MissingError(
            f"{directory}: cannot be written to: {why}",
            "Set EPFORGE_CACHE to a directory of yours.",
        )
    return directory


def publish(stage: Path, place: Path, ready: Callable[[Path], bool]) -> None:
    """Moves a finished directory to its place in the cache, in one step.

    What another process has put there meanwhile stays, if it is whole.

    Args:
        stage: the directory, on the same file system.
        place: where it goes.
        ready: whether a directory is whole; what is at ``place`` and is not, gives way.
    """
    if place.exists() and not ready(place):
        shutil.rmtree(place)
    try:
        os.replace(stage, place)
    except OSError:
        if not ready(place):
            raise


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise MissingError(
            "this user has no home directory to keep a cache in",
            "Set EPFORGE_CACHE to a directory of yours.",
        ) from error


def compiler_launcher(language: str = "CXX", env: Mapping[str, str] = os.environ) -> list[str]:
    """What stands before a compiler's command, such as ccache; empty when nothing does.

    Args:
        language: as CMake calls it; "CUDA" is the other one.
        env: ``CMAKE_CXX_COMPILER_LAUNCHER`` names it, as it does for CMake.

    Raises:
        MissingError: it is not there.
    """
    variable = f"CMAKE_{language}_COMPILER_LAUNCHER"
    words = [word for word in env.get(variable, "").split(";") if word]
    if words and shutil.which(words[0], path=env.get("PATH", os.defpath)) is None:
        raise MissingError(
            f"{words[0]!r} (from {variable}) is not there",
            f"Correct {variable}, or leave it away to compile without.",
        )
    return words


def compiler_cache(root: Path, env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Variables by which ccache knows a project's files wherever the project lies.

    Args:
        root: the project; what lies below it is named relative to where the compiler runs.
        env: what it sets itself stays.
    """
    base = str(root.resolve())
    # ccache takes what follows a dollar for a variable: there it does without a base.
    wanted = {} if "$" in base else {"CCACHE_BASEDIR": base}
    return {name: value for name, value in wanted.items() if name not in env}
