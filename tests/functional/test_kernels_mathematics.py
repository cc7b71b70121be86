"""Losses, norms, sums of products, spectra, and what training adds: against ONNX's node tests and
NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_project import make_op, write_kernels
from kernel_runner import KernelError, Runner, build
from node_tests import check_node_tests

from epforge.ops.families import linear_algebra, loss, spectral
from epforge.ops.families._common import ANY

Array = np.ndarray[Any, Any]
OPS = [row.op for module in (linear_algebra, loss, spectral) for row in module.ROWS]
TRAINED = ("BatchNormalization", "Dropout")
#: Their tests hold what another library's rounding left of zeros.
ROUNDED = {"DFT"}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    project = tmp_path_factory.mktemp("mathematics")
    write_kernels(project, [make_op(op, ANY) for op in (*OPS, *TRAINED)])
    return build(project, "acme_npu")


@pytest.fixture
def chance() -> np.random.Generator:
    return np.random.default_rng(3)


def _pairs(numbers: Array) -> Array:
    return np.stack([numbers.real, numbers.imag], -1)


@pytest.mark.parametrize("op", sorted({*OPS, *TRAINED} - ROUNDED))
def test_passes_the_node_tests_of_onnx(kernels: Runner, op: str) -> None:
    assert check_node_tests(kernels, op) > 0


@pytest.mark.parametrize("points", [*range(1, 18), 31, 32, 97, 100, 128, 1009])
def test_transforms_of_any_length(
    kernels: Runner, chance: np.random.Generator, points: int
) -> None:
    x = chance.standard_normal((2, points, 3, 2))
    z = x[..., 0] + 1j * x[..., 1]
    axis = np.array(1, np.int64)
    (forth,) = kernels.run("DFT", 20, [x, None, axis], [np.float64])
    np.testing.assert_allclose(forth, _pairs(np.fft.fft(z, axis=1)), 1e-9, 1e-9)
    (back,) = kernels.run("DFT", 20, [x, None, axis], [np.float64], inverse=1)
    np.testing.assert_allclose(back, _pairs(np.fft.ifft(z, axis=1)), 1e-9, 1e-9)
    (half,) = kernels.run("DFT", 20, [x[..., :1], None, axis], [np.float64], onesided=1)
    np.testing.assert_allclose(half, _pairs(np.fft.rfft(z.real, axis=1)), 1e-9, 1e-9)
    for length in (1, points // 2 + 1, 2 * points + 1):
        inputs = [x, np.array(length, np.int64), axis]
        (longer,) = kernels.run("DFT", 20, inputs, [np.float64])
        np.testing.assert_allclose(longer, _pairs(np.fft.fft(z, length, axis=1)), 1e-9, 1e-9)
        (real,) = kernels.run("DFT", 20, inputs, [np.float64], inverse=1, onesided=1)
        np.testing.assert_allclose(real[..., 0], np.fft.irfft(z, length, axis=1), 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("abc->cb", [(2, 3, 4)]),
        ("aab->b", [(3, 3, 2)]),
        ("a...b->b...", [(2, 3, 4, 5)]),
        ("...a,a...", [(2, 3, 4), (4, 2, 3)]),
        ("ab,bc,cd->ad", [(2, 3), (3, 9), (9, 12)]),
        ("ab,cb,c", [(2, 3), (4, 3), (4,)]),
        ("Ba,aB->", [(2, 3), (3, 2)]),
        ("a,b,c->cab", [(2,), (3,), (10,)]),
        ("ab,bc,c->a", [(2, 0), (0, 3), (3,)]),
        (" ab , bc -> c ", [(2, 3), (3, 0)]),
        ("ab,c->a", [(2, 3), (0,)]),
        (",->", [(), ()]),
    ],
)
def test_sums_of_products(
    kernels: Runner, chance: np.random.Generator, equation: str, shapes: list[tuple[int, ...]]
) -> None:
    for dtype in (np.float64, np.int32):
        inputs = [chance.integers(-9, 10, shape).astype(dtype) for shape in shapes]
        (y,) = kernels.run("Einsum", 12, inputs, [dtype], equation=equation)
        np.testing.assert_array_equal(y, np.einsum(equation, *inputs))


@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        ("ab,b", "one term for each input"),
        ("a$->a", "cannot read"),
        ("....", "cannot read"),
        ("ab-", "half an arrow"),
        ("ab->a,b", "end with its result"),
        ("ab->c", "one of the inputs'"),
        ("ab->aa", "there once"),
        ("abc->a", "the axes that the equation says"),
        ("aa->a", "does not fit"),
    ],
)
def test_refuses_an_equation_that_makes_no_sense(
    kernels: Runner, equation: str, reason: str
) -> None:
    with pytest.raises(KernelError, match=reason):
        kernels.run("Einsum", 12, [np.ones((2, 3), np.float32)], equation=equation)


@pytest.mark.parametrize("op", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
def test_refuses_a_label_of_no_class(kernels: Runner, op: str) -> None:
    x = np.zeros((2, 3), np.float32)
    for label in (3, -1):
        with pytest.raises(KernelError, match=f"label {label} is none of 3 classes"):
            kernels.run(op, 13, [x, np.array([0, label], np.int64)])
    (y,) = kernels.run(op, 13, [x, np.array([-1, -1], np.int64)], ignore_index=-1)
    assert np.isnan(y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_training_drops_as_many_as_it_is_told(
    kernels: Runner, chance: np.random.Generator, dtype: Any
) -> None:
    x = chance.uniform(1, 2, (100, 200)).astype(dtype)
    inputs = [x, np.array(0.25, np.float32), np.array(True)]
    y, mask = kernels.run("Dropout", 13, inputs, [dtype, np.bool_], seed=7)
    assert y is not None
    assert mask is not None
    assert abs(mask.mean() - 0.75) < 0.02
    np.testing.assert_allclose(y, np.where(mask, x / 0.75, 0), 1e-3)
    again, _ = kernels.run("Dropout", 13, inputs, [dtype, np.bool_], seed=7)
    np.testing.assert_array_equal(again, y)
    other, _ = kernels.run("Dropout", 13, inputs, [dtype, np.bool_], seed=8)
    assert (other != y).any()
    everything = [x, np.array(1, np.float32), np.array(True)]
    with pytest.raises(KernelError, match="ratio"):
        kernels.run("Dropout", 13, everything, [dtype])
