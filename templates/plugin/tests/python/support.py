<%= banner %>
"""Small models, sessions that may not fall back to the CPU, and processes of their own."""

import itertools
import json
import os
import subprocess
import sys
<% if nhwc %>
import tempfile
<% endif %>
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
<% if custom_ops %>

from custom_reference import reference
<% endif %>

_HERE = Path(__file__).resolve().parent
_CASES: list[dict[str, Any]] = json.loads((_HERE / "op_cases.json").read_text(encoding="utf-8"))
<% if custom_ops %>
_CUSTOM: dict[tuple[str, str], Any] = {
    (each["domain"], each["op"]): each
    for each in json.loads(
        (_HERE.parents[1] / "src/gen/manifest.json").read_text(encoding="utf-8")
    )["custom_ops"]
}
<% endif %>
_IR_VERSION = 8  # old enough for every runtime, and it knows every opset
_OPSET = 17  # of ONNX's own domain, in a model of another one

<% if nhwc %>
# The runtime renames the nodes that it converts, and the transposes that it adds have names of their
# own.
_NAME = "node"
_NHWC = "com.ms.internal.nhwc"
_NO_CPU = "session.disable_cpu_ep_fallback"
_LOWEST = 7  # of ONNX's opsets: older models the runtime leaves to the CPU, for the layout's sake
_RUNTIME = tuple(map(int, onnxruntime.__version__.split(".")[:2]))
_MODELS = tempfile.TemporaryDirectory()
_NUMBERS = itertools.count()
<% endif %>
NUMBERS = {
    "float32": onnx.TensorProto.FLOAT,
    "uint8": onnx.TensorProto.UINT8,
    "int8": onnx.TensorProto.INT8,
    "uint16": onnx.TensorProto.UINT16,
    "int16": onnx.TensorProto.INT16,
    "int32": onnx.TensorProto.INT32,
    "int64": onnx.TensorProto.INT64,
    "string": onnx.TensorProto.STRING,
    "bool": onnx.TensorProto.BOOL,
    "float16": onnx.TensorProto.FLOAT16,
    "float64": onnx.TensorProto.DOUBLE,
    "uint32": onnx.TensorProto.UINT32,
    "uint64": onnx.TensorProto.UINT64,
    "bfloat16": onnx.TensorProto.BFLOAT16,
}
# What a runtime says that has no kernel for a type: most say it early, a few when they run. Or it
# expands the operator to a function that does not fit the types.
_NOT_IMPLEMENTED = (
    onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented,
    onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException,
    onnxruntime.capi.onnxruntime_pybind11_state.Fail,
)
_FIXED = {"float": "float32", "double": "float64"}  # tensor(float) -> float32


@dataclass(frozen=True)
class Plugin:
    """The library under test: what it claims, and the device that it offers."""

    manifest: Mapping[str, Any]
    device: Any

    @property
    def name(self) -> str:
        return str(self.manifest["ep"])

    def session(
        self,
        model: bytes,
        options: Mapping[str, str] | None = None,
        config: Mapping[str, str] | None = None,
    ) -> onnxruntime.InferenceSession:
<% if nhwc %>
        """A session that runs on the device alone: without the switch that forbids the CPU, a
        broken execution provider would be replaced silently and every test would pass. Around nodes
        that are converted the CPU may transpose: there `taken` tells."""
<% else %>
        """A session that runs on the device alone: without the switch that forbids the CPU, a
        broken execution provider would be replaced silently and every test would pass."""
<% endif %>
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
<% if nhwc %>
        nodes = onnx.load_from_string(model).graph.node
        converts = any(node.op_type in self.manifest["layout"]["ops"] for node in nodes)
        settings.add_session_config_entry(_NO_CPU, "0" if converts else "1")
        settings.optimized_model_filepath = f"{_MODELS.name}/{next(_NUMBERS)}.onnx"
<% else %>
        settings.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
<% endif %>
        settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        settings.add_provider_for_devices([self.device], dict(options or {}))
        # After the device: with it come the published defaults, which overwrite what is there.
        for key, value in (config or {}).items():
            settings.add_session_config_entry(key, value)
        return onnxruntime.InferenceSession(model, settings, enable_fallback=0)

    def takes(self, model: bytes) -> bool:
        """Does the device take any node of the model, if it need not?"""
        may_fall_back = {"session.disable_cpu_ep_fallback": "0"}
<% if custom_ops %>
        try:
            return bool(self.taken(self.session(model, config=may_fall_back)))
        except Exception as error:
            if not is_unwritten(error):
                raise
            return False
<% else %>
        return bool(self.taken(self.session(model, config=may_fall_back)))
<% endif %>

    def taken(self, session: onnxruntime.InferenceSession) -> list[str]:
<% if nhwc %>
        """The types of the model's nodes that the runtime has given to this device."""
        if session.get_session_options().get_session_config_entry(_NO_CPU) == "1":
            return sorted(node.op_type for node in _written(session) if node.name.startswith(_NAME))
        others = [
            op
            for op, domain, name in self._recorded(session)
            if domain != _NHWC and name.startswith(_NAME)
        ]
        return sorted(self.converted(session) + others)

    def converted(self, session: onnxruntime.InferenceSession) -> list[str]:
        """The types of the nodes that the runtime has converted to the device's layout. They are
        the device's: there would be no session if it had not taken them again."""
        written = sorted(node.op_type for node in _written(session) if node.domain == _NHWC)
        recorded = sorted(op for op, domain, _ in self._recorded(session) if domain == _NHWC)
        # Older runtimes record only what nobody had taken before.
        assert recorded == written or (_RUNTIME < (1, 32) and not recorded)
        return written

    def _recorded(self, session: onnxruntime.InferenceSession) -> list[tuple[str, str, str]]:
        return [
            (node.op_type, node.domain, node.name)
            for part in session.get_provider_graph_assignment_info()
            if part.ep_name == self.name
            for node in part.get_nodes()
        ]
<% else %>
        """The types of the nodes that the runtime recorded as given to this device."""
        return sorted(
            node.op_type
            for part in session.get_provider_graph_assignment_info()
            if part.ep_name == self.name
            for node in part.get_nodes()
        )
<% endif %>


@dataclass(frozen=True)
class OneNode:
    """A model of one node, with inputs for it."""

    op: str
    model: bytes
    feeds: dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A case for one version of an op and one choice of element types."""

    case: Mapping[str, Any]
    since: int
    types: Mapping[str, str]  # by constraint
    ready: bool  # a kernel that is not ready is a stub, which its owner may have written by now

    def __str__(self) -> str:
        shapes = "-".join(
            "none" if each is None else "x".join(map(str, each.get("shape", ["const"]))) or "scalar"
            for each in self.case["inputs"]
        )
        return f"{self.case['op']}-{self.since}-{'-'.join(self.types.values())}-{shapes}"

    def build(self) -> OneNode:
        """The model: graph inputs for whatever is random, initializers for constants."""
        case, op, domain = self.case, self.case["op"], self.case["domain"]
        random = np.random.default_rng(len(case["inputs"]) + self.since)
        names: list[str] = []
        inputs: list[onnx.ValueInfoProto] = []
        constants: list[onnx.TensorProto] = []
        feeds: dict[str, Any] = {}
        for index, spec in enumerate(case["inputs"]):
            if spec is None:
                names.append("")
                continue
            name = f"x{index}"
            names.append(name)
            dtype = self._dtype(spec["type"])
            if "values" in spec:
                constants.append(numpy_helper.from_array(np.array(spec["values"], dtype), name))
                continue
            feeds[name] = _numbers(random, spec, dtype)
            number = helper.np_dtype_to_tensor_dtype(dtype)
            inputs.append(helper.make_tensor_value_info(name, number, spec["shape"]))
        outputs = [f"y{index}" for index in range(case.get("outputs", 1))]
        node = helper.make_node(op, names, outputs, name=<% if nhwc %>_NAME<% else %>"node"<% endif %>, domain=domain)
        for key, value in case.get("attributes", {}).items():
            node.attribute.append(helper.make_attribute(key, self._attribute(value)))
        graph = helper.make_graph(
            [node],
            "one_node",
            inputs,
            [helper.make_empty_tensor_value_info(name) for name in outputs],
            constants,
        )
<% if nhwc %>
        version = self.since if domain else max(self.since, _LOWEST)
        opsets = {"": _OPSET, domain: version}.items()
<% else %>
        opsets = {"": _OPSET, domain: self.since}.items()
<% endif %>
        imports = [helper.make_opsetid(name, version) for name, version in opsets]
        model = helper.make_model(graph, opset_imports=imports)
        model.ir_version = _IR_VERSION
        return OneNode(op, model.SerializeToString(), feeds)

    def _dtype(self, type_str: str) -> np.dtype[Any]:
        if type_str in self.types:
            return np.dtype(self.types[type_str])
        fixed = type_str.removeprefix("tensor(").removesuffix(")")
        return np.dtype(_FIXED.get(fixed, fixed))

    def _attribute(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
<% if custom_ops %>
        dtype = np.dtype(self.types.get(value["type_of"], value["type_of"]))
<% else %>
        dtype = np.dtype(self.types[value["type_of"]])
<% endif %>
        if "values" in value:
            return numpy_helper.from_array(np.array(value["values"], dtype))
        return helper.np_dtype_to_tensor_dtype(dtype)


<% if nhwc %>
def _written(session: onnxruntime.InferenceSession) -> Sequence[onnx.NodeProto]:
    """The nodes of a session as they are computed."""
    model = onnx.load(session.get_session_options().optimized_model_filepath)
    return list(model.graph.node)


<% endif %>
def trials(manifest: Mapping[str, Any], *, stubs: bool = False) -> Iterator[Trial]:
    """Every case of every op, version and combination of types that the library registers.

    With ``stubs`` of those ops, too, that came as stubs.
    """
    for entry in manifest["ops"]:
        constraints = list(entry["types"])
        if not entry["ready"] and not stubs:
            continue
        op, since = (entry["domain"], entry["op"]), entry["since"]
        cases = [case for case in _CASES if (case["domain"], case["op"]) == op]
        ready = bool(entry["ready"])
<% if halves %>
        # Those that NumPy has; the others are tested in C++.
        listed = [[t for t in types if hasattr(np, t)] for types in entry["types"].values()]
        for chosen in itertools.product(*listed):
<% else %>
        for chosen in itertools.product(*entry["types"].values()):
<% endif %>
            types = dict(zip(constraints, chosen, strict=True))
            for case in cases:
                if since in case["since"] and _is_meant_for(case, types):
                    yield Trial(case, since, types, ready)


def _is_meant_for(case: Mapping[str, Any], types: Mapping[str, str]) -> bool:
    """Some cases are for constraints of one type: the floating-point ones, or those listed."""
    alike = case.get("one_type", [])
    if alike is True:
        alike = [name for name, each in types.items() if "float" in each]
    return len({types[name] for name in alike}) <= 1


<% if custom_ops %>
class NoReferenceError(Exception):
    """Nothing says what a custom operator computes: it has no expression."""


def is_unwritten(error: Exception) -> bool:
    """Does the runtime say that a custom operator is a stub, and that nobody else computes it?"""
    return "kernel is not written yet" in str(error)


def expected(one: OneNode) -> list[Any]:
    """What the CPU computes, in float32 where it has no kernel for float64; or ONNX's reference.
    Of a custom operator what its expression says.

    Raises NoReferenceError for a custom operator without one.
    """
    own = _by_expression(one)
    if own is not None:
        return own
    try:
<% else %>
def expected(one: OneNode) -> list[Any]:
    """What the CPU computes, in float32 where it has no kernel for float64; or ONNX's reference."""
    try:
<% endif %>
<% if halves %>
        if one.op != "BitCast" and _has_halves(one):  # which is about bits, not about numbers
            return _rounded(one, expected(_in_float32(one, "float16")))
<% endif %>
        return _on_cpu(one)
    except _NOT_IMPLEMENTED:
        pass
    floats = {value.dtype for value in one.feeds.values() if value.dtype.kind == "f"}
    if floats == {np.dtype(np.float64)}:
        try:
            return [_retyped(value, np.float32, np.float64) for value in _on_cpu(_in_float32(one))]
        except _NOT_IMPLEMENTED:
            pass
    from onnx.reference import ReferenceEvaluator

    model = onnx.shape_inference.infer_shapes(onnx.load_from_string(one.model))
    values = ReferenceEvaluator(model).run(None, one.feeds)
    # The reference computes in NumPy's types, which are not always those of the schema.
    types = [each.type.tensor_type.elem_type for each in model.graph.output]
    return [
        value.astype(helper.tensor_dtype_to_np_dtype(number)) if number else value
        for value, number in zip(values, types, strict=True)
    ]


<% if custom_ops %>
def _by_expression(one: OneNode) -> list[Any] | None:
    """What a custom operator computes; None for an operator of ONNX."""
    graph = onnx.load_from_string(one.model).graph
    node = graph.node[0]
    schema = _CUSTOM.get((node.domain, node.op_type))
    if schema is None:
        return None
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    inputs = [(constants | one.feeds).get(name) for name in node.input]
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    values = reference(schema, inputs, attributes)
    if values is None:
        raise NoReferenceError(f"{node.domain}::{node.op_type} has no expression")
    return values


<% endif %>
def _on_cpu(one: OneNode) -> list[Any]:
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    session = onnxruntime.InferenceSession(one.model, settings, ["CPUExecutionProvider"])
    return list(session.run(None, one.feeds))


<% if halves %>
def _has_halves(one: OneNode) -> bool:
    """Is anything of the node's in float16?"""
    graph = onnx.load_from_string(one.model).graph
    tensors = [each.t for each in graph.node[0].attribute if each.type == each.TENSOR]
    types = {each.data_type for each in (*graph.initializer, *tensors)}
    types |= {each.type.tensor_type.elem_type for each in graph.input}
    return NUMBERS["float16"] in types


def _rounded(one: OneNode, values: Sequence[Any]) -> list[Any]:
    """What is computed in float32, in the types that the node's outputs have."""
    model = onnx.shape_inference.infer_shapes(onnx.load_from_string(one.model))
    types = [each.type.tensor_type.elem_type for each in model.graph.output]
    halves = (NUMBERS["float16"], 0)  # 0: the op is not of ONNX, which knows nothing of it then
    return [
        _retyped(value, np.float32, np.float16) if number in halves else value
        for value, number in zip(values, types, strict=True)
    ]


def _in_float32(one: OneNode, old: str = "float64") -> OneNode:
    model = onnx.load_from_string(one.model)
    dtype = np.dtype(old).type
    for value in model.graph.input:
        if value.type.tensor_type.elem_type == NUMBERS[old]:
            value.type.tensor_type.elem_type = NUMBERS["float32"]
    tensors = (each.t for each in model.graph.node[0].attribute if each.type == each.TENSOR)
    for constant in (*model.graph.initializer, *tensors):
        array = _retyped(numpy_helper.to_array(constant), dtype, np.float32)
        constant.CopyFrom(numpy_helper.from_array(array, constant.name))
    feeds = {name: _retyped(value, dtype, np.float32) for name, value in one.feeds.items()}
    return OneNode(one.op, model.SerializeToString(), feeds)
<% else %>
def _in_float32(one: OneNode) -> OneNode:
    model = onnx.load_from_string(one.model)
    for value in model.graph.input:
        if value.type.tensor_type.elem_type == NUMBERS["float64"]:
            value.type.tensor_type.elem_type = NUMBERS["float32"]
    for constant in model.graph.initializer:
        array = _retyped(numpy_helper.to_array(constant), np.float64, np.float32)
        constant.CopyFrom(numpy_helper.from_array(array, constant.name))
    feeds = {name: _retyped(value, np.float64, np.float32) for name, value in one.feeds.items()}
    return OneNode(one.op, model.SerializeToString(), feeds)
<% endif %>


def _retyped(value: Any, old: type, new: type) -> Any:
    return value.astype(new) if value.dtype == old else value


def assert_same(actual: Sequence[Any], wanted: Sequence[Any]) -> None:
    """Same number of outputs, each of the same type, shape and, to rounding, values."""
    assert len(actual) == len(wanted)
    for mine, theirs in zip(actual, wanted, strict=True):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
<% if halves %>
        if mine.dtype == np.float16:
            np.testing.assert_allclose(mine, theirs, rtol=2e-3, atol=1e-3, equal_nan=True)
        elif mine.dtype.kind == "f":
<% else %>
        if mine.dtype.kind == "f":
<% endif %>
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5, equal_nan=True)
        else:
            np.testing.assert_array_equal(mine, theirs)


def fresh(code: str) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process of its own: how a process ends can be seen in no other way."""
    paths = [str(_HERE.parents[1] / "python"), str(_HERE), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


def _numbers(random: np.random.Generator, spec: Mapping[str, Any], dtype: np.dtype[Any]) -> Any:
    """Random numbers; integers stay away from zero, which nothing may be divided by."""
    low, high = spec.get("range", (-3.0, 3.0))
    shape = spec["shape"]
    if dtype.kind == "b":
        return np.asarray(random.random(shape) < 0.5)
    if dtype.kind in "iu":
        size = random.integers(max(1, round(low)), max(1, round(high)), shape, endpoint=True)
        sign = np.where(random.random(shape) < 0.5, -1, 1) if dtype.kind == "i" and low < 0 else 1
        return np.asarray(size * sign).astype(dtype)
    return np.asarray(random.uniform(low, high, shape)).astype(dtype)
