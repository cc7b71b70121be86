"""Types of quantization: each argument has the types of its own constraint, in every version."""

from __future__ import annotations

import pytest
from projects import Project, built

BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
types: [float32, float16]
ops: [QuantizeLinear, DequantizeLinear, MatMulInteger, QLinearMatMul]
"""
CODE = """
    import itertools
    import numpy as np
    from onnx import helper, numpy_helper

    def model(op, opset, inputs, constants, **attributes):
        node = helper.make_node(op, [*inputs, *constants], ["y"], **attributes)
        types = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in inputs.items()}
        graph = helper.make_graph(
            [node], "g",
            [helper.make_tensor_value_info(n, types[n], a.shape) for n, a in inputs.items()],
            [helper.make_empty_tensor_value_info("y")],
            [numpy_helper.from_array(array, name) for name, array in constants.items()],
        )
        opsets = [helper.make_opsetid("", opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()

    def session(text, ours):
        options = ort.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        if not ours:
            return ort.InferenceSession(text, options, providers=["CPUExecutionProvider"])
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices([device], {})
        return ort.InferenceSession(text, options)

    def same(op, opset, inputs, constants, **attributes):
        text = model(op, opset, inputs, constants, **attributes)
        (got,), (wanted,) = (session(text, ours).run(None, inputs) for ours in (True, False))
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), (op, opset)
        np.testing.assert_array_equal(got, wanted, f"{op} {opset} {attributes}")

    rng = np.random.default_rng(1)
    def numbers(dtype, *shape):
        limits = np.iinfo(dtype)
        return np.asarray(rng.integers(limits.min, limits.max + 1, shape), dtype)
    def scales(*shape):
        return np.asarray(rng.uniform(0.01, 2, shape), np.float32)
"""


@pytest.fixture(scope="module")
def project() -> Project:
    return built(BLUEPRINT)


def _ok(project: Project, code: str) -> None:
    result = project.python(f"{CODE}{code}\n    print('ok')\n")
    assert (result.returncode, result.stdout[-3:]) == (0, "ok\n"), result.stdout + result.stderr


def test_each_argument_has_its_own_constraint_in_every_version(project: Project) -> None:
    """FR 45."""
    _ok(
        project,
        """
    x = np.asarray(rng.normal(0, 200, (2, 3, 4)), np.float32)
    x.flat[:4] = 0.5, 1.5, 2.5, -0.5
    for opset in (10, 13, 19, 21, 23):
        bytes_ = (np.uint8, np.int8)
        wide = (np.uint16, np.int16) if opset >= 21 else ()
        for dtype in (*bytes_, *wide):
            for scale in (np.asarray(1, np.float32), scales(), scales(1)):
                zero = numbers(dtype, *scale.shape)
                same("QuantizeLinear", opset, {"x": x}, {"s": scale, "z": zero})
                quantized = {"x": numbers(dtype, 2, 3, 4)}
                same("DequantizeLinear", opset, quantized, {"s": scale, "z": zero})
        same("QuantizeLinear", opset, {"x": x}, {"s": scales()})
        counts = {"x": numbers(np.int32, 5)}
        same("DequantizeLinear", opset, counts, {"s": scales()})
    """,
    )


def test_a_scale_in_float16_is_of_its_own_constraint(project: Project) -> None:
    """FR 45: from version 19 with x, from version 23 by itself."""
    _ok(
        project,
        """
    x = np.asarray(rng.normal(0, 50, (3, 4)), np.float16)
    for opset, dtype in itertools.product((19, 21, 23), (np.uint8, np.int8)):
        for shape in ((), (4,)):
            constants = {"s": np.asarray(scales(*shape), np.float16), "z": numbers(dtype, *shape)}
            same("QuantizeLinear", opset, {"x": x}, constants)
            same("DequantizeLinear", opset, {"x": numbers(dtype, 3, 4)}, constants)
    # ONNX Runtime's CPU provider has no kernel for two types of floats.
    for dtype in (np.uint8, np.int8):
        constants = {"s": np.asarray(0.5, np.float32), "z": numbers(dtype)}
        inputs = {"x": x}
        text = model("QuantizeLinear", 23, inputs, constants)
        (got,) = session(text, True).run(None, inputs)
        limits = np.iinfo(dtype)
        wanted = np.rint(x.astype(np.float32) / np.float32(0.5)) + constants["z"]
        np.testing.assert_array_equal(got, np.clip(wanted, limits.min, limits.max).astype(dtype))
    """,
    )


def test_scales_are_for_an_axis_or_for_blocks(project: Project) -> None:
    _ok(
        project,
        """
    x = np.asarray(rng.normal(0, 200, (3, 4, 5)), np.float32)
    for opset, dtype, axis in itertools.product((13, 19, 21, 23), (np.uint8, np.int8), (-1, 0, 1)):
        shape = (x.shape[axis],)
        constants = {"s": scales(*shape), "z": numbers(dtype, *shape)}
        same("QuantizeLinear", opset, {"x": x}, constants, axis=axis)
        same("DequantizeLinear", opset, {"x": numbers(dtype, 3, 4, 5)}, constants, axis=axis)
    for opset, dtype, axis in itertools.product((21, 23), (np.uint8, np.int16), (-1, 0, 1)):
        for size in (1, 2, 3, 5):
            shape = list(x.shape)
            shape[axis] = -(-shape[axis] // size)
            constants = {"s": scales(*shape), "z": numbers(dtype, *shape)}
            blocks = {"axis": axis, "block_size": size}
            same("QuantizeLinear", opset, {"x": x}, constants, **blocks)
            same("DequantizeLinear", opset, {"x": numbers(dtype, 3, 4, 5)}, constants, **blocks)
    same("QuantizeLinear", 21, {"x": x}, {"s": scales()}, output_dtype=5)
    """,
    )


def test_products_of_integers_take_both_kinds_on_both_sides(project: Project) -> None:
    _ok(
        project,
        """
    kinds = (np.uint8, np.int8)
    for left, right, sizes in itertools.product(kinds, kinds, ((3, 4, 5), (70, 600, 66))):
        m, depth, n = sizes
        a, b = numbers(left, m, depth), numbers(right, depth, n)
        zeros = {"az": numbers(left), "bz": numbers(right)}
        same("MatMulInteger", 10, {"a": a, "b": b}, {})
        same("MatMulInteger", 10, {"a": a, "b": b}, zeros)
        if (left, right) == (np.int8, np.uint8):
            continue  # ONNX Runtime's CPU provider has no such QLinearMatMul
        inputs = {
            "a": a, "as": scales(), "az": numbers(left),
            "b": b, "bs": scales(n), "bz": numbers(right, n),
            "ys": np.asarray(100, np.float32), "yz": numbers(left),
        }
        for opset in (10, 21):
            same("QLinearMatMul", opset, inputs, {})
    """,
    )
