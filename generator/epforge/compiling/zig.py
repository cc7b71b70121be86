"""zig, where it is there: a C++ compiler for every platform, in a package of Python."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from epforge.cache import cache_dir

PROGRAM = "zig.exe" if sys.platform == "win32" else "zig"


def find_zig(env: Mapping[str, str] = os.environ) -> str:
    """zig, of the package ziglang of this Python or on the ``PATH``; empty if it is not there."""
    spec = importlib.util.find_spec("ziglang")
    for root in (spec.submodule_search_locations or []) if spec else []:
        if (Path(root) / PROGRAM).is_file():
            return str(Path(root) / PROGRAM)
    return shutil.which("zig", path=env.get("PATH", os.defpath)) or ""


def variables() -> dict[str, str]:
    """What zig is told: to keep what it makes in epforge's cache, unless the user says where."""
    own = str(cache_dir("zig", "cache"))
    return {"ZIG_GLOBAL_CACHE_DIR": os.environ.get("ZIG_GLOBAL_CACHE_DIR") or own}
