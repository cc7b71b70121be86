"""Where epforge keeps what it can make again: SDKs, runtimes, compiled templates."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_dir(*parts: str) -> Path:
    """A directory below epforge's cache; it is not created.

    ``EPFORGE_CACHE`` wins, then the platform's own place for caches.
    """
    override = os.environ.get("EPFORGE_CACHE")
    if override:
        root = Path(override).expanduser().absolute()
    elif sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "epforge"
    elif sys.platform == "darwin":
        root = Path.home() / "Library/Caches/epforge"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "epforge"
    return root.joinpath(*parts)
