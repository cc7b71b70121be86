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
types: [int64]
ops: [{op: TfIdfVectorizer, kernel: yours}]
"""
CODE = """
    import onnx
    from onnx import helper, TensorProto

    def made(**attributes):
        plain = dict(mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0,
                     ngram_counts=[0], ngram_indexes=[0])
        node = helper.make_node("TfIdfVectorizer", ["x"], ["y"], **plain, **attributes)
        inputs = [helper.make_tensor_value_info("x", TensorProto.INT64, [3])]
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

    print(taken(made(pool_int64s=[7])), taken(made(pool_strings=["a"])))
"""


@pytest.fixture(scope="module")
def vectorizer() -> Project:
    path = "src/kernels/tf_idf_vectorizer.h"
    file = next(file for file in expanded(BLUEPRINT).files if file.path == path)
    text = file.content.decode()
    assert "kReadyTfIdfVectorizer = false" in text
    changed = text.replace("kReadyTfIdfVectorizer = false", "kReadyTfIdfVectorizer = true")
    return built(BLUEPRINT, changes={path: changed})


def test_where_the_runtime_lets_kernels_read_them_the_node_is_taken(vectorizer: Project) -> None:
    result = vectorizer.python(CODE)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == f"{[vectorizer.ep]} {[vectorizer.ep]}"


def test_where_it_does_not_the_node_is_refused_with_the_reason(vectorizer: Project) -> None:
    result = vectorizer.python(CODE, runtime=runtime("1.24.4"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == f"{[vectorizer.ep]} {['CPUExecutionProvider']}"
    assert "attribute 'pool_strings': kernels read lists of strings from ONNX Runtime 1.25 on" in (
        result.stderr
    )
