"""Compiled models written, in either way: the right files and nodes, nothing else touched."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import onnx

from epforge.validate.worker.case import NotCheckedError, refused
from epforge.validate.worker.press import (
    CACHE,
    SOURCE,
    WAYS,
    Check,
    Press,
    blob_of,
    changed,
    compatibility,
    context_nodes,
    read,
    snapshot,
)


def write(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    source = press.original()
    for mode in modes:
        for way in WAYS:
            yield f"{mode}/by {way}", partial(_written, press, source, mode, way)
            yield f"{mode}/nodes, by {way}", partial(_nodes, press, mode, way)
            yield f"{mode}/checker, by {way}", partial(_checked, press.made(mode, way))
            yield f"{mode}/metadata, by {way}", partial(_metadata, press, mode, way)
    if "embed" in modes:
        yield "embed/to bytes", partial(_bytes, press, source)


def _written(press: Press, source: Path, mode: str, way: str) -> str:
    output = press.made(mode, way)
    with _working_folder() as here:
        press.compile(source, output, mode, way)
        strange = sorted(os.listdir(here))
    names = sorted(path.name for path in output.parent.iterdir())
    if output.name not in names:
        return "no model is written"
    if len(names) != (1 if mode == "embed" else 2):
        what = "the model alone" if mode == "embed" else "the model and one file"
        return f"expected {what}, found {', '.join(names)}"
    return f"writes {', '.join(strange)} to the working folder" if strange else ""


@contextlib.contextmanager
def _working_folder() -> Iterator[str]:
    """An empty one, while the block runs."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="epforge-working-") as folder:
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def _nodes(press: Press, mode: str, way: str) -> str:
    model = press.made(mode, way)
    nodes = list(context_nodes(read(model)))
    if not nodes:
        return "the model has no EPContext node"
    wrong = [text for _, node in nodes for text in _node(press, node, mode, model)]
    if not any(node.get("main_context", 1) == 1 for _, node in nodes):
        wrong.append("no node has main_context=1")
    return wrong[0] if wrong else ""


def _node(press: Press, node: Mapping[str, Any], mode: str, model: Path) -> Iterable[str]:
    """What is wrong with the attributes of an EPContext node."""
    source = node.get(SOURCE, b"").decode("utf-8", "replace")
    if source != press.ep:
        yield f"source is {source!r}, expected {press.ep!r}"
    if press.strict and not node.get("ep_sdk_version"):
        yield "ep_sdk_version is empty"
    if node.get("embed_mode", 1) != (mode == "embed"):
        yield f"embed_mode is {node.get('embed_mode', 1)}"
    cache = node.get(CACHE, b"")
    if node.get("main_context", 1) == 1 and not cache:
        yield f"{CACHE} is empty"
    if mode == "embed" or not cache:
        return
    name = cache.decode("utf-8", "replace")
    if Path(name).name != name or "\\" in name or ":" in name:
        yield f"{CACHE} is no plain file name: {name[:200]!r}"
    elif not (model.parent / name).is_file():
        yield f"{CACHE} names {name!r}, which is not there"


def _checked(model: Path) -> str:
    loaded = read(model)
    if loaded.ir_version > onnx.IR_VERSION:
        raise NotCheckedError(f"this onnx does not know IR version {loaded.ir_version}")
    try:
        onnx.checker.check_model(str(model), full_check=True)
    except Exception as error:  # the checker's verdict
        return " ".join(str(error).split())[:300]
    graph = loaded.graph
    typed = {v.name for v in (*graph.value_info, *graph.output) if v.type.WhichOneof("value")}
    untyped = [name for node in graph.node for name in node.output if name and name not in typed]
    return f"the value {untyped[0]} has no type" if untyped else ""


def _metadata(press: Press, mode: str, way: str) -> str:
    if compatibility(press.made(mode, way), press.ep):
        return ""
    return press.failing(f"the model's metadata has no ep_compatibility_info.{press.ep}")


def _bytes(press: Press, source: Path) -> str:
    """From memory to memory no file is touched."""
    before = snapshot(press.folder)
    with _working_folder() as here:
        compiled = press.to_bytes(source.read_bytes())
        strange = sorted(os.listdir(here))
    if strange:
        return f"writes {', '.join(strange)} to the working folder"
    if text := changed(before, snapshot(press.folder)):
        return f"files are touched: {text}"
    output = press.made("embed", "bytes")
    output.parent.mkdir(parents=True)
    output.write_bytes(compiled)
    return ""


# ---- where the output cannot go ----


def output(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    source = press.original()
    for mode in modes:
        for way in WAYS:
            place = press.folder / mode / way
            ask = partial(_untouched, press, mode, way)
            yield f"output/{mode}, exists, by {way}", partial(ask, source, place / "there", _file)
            yield f"output/{mode}, a folder, by {way}", partial(ask, source, place / "dir", _dir)
            yield (
                f"output/{mode}, compiled already, by {way}",
                partial(_again, press, source, mode, way, place / "again"),
            )
        if mode == "external":
            for way in WAYS:
                where = press.folder / "blob" / way
                yield (
                    f"output/file beside exists, by {way}",
                    partial(_blob_there, press, source, way, where),
                )


def _file(output: Path) -> None:
    output.write_text("mine", encoding="utf-8")


def _dir(output: Path) -> None:
    output.mkdir()
    (output / "mine").touch()


def _untouched(
    press: Press,
    mode: str,
    way: str,
    source: Path,
    place: Path,
    prepare: Callable[[Path], None],
) -> str:
    """Asks for output where it cannot go: an error, and not a byte has changed."""
    output = place / "m.onnx"
    place.mkdir(parents=True)
    prepare(output)
    before = snapshot(place)
    wrong = refused(lambda: press.compile(source, output, mode, way, keep=True))
    return wrong or changed(before, snapshot(place))


def _again(press: Press, source: Path, mode: str, way: str, place: Path) -> str:
    press.compile(source, place / "m.onnx", mode, "options")
    before = snapshot(place)
    wrong = refused(lambda: press.compile(place / "m.onnx", place / "twice.onnx", mode, way))
    return press.failing(wrong) or changed(before, snapshot(place))


def _blob_there(press: Press, source: Path, way: str, place: Path) -> str:
    """The model is not there yet, but a file of the name that goes beside it is."""
    press.compile(source, place / "m.onnx", "external", way)
    blob_of(place / "m.onnx").write_text("mine", encoding="utf-8")
    (place / "m.onnx").unlink()
    before = snapshot(place)
    wrong = refused(lambda: press.compile(source, place / "m.onnx", "external", way))
    return wrong or changed(before, snapshot(place))
