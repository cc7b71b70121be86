"""Recurrent operators in sessions, also of runtimes that do not let kernels read lists of texts."""

from __future__ import annotations

import pytest
from projects import Project, built
from runtimes import runtime

BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [GRU, LSTM, RNN]
"""
CODE = """
    import numpy as np
    from onnx import helper, numpy_helper

    rng = np.random.default_rng(1)
    steps, batch, size, hidden = 6, 5, 7, 19
    x = np.asarray(rng.normal(size=(steps, batch, size)), np.float32)
    lengths = np.asarray([6, 1, 3, 6, 2], np.int32)

    def model(op, **attributes):
        gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
        ways = 2 if attributes.get("direction") == "bidirectional" else 1
        shapes = {"w": (ways, gates * hidden, size), "r": (ways, gates * hidden, hidden),
                  "b": (ways, 2 * gates * hidden), "h": (ways, batch, hidden)}
        weights = {n: np.asarray(rng.normal(size=s) / 2, np.float32) for n, s in shapes.items()}
        constants = {**weights, "l": lengths}
        outputs = ["y", "y_h", "y_c"][:3 if op == "LSTM" else 2]
        inputs = ["x", "w", "r", "b", "l", "h"]
        node = helper.make_node(op, inputs, outputs, hidden_size=hidden, **attributes)
        graph = helper.make_graph(
            [node], "g", [helper.make_tensor_value_info("x", 1, x.shape)],
            [helper.make_empty_tensor_value_info(n) for n in outputs],
            [numpy_helper.from_array(array, name) for name, array in constants.items()],
        )
        opsets = [helper.make_opsetid("", 14)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()

    def run(text, ours):
        options = ort.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        if ours:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
            options.add_provider_for_devices([device], {})
        return ort.InferenceSession(text, options).run(None, {"x": x})

    def same(op, **attributes):
        text = model(op, **attributes)
        for got, wanted in zip(run(text, True), run(text, False), strict=True):
            np.testing.assert_allclose(got, wanted, 1e-4, 1e-5, err_msg=f"{op} {attributes}")
"""


@pytest.fixture(scope="module")
def project() -> Project:
    return built(BLUEPRINT)


def _ok(project: Project, code: str, version: str = "") -> None:
    chosen = {"runtime": runtime(version)} if version else {}
    result = project.python(f"{CODE}{code}\n    print('ok')\n", **chosen)
    assert (result.returncode, result.stdout[-3:]) == (0, "ok\n"), result.stdout + result.stderr


def test_every_direction_is_computed_as_on_the_cpu(project: Project) -> None:
    _ok(
        project,
        """
    for op in ("GRU", "LSTM", "RNN"):
        for direction in ("forward", "reverse", "bidirectional"):
            same(op, direction=direction)
    same("GRU", linear_before_reset=1)
    same("LSTM", input_forget=1)
    same("LSTM", activations=["HardSigmoid", "LeakyRelu", "Softsign"],
         activation_alpha=[0.3, 0.1], activation_beta=[0.4])
    """,
    )


def test_the_clip_is_of_the_gates_as_on_the_cpu(project: Project) -> None:
    _ok(
        project,
        """
    for op in ("GRU", "LSTM", "RNN"):
        same(op, clip=0.4)
    """,
    )


def test_usual_activations_need_no_list_of_texts(project: Project) -> None:
    """Kernels of ONNX Runtime 1.24 cannot read one."""
    _ok(
        project,
        """
    for op in ("GRU", "LSTM", "RNN"):
        for direction in ("forward", "bidirectional"):
            same(op, direction=direction)
    """,
        "1.24.4",
    )
