"""Kernels of the registry read lists of strings from level 25 on. Before that a node that has one
other than the default is refused, with the reason; it is never taken with the list left out."""

from __future__ import annotations

import pytest
from projects import Project, built, expanded
from runtimes import runtime

BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [{op: RNN, kernel: yours}]
"""
CODE = """
    import onnx
    from onnx import helper, TensorProto

    def made(**attributes):
        shapes = {"x": [1, 1, 2], "w": [1, 3, 2], "r": [1, 3, 3]}
        node = helper.make_node("RNN", list(shapes), ["y"], hidden_size=3, **attributes)
        inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()]
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph([node], "g", inputs, [output])
        opsets = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def taken(model):
        options = ort.SessionOptions()
        options.log_severity_level = 1
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        options.add_provider_for_devices([device], {})
        session = ort.InferenceSession(model.SerializeToString(), options)
        return [part.ep_name for part in session.get_provider_graph_assignment_info()]

    print(taken(made()), taken(made(activations=["Relu"])))
"""


@pytest.fixture(scope="module")
def rnn() -> Project:
    path = "src/kernels/rnn.h"
    file = next(file for file in expanded(BLUEPRINT).files if file.path == path)
    text = file.content.decode()
    assert "kReadyRNN = false" in text
    changed = text.replace("kReadyRNN = false", "kReadyRNN = true")
    return built(BLUEPRINT, changes={path: changed})


def test_where_the_runtime_lets_kernels_read_them_the_node_is_taken(rnn: Project) -> None:
    result = rnn.python(CODE)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == f"{[rnn.ep]} {[rnn.ep]}"


def test_where_it_does_not_the_node_is_refused_with_the_reason(rnn: Project) -> None:
    result = rnn.python(CODE, runtime=runtime("1.24.4"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == f"{[rnn.ep]} {['CPUExecutionProvider']}"
    assert "attribute 'activations': kernels read lists of strings from ONNX Runtime 1.25 on" in (
        result.stderr
    )
