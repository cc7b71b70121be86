"""One-node models: built, run on the library and on the reference, compared."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epforge.validate.cases.model import DTYPES, Array, Ask, Case, Feed

NODE = "n"
_CONVERTED = "com.ms.internal.nhwc"
NOT_TAKEN = "assigned to the default CPU EP"
_REFUSES = re.compile(r"\b(no|not|cannot|never|refus\w*|unsupported|reject\w*)\b", re.IGNORECASE)
# Operators of which onnx's reference evaluator computes something else than ONNX says.
_MISTAKEN = {"LRN": "it takes the batch for the channels"}


class NotTakenError(Exception):
    """The library left the node to another provider."""


@dataclass(frozen=True)
class Model:
    """A model of one node, and what it is fed."""

    data: bytes
    feeds: dict[str, Array]
    proto: Any  # onnx.ModelProto

    @property
    def has_graphs(self) -> bool:
        """Has the node graphs of its own? What is inside may be anybody's."""
        return any(each.HasField("g") for each in self.proto.graph.node[0].attribute)


def onnx_type(name: str) -> int:
    """TensorProto.DataType of an element type as manifests spell it."""
    from onnx import TensorProto

    return int(
        TensorProto.DataType.Value(
            {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())
        )
    )


def build(ask: Ask, case: Case, opset: int) -> Model:
    """The model of one case. Inputs have no fixed sizes, so that nothing is known beforehand."""
    from onnx import ValueInfoProto, helper

    inputs, constants, names, feeds = [], [], [], {}
    for index, feed in enumerate(case.inputs):
        if feed is None:
            names.append("")
            continue
        name = f"i{index}"
        names.append(name)
        if feed.constant:
            constants.append(_tensor(name, feed))
        else:
            sizes = [f"d{index}_{axis}" for axis in range(feed.array.ndim)]
            inputs.append(helper.make_tensor_value_info(name, onnx_type(feed.type), sizes))
            feeds[name] = feed.value
    outputs = [f"o{index}" for index in range(case.outputs)]
    attributes = {
        key: _attribute("" if ask.domain else key, value) for key, value in case.attributes.items()
    }
    node = helper.make_node(ask.op, names, outputs, name=NODE, domain=ask.domain, **attributes)
    graph = helper.make_graph(
        [node], "case", inputs, [ValueInfoProto(name=name) for name in outputs], constants
    )
    imports = [helper.make_opsetid(ask.domain, opset)]
    if ask.domain:
        imports.append(helper.make_opsetid("", 21))
    known = [entry for entry in imports if entry.domain == ""]
    ir_version = max(helper.find_min_ir_version_for(known, True), 7)
    model = helper.make_model(graph, opset_imports=imports, ir_version=ir_version)
    return Model(model.SerializeToString(), feeds, model)


def _tensor(name: str, feed: Feed) -> Any:
    from onnx import helper, numpy_helper

    if feed.type in DTYPES:
        return numpy_helper.from_array(
            np.ascontiguousarray(feed.value).reshape(feed.array.shape), name
        )
    return helper.make_tensor(
        name, onnx_type(feed.type), feed.array.shape, feed.array.ravel().tolist()
    )


#: Attributes that name an element type.
TYPES = frozenset({"to", "dtype", "output_datatype", "output_dtype"})


def _attribute(key: str, value: Any) -> Any:
    """A value as a node has it; ``key`` is empty for an op that is not ONNX's own."""
    if isinstance(value, Feed):
        return _tensor("", value)
    if key in TYPES and isinstance(value, str):
        return onnx_type(value)
    if key == "value":
        return _tensor("value", Feed(value[0], value[1], True))
    return value


def options(fallback: bool) -> Any:
    """Session options under which a node runs as the model says, or not at all."""
    import onnxruntime

    made = onnxruntime.SessionOptions()
    made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    made.log_severity_level = 4
    made.intra_op_num_threads = 1
    for entry in entries(fallback):
        made.add_session_config_entry(*entry.split("=", 1))
    return made


def entries(fallback: bool) -> tuple[str, ...]:
    """The configuration that goes with those options, as KEY=VALUE."""
    record = ("session.record_ep_graph_assignment_info=1",)
    return record if fallback else (*record, "session.disable_cpu_ep_fallback=1")


def open_session(model: Model, device: Any, fallback: bool = False) -> Any:
    """A session with the library's device.

    Raises NotTakenError when the library leaves the node to the CPU, and whatever ORT raises.
    """
    import onnxruntime

    made = options(fallback)
    made.add_provider_for_devices([device], {})
    try:
        return onnxruntime.InferenceSession(model.data, made, enable_fallback=0)
    except Exception as error:
        if NOT_TAKEN in str(error):
            raise NotTakenError from error
        raise


def open_converted(model: Model, device: Any, ep: str) -> Any:
    """The same for a node that ORT converts to another layout, which ``ep`` then has to take again.
    The CPU may compute the transposes around it.

    Raises NotTakenError when the library leaves the node to the CPU, and whatever ORT raises.
    """
    import onnxruntime

    made = options(fallback=True)
    made.add_provider_for_devices([device], {})
    with tempfile.TemporaryDirectory() as folder:
        made.optimized_model_filepath = os.path.join(folder, "converted.onnx")
        found = onnxruntime.InferenceSession(model.data, made, enable_fallback=0)
        converted = is_converted(made.optimized_model_filepath)
    # Nobody else has kernels in that domain, and older runtimes do not record the node.
    if not converted and not taken(found, ep):
        raise NotTakenError
    return found


def is_converted(model: str | os.PathLike[str]) -> bool:
    """Has a model a node that ORT has converted to another layout?"""
    import onnx

    return any(node.domain == _CONVERTED for node in onnx.load(os.fspath(model)).graph.node)


def why_not_taken(model: Model, device: Any, op: str) -> str:
    """What the library logs about leaving ``op`` to others; empty if it says nothing."""
    made = options(fallback=True)
    made.log_severity_level = 1
    made.add_provider_for_devices([device], {})
    with _stderr() as said:
        _try_session(model, made)
    return refusal_in(said(), op)


def refusal_in(lines: Sequence[str], op: str) -> str:
    """The line of a log that says why ``op`` is left to others; empty if none does."""
    for line in lines:
        text = line.split("] ", 1)[-1].strip()
        if re.search(rf"\b{re.escape(op)}\b", text) and _REFUSES.search(text):
            return text[:200]
    return ""


def _try_session(model: Model, made: Any) -> None:
    import onnxruntime

    # Only the log is wanted: without any kernel for the node, ORT raises.
    with contextlib.suppress(Exception):
        onnxruntime.InferenceSession(model.data, made, enable_fallback=0)


@contextlib.contextmanager
def _stderr() -> Iterator[Callable[[], list[str]]]:
    """Catches what native code writes to stderr; the value gives its lines after the block."""
    sys.stderr.flush()
    kept = os.dup(2)
    lines: list[str] = []
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: lines
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            text = file.read().decode("utf-8", "replace")
            lines.extend(re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines())


def taken(session: Any, ep: str) -> bool:
    """Did ORT record the node as assigned to ``ep``?"""
    return any(
        node.name == NODE
        for part in session.get_provider_graph_assignment_info()
        if part.ep_name == ep
        for node in part.get_nodes()
    )


@dataclass(frozen=True)
class Reference:
    """What a model should compute.

    Args:
        by: "cpu" (ORT's provider), "float32" (the same, of the model in float32), "onnx" (its
            reference evaluator); empty for nobody.
        why: why nobody could compute it.
    """

    outputs: tuple[Array, ...]
    by: str
    why: str = ""


def reference(model: Model, library: str = "") -> Reference:
    """What the model computes: by the CPU provider, or by onnx where that has no kernel.

    Args:
        library: the custom-op library that has the CPU's kernel for it.
    """
    try:
        return _reference(model, library)
    except Exception as error:
        return Reference((), "", one_line(error))


def one_line(error: Exception) -> str:
    """An exception in one line of bounded length, without ORT's words around a kernel's own."""
    text = " ".join(str(error).split())
    return text.split(" Status Message: ", 1)[-1][:300] or type(error).__name__


def alone(model: Model) -> str:
    """What the runtime says of a model without any library; empty if it opens it."""
    import onnxruntime

    try:
        onnxruntime.InferenceSession(
            model.data, options(True), providers=["CPUExecutionProvider"], enable_fallback=0
        )
    except Exception as error:
        return one_line(error)
    return ""


def _reference(model: Model, library: str) -> Reference:
    import onnxruntime

    from epforge.validate.worker import values

    made = options(fallback=True)
    if library:
        made.register_custom_ops_library(library)
    try:
        session = onnxruntime.InferenceSession(
            model.data, made, providers=["CPUExecutionProvider"], enable_fallback=0
        )
    except Exception as error:
        # The second: the function that it would be computed by does not suit the types.
        if not any(
            sign in str(error) for sign in ("NOT_IMPLEMENTED", "Type Error: Type parameter")
        ):
            raise
        from onnx.reference import ReferenceEvaluator

        op = model.proto.graph.node[0].op_type
        if op in _MISTAKEN:
            raise RuntimeError(f"onnx's reference is wrong: {_MISTAKEN[op]}") from error
        got = ReferenceEvaluator(model.proto).run(None, model.feeds)
        return Reference(tuple(map(np.asarray, got)), "onnx")
    return Reference(tuple(map(np.asarray, values.fed(session, model.feeds))), "cpu")


def loads(model: bytes) -> bool:
    """Does this process's runtime load a model?"""
    import onnxruntime

    try:
        onnxruntime.InferenceSession(model, options(True), providers=["CPUExecutionProvider"])
    except Exception:  # whatever it says: it knows no opset as new
        return False
    return True


def newest_opset(loads: Callable[[bytes], bool] = loads) -> int:
    """The highest opset of ai.onnx of which a runtime loads models.

    Args:
        loads: does it load that one? This process's runtime is asked by default.
    """
    import onnx
    from onnx import TensorProto, helper

    for opset in range(onnx.defs.onnx_opset_version(), 0, -1):
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
        imports = [helper.make_opsetid("", opset)]
        ir_version = max(helper.find_min_ir_version_for(imports, True), 7)
        model = helper.make_model(graph, opset_imports=imports, ir_version=ir_version)
        if loads(model.SerializeToString()):
            return opset
    raise RuntimeError("this onnxruntime loads no model at all")
