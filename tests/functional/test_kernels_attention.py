"""Attention, called at random, computes what ONNX's reference does."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from kernel_project import make_op, write_kernels
from kernel_runner import Runner, build
from onnx import helper
from onnx.reference import ReferenceEvaluator

from epforge.ops.model import DType

_SINCE = 25


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    project = tmp_path_factory.mktemp("kernels")
    write_kernels(project, [make_op("Attention", (DType.FLOAT32, DType.BOOL))])
    return build(project, "acme_npu")


def _call(number: int) -> tuple[list[Any], int, dict[str, Any]]:
    """Inputs, how many outputs are asked for, and attributes."""
    random = np.random.default_rng(number)

    def pick(*of: int) -> int:
        return int(random.choice(of))

    def rand(*shape: int) -> Any:
        return random.standard_normal(shape).astype(np.float32)

    batches, kv_heads, queries, keys = pick(1, 2), pick(1, 3), pick(1, 3, 5, 70), pick(1, 8, 100)
    depth, v_depth, heads = pick(1, 8, 33), pick(3, 16), kv_heads * pick(1, 2, 4)
    attributes: dict[str, Any] = {"is_causal": pick(0, 1)}
    if packed := pick(0, 1):
        attributes |= {"q_num_heads": heads, "kv_num_heads": kv_heads}
    if pick(0, 1):
        attributes |= {"left_window_size": pick(-1, 0, 4), "right_window_size": pick(-1, 0, 4)}
    # The reference shows capped scores where the products were asked for.
    attributes["qk_matmul_output_mode"] = pick(0, 1, 2, 3)
    if attributes["qk_matmul_output_mode"] and pick(0, 1):
        attributes["softcap"] = 2.0
    cache = pick(0, 1, 2)  # none, the past, or one that is not full
    past = pick(0, 4, 20) if cache == 1 else 0

    def tokens(count: int, of: int, size: int) -> Any:
        return rand(batches, count, of * size) if packed else rand(batches, of, count, size)

    mask = None
    if pick(0, 1):
        shape = (pick(1, batches), pick(1, heads), queries, past + keys - pick(0, (keys - 1) // 2))
        mask = rand(*shape) if pick(0, 1) else random.random(shape) < 0.7
    inputs = [
        tokens(queries, heads, depth),
        tokens(keys, kv_heads, depth),
        tokens(keys, kv_heads, v_depth),
        mask,
        rand(batches, kv_heads, past, depth) if cache == 1 else None,
        rand(batches, kv_heads, past, v_depth) if cache == 1 else None,
        random.integers(0, keys + 1, batches) if cache == 2 else None,
    ]
    return inputs, 1 if cache == 2 else 4, attributes


def _reference(inputs: list[Any], outputs: int, attributes: dict[str, Any]) -> list[Any]:
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    feeds = {name: x for name, x in zip(names, inputs, strict=True) if x is not None}
    graph = helper.make_graph(
        [helper.make_node("Attention", names, [f"y{i}" for i in range(outputs)], **attributes)],
        "one",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in feeds.items()
        ],
        [helper.make_tensor_value_info(f"y{i}", 1, None) for i in range(outputs)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _SINCE)])
    with np.errstate(all="ignore"):
        return list(
            ReferenceEvaluator(onnx.load_from_string(model.SerializeToString())).run(None, feeds)
        )


def test_random_calls_agree_with_the_reference(kernels: Runner) -> None:
    for number in range(200):
        inputs, outputs, attributes = _call(number)
        mine = kernels.run("Attention", _SINCE, inputs, [np.float32] * outputs, **attributes)
        wanted = _reference(inputs, outputs, attributes)
        shapes = [None if x is None else x.shape for x in inputs]
        for i, (one, other) in enumerate(zip(mine, wanted, strict=True)):
            what = f"call {number}, output {i}: {attributes}, {shapes}"
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4, err_msg=what)


def test_values_that_no_query_may_see_do_not_count(kernels: Runner) -> None:
    """What is behind the valid keys of a cache is whatever was in memory."""
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((1, 2, 6, 4)).astype(np.float32) for _ in range(3))
    call = [q, k, v, None, None, None, np.array([4])]
    (wanted,) = kernels.run("Attention", _SINCE, call, [np.float32])
    k[:, :, 4:], v[:, :, 4:] = np.nan, np.inf
    (found,) = kernels.run("Attention", _SINCE, call, [np.float32])
    np.testing.assert_array_equal(found, wanted)
