"""Reads models, libraries' manifests and projects' manifests for judging."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from epforge.errors import UsageError
from epforge.validate import read_binary
from epforge.validate.manifest import FORMAT, beside
from epforge.validate.models.facts import ModelFacts
from epforge.validate.models.offers import Offer, offer
from epforge.validate.process import Limits, run_worker
from epforge.validate.static import Kind, identify

MOST_BYTES = (1 << 31) - 1  # a protobuf message is no larger: weights go beside the model
_MANIFEST_BYTES = 16 << 20
_FORMATS = {
    "directory": "a directory",
    "empty": "an empty file",
    "text": "a text file",
    "archive": "an archive",
}


def read_model(
    path: Path, limits: Limits | None = None, *, everything: bool = False, numbered: bool = False
) -> ModelFacts:
    """What a model says. It is parsed, and types are inferred, in a process of its own; weights
    beside it are not loaded.

    Args:
        path: the model.
        limits: of the process.
        everything: facts of all nodes, not only of those that ONNX Runtime alone cannot run.
        numbered: facts have the numbers of their nodes.

    Raises UsageError for what is no ONNX model, saying what it is.
    """
    _check(path, "ONNX model", MOST_BYTES, "Keep its weights in a file beside it.")
    job = {
        "job": "model",
        "model": str(path.absolute()),
        "everything": everything,
        "numbered": numbered,
    }
    run = run_worker(job, limits or Limits())
    found = run.named("facts")
    if found:
        facts = ModelFacts.from_json(found[-1])
        if len(found) > 1 or not run.fault:
            return facts
        return replace(facts, untyped=run.ended)
    broken = run.named("broken")
    why = str(broken[0]["why"]) if broken else run.ended or "reading it came to nothing"
    raise UsageError(f"{path}: not an ONNX model: {_is(path) or why}", "Give a model: MODEL.onnx.")


def _check(path: Path, what: str, most: int, cure: str) -> None:
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise UsageError(f"{path}: a directory, not an {what}", f"Give the {what} in it.")
        if not path.is_file():
            raise UsageError(f"{path}: not a regular file", f"Give an {what}.")
        with path.open("rb"):
            pass
    except OSError as error:
        raise UsageError(f"{path}: {_reason(error)}", f"Give an {what}.") from error
    if size > most:
        raise UsageError(f"{path}: {size} bytes are too many for an {what}, {most} is most", cure)


def _reason(error: OSError) -> str:
    missing = isinstance(error, FileNotFoundError)
    return "no such file" if missing else error.strerror or str(error)


def _is(path: Path) -> str:
    """What a file is that is no model; empty when it could be one that is damaged."""
    with path.open("rb") as file:
        head = file.read(8)
    if head[4:8] == b"ORTM":
        return "a model in ONNX Runtime's own format (.ort); give the ONNX model it was made from"
    binary = read_binary(path.absolute())
    if binary.format in _FORMATS:
        return f"it is {_FORMATS[binary.format]}"
    if binary.format == "unknown":
        return ""
    kind = identify(binary)
    return f"it is a {kind}" if binary.shared else f"it is a {binary.format} file"


def library_offer(path: Path) -> Offer:
    """What a library offers that the application registers, by the manifest beside it.

    Raises UsageError when it is not there, is no library that can be registered, or its manifest is
    malformed.
    """
    binary = read_binary(path.absolute())
    kind = identify(binary)
    if kind not in (Kind.PLUGIN_EP, Kind.CUSTOM_OPS):
        known = f"{binary.format} file, {kind}" if binary.format in ("elf", "pe", "mach-o") else ""
        what = (
            f"a damaged file: {binary.damage}"
            if binary.damage
            else _FORMATS.get(
                binary.format, f"a {known}" if known else "no library of any known format"
            )
        )
        raise UsageError(
            f"{path}: {what}; expected a {Kind.PLUGIN_EP} or a {Kind.CUSTOM_OPS}",
            "Give the library that the application registers; a project goes to --project.",
        )
    manifest = beside(path)
    if not manifest.is_file():
        return Offer(path.name, kind, known=False)
    return offer(read_manifest(manifest), kind, path.name, str(manifest), given=True)


def read_manifest(path: Path) -> Mapping[str, Any]:
    """A manifest as it is written.

    Raises UsageError, naming the file, for one that cannot be read.
    """
    try:
        if path.stat().st_size > _MANIFEST_BYTES:
            raise UsageError(f"{path}: larger than {_MANIFEST_BYTES} bytes, no manifest")
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: cannot read the manifest: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UsageError(
            f"{path}: not a manifest of format {FORMAT}",
            "Build the library again with this epforge.",
        )
    return data


def project_offers(data: Mapping[str, Any], place: str) -> tuple[Offer, ...]:
    """What could be registered of a project.

    Args:
        data: its manifest.
        place: of the manifest, for errors.

    Raises UsageError for a manifest that is malformed.
    """
    stems = {Kind.PLUGIN_EP: data.get("library"), Kind.CUSTOM_OPS: data.get("custom_op_library")}
    return tuple(
        offer(data, kind, _file(str(stem)), place, given=False)
        for kind, stem in stems.items()
        if stem is not None
    )


def _file(stem: str) -> str:
    if sys.platform == "win32":
        return f"{stem}.dll"
    return f"lib{stem}{'.dylib' if sys.platform == 'darwin' else '.so'}"
