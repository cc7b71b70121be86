"""Kernels that scatter, select, add up and draw: against ONNX's node tests, ONNX Runtime's CPU and
NumPy, and the same however many threads there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from kernel_project import make_op, write_kernels
from kernel_runner import KernelError, Runner, build
from node_tests import check_node_tests
from onnx import helper

from epforge.ops.families import drawing, scatter, selection, sequence
from epforge.ops.families._common import ANY

Array = np.ndarray[Any, Any]
ROWS = {row.op: row for module in (scatter, selection, sequence, drawing) for row in module.ROWS}
#: ONNX has no node tests of these, or tests that expect the numbers of numpy's generator.
UNTESTED = {"Bernoulli", "Multinomial", "Scatter"} | {op for op in ROWS if op.startswith("Random")}
PIECES = (1, 2, 7)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    project = tmp_path_factory.mktemp("positions")
    write_kernels(project, [make_op(op, ANY) for op in ROWS])
    return build(project, "acme_npu")


@pytest.fixture
def chance() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.parametrize("op", sorted(ROWS.keys() - UNTESTED))
def test_passes_the_node_tests_of_onnx(kernels: Runner, op: str) -> None:
    assert check_node_tests(kernels, op) > 0


def _on_cpu(op: str, opset: int, inputs: list[Array], outputs: int, **attributes: Any) -> Any:
    given = {f"x{i}": x for i, x in enumerate(inputs)}
    made = [f"y{i}" for i in range(outputs)]
    numbers = {n: helper.np_dtype_to_tensor_dtype(x.dtype) for n, x in given.items()}
    graph = helper.make_graph(
        [helper.make_node(op, list(given), made, **attributes)],
        "test",
        [helper.make_tensor_value_info(n, numbers[n], x.shape) for n, x in given.items()],
        [onnx.ValueInfoProto(name=name) for name in made],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, given)


def _same(
    kernels: Runner, op: str, since: int, inputs: list[Array], types: list[Any], **attributes: Any
) -> None:
    """Compares a call with the CPU, in several numbers of pieces."""
    wanted = _on_cpu(op, since, inputs, len(types), **attributes)
    for pieces in PIECES:
        got = kernels.run(op, since, inputs, types, pieces=pieces, **attributes)
        for mine, theirs in zip(got, wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64])
def test_updates_of_one_element_come_one_after_another(
    kernels: Runner, chance: np.random.Generator, reduction: str, dtype: Any
) -> None:
    x = chance.integers(0, 5, (4, 3, 5)).astype(dtype)
    for axis in range(3):
        indices = chance.integers(-x.shape[axis], x.shape[axis], (4, 3, 5))
        updates = chance.integers(0, 3, indices.shape).astype(dtype)
        attributes = {"axis": axis, "reduction": reduction}
        _same(kernels, "ScatterElements", 18, [x, indices, updates], [dtype], **attributes)
    for depth in (1, 2, 3):
        indices = np.stack([chance.integers(-n, n, (9,)) for n in x.shape[:depth]], axis=-1)
        updates = chance.integers(0, 3, (9, *x.shape[depth:])).astype(dtype)
        _same(kernels, "ScatterND", 18, [x, indices, updates], [dtype], reduction=reduction)


@pytest.mark.parametrize("op", ["Scatter", "ScatterElements", "ScatterND", "GatherND"])
@pytest.mark.parametrize("index", [3, -4, 2**62, -(2**63)])
def test_indices_outside_are_refused(kernels: Runner, op: str, index: int) -> None:
    x = np.zeros((3,), np.float32)
    indices = np.array([[index]] if op.endswith("ND") else [index])
    updates = [] if op == "GatherND" else [np.ones((1,), np.float32)]
    since = ROWS[op].since[-1]
    with pytest.raises(KernelError, match=f"index {index} is out of range for 3 elements"):
        kernels.run(op, since, [x, indices, *updates])


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_of_equal_elements_the_first_ranks_first_and_nan_is_the_largest(
    kernels: Runner, chance: np.random.Generator, largest: int, dtype: Any
) -> None:
    x = chance.integers(-3, 4, (3, 17, 4)).astype(dtype)
    if x.dtype.kind == "f":
        x[x == 2] = np.nan
    for axis in range(3):
        for k in {0, 1, x.shape[axis] // 2, x.shape[axis]}:
            given = [x, np.array([k])]
            _same(kernels, "TopK", 11, given, [dtype, np.int64], axis=axis, largest=largest)


@pytest.mark.parametrize("sort", [0, 1])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_each_slice_once(
    kernels: Runner, chance: np.random.Generator, sort: int, axis: int | None
) -> None:
    x = chance.integers(0, 2, (7, 2, 3)).astype(np.float32)
    attributes = {"sorted": sort, **({} if axis is None else {"axis": axis})}
    types = [np.float32, np.int64, np.int64, np.int64]
    _same(kernels, "Unique", 11, [x], types, **attributes)
    _same(kernels, "Unique", 11, [x], types[:1], **attributes)


def test_nan_is_one_value_behind_all_others(kernels: Runner) -> None:
    x = np.array([np.nan, 1, np.nan, -np.inf, 1, np.inf], np.float32)
    y, first, of, counts = kernels.run("Unique", 28, [x], [np.float32, *[np.int64] * 3])
    wanted = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    for mine, numpys in zip((y, first, of, counts), wanted, strict=True):
        np.testing.assert_array_equal(mine, numpys)


@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("exclusive", [0, 1])
def test_running_sums_along_every_axis(
    kernels: Runner, chance: np.random.Generator, exclusive: int, reverse: int
) -> None:
    x = chance.integers(-9, 9, (3, 5, 4)).astype(np.int64)
    for axis in (0, 1, -1):
        attributes = {"exclusive": exclusive, "reverse": reverse}
        _same(kernels, "CumSum", 14, [x, np.array(axis)], [np.int64], **attributes)


@pytest.mark.parametrize(
    ("start", "limit", "delta", "dtype"),
    [
        (-(2**63), 2**63 - 1, 2**62, np.int64),
        (2**63 - 1, -(2**63), -(2**63), np.int64),
        (-32768, 32767, 32767, np.int16),
        (5, 0, -2, np.int32),
        (0.0, 1.0, 0.1, np.float64),
    ],
)
def test_ranges_reach_the_ends_of_their_types(
    kernels: Runner, start: float, limit: float, delta: float, dtype: Any
) -> None:
    given = [np.array(number, dtype) for number in (start, limit, delta)]
    (y,) = kernels.run("Range", 27, given, [dtype])
    if np.dtype(dtype).kind == "f":
        np.testing.assert_allclose(y, np.arange(start, limit, delta))
    else:
        assert y is not None
        assert y.tolist() == list(range(int(start), int(limit), int(delta)))


@pytest.mark.parametrize("numbers", [(0, 1, 0), (0, np.inf, 1), (np.nan, 1, 1), (0, 1e30, 1e-30)])
def test_ranges_without_an_end_are_refused(kernels: Runner, numbers: tuple[float, ...]) -> None:
    with pytest.raises(KernelError, match="range without an end"):
        kernels.run("Range", 11, [np.array(number, np.float32) for number in numbers])


# What is drawn.


def _drawn(kernels: Runner, op: str, pieces: int = 3, **attributes: Any) -> Array:
    inputs: list[Array] = []
    kind: Any = np.float32
    if op.endswith("Like"):
        inputs = [np.zeros((50, 400), np.int64)]
    elif op == "Bernoulli":
        inputs = [np.full((50, 400), 0.25, np.float32)]
    elif op == "Multinomial":
        inputs, kind = [np.log(np.array([[0.5, 0.3, 0.2]], np.float32))], np.int64
        attributes["sample_size"] = 20000
    else:
        attributes["shape"] = [50, 400]
    since = ROWS[op].since[-1]
    (y,) = kernels.run(op, since, inputs, [kind], pieces=pieces, **attributes)
    assert y is not None
    return y.reshape(-1)


@pytest.mark.parametrize("op", sorted(row.op for row in drawing.ROWS))
def test_a_seed_gives_the_same_numbers_in_any_number_of_pieces(kernels: Runner, op: str) -> None:
    one = _drawn(kernels, op, 1, seed=1.5)
    for pieces in PIECES:
        np.testing.assert_array_equal(_drawn(kernels, op, pieces, seed=1.5), one)
    assert (_drawn(kernels, op, seed=2.5) != one).any()


@pytest.mark.parametrize("op", sorted(row.op for row in drawing.ROWS))
def test_without_a_seed_every_call_draws_anew(kernels: Runner, op: str) -> None:
    assert (_drawn(kernels, op) != _drawn(kernels, op)).any()


@pytest.mark.parametrize("like", ["", "Like"])
def test_numbers_are_spread_as_asked(kernels: Runner, like: str) -> None:
    y = _drawn(kernels, f"RandomUniform{like}", seed=1.0, low=-1.0, high=3.0)
    assert -1 <= y.min() < -0.99
    assert 2.99 < y.max() <= 3
    np.testing.assert_allclose(np.histogram(y, 4)[0] / y.size, 0.25, atol=0.02)
    z = _drawn(kernels, f"RandomNormal{like}", seed=1.0, mean=5.0, scale=2.0)
    np.testing.assert_allclose((z.mean(), z.std()), (5, 2), atol=0.05)
    np.testing.assert_allclose((np.abs(z - 5) < 2).mean(), 0.683, atol=0.02)
    assert abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 0.03


def test_chances_are_kept(kernels: Runner) -> None:
    np.testing.assert_allclose(_drawn(kernels, "Bernoulli", seed=1.0).mean(), 0.25, atol=0.02)
    counts = np.bincount(_drawn(kernels, "Multinomial", seed=1.0), minlength=3) / 20000
    np.testing.assert_allclose(counts, [0.5, 0.3, 0.2], atol=0.02)
