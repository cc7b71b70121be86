"""Device code that moves elements does it as the kernels of the host do."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from device_kernels import emulated, to_ptx, write_device_kernels
from kernel_project import make_op, write_kernels
from kernel_runner import KernelError, Runner, build

from epforge.ops.families import movement
from epforge.ops.families._common import ANY

Array = np.ndarray[Any, Any]
_OPS = sorted(row.op for row in movement.ROWS)
#: An element type of each size.
_TYPES = (np.uint8, np.int16, np.float32, np.int64)


@pytest.fixture(scope="session")
def device(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return emulated(tmp_path_factory.mktemp("device"), [make_op(op) for op in _OPS])


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    project = tmp_path_factory.mktemp("host")
    write_kernels(project, [make_op(op, ANY) for op in _OPS])
    return build(project, "acme_npu")


def _ints(values: Any) -> Array:
    return np.array(values, np.int64)


class _Case:
    """A call with random shapes: small and odd ones, and those where wide units fit."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.dtype = self.chance.choice(_TYPES)
        self.numbers = np.random.default_rng(seed)
        self.attributes: dict[str, Any] = {}
        self.outputs = 1

    def shape(self, most: int = 5) -> tuple[int, ...]:
        return tuple(
            self.chance.choice((1, 2, 3, 4, 7, 8, 16)) for _ in range(self.chance.randint(1, most))
        )

    def tensor(self, shape: tuple[int, ...]) -> Array:
        return self.numbers.integers(0, 100, shape).astype(self.dtype)

    def axis(self, x: Array) -> int:
        self.attributes["axis"] = self.chance.randrange(-x.ndim, x.ndim)
        return int(self.attributes["axis"] % x.ndim)

    def indices(self, shape: tuple[int, ...], dim: int) -> Array:
        dtype = self.chance.choice((np.int32, np.int64))
        return self.numbers.integers(-dim, dim, shape).astype(dtype)


def _concat(case: _Case) -> list[Any]:
    x = case.tensor(case.shape())
    axis = case.axis(x)
    pieces = [x]
    for _ in range(case.chance.randint(0, 3)):
        shape = list(x.shape)
        shape[axis] = case.chance.randint(0, 9)
        pieces.append(case.tensor(tuple(shape)))
    return pieces


def _split(case: _Case) -> list[Any]:
    x = case.tensor(case.shape())
    length = x.shape[case.axis(x)]
    cuts = sorted(case.chance.randint(0, length) for _ in range(case.chance.randint(0, 3)))
    pieces = np.diff([0, *cuts, length])
    case.outputs = len(pieces)
    return [x, _ints(pieces)]


def _slice(case: _Case) -> list[Any]:
    x = case.tensor(case.shape())
    axes = case.chance.sample(range(x.ndim), case.chance.randint(1, x.ndim))
    starts, ends, steps = [], [], []
    for axis in axes:
        step = case.chance.choice((1, 1, 2, 3, -1, -2))
        first, last = sorted(case.chance.randint(0, x.shape[axis]) for _ in range(2))
        starts.append(first if step > 0 else last - 1)
        ends.append(last if step > 0 else first - 1 - x.shape[axis])
        steps.append(step)
    return [x, _ints(starts), _ints(ends), _ints(axes), _ints(steps)]


def _transpose(case: _Case) -> list[Any]:
    x = case.tensor(case.shape())
    case.attributes["perm"] = case.chance.sample(range(x.ndim), x.ndim)
    return [x]


def _expand(case: _Case) -> list[Any]:
    shape = case.shape()
    own = tuple(case.chance.choice((1, dim)) for dim in shape)[case.chance.randrange(len(shape)) :]
    return [case.tensor(own), _ints(shape)]


def _tile(case: _Case) -> list[Any]:
    x = case.tensor(case.shape(4))
    return [x, _ints([case.chance.randint(1, 3) for _ in x.shape])]


def _gather(case: _Case) -> list[Any]:
    x = case.tensor(case.shape(4))
    dim = x.shape[case.axis(x)]
    return [x, case.indices(case.shape(2), dim)]


def _gather_elements(case: _Case) -> list[Any]:
    x = case.tensor(case.shape())
    axis = case.axis(x)
    shape = [case.chance.choice((dim, case.chance.randint(1, dim))) for dim in x.shape]
    shape[axis] = case.chance.randint(1, 9)
    return [x, case.indices(tuple(shape), x.shape[axis])]


def _pad(case: _Case) -> list[Any]:
    x = case.tensor(case.shape())
    mode = case.attributes["mode"] = case.chance.choice(("constant", "edge", "reflect", "wrap"))
    pads = [case.chance.choice((0, 0, 0, 1, 3, -1)) for _ in range(2 * x.ndim)]
    for axis, dim in enumerate(x.shape):
        if dim + min(pads[axis], 0) + min(pads[axis + x.ndim], 0) < 1:
            pads[axis] = pads[axis + x.ndim] = 0
    value = case.tensor(()) if mode == "constant" and case.chance.random() < 0.5 else None
    return [x, _ints(pads), value]


def _reshape(case: _Case) -> list[Any]:
    return [case.tensor(case.shape()), _ints([-1])]


#: Per op, the version that is called and who makes the inputs.
_MAKERS: dict[str, tuple[int, Callable[[_Case], list[Any]]]] = {
    "Concat": (13, _concat),
    "Expand": (13, _expand),
    "Gather": (13, _gather),
    "GatherElements": (13, _gather_elements),
    "Pad": (19, _pad),
    "Reshape": (14, _reshape),
    "Slice": (13, _slice),
    "Split": (13, _split),
    "Tile": (13, _tile),
    "Transpose": (13, _transpose),
}


@pytest.mark.parametrize("op", sorted(_MAKERS))
def test_random_calls_come_out_as_on_the_host(device: Runner, host: Runner, op: str) -> None:
    since, make = _MAKERS[op]
    for seed in range(300):
        case = _Case(seed)
        inputs = make(case)
        outputs = [case.dtype] * case.outputs
        got = device.run(op, since, inputs, outputs, **case.attributes)
        want = host.run(op, since, inputs, outputs, **case.attributes)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other, f"{op}, seed {seed}")


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("count", [1, 2, 3, 15, 16, 17, 31, 32, 1000, 1001])
def test_every_length_is_filled(device: Runner, count: int, dtype: Any) -> None:
    (got,) = device.run(
        "ConstantOfShape", 9, [_ints([count])], [dtype], value=np.array([77], dtype)
    )
    np.testing.assert_array_equal(got, np.full(count, 77, dtype))


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_zeros_stand_for_what_an_index_out_of_range_would_pick(
    device: Runner, index: Any, dtype: Any
) -> None:
    limits = np.iinfo(index)
    x = np.arange(1, 13).reshape(3, 4).astype(dtype)
    given = np.array([0, 3, -1, -4, limits.max, limits.min], index)
    (got,) = device.run("Gather", 13, [x, given], [dtype], axis=0)
    nothing = np.zeros(4, dtype)
    np.testing.assert_array_equal(got, [x[0], nothing, x[2], nothing, nothing, nothing])

    (got,) = device.run("GatherElements", 13, [x[:1], given[np.newaxis]], [dtype], axis=1)
    np.testing.assert_array_equal(got, [[1, 4, 4, 1, 0, 0]])


@pytest.mark.parametrize("op", ["Gather", "GatherElements"])
def test_an_axis_without_elements_gives_zeros(device: Runner, op: str) -> None:
    x = np.empty((2, 0), np.float32)
    given = np.zeros((2, 3), np.int64) if op == "GatherElements" else _ints([0, 1, -1])
    (got,) = device.run(op, 13, [x, given], axis=1)
    np.testing.assert_array_equal(got, np.zeros((2, 3)))


def test_dimensions_that_do_not_join_are_limited(device: Runner, host: Runner) -> None:
    x = np.arange(2**16, dtype=np.float32).reshape((2,) * 16)
    (got,) = device.run("Transpose", 13, [x])
    np.testing.assert_array_equal(got, x.transpose())

    x = np.zeros((2,) * 17, np.uint8)
    (got,) = device.run("Transpose", 13, [x], [np.uint8], perm=[16, *range(16)])
    np.testing.assert_array_equal(got, x)
    with pytest.raises(KernelError, match=r"not implemented: .*takes more than 16 dimensions"):
        device.run("Transpose", 13, [x], [np.uint8])

    one = np.ones((1,) * 16, np.uint8)
    inputs = [one, _ints([0, 1] * 16)]
    (got,) = device.run("Pad", 19, inputs, [np.uint8])
    (want,) = host.run("Pad", 19, inputs, [np.uint8])
    np.testing.assert_array_equal(got, want)
    inputs = [one[np.newaxis], _ints([1] * 17 + [0] * 17)]
    with pytest.raises(KernelError, match=r"not implemented: .*takes more than 16 dimensions"):
        device.run("Pad", 19, inputs, [np.uint8])


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc on PATH")
def test_nvcc_compiles_what_the_kernels_share(tmp_path: Path) -> None:
    written = write_device_kernels(tmp_path, [make_op(op) for op in _OPS])
    shared = [p for p in written if p.startswith("src/gen/kernels/support/") and p.endswith(".cu")]
    assert shared
    for source in shared:
        assert all(".entry" in ptx for ptx in to_ptx(tmp_path, source)), source
