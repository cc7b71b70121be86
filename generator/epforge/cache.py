"""Where epforge keeps what it can make again: SDKs, runtimes, compiled templates."""

from __future__ import annotations

import os
import sys
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


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise MissingError(
            "this user has no home directory to keep a cache in",
            "Set EPFORGE_CACHE to a directory of yours.",
        ) from error
