"""Small models of public bug reports, and what is needed to run them on one device.

Needs numpy, onnx and onnxruntime only: processes under test import it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
import onnx
import onnxruntime
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

FLOAT = TensorProto.FLOAT
INT64 = TensorProto.INT64
BOOL = TensorProto.BOOL
Shape = Sequence[int | str]
Source: TypeAlias = ModelProto | bytes | str | os.PathLike[str]
QUANTUM = 0.05  # one step of the quantized models
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


def mul_const() -> ModelProto:
    return model(
        [node("Mul", ["X", "W"], ["Y"], name="m0")],
        [value("X", [2, 2])],
        [value("Y", [2, 2])],
        [constant("W", np.full((2, 2), 3, np.float32))],
    )


def matmul_const(rows: int = 8, columns: int = 4) -> ModelProto:
    weights = np.linspace(-1, 1, rows * columns, dtype=np.float32).reshape(rows, columns)
    return model(
        [node("MatMul", ["X", "W"], ["Y"], name="mm0")],
        [value("X", ["N", rows])],
        [value("Y", ["N", columns])],
        [constant("W", weights)],
    )


def layers(seed: int = 0, weights: Any = None) -> ModelProto:
    """Every value has the rows of the input. Wherever the memory of one could be taken too early,
    the product that reads it would notice."""
    random = np.random.default_rng(seed)
    if weights is None:
        weights = random.standard_normal((4, 3)).astype(np.float32)
    return model(
        [
            node("Relu", ["X"], ["r"], name="r0"),
            node("MatMul", ["r", "S"], ["s"], name="mm1"),
            node("Mul", ["s", "K"], ["t"], name="m0"),
            node("Add", ["t", "X"], ["u"], name="a0"),
            node("MatMul", ["u", "W"], ["Y"], name="mm0"),
        ],
        [value("X", ["N", 4])],
        [value("Y", ["N", weights.shape[1]])],
        [
            constant("K", random.standard_normal(4).astype(np.float32)),
            constant("S", random.standard_normal((4, 4)).astype(np.float32)),
            constant("W", weights),
        ],
    )


def overridable() -> ModelProto:
    """An initializer that is an input, too: whoever runs the model may give another value."""
    return model(
        [
            node("Mul", ["X", "W"], ["p"], name="m0"),
            node("Add", ["p", "K"], ["Y"], name="a0"),
        ],
        [value("X", [2, 2]), value("W", [2, 2])],
        [value("Y", [2, 2])],
        [
            constant("W", np.full((2, 2), 3, np.float32)),
            constant("K", np.full((2, 2), 0.5, np.float32)),
        ],
    )


def diamond() -> ModelProto:
    """Sin lies on a path between the other two."""
    return model(
        [
            node("Mul", ["X", "X"], ["p"], name="m0"),
            node("Sin", ["p"], ["q"], name="s0"),
            node("Add", ["p", "q"], ["Y"], name="a0"),
        ],
        [value("X", ["N", 4])],
        [value("Y", ["N", 4])],
    )


def fanout(*outputs: str, sin: bool = False) -> ModelProto:
    """One value with two consumers; with ``sin`` a third, which is left to the CPU."""
    nodes = [
        node("Mul", ["X", "X"], ["p"], name="m0"),
        node("Add", ["p", "X"], ["Y"], name="a0"),
        node("Relu", ["p"], ["Z"], name="r0"),
    ]
    if sin:
        nodes.append(node("Sin", ["p"], ["S"], name="s0"))
    return model(nodes, [value("X", ["N", 4])], [value(name, ["N", 4]) for name in outputs])


def branches() -> ModelProto:
    """Two branches of three nodes each, in turn, and Sin in the middle, which neither needs."""
    return model(
        [
            node("Mul", ["X", "X"], ["a"], name="m0"),
            node("Add", ["V", "V"], ["d"], name="a1"),
            node("Add", ["a", "X"], ["b"], name="a0"),
            node("Sin", ["X"], ["S"], name="s0"),
            node("Relu", ["d"], ["e"], name="r1"),
            node("Relu", ["b"], ["Y"], name="r0"),
            node("Mul", ["e", "V"], ["Z"], name="m1"),
        ],
        [value("X", ["N", 4]), value("V", ["N", 4])],
        [value(name, ["N", 4]) for name in ("Y", "Z", "S")],
    )


def pattern_beside(first: str = "Relu") -> ModelProto:
    """Mul and Add, and Sin between the node before both and the Add: all three in one group would
    have a path out of it and back."""
    feed = ["X"] if first == "Relu" else ["X", "X"]
    return model(
        [
            node(first, feed, ["r"], name="f0"),
            node("Sin", ["r"], ["s"], name="s0"),
            node("Mul", ["r", "X"], ["m"], name="m0"),
            node("Add", ["m", "s"], ["Y"], name="a0"),
        ],
        [value("X", ["N", 4])],
        [value("Y", ["N", 4])],
    )


def clip_gap() -> ModelProto:
    """The first of two optional inputs is left out."""
    return model(
        [node("Clip", ["X", "", "hi"], ["Y"], name="c0")],
        [value("X", ["N", 4])],
        [value("Y", ["N", 4])],
        [constant("hi", np.float32(0.5))],
    )


def lstm_gap(opset: int = 17) -> ModelProto:
    """The first of three outputs is left out, and inputs and an output at the end."""
    weights = np.linspace(-1, 1, 32, dtype=np.float32).reshape(1, 8, 4)
    recurrence = np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 8, 2)
    return model(
        [
            node("Relu", ["X"], ["x"], name="r0"),
            node("LSTM", ["x", "W", "R"], ["", "H"], name="l0", hidden_size=2),
            node("Mul", ["H", "H"], ["Y"], name="m0"),
        ],
        [value("X", [3, 1, 4])],
        [value("Y", [1, 1, 2])],
        [constant("W", weights), constant("R", recurrence)],
        opset=opset,
    )


def qdq_mul(dtype: type[np.generic] = np.uint8) -> ModelProto:
    zero = np.array(128 if dtype is np.uint8 else 0, dtype)
    return model(
        [
            node("QuantizeLinear", ["X", "s", "z"], ["xq"], name="q0"),
            node("DequantizeLinear", ["xq", "s", "z"], ["xd"], name="d0"),
            node("Mul", ["xd", "xd"], ["m"], name="m0"),
            node("QuantizeLinear", ["m", "s", "z"], ["mq"], name="q1"),
            node("DequantizeLinear", ["mq", "s", "z"], ["Y"], name="d1"),
        ],
        [value("X", [2, 4])],
        [value("Y", [2, 4])],
        [constant("z", zero), constant("s", np.float32(QUANTUM))],
    )


def qdq_bias() -> ModelProto:
    """A bias of int32 that is dequantized, as quantizers leave it."""
    return model(
        [
            node("QuantizeLinear", ["X", "s", "z"], ["xq"], name="q0"),
            node("DequantizeLinear", ["xq", "s", "z"], ["xd"], name="d0"),
            node("DequantizeLinear", ["bq", "s"], ["b"], name="d2"),
            node("Add", ["xd", "b"], ["Y"], name="a0"),
        ],
        [value("X", [2, 4])],
        [value("Y", [2, 4])],
        [
            constant("z", np.uint8(128)),
            constant("s", np.float32(QUANTUM)),
            constant("bq", np.array([-40, -10, 10, 40], np.int32)),
        ],
    )


def nested_loops() -> ModelProto:
    """A loop in a loop, both bodies under one name; the inner one reads a constant of the model."""
    inner = _body(
        [node("Mul", ["y_in", "W"], ["y_out"], name="m0")], "y_in", "y_out", "go2", "stay2", "i2"
    )
    outer = _body(
        [node("Loop", ["M", "go1", "x_in"], ["x_out"], name="l1", body=inner)],
        *("x_in", "x_out", "go1", "stay1", "i1"),
    )
    return model(
        [node("Loop", ["M", "go", "X"], ["Y"], name="l0", body=outer)],
        [value("X", [2, 2])],
        [value("Y", [2, 2])],
        [
            constant("M", np.int64(2)),
            constant("go", np.bool_(True)),
            constant("W", np.array([[0.5, -1], [2, 1.5]], np.float32)),
        ],
    )


def _body(
    nodes: Sequence[NodeProto], before: str, after: str, go: str, stay: str, index: str
) -> GraphProto:
    return helper.make_graph(
        [*nodes, node("Identity", [go], [stay], name=f"again_{stay}")],
        "body",
        [value(index, [], INT64), value(go, [], BOOL), value(before, [2, 2])],
        [value(stay, [], BOOL), value(after, [2, 2])],
    )


def two_branches(*, fed: bool = False) -> ModelProto:
    """Both branches have one name, and so have the nodes in them. Each multiplies by a constant of
    the model, or by one of its inputs; what both read was computed outside. Beside them is a node
    that has nothing to do with it."""

    def branch(weights: str, output: str) -> GraphProto:
        nodes = [
            node("Mul", ["p", weights], [f"{output}_m"], name="m0"),
            node("Add", [f"{output}_m", "X"], [output], name="a0"),
        ]
        return helper.make_graph(nodes, "branch", [], [value(output, [2, 2])])

    return model(
        [
            node("Mul", ["X", "X"], ["p"], name="m0"),
            node("Add", ["X", "X"], ["Z"], name="a0"),
            node(
                *("If", ["which"], ["Y"]),
                name="i0",
                then_branch=branch("A", "then_Y"),
                else_branch=branch("B", "else_Y"),
            ),
        ],
        [
            *(value("X", [2, 2]), value("which", [], BOOL)),
            *(value(name, [2, 2]) for name in "AB" if fed),
        ],
        [value("Y", [2, 2]), value("Z", [2, 2])],
        [
            constant("A", np.array([[1, 2], [3, 4]], np.float32)),
            constant("B", np.array([[5, 6], [7, 8]], np.float32)),
        ][: 0 if fed else 2],
    )


def sin_only() -> ModelProto:
    return model(
        [node("Sin", ["X"], ["Y"], name="s0")], [value("X", ["N", 4])], [value("Y", ["N", 4])]
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
    of: Source,
    device: Any = None,
    options: Mapping[str, str] | None = None,
    config: Mapping[str, str] | None = None,
    *,
    fallback: bool = False,
    adjust: Callable[[onnxruntime.SessionOptions], Any] | None = None,
) -> onnxruntime.InferenceSession:
    """A session on ``device``, which must take every node unless ``fallback``; else on the CPU.
    ``adjust`` changes what is no entry of the configuration."""
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
    if adjust is not None:
        adjust(settings)
    return onnxruntime.InferenceSession(_loadable(of), settings, enable_fallback=0)


def _loadable(of: Source) -> bytes | str:
    if isinstance(of, ModelProto):
        return bytes(of.SerializeToString())
    return of if isinstance(of, bytes) else os.fspath(of)


def taken(by: onnxruntime.InferenceSession, ep: str) -> list[str]:
    """The types of the nodes that were given to ``ep``."""
    return sorted(
        each.op_type
        for part in by.get_provider_graph_assignment_info()
        if part.ep_name == ep
        for each in part.get_nodes()
    )


def parts(by: onnxruntime.InferenceSession, ep: str) -> list[list[str]]:
    """The same, group by group."""
    return sorted(
        sorted(each.op_type for each in part.get_nodes())
        for part in by.get_provider_graph_assignment_info()
        if part.ep_name == ep
    )


def write(
    of: Source,
    device: Any,
    output: str | os.PathLike[str] | None = None,
    config: Mapping[str, str] | None = None,
    *,
    embed: bool = False,
) -> onnxruntime.InferenceSession:
    """A session that writes a compiled model, and can run as well."""
    entries = {"ep.context_enable": "1", "ep.context_embed_mode": "01"[embed], **(config or {})}
    if output is not None:
        entries["ep.context_file_path"] = os.fspath(output)
    return session(of, device, config=entries, fallback=True)


def compiled(of: Source, device: Any, config: Mapping[str, str] | None = None) -> ModelProto:
    """A compiled model that has everything in it; no file is made."""
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.add_provider_for_devices([device], {})
    for key, content in (config or {}).items():
        settings.add_session_config_entry(key, content)
    compiler = onnxruntime.ModelCompiler(
        settings, _loadable(of), embed_compiled_data_into_model=True
    )
    return onnx.load_from_string(compiler.compile_to_bytes())


def contexts(of: Source) -> list[NodeProto]:
    """The EPContext nodes of a compiled model."""
    made = of if isinstance(of, ModelProto) else onnx.load_from_string(_read(of))
    return [each for each in made.graph.node if each.op_type == "EPContext"]


def _read(of: bytes | str | os.PathLike[str]) -> bytes:
    if isinstance(of, bytes):
        return of
    with open(of, "rb") as file:
        return file.read()


def attribute(of: NodeProto, name: str) -> Any:
    """An attribute's value: a number, or bytes."""
    (found,) = (each for each in of.attribute if each.name == name)
    return helper.get_attribute_value(found)


def in_threads(task: Callable[[int], Any], count: int = 4) -> list[Any]:
    """The results of ``task(0)``, ``task(1)``, ..., each computed by a thread of its own."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(task, range(count)))


def reference(of: Source, inputs: Mapping[str, Any]) -> list[Any]:
    """What the CPU computes."""
    return list(session(of).run(None, dict(inputs)))


def close(mine: Sequence[Any], theirs: Sequence[Any]) -> None:
    """Fails unless both are the same: type, shape and, nearly, values."""
    for got, wanted in zip(mine, theirs, strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), (got.shape, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def check(of: ModelProto, device: Any, length: int = 2, *, fallback: bool = False) -> None:
    """Runs on the device and compares with the CPU: type, shape and values."""
    inputs = feeds(of, length)
    mine = session(of, device, fallback=fallback).run(None, inputs)
    close(mine, reference(of, inputs))
