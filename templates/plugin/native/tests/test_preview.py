<%= banner %>
"""The preview of a model: what it says, and that ONNX Runtime comes to the same."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import <%= package %> as native
from calls import MANIFEST
from support import Trial, trials

_VARIABLE = <%= library_variable | py_string %>


@pytest.fixture(scope="module")
def device() -> Iterator[Any]:
    path = os.environ.get(_VARIABLE)
    if not path:
        pytest.skip(f"set {_VARIABLE} to the library, to compare with what it takes")
    name = "preview.virtual" if MANIFEST["virtual"] else "preview"
    onnxruntime.register_execution_provider_library(name, str(Path(path).resolve(strict=True)))
    ours = [each for each in onnxruntime.get_ep_devices() if each.ep_name == MANIFEST["ep"]]
    if not ours:
        pytest.skip("there is no such device here")
    yield ours[0]


def taken(model: bytes, device: Any) -> list[str]:
    """The names of the nodes that ONNX Runtime gives to the execution provider."""
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    settings.add_provider_for_devices([device], {})
    session = onnxruntime.InferenceSession(model, settings, enable_fallback=0)
    return sorted(
        node.name
        for part in session.get_provider_graph_assignment_info()
        if part.ep_name == MANIFEST["ep"]
        for node in part.get_nodes()
    )


def _first_of_each() -> list[Trial]:
    """A case of each operator, in its newest version."""
    found: dict[tuple[str, str], Trial] = {}
    for trial in trials(MANIFEST):
        key = (trial.case["domain"], trial.case["op"])
        if key not in found or found[key].since < trial.since:
            found[key] = trial
    return list(found.values())


@pytest.mark.parametrize("trial", _first_of_each(), ids=str)
def test_nodes_with_kernels_are_taken(trial: Trial) -> None:
    preview = native.preview(trial.build().model)
    if trial.case["op"] == "Constant":
        assert preview.nodes == ()
        return
    (node,) = preview.nodes
    assert (node.taken, node.reason, node.op) == (True, "", trial.case["op"])


<% if nhwc %>
@pytest.mark.skip(reason="ONNX Runtime renames the nodes that it converts")
<% endif %>
@pytest.mark.parametrize("trial", _first_of_each(), ids=str)
def test_onnx_runtime_comes_to_the_same(trial: Trial, device: Any) -> None:
    if trial.case["op"] == "Constant":
        pytest.skip("ONNX Runtime makes an initializer of it")
    model = trial.build().model
    assert taken(model, device) == [each.name for each in native.preview(model).taken]


def _chain(kind: int, ops: list[str]) -> bytes:
    """A chain of operators of one input each."""
    nodes = [
        helper.make_node(op, [f"v{index}"], [f"v{index + 1}"], name=f"node{index}")
        for index, op in enumerate(ops)
    ]
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("v0", kind, [2, "n"])],
        [helper.make_tensor_value_info(f"v{len(ops)}", kind, [2, "n"])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    content: bytes = model.SerializeToString()
    return content


_MIXED = ["Relu", "Asinh", "Relu", "Neg", "Exp", "Asinh", "Relu"]


def test_a_mixed_model_is_divided_as_onnx_runtime_does(device: Any) -> None:
    for kind in (TensorProto.FLOAT, TensorProto.DOUBLE):
        model = _chain(kind, [op for op in _MIXED if (kind, op) != (TensorProto.DOUBLE, "Asinh")])
        preview = native.preview(model)
        try:
            assert taken(model, device) == sorted(each.name for each in preview.taken)
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            continue  # the CPU has no kernel for one of the others


def test_what_is_left_has_a_reason(tmp_path: Path) -> None:
    model = _chain(TensorProto.FLOAT, ["Asinh", "Acosh"])
    preview = native.preview(model)
    kernels = {(each["domain"], each["op"]) for each in MANIFEST["ops"]}
    for node in preview.nodes:
        if (node.domain, node.op) not in kernels:
            assert (node.taken, node.reason) == (False, "there is no kernel for it")
            assert repr(node.name) in str(preview)
    path = tmp_path / "model.onnx"
    path.write_bytes(model)
    assert native.preview(path) == native.preview(onnx.load_from_string(model)) == preview


@pytest.mark.parametrize("content", [b"", b"no model", b"\xff" * 9], ids=["none", "text", "bytes"])
def test_what_is_no_model_is_an_error(content: bytes) -> None:
    with pytest.raises(ValueError, match="no ONNX model"):
        native.preview(content)
