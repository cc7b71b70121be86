"""What an argument is: a blueprint, a project, a library or a model."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path

from epforge.errors import UsageError

BLUEPRINT = "blueprint.yaml"
_LIBRARY = re.compile(r"\.(so(\.\d+)*|dll|dylib)$", re.IGNORECASE)
_YAML = (".yaml", ".yml")
_MODEL = ".onnx"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_CURE = "Give a project's directory, a blueprint, a library or a model."
_MAGIC = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


class Subject(StrEnum):
    """What can be looked at."""

    BLUEPRINT = "blueprint"
    PROJECT = "project"
    LIBRARY = "library"
    MODEL = "model"


def what_is(path: Path) -> Subject:
    """Tells what a path is, by its name and its first bytes.

    Raises UsageError for what is certainly nothing of these.
    """
    if path.is_dir():
        if (path / BLUEPRINT).is_file():
            return Subject.PROJECT
        raise UsageError(f"{path}: a directory, and no {BLUEPRINT} in it", _CURE)
    if _LIBRARY.search(path.name):
        return Subject.LIBRARY
    if path.suffix.lower() in _YAML:
        return Subject.BLUEPRINT
    head = _head(path)
    if head.startswith(_MAGIC):
        return Subject.LIBRARY
    if path.suffix.lower() != _MODEL:
        if not os.path.lexists(path):
            raise UsageError(f"{path}: no such file", _CURE)
        if head and not _CONTROL.search(head):  # the numbers in a model are such bytes
            raise UsageError(f"{path}: a text file, and not named .yaml", _CURE)
    return Subject.MODEL


def _head(path: Path) -> bytes:
    """The first bytes of a file; none of what is no file, for others to say so."""
    if not path.is_file():
        return b""
    try:
        with path.open("rb") as file:
            return file.read(512)
    except OSError:
        return b""
