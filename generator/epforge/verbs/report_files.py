"""Reports as files: JSON, a page of HTML, JUnit XML. The suffix says which."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.report import Report

_SUFFIXES = (".json", ".html", ".xml")


def check(paths: Sequence[Path], option: str = "") -> None:
    """Raises UsageError for a path that no report can be written to.

    Args:
        option: what errors begin with.
    """
    for path in paths:
        if path.suffix.lower() not in _SUFFIXES:
            raise UsageError(
                f"{option}{path}: the suffix does not say what to write",
                "It is .json, .html (a page) or .xml (JUnit).",
            )
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{option}{path}: there is no such directory", "Make it first.")


def write(paths: Sequence[Path], data: Mapping[str, object], option: str = "") -> None:
    """Writes a report to files, each whole or not at all.

    Args:
        data: the report in JSON.
        option: what errors begin with.

    Raises UsageError for a file that cannot be written.
    """
    for path in paths:
        content = _content(path, data)
        stage = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            stage.write_bytes(content)
            stage.replace(path)
        except OSError as error:
            stage.unlink(missing_ok=True)
            raise UsageError(
                f"{option}{path}: {error.strerror}", "Name a file in a directory."
            ) from error


def _content(path: Path, data: Mapping[str, object]) -> bytes:
    from epforge.report import junit, page

    suffix = path.suffix.lower()
    if suffix == ".json":
        return (json.dumps(data, indent=2) + "\n").encode()
    return page(_shaped(data)) if suffix == ".html" else junit(_shaped(data))


def _shaped(data: Mapping[str, object]) -> Report:
    from epforge.report import parse

    return parse(json.loads(json.dumps(data)), "the report")
