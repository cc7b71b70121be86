"""The kernels beyond the elementwise ones, against ONNX's node tests, NumPy and whole models."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from device_kernels import emulated
from kernel_project import make_op, write_kernels
from kernel_runner import KernelError, Runner, build, since_version
from node_tests import check_node_tests
from onnx import helper, numpy_helper

from epforge.ops import families
from epforge.ops.families import conv, matmul, movement, normalisation, reduction
from epforge.ops.families._common import ANY

HEAVY = {
    row.op: row
    for module in (conv, matmul, movement, normalisation, reduction)
    for row in module.ROWS
}
Array = np.ndarray[Any, Any]


@pytest.fixture(scope="session", params=["host", pytest.param("device", marks=pytest.mark.lab)])
def place(request: pytest.FixtureRequest) -> str:
    """Whose kernels are tested."""
    return str(request.param)


@pytest.fixture(scope="session")
def kernels(place: str, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """All kernels that there are, for all types that they can."""
    project = tmp_path_factory.mktemp("kernels")
    # On the host as other tests have them, who share what is compiled.
    types = None if place == "device" else ANY
    ops = [make_op(row.op, types) for row in families.rows() if not row.domain]
    if place == "device":
        return emulated(project, ops)
    write_kernels(project, ops)
    return build(project, "acme_npu")


def rand(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(sum(shape) + len(shape)).standard_normal(shape).astype(dtype)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize("op", sorted(HEAVY))
def test_passes_the_node_tests_of_onnx(kernels: Runner, place: str, op: str) -> None:
    if place == "device" and not HEAVY[op].device:
        pytest.skip("no device code")
    assert check_node_tests(kernels, op, device=place == "device") > 0


def against_runtime(
    kernels: Runner, op: str, opset: int, inputs: list[Array], **attributes: Any
) -> None:
    """Compares a call with the CPU kernels of ONNX Runtime."""
    import onnxruntime

    given = [(f"x{i}", x) for i, x in enumerate(inputs)]
    node = helper.make_node(op, [name for name, _ in given], ["y"], **attributes)
    graph = helper.make_graph(
        [node],
        "test",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in given
        ],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
    )
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    want = session.run(None, dict(given))[0]
    (got,) = kernels.run_node(model, [x for _, x in given], [want.dtype])
    assert got is not None
    assert got.shape == want.shape, (attributes, [x.shape for _, x in given])
    np.testing.assert_allclose(got, want, 1e-4, 1e-4, err_msg=str(attributes))


CONVOLUTIONS = [
    # X, W, attributes
    ((2, 3, 9), (4, 3, 3), {}),
    ((1, 4, 7, 6), (6, 4, 3, 2), {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    ((2, 4, 7, 7), (8, 2, 3, 3), {"group": 2, "dilations": [2, 1], "pads": [2, 1, 2, 1]}),
    ((1, 5, 8, 8), (5, 1, 3, 3), {"group": 5, "pads": [1, 1, 1, 1]}),
    ((1, 5, 9, 8), (10, 1, 3, 3), {"group": 5, "strides": [2, 3], "pads": [1, 2, 1, 0]}),
    ((2, 16, 5, 5), (70, 16, 1, 1), {}),
    ((1, 3, 12, 13), (9, 3, 5, 5), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    ((1, 3, 12, 13), (9, 3, 4, 4), {"auto_pad": "SAME_UPPER", "strides": [3, 2]}),
    ((1, 2, 6, 6), (3, 2, 3, 3), {"auto_pad": "VALID"}),
    ((1, 2, 4, 5, 6), (5, 2, 2, 3, 2), {"pads": [0, 1, 1, 1, 1, 0]}),
    ((1, 4, 3, 4, 5), (4, 1, 2, 2, 2), {"group": 4, "strides": [1, 2, 2]}),
    ((1, 30, 20, 20), (140, 30, 3, 3), {"pads": [1, 1, 1, 1]}),  # more than a block each way
]


@pytest.mark.parametrize(("x", "w", "attributes"), CONVOLUTIONS)
@pytest.mark.parametrize("opset", [7, 11, 22])
def test_conv(
    kernels: Runner, x: tuple[int, ...], w: tuple[int, ...], attributes: Any, opset: int
) -> None:
    against_runtime(kernels, "Conv", opset, [rand(*x), rand(*w)], **attributes)
    against_runtime(kernels, "Conv", opset, [rand(*x), rand(*w), rand(w[0])], **attributes)


MATRICES = [
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((131, 257), (257, 67)),
    ((2, 1, 4, 3), (5, 3, 6)),
    ((4, 1, 3), (1, 3, 2)),
    ((2, 0), (0, 3)),
    ((0, 2), (2, 3)),
    ((2, 3, 4), (4, 0)),
]


@pytest.mark.parametrize(("a", "b"), MATRICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matmul(kernels: Runner, a: tuple[int, ...], b: tuple[int, ...], dtype: Any) -> None:
    x, y = rand(*a, dtype=dtype), rand(*b, dtype=dtype)
    for since in (1, 9, 13):
        (got,) = kernels.run("MatMul", since, [x, y], [dtype])
        np.testing.assert_allclose(got, np.matmul(x, y), 1e-4, 1e-4)


@pytest.mark.parametrize("trans", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("c", [None, (), (1,), (7,), (1, 7), (9, 1), (9, 7), (1, 1)])
def test_gemm(kernels: Runner, trans: tuple[int, int], c: tuple[int, ...] | None) -> None:
    a = rand(9, 5).T.copy() if trans[0] else rand(9, 5)
    b = rand(5, 7).T.copy() if trans[1] else rand(5, 7)
    bias = None if c is None else np.asarray(rand(*c), np.float32)
    flags = {"transA": trans[0], "transB": trans[1]}
    (got,) = kernels.run("Gemm", 13, [a, b, bias], alpha=0.5, beta=2.0, **flags)
    product = (a.T if trans[0] else a) @ (b.T if trans[1] else b)
    np.testing.assert_allclose(got, 0.5 * product + (0 if bias is None else 2 * bias), 1e-4, 1e-5)


POOLS = [
    ((1, 2, 9), {"kernel_shape": [3], "strides": [2]}),
    ((2, 3, 8, 7), {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}),
    ((1, 1, 8, 8), {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ((1, 1, 8, 8), {"kernel_shape": [3, 3], "strides": [3, 3], "auto_pad": "SAME_LOWER"}),
    ((1, 1, 5, 6, 7), {"kernel_shape": [2, 2, 2], "strides": [2, 1, 2]}),
]
CEILED = [
    ((1, 2, 9), {"kernel_shape": [2], "strides": [2]}),
    ((1, 1, 7, 8), {"kernel_shape": [3, 3], "strides": [2, 3], "pads": [1, 1, 1, 1]}),
    ((1, 1, 6, 6), {"kernel_shape": [2, 2], "strides": [4, 3], "pads": [0, 0, 1, 1]}),
]


@pytest.mark.parametrize(("shape", "attributes"), CEILED)
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
def test_pools_that_round_up(
    kernels: Runner, op: str, shape: tuple[int, ...], attributes: Any
) -> None:
    against_runtime(kernels, op, 11, [rand(*shape)], ceil_mode=1, **attributes)


def test_average_pool_counts_the_padding_if_told_to(kernels: Runner) -> None:
    attributes = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    against_runtime(
        kernels, "AveragePool", 11, [rand(1, 2, 7, 6)], count_include_pad=1, **attributes
    )


def test_indices_of_max_pool(kernels: Runner) -> None:
    x = rand(2, 2, 5, 6)
    for storage_order in (0, 1):
        values, indices = kernels.run(
            "MaxPool",
            12,
            [x],
            [np.float32, np.int64],
            kernel_shape=[3, 2],
            strides=[2, 2],
            storage_order=storage_order,
        )
        assert values is not None
        flat = x if storage_order == 0 else x.swapaxes(2, 3)
        np.testing.assert_array_equal(flat.reshape(-1)[indices], values)


@pytest.mark.parametrize(("shape", "attributes"), POOLS)
@pytest.mark.parametrize(
    ("op", "opset"),
    [("MaxPool", 7), ("MaxPool", 12), ("AveragePool", 7), ("AveragePool", 19), ("LpPool", 18)],
)
def test_pools(
    kernels: Runner, op: str, opset: int, shape: tuple[int, ...], attributes: Any
) -> None:
    against_runtime(kernels, op, opset, [rand(*shape)], **attributes)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("since", [1, 11, 13])
def test_softmax_flattens_before_version_13(kernels: Runner, op: str, since: int) -> None:
    x = rand(2, 3, 4)
    for axis in (0, 1, 2):
        rows = x if since == 13 else x.reshape(int(np.prod(x.shape[:axis])), -1)
        along = axis if since == 13 else 1
        want = np.exp(rows) / np.exp(rows).sum(along, keepdims=True)
        want = (np.log(want) if op == "LogSoftmax" else want).reshape(x.shape)
        (got,) = kernels.run(op, since, [x], axis=axis)
        np.testing.assert_allclose(got, want, 1e-5, 1e-6)


REDUCERS = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceL1": lambda x, axis, keepdims: np.abs(x).sum(axis, keepdims=keepdims),
    "ReduceL2": lambda x, axis, keepdims: np.sqrt((x * x).sum(axis, keepdims=keepdims)),
    "ReduceSumSquare": lambda x, axis, keepdims: (x * x).sum(axis, keepdims=keepdims),
    "ReduceLogSumExp": lambda x, axis, keepdims: np.log(np.exp(x).sum(axis, keepdims=keepdims)),
}


@pytest.mark.parametrize("op", sorted(REDUCERS))
def test_reductions_over_every_choice_of_axes(kernels: Runner, op: str) -> None:
    x = rand(3, 1, 5, 300)
    newest = HEAVY[op].since[-1]
    for count, keepdims in itertools.product(range(1, 5), (0, 1)):
        for axes in itertools.combinations(range(4), count):
            want = REDUCERS[op](x, axis=axes, keepdims=bool(keepdims))
            given = ints(*(axis - 4 for axis in axes))
            (old,) = kernels.run(op, 1, [x], axes=list(axes), keepdims=keepdims)
            (new,) = kernels.run(op, newest, [x, given], keepdims=keepdims)
            np.testing.assert_allclose(old, want, 1e-4, 1e-5)
            np.testing.assert_array_equal(old, new)


def test_reduction_without_axes(kernels: Runner) -> None:
    x = rand(2, 3)
    (everything,) = kernels.run("ReduceSum", 13, [x], keepdims=0)
    np.testing.assert_allclose(everything, x.sum(), 1e-5)
    for axes in (None, ints()):
        (nothing,) = kernels.run("ReduceSum", 13, [x, axes], noop_with_empty_axes=1)
        np.testing.assert_array_equal(nothing, x)


def test_extremes_of_nan_and_of_nothing(kernels: Runner) -> None:
    x = np.array([[1, np.nan, 2], [np.nan, 3, 4], [5, 6, 7]], np.float32)
    for op, want in (("ReduceMax", np.max(x, 1)), ("ReduceMin", np.min(x, 1))):
        (got,) = kernels.run(op, 20, [x, ints(1)], keepdims=0)
        np.testing.assert_array_equal(got, want)
    limits = np.iinfo(np.int32)
    for op, since, dtype, want in (
        ("ReduceMax", 20, np.float32, -np.inf),
        ("ReduceMin", 20, np.float32, np.inf),
        ("ReduceMax", 20, np.int32, limits.min),
        ("ReduceMin", 20, np.int32, limits.max),
        ("ReduceMean", 18, np.float32, np.nan),
        ("ReduceMean", 18, np.int32, 0),
    ):
        (got,) = kernels.run(op, since, [np.empty((2, 0), dtype), ints(1)], [dtype], keepdims=0)
        np.testing.assert_array_equal(got, [want, want])


def test_log_sum_exp_of_infinities(kernels: Runner) -> None:
    x = np.array([[-np.inf, -np.inf], [np.inf, 0], [1000, 1000]], np.float32)
    (got,) = kernels.run("ReduceLogSumExp", 18, [x, ints(1)], keepdims=0)
    np.testing.assert_allclose(got, [-np.inf, np.inf, 1000 + np.log(2)])


SLICES = [
    # starts, ends, axes, steps
    ([1], [3], [0], [1]),
    ([-1], [-(2**63)], [0], [-1]),
    ([2**63 - 1], [-(2**63)], [1], [-2]),
    ([-(2**63)], [2**63 - 1], [-1], [2**63 - 1]),
    ([4, 0], [0, 5], [1, 0], [-(2**63), 2]),
    ([3], [1], [0], [1]),
    ([-100], [100], [1], [3]),
]


@pytest.mark.parametrize(("starts", "ends", "axes", "steps"), SLICES)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.float64, np.bool_, np.uint16])
def test_slice(kernels: Runner, starts: Any, ends: Any, axes: Any, steps: Any, dtype: Any) -> None:
    x = (np.arange(30).reshape(5, 6) % 7).astype(dtype)
    index = [slice(None), slice(None)]
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        index[axis] = slice(start, end, step)
    inputs = [x, *(ints(*values) for values in (starts, ends, axes, steps))]
    (got,) = kernels.run("Slice", 13, inputs, [dtype])
    np.testing.assert_array_equal(got, x[tuple(index)])


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.uint16, np.bool_])
@pytest.mark.parametrize("perm", list(itertools.permutations(range(4))))
def test_transpose(kernels: Runner, perm: tuple[int, ...], dtype: Any) -> None:
    x = (rand(2, 3, 4, 5) * 9).astype(dtype)
    (got,) = kernels.run("Transpose", 13, [x], [dtype], perm=list(perm))
    np.testing.assert_array_equal(got, x.transpose(perm))


def test_split_leaves_out_outputs_that_nobody_asks_for(kernels: Runner) -> None:
    x = rand(4, 7)
    first, nothing, last = kernels.run(
        "Split", 13, [x, ints(2, 1, 4)], [np.float32, None, np.float32], axis=1
    )
    assert nothing is None
    np.testing.assert_array_equal(first, x[:, :2])
    np.testing.assert_array_equal(last, x[:, 3:])


def test_batch_normalization_of_mixed_types(kernels: Runner) -> None:
    x = rand(2, 3, 4)
    parameters = [np.abs(rand(3, dtype=np.float64)) + 0.5 for _ in range(4)]
    scale, bias, mean, variance = (p[:, None] for p in parameters)
    (got,) = kernels.run("BatchNormalization", 15, [x, *parameters], epsilon=0.0)
    np.testing.assert_allclose(got, (x - mean) / np.sqrt(variance) * scale + bias, 1e-5, 1e-5)


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
def test_pad_beyond_the_size_of_the_input(kernels: Runner, mode: str) -> None:
    x = rand(2, 3)
    (got,) = kernels.run("Pad", 19, [x, ints(1, 7, 2, 8)], mode=mode)
    np.testing.assert_array_equal(got, np.pad(x, ((1, 2), (7, 8)), mode))


X = np.zeros((2, 3), np.float32)
BIG = 2**62
REFUSALS: list[tuple[str, int, list[Any], dict[str, Any], str]] = [
    ("Softmax", 13, [X], {"axis": 2}, "axis 2 is out of range"),
    ("Softmax", 13, [X], {"axis": -(2**63)}, "out of range"),
    ("MatMul", 13, [X, X], {}, "cannot multiply"),
    ("MatMul", 13, [np.float32(1), X], {}, "scalar"),
    ("MatMul", 13, [rand(2, 1, 1), rand(3, 1, 1)], {}, "broadcast"),
    ("Gemm", 13, [X, X], {}, "cannot multiply"),
    ("Gemm", 13, [X, X.T, rand(3, 2)], {}, "cannot be broadcast"),
    ("Gemm", 13, [X[0], X], {}, "rank 2"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"group": 0}, "group is 0"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"group": 2}, "do not fit 2 groups"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"strides": [0]}, "strides"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"strides": [1, 1]}, "must have 1 values"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"pads": [-1, 0]}, "pads"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"dilations": [BIG]}, "dilations"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"kernel_shape": [2]}, "contradicts"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 5)], {}, "does not fit"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3), rand(3)], {}, "2 values"),
    ("Conv", 11, [rand(1, 2), rand(2, 2)], {}, "rank 3"),
    ("Conv", 11, [rand(1, 2, 4), rand(2, 2, 3)], {"auto_pad": "SAME"}, "auto_pad"),
    ("Conv", 11, [rand(1, 1, 2, 2, 2, 2), rand(1, 1, 1, 1, 1, 1)], {}, "three dimensions"),
    ("MaxPool", 12, [rand(1, 1, 4)], {}, "kernel_shape is missing"),
    ("MaxPool", 12, [rand(1, 1, 4)], {"kernel_shape": [0]}, "kernel_shape"),
    ("MaxPool", 12, [rand(1, 1, 4)], {"kernel_shape": [2], "pads": [2, 0]}, "padding only"),
    ("MaxPool", 12, [rand(1, 1, 4)], {"kernel_shape": [2, 2]}, "must have 1 values"),
    (
        "AveragePool",
        11,
        [rand(1, 1, 1, 1, 1)],
        {"kernel_shape": [2**30] * 3, "pads": [2**30 - 1] * 3 + [0] * 3},
        "as large as",
    ),
    ("LpPool", 18, [rand(1, 1, 4)], {"kernel_shape": [2], "p": 0}, "p is 0"),
    ("GlobalMaxPool", 1, [rand(1, 1, 0)], {}, "nothing to pool"),
    ("ReduceSum", 13, [X, ints(0, 0)], {}, "named twice"),
    ("ReduceSum", 13, [X, ints(0, -2)], {}, "named twice"),
    ("ReduceSum", 13, [X, ints(5)], {}, "out of range"),
    ("ReduceSum", 13, [X, ints(0).reshape(1, 1)], {}, "one dimension"),
    ("ArgMax", 13, [np.empty((2, 0), np.float32)], {"axis": 1}, "empty"),
    ("Reshape", 14, [X, ints(-1, -1)], {}, "-1 twice"),
    ("Reshape", 14, [X, ints(4, 2)], {}, "cannot reshape"),
    ("Reshape", 14, [X, ints(-2, 3)], {}, "negative"),
    ("Reshape", 14, [X, ints(BIG, BIG)], {}, "too many elements"),
    ("Reshape", 14, [X, ints(2, 3, 0)], {}, "copies a dimension"),
    ("Reshape", 14, [X, ints(0, -1)], {"allowzero": 1}, "ambiguous"),
    ("Reshape", 14, [X, ints(4, -1)], {}, "cannot reshape"),
    ("Squeeze", 13, [X, ints(0)], {}, "is not 1"),
    ("Unsqueeze", 13, [X, ints(0, 0)], {}, "named twice"),
    ("Unsqueeze", 13, [X, ints(9)], {}, "out of range"),
    ("Flatten", 13, [X], {"axis": 3}, "out of range"),
    ("Transpose", 13, [X], {"perm": [0]}, "must have 2 values"),
    ("Transpose", 13, [X], {"perm": [0, 0]}, "named twice"),
    ("Concat", 13, [X, X], {}, "axis is missing"),
    ("Concat", 13, [X, rand(2, 3, 1)], {"axis": 0}, "rank"),
    ("Concat", 13, [X, rand(4, 4)], {"axis": 0}, "differs"),
    ("Slice", 13, [X, ints(0), ints(1), ints(0), ints(0)], {}, "step is 0"),
    ("Slice", 13, [X, ints(0, 0), ints(1)], {}, "differ in length"),
    ("Slice", 13, [X, ints(0, 0), ints(1, 1), ints(0, 0)], {}, "named twice"),
    ("Slice", 13, [X, ints(0, 0, 0), ints(1, 1, 1)], {}, "out of range"),
    ("Split", 13, [X, ints(1, 2)], {}, "does not make"),
    ("Split", 13, [X, ints(BIG, BIG)], {}, "does not make"),
    ("Split", 13, [X, ints(-1, 3)], {}, "does not make"),
    ("Split", 18, [X], {"num_outputs": 2}, "num_outputs is 2"),
    ("Gather", 13, [X, ints(2)], {}, "index 2 is out of range"),
    ("Gather", 13, [X, ints(-3)], {}, "index -3 is out of range"),
    ("Gather", 13, [X, ints(0)], {"axis": 2}, "axis 2 is out of range"),
    ("GatherElements", 13, [X, ints(0)], {}, "rank 2"),
    ("GatherElements", 13, [X, ints(3).reshape(1, 1)], {"axis": 1}, "index 3 is out of range"),
    ("GatherElements", 13, [X, np.zeros((3, 3), np.int64)], {"axis": 1}, "reach out of"),
    ("Pad", 13, [X, ints(0, 0, 0)], {}, "two values"),
    ("Pad", 13, [X, ints(0, 0, -5, 0)], {}, "negative"),
    ("Pad", 13, [X, ints(0, 0, BIG, 0)], {}, "too large"),
    ("Pad", 13, [X, ints(0, 0, 2**60, 0)], {}, "too many elements"),
    ("Pad", 13, [X, ints(0, 0, 0, 0)], {"mode": "mirror"}, "unknown mode"),
    ("Pad", 13, [X[:0], ints(1, 0, 0, 0)], {"mode": "edge"}, "nothing to repeat"),
    ("Pad", 18, [X, ints(1, 1, 1, 1), None, ints(0, 0)], {}, "named twice"),
    ("Expand", 13, [X, ints(2, 2)], {}, "broadcast"),
    ("Expand", 13, [X, ints(BIG, 1, 1)], {}, "too many elements"),
    ("Expand", 13, [X, ints(-1, 3)], {}, "negative"),
    ("Tile", 13, [X, ints(1)], {}, "one value for each axis"),
    ("Tile", 13, [X, ints(BIG, 1)], {}, "too many elements"),
    ("Tile", 13, [X, ints(-1, 1)], {}, "negative"),
    ("ConstantOfShape", 9, [ints(-1)], {}, "negative"),
    ("ConstantOfShape", 9, [ints(BIG, 2)], {}, "too many elements"),
    ("ConstantOfShape", 9, [ints(1)], {"value": rand(2)}, "not one element"),
    ("BatchNormalization", 15, [X, *([rand(2)] * 4)], {}, "one value for each channel"),
    ("BatchNormalization", 7, [X, *([rand(3)] * 4)], {"spatial": 0}, "spatial=0"),
    ("BatchNormalization", 6, [X, *([rand(3)] * 4)], {}, "training"),
    ("LayerNormalization", 17, [X, rand(2)], {}, "normalized axes"),
    ("LayerNormalization", 17, [X, rand(3)], {"stash_type": 16}, "stash_type"),
    ("InstanceNormalization", 6, [X, rand(2), rand(3)], {}, "one value for each channel"),
    ("GroupNormalization", 21, [X, rand(3), rand(3)], {"num_groups": 2}, "2 groups"),
    ("GroupNormalization", 21, [X, rand(3), rand(3)], {"num_groups": 0}, "num_groups is 0"),
    ("LRN", 13, [X], {"size": 0}, "size"),
]


@pytest.mark.parametrize(("op", "since", "inputs", "attributes", "reason"), REFUSALS)
def test_refuses_what_makes_no_sense(
    kernels: Runner,
    place: str,
    op: str,
    since: int,
    inputs: list[Any],
    attributes: Any,
    reason: str,
) -> None:
    if place == "device" and reason.startswith("index"):
        # Indices are read by the device, when it is too late to refuse.
        (got,) = kernels.run(op, since, inputs, **attributes)
        np.testing.assert_array_equal(got, np.zeros_like(got))
        return
    with pytest.raises(KernelError, match=reason) as caught:
        kernels.run(op, since, inputs, **attributes)
    assert caught.value.code in ("invalid argument", "not implemented")


def test_the_text_direction_model(kernels: Runner, model: Path) -> None:
    """Every node of the model, by our kernels, against ONNX Runtime."""
    import onnxruntime

    image = rand(1, 3, 48, 192)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    (want,) = session.run(None, {"x": image})
    got = run_model(kernels, onnx.load(model), {"x": image})
    assert np.abs(got - want).max() <= 1e-5


def run_model(kernels: Runner, model: onnx.ModelProto, values: dict[str, Array]) -> Array:
    """The first output of a model, node by node."""
    values = dict(values) | {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for node in model.graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "Constant":
            values[node.output[0]] = numpy_helper.to_array(attributes["value"])
            continue
        single = helper.make_model(
            helper.make_graph([node], "node", [], []), opset_imports=model.opset_import
        )
        inputs = [values[name] if name else None for name in node.input]
        dtype = inputs[0].dtype if inputs[0] is not None else np.float32
        if node.op_type == "Cast":
            dtype = helper.tensor_dtype_to_np_dtype(attributes["to"])
        elif node.op_type == "Shape":
            dtype = np.dtype(np.int64)
        (result,) = kernels.run(node.op_type, since_version(single), inputs, [dtype], **attributes)
        assert result is not None
        values[node.output[0]] = result
    return values[model.graph.output[0].name]
