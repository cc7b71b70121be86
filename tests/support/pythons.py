"""Other Pythons than the one that runs the tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

VERSIONS = ("3.11", "3.12", "3.13")


def python(version: str) -> str:
    """A Python of that version; skips without one."""
    kept = sorted(Path("/root/.pyenv/versions").glob(f"{version}.*/bin/python{version}"))
    found = str(kept[-1]) if kept else shutil.which(f"python{version}")
    if found is None:
        pytest.skip(f"python{version} is not on this machine")
    return found
