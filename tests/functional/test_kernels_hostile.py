"""Kernels that are called with what makes no sense refuse it, and never misbehave."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from compiled import SANITIZERS, link
from compilers import sanitizing
from kernel_calls import Call, Tensor, make_calls, spoilt
from kernel_project import CHECKED_TYPES, make_op, write_kernels
from kernel_runner import SOURCE, own_source

from epforge.ops import families
from epforge.ops.model import DType


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All kernels, and who calls them, with sanitizers."""
    project = tmp_path_factory.mktemp("hostile")
    rows = families.rows()
    write_kernels(project, [make_op(r.op, CHECKED_TYPES, domain=r.domain) for r in rows])
    calls = SOURCE.with_name("kernel_calls.cc")
    own = [own_source(project, "acme_npu", source) for source in (SOURCE, calls)]
    return link(project, own, sanitizing(), ["-O1", *SANITIZERS])


def _calls(each: int, seed: int) -> list[Call]:
    chance = random.Random(seed)
    ops = [make_op(row.op, CHECKED_TYPES, domain=row.domain) for row in families.rows()]
    return [call for op in ops for call in spoilt(op, each, chance)]


def test_spoilt_calls_are_computed_or_refused(program: Path) -> None:
    calls = _calls(6, 1)
    found = make_calls(program, calls)
    assert {op for op, good in found if good} == {row.op for row in families.rows()}
    refused = sum(count for (_, good), count in found.items() if not good)
    assert len(calls) / 10 < refused < len(calls) * 9 / 10


def test_numbers_that_fit_shapes_without_elements_are_refused(program: Path) -> None:
    """Every number of heads divides a row of none; sizes may be anything beside one that is 0."""
    number = DType.FLOAT32.onnx
    none = Tensor(number, (1, 4, 0), b"")
    heads = {"num_heads": 2**62}
    sizes = Tensor(DType.INT64.onnx, (2,), (0).to_bytes(8, "little") + b"\xff" * 7 + b"\x7f")
    image = Tensor(number, (1, 1), bytes(4))
    policy = {"keep_aspect_ratio_policy": "not_larger"}
    calls = [
        Call("com.microsoft", "MultiHeadAttention", 1, heads, (none, none, none), (number,)),
        Call("", "Resize", 19, policy, (image, None, None, sizes), (number,)),
    ]
    assert not any(good for _, good in make_calls(program, calls))


def test_no_place_in_a_tensor_without_elements_is_pointed_at(program: Path) -> None:
    """Its memory is nowhere: an offset from there is undefined, read or not."""
    number, whole = DType.FLOAT32.onnx, DType.INT32.onnx

    def none(*shape: int) -> Tensor:
        return Tensor(number, shape, b"")

    def some(*shape: int) -> Tensor:
        return Tensor(number, shape, bytes(4 * math.prod(shape)))

    def one(value: int, *shape: int) -> Tensor:
        return Tensor(whole, shape, value.to_bytes(4, "little"))

    past = some(1, 1, 1, 16)
    query = none(1, 0, 4 * 16)
    calls = [
        Call("", "Gemm", 11, {"transA": 1}, (none(0, 3), none(0, 2), some()), (number,)),
        Call("", "MatMul", 13, {}, (none(3, 0), none(0, 2)), (number,)),
        Call("", "DFT", 17, {}, (none(2, 0, 2, 3, 3, 2), one(3)), (number,)),
        Call(
            *("com.microsoft", "GroupQueryAttention", 1, {"num_heads": 2, "kv_num_heads": 1}),
            (query, None, None, past, past, one(0, 1), one(1, 1)),
            (number,) * 3,
        ),
        Call(
            *("com.microsoft", "MultiHeadAttention", 1, {"num_heads": 2}),
            (some(1, 3, 8), none(1, 0, 2, 2, 4)),
            (number,),
        ),
    ]
    assert set(make_calls(program, calls)) == {(call.op, True) for call in calls}


@pytest.mark.lab
@pytest.mark.parametrize("seed", range(2, 10))
def test_many_spoilt_calls(program: Path, seed: int) -> None:
    assert make_calls(program, _calls(100, seed))
