"""Files and errors of compilations, for processes under test."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import models
import onnx

#: ONNX Runtime compiles nothing: what runs was loaded.
NOTHING_COMPILED = {"session.disable_model_compile": "1"}


def save(made: onnx.ModelProto, path: Path) -> Path:
    """Writes a model, and makes the folder that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(made, path)
    return path


def state(folder: Path) -> dict[str, str]:
    """Every file and folder below, with what is in it."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "no file"
        for path in sorted(folder.rglob("*"))
    }


def blobs(folder: Path) -> list[str]:
    """The names of the files with compiled data below a folder."""
    return sorted(path.name for path in folder.rglob("*.bin"))


def error_of(call: Callable[..., Any], *arguments: Any, **more: Any) -> str:
    """The text of the error, which there must be."""
    try:
        call(*arguments, **more)
    except Exception as error:
        return str(error)
    raise AssertionError(f"no error: {arguments} {more}")


def same(session: Any, made: onnx.ModelProto, length: int = 3) -> None:
    """Fails unless the session computes what the CPU makes of the model."""
    inputs = models.feeds(made, length)
    models.close(session.run(None, inputs), models.reference(made, inputs))
