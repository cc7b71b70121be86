"""Results made of many elements: several threads of the device find what the host's loop does."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from device_kernels import emulated
from kernel_project import make_op, write_kernels
from kernel_runner import KernelError, Runner, build

from epforge.ops import families
from epforge.ops.model import DType

_FAMILIES = {
    "arg_extreme",
    "batch_normalization",
    "global_pool",
    "group_normalization",
    "layer_normalization",
    "lrn",
    "reduction",
    "softmax",
}
_ROWS = {row.op: row for row in families.rows() if row.family in _FAMILIES}
_REDUCERS = sorted(op for op, row in _ROWS.items() if row.family == "reduction")
_ALONG_AN_AXIS = ["ArgMax", "ArgMin", "Hardmax", "LogSoftmax", "Softmax"]
_NORMS = ["GroupNormalization", "InstanceNormalization", "LayerNormalization", "RMSNormalization"]
_TYPES = (DType.FLOAT32, DType.INT32, DType.UINT8, DType.BOOL)
_ODD = (np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, 1.0, 1.0, 2.0)
Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Runner, Runner]:
    """The kernels of the host and those of the device."""
    ops = [make_op(op, _TYPES) for op in _ROWS]
    project = tmp_path_factory.mktemp("host")
    write_kernels(project, ops)
    return build(project, "acme_npu"), emulated(tmp_path_factory.mktemp("device"), ops)


def _same(both: tuple[Runner, Runner], *call: Any, **attributes: Any) -> None:
    with np.errstate(all="ignore"):
        want, got = (kernels.run(*call, **attributes) for kernels in both)
        for a, b in zip(want, got, strict=True):
            if a is None or b is None:
                assert a is b
                continue
            assert a.shape == b.shape
            np.testing.assert_allclose(b, a, 1e-5, 1e-6, err_msg=f"{call} {attributes}")


def _tensors(shapes: list[tuple[int, ...]], seed: int) -> Iterator[Array]:
    """Per shape one of ordinary numbers, and some in which others are rare or frequent."""
    chance = np.random.default_rng(seed)
    for shape in shapes:
        for share in (0.0, 0.1, 0.5, 1.0):
            x = chance.standard_normal(shape).round(1).astype(np.float32)
            odd = chance.choice(np.array(_ODD, np.float32), shape)
            yield np.where(chance.random(shape) < share, odd, x)


_SHAPES = [(7,), (1, 3), (2, 11), (3, 4, 5), (5, 2, 70), (2, 3, 2, 3), (70, 2)]


def _newest(op: str) -> int:
    return _ROWS[op].since[-1]


@pytest.mark.parametrize("op", _REDUCERS)
def test_reductions(both: tuple[Runner, Runner], op: str) -> None:
    for x in _tensors(_SHAPES, 1):
        for count in range(x.ndim + 1):
            for axes in itertools.combinations(range(x.ndim), count):
                given = np.array(axes, np.int64)
                _same(both, op, _newest(op), [x, given], noop_with_empty_axes=x.size % 2)


_INTEGERS = [
    (op, dtype)
    for op in _REDUCERS
    for dtype in _TYPES
    if dtype in _ROWS[op].types["T"] and dtype is not DType.FLOAT32
]


@pytest.mark.parametrize(("op", "dtype"), _INTEGERS)
def test_reductions_of_integers(both: tuple[Runner, Runner], op: str, dtype: DType) -> None:
    chance = np.random.default_rng(2)
    for shape in _SHAPES:
        x = chance.integers(0, 2**63, shape).astype(dtype.text)
        for axis in range(x.ndim):
            axes = np.array([axis], np.int64)
            _same(both, op, _newest(op), [x, axes], [dtype.text], keepdims=axis % 2)


@pytest.mark.parametrize("op", _REDUCERS)
def test_reductions_of_nothing(both: tuple[Runner, Runner], op: str) -> None:
    for shape, axes in (((0,), [0]), ((3, 0), [1]), ((2, 0, 3), [1]), ((0, 2, 4), [0, 2])):
        x = np.empty(shape, np.float32)
        _same(both, op, _newest(op), [x, np.array(axes, np.int64)])


def test_reductions_in_many_dimensions(both: tuple[Runner, Runner]) -> None:
    for turns in (3, 7):
        x = np.arange(4**turns, dtype=np.float32).reshape((2, 2) * turns)
        _same(both, "ReduceSum", 13, [x, np.arange(0, 2 * turns, 2)])
        _same(both, "ReduceSum", 13, [x, np.arange(1, 2 * turns, 2)])
    x = np.ones((1, 2) * 4 + (2,) * 10, np.float32)
    _same(both, "ReduceSum", 13, [x, np.arange(8)])


def test_reductions_in_too_many_dimensions_are_refused(both: tuple[Runner, Runner]) -> None:
    x = np.ones((2,) * 18, np.float32)
    for first in (0, 1):
        with pytest.raises(KernelError, match="ReduceSum: axes that take turns") as caught:
            both[1].run("ReduceSum", 13, [x, np.arange(first, 18, 2)])
        assert caught.value.code == "not implemented"


@pytest.mark.parametrize("op", _ALONG_AN_AXIS)
def test_along_an_axis(both: tuple[Runner, Runner], op: str) -> None:
    extreme = op.startswith("Arg")
    outputs = [np.int64] if extreme else [np.float32]
    for x in _tensors(_SHAPES, 3):
        for axis in range(x.ndim):
            _same(both, op, _newest(op), [x], outputs, axis=axis)
            if extreme:
                _same(both, op, _newest(op), [x], outputs, axis=axis, select_last_index=1)
                few = np.nan_to_num(x.clip(-1, 1)).astype(np.int32)
                _same(both, op, _newest(op), [few], outputs, axis=axis, select_last_index=1)
            else:
                _same(both, op, 1, [x], outputs, axis=axis)


@pytest.mark.parametrize("op", ["GlobalMaxPool", "GlobalAveragePool", "LRN"])
def test_over_planes(both: tuple[Runner, Runner], op: str) -> None:
    for x in _tensors([(1, 1, 1), (2, 3, 4), (1, 4, 3, 5), (2, 33, 7), (1, 9)], 4):
        sizes = [{"size": size} for size in (1, 2, 3, 40)] if op == "LRN" else [{}]
        for attributes in sizes:
            _same(both, op, _newest(op), [x], **attributes)


@pytest.mark.parametrize("op", _NORMS)
def test_norms(both: tuple[Runner, Runner], op: str) -> None:
    chance = np.random.default_rng(5)
    for x in _tensors([(1, 2), (2, 6, 1), (3, 4, 5), (2, 4, 3, 3), (70, 2)], 6):
        per_row = op in ("LayerNormalization", "RMSNormalization")
        for axis in range(x.ndim) if per_row else (1,):
            shape = x.shape[axis:] if per_row else (x.shape[1],)
            scale, bias = (chance.standard_normal(shape).astype(np.float32) for _ in range(2))
            inputs = [x, scale] if op == "RMSNormalization" else [x, scale, bias]
            attributes: dict[str, Any] = {"axis": axis} if per_row else {}
            if op == "GroupNormalization":
                attributes = {"num_groups": 2}
            _same(both, op, _newest(op), inputs, **attributes)
            if op == "LayerNormalization":
                f = np.float32
                for outputs in ([f, f, f], [None, f, None], [f, None, f]):
                    _same(both, op, 17, [x, scale, None], outputs, axis=axis)


def test_normalizing_nothing_has_a_mean_that_is_none(both: tuple[Runner, Runner]) -> None:
    x, scale = np.empty((3, 0), np.float32), np.empty(0, np.float32)
    outputs = [np.float32] * 3
    _same(both, "LayerNormalization", 17, [x, scale], outputs)
    (_, mean, _) = both[1].run("LayerNormalization", 17, [x, scale], outputs)
    assert mean is not None
    assert np.isnan(mean).all()


def test_batch_normalization(both: tuple[Runner, Runner]) -> None:
    chance = np.random.default_rng(7)
    for x in _tensors([(5,), (2, 3), (70, 3), (2, 3, 4), (2, 1, 3, 5)], 8):
        channels = x.shape[1] if x.ndim > 1 else 1
        values = [chance.random(channels).astype(np.float32) for _ in range(4)]
        _same(both, "BatchNormalization", 15, [x, *values])
        # Added up in another order, the statistics may differ in their last bits.
        outputs = [np.float32] * 3
        trained = [
            k.run("BatchNormalization", 15, [x, *values], outputs, training_mode=1) for k in both
        ]
        for host, device in zip(*trained, strict=True):
            np.testing.assert_allclose(host, device, rtol=1e-4, atol=1e-5)
