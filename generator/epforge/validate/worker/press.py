"""Compiled models: made by either way that onnxruntime has, read again, looked into."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx

from epforge.validate.cases.model import Array
from epforge.validate.worker import compare, host, session, sketch
from epforge.validate.worker.blocks import Blocks
from epforge.validate.worker.case import NotCheckedError
from epforge.validate.worker.sketch import Sketch

ENABLE, PATH, EMBED = "ep.context_enable", "ep.context_file_path", "ep.context_embed_mode"
SHARE, STOP = "ep.share_ep_contexts", "ep.stop_share_ep_contexts"
SOURCE, CACHE = "source", "ep_cache_context"
MODES, WAYS = ("embed", "external"), ("options", "compiler")
Config = Mapping[str, str]
Draw = Callable[[Sketch], None]
Check = tuple[str, Callable[[], str]]  # a case's label, and what says what is wrong
_LENGTHS = (2, 5)
_NONE: Config = {}


class Press:
    """Makes and reads compiled models with one device.

    Args:
        root: the folder that the workers of the rung share; each set has one of its own in it.
        set_: the set of cases that this worker runs.
        strict: the library has a manifest that says what it does.
    """

    def __init__(
        self, device: host.Device, blocks: Blocks, ep: str, root: Path, set_: str, strict: bool
    ) -> None:
        self.ep, self.root, self.strict = ep, root, strict
        self.folder = root / set_
        self._device, self._blocks = device, blocks

    def failing(self, wrong: str) -> str:
        """What is wrong by our own measure: of a library without a manifest it is not asked."""
        if wrong and not self.strict:
            raise NotCheckedError(wrong)
        return wrong

    def draw(self, drawing: Draw) -> Sketch:
        drawn = Sketch(self._blocks)
        drawing(drawn)
        return drawn

    @property
    def drawing(self) -> Draw:
        """What is compiled: in two parts where the library leaves something to the CPU."""
        return sketch.parts if self._blocks.foreign else sketch.chain

    def made(self, mode: str, way: str = "options") -> Path:
        """Where set `write` leaves a compiled model."""
        return self.root / "write" / mode / way / f"{way}.onnx"

    def original(self) -> Path:
        """The model to compile, in this set's folder."""
        return self.source(self.drawing, self.folder / "source.onnx")

    def compile(self, source: Path, output: Path, mode: str, way: str, keep: bool = False) -> None:
        """Compiles in one of the two ways; the output's folder is made.

        Args:
            keep: refuse to overwrite the output; session options always do.
        """
        output.parent.mkdir(parents=True, exist_ok=True)
        if way == "options":
            self.by_options(source, output, mode == "embed")
        else:
            self.by_compiler(source, output, mode == "embed", keep)

    def source(self, drawing: Draw, place: Path) -> Path:
        """A model to compile, written to ``place``."""
        place.parent.mkdir(parents=True, exist_ok=True)
        onnx.save(self.draw(drawing).model(), place)
        return place

    def options(self, config: Config = _NONE) -> Any:
        """Session options with the device."""
        made = session.options(fallback=True)
        made.add_provider_for_devices([self._device], {})
        for key, value in config.items():  # after the device, whose defaults would overwrite them
            made.add_session_config_entry(key, value)
        return made

    def by_options(self, source: Path, output: Path, embed: bool, config: Config = _NONE) -> Any:
        """Compiles by making a session that writes; returns that."""
        wanted = {ENABLE: "1", PATH: str(output), EMBED: "1" if embed else "0", **config}
        return self.load(source, wanted)

    def by_compiler(self, source: Path, output: Path, embed: bool, keep: bool = False) -> None:
        """Compiles by the compile API.

        Args:
            keep: refuse to overwrite the output.
        """
        import onnxruntime

        flags = onnxruntime.OrtCompileApiFlags
        chosen = flags.ERROR_IF_OUTPUT_FILE_EXISTS if keep else flags.NONE
        compiler = onnxruntime.ModelCompiler(self.options(), str(source), embed, flags=chosen)
        compiler.compile_to_file(str(output))

    def to_bytes(self, source: bytes) -> bytes:
        """Compiles from memory to memory."""
        import onnxruntime

        compiler = onnxruntime.ModelCompiler(self.options(), source, True)
        return bytes(compiler.compile_to_bytes())

    def load(self, model: Path | bytes, config: Config = _NONE) -> Any:
        """A session on a model, compiled or not."""
        import onnxruntime

        given = model if isinstance(model, bytes) else str(model)
        return onnxruntime.InferenceSession(given, self.options(config), enable_fallback=0)

    def verdict(self, info: str) -> str:
        """How the library judges a model with that compatibility information: OPTIMAL, ..."""
        from onnxruntime.capi import _pybind_state as runtime

        found = runtime.get_model_compatibility_for_ep_devices([self._device], info)
        return str(found.name).removeprefix("EP_").removeprefix("SUPPORTED_")

    def differs(self, made: Any, drawing: Draw) -> str:
        """How a session's results differ from what the CPU computes for the drawn graph."""
        drawn = self.draw(drawing)
        for length in _LENGTHS:
            feeds: dict[str, Array] = drawn.feeds(length)
            wrong = compare.difference(made.run(None, feeds), _reference(drawn).run(None, feeds))
            if wrong:
                return wrong
        return ""

    def wrong_with(self, model: Path | bytes, drawing: Draw, config: Config = _NONE) -> str:
        """What is wrong with a compiled model once it is loaded; what the runtime raises is not
        caught."""
        made = self.load(model, config)
        parts = made.get_provider_graph_assignment_info()
        nodes = [(part.ep_name, node.op_type) for part in parts for node in part.get_nodes()]
        if (self.ep, "EPContext") not in nodes:
            return "no EPContext node is taken by the library"
        return self.differs(made, drawing)


def _reference(drawn: Sketch) -> Any:
    import onnxruntime

    return onnxruntime.InferenceSession(
        drawn.model().SerializeToString(), session.options(True), providers=["CPUExecutionProvider"]
    )


# ---- files ----


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below a folder, with the hash of its content; folders and others by kind."""
    return {str(path.relative_to(folder)): _content(path) for path in sorted(folder.rglob("*"))}


def _content(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return "folder" if path.is_dir() else "special"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What happened to a folder, in one line; empty when nothing did."""
    for word, names in (
        ("new", after.keys() - before.keys()),
        ("gone", before.keys() - after.keys()),
        ("changed", {n for n in before.keys() & after.keys() if before[n] != after[n]}),
    ):
        if names:
            return f"{word}: {', '.join(sorted(names))}"
    return ""


def present(model: Path) -> Path:
    """The compiled model; NotCheckedError if it was never written."""
    if not model.is_file():
        raise NotCheckedError("there is no compiled model")
    return model


def blob_of(model: Path) -> Path:
    """The one file beside a model; NotCheckedError if it was never written."""
    others = [path for path in model.parent.iterdir() if path != model] if model.is_file() else []
    if len(others) != 1:
        raise NotCheckedError("there is no compiled model with one file beside it")
    return others[0]


def copied(model: Path, to: Path) -> Path:
    """A compiled model and what lies beside it, in another folder."""
    present(model)
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(model.parent, to)
    return to / model.name


# ---- what is in a compiled model ----


def context_nodes(model: onnx.ModelProto) -> Iterator[tuple[onnx.NodeProto, dict[str, Any]]]:
    """The EPContext nodes of a model's graph, with their attributes; strings are bytes."""
    for node in model.graph.node:
        if node.op_type == "EPContext":
            yield node, {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def compatibility(model: Path, ep: str) -> str:
    """What the model's metadata says for that provider; empty when it says nothing."""
    key = f"ep_compatibility_info.{ep}"
    return next((e.value for e in read(model).metadata_props if e.key == key), "")


def edited(model: Path, name: str, value: bytes) -> bytes:
    """A compiled model in which an attribute of every EPContext node is something else."""
    loaded = read(model)
    for node, found in context_nodes(loaded):
        if name not in found:
            continue
        for attribute in node.attribute:
            if attribute.name == name:
                attribute.s = value
    return bytes(loaded.SerializeToString())


def read(model: Path) -> onnx.ModelProto:
    return onnx.load(present(model), load_external_data=False)
