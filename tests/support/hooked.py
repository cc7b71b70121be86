"""Projects with the test variant of their library, whose device a test holds, delays and counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from projects import Project, built, expanded


def with_hooks(
    text: str, *, preset: str = "release", changes: Mapping[str, str] | None = None
) -> Project:
    """The project of a blueprint, whose ``library`` is the test variant (see device_hooks.py).

    Args:
        text: the blueprint, with streams and runtime host.
        preset: the CMake preset.
        changes: the contents of files that somebody has rewritten.
    """
    macro = expanded(text).blueprint.names.macro
    variables = {f"{macro}_TEST_VARIANT": "ON"}
    project = built(text, preset=preset, variables=variables, changes=changes)
    return dataclasses.replace(project, library=variant_of(project.library))


def variant_of(library: Path) -> Path:
    """Where the test variant of a library lies."""
    return library.with_name(f"{library.stem}_test{library.suffix}")
