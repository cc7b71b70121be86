"""Small models of public bug reports, and what is needed to run them on one device.

Needs numpy, onnx and onnxruntime only: processes under test import it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
Shape = Sequence[int | str]
node = helper.make_node


def value(name: str, shape: Shape, dtype: int = FLOAT) -> ValueInfoProto:
    """A graph's input or output."""
    return helper.make_tensor_value_info(name, dtype, list(shape))


def constant(name: str, content: Any) -> TensorProto:
    """An initializer."""
    return numpy_helper.from_array(np.asarray(content), name)


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    constants: Iterable[TensorProto] = (),
    opset: int = 17,
    extra: Iterable[tuple[str, int]] = (),
) -> ModelProto:
    """A model that every runtime from 1.23 on reads."""
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(constants))
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(*each) for each in extra)]
    made = helper.make_model(graph, opset_imports=imports)
    made.ir_version = 9
    return made


def mul(opset: int = 17, dtype: int = FLOAT, shape: Shape = (3, 2)) -> ModelProto:
    return model(
        [node("Mul", ["A", "B"], ["C"], name="m0")],
        [value("A", shape, dtype), value("B", shape, dtype)],
        [value("C", shape, dtype)],
        opset=opset,
    )


def dynamic() -> ModelProto:
    return mul(shape=("N", 2))


def scalar() -> ModelProto:
    return mul(shape=())


def add_mul_add() -> ModelProto:
    return model(
        [
            node("Add", ["A", "B"], ["t"], name="a0"),
            node("Mul", ["t", "B"], ["u"], name="m0"),
            node("Add", ["u", "A"], ["Y"], name="a1"),
        ],
        [value("A", [3, 2]), value("B", [3, 2])],
        [value("Y", [3, 2])],
    )


def chain() -> ModelProto:
    """Two parts for an execution provider that has no Sin."""
    return model(
        [
            node("Mul", ["X", "K1"], ["p"], name="m0"),
            node("Sin", ["p"], ["q"], name="s0"),
            node("Mul", ["q", "K2"], ["Y"], name="m1"),
        ],
        [value("X", ["N", 4])],
        [value("Y", ["N", 4])],
        [
            constant("K1", np.arange(1, 5, dtype=np.float32)),
            constant("K2", np.arange(5, 9, dtype=np.float32)),
        ],
    )


def string_identity() -> ModelProto:
    return model(
        [node("Identity", ["A"], ["C"], name="i0")],
        [value("A", [2], TensorProto.STRING)],
        [value("C", [2], TensorProto.STRING)],
    )


def feeds(of: ModelProto, length: int = 2, seed: int = 0) -> dict[str, Any]:
    """Random inputs; ``length`` stands in for every open dimension."""
    random = np.random.default_rng(seed)
    constants = {each.name for each in of.graph.initializer}
    out: dict[str, Any] = {}
    for each in of.graph.input:
        if each.name in constants:
            continue
        tensor = each.type.tensor_type
        shape = [d.dim_value if d.HasField("dim_value") else length for d in tensor.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        out[each.name] = np.asarray(random.standard_normal(shape)).astype(dtype)
    return out


def session(
    of: ModelProto,
    device: Any = None,
    options: Mapping[str, str] | None = None,
    config: Mapping[str, str] | None = None,
    *,
    fallback: bool = False,
) -> onnxruntime.InferenceSession:
    """A session on ``device``, which must take every node unless ``fallback``; else on the CPU."""
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    if device is not None and not fallback:
        settings.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    if device is not None:
        settings.add_provider_for_devices([device], dict(options or {}))
    # After the device: with it come the published defaults, which overwrite what is there.
    for key, content in (config or {}).items():
        settings.add_session_config_entry(key, content)
    return onnxruntime.InferenceSession(of.SerializeToString(), settings, enable_fallback=0)


def taken(by: onnxruntime.InferenceSession, ep: str) -> list[str]:
    """The types of the nodes that were given to ``ep``."""
    return sorted(
        each.op_type
        for part in by.get_provider_graph_assignment_info()
        if part.ep_name == ep
        for each in part.get_nodes()
    )


def reference(of: ModelProto, inputs: Mapping[str, Any]) -> list[Any]:
    """What the CPU computes."""
    return list(session(of).run(None, dict(inputs)))


def check(of: ModelProto, device: Any, length: int = 2, *, fallback: bool = False) -> None:
    """Runs on the device and compares with the CPU: type, shape and values."""
    inputs = feeds(of, length)
    mine = session(of, device, fallback=fallback).run(None, inputs)
    for got, wanted in zip(mine, reference(of, inputs), strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), (got.shape, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
