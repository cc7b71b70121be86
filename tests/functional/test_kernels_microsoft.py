"""Kernels of com.microsoft's operators, called at random, compute what ONNX Runtime's CPU does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import onnxruntime
import pytest
from kernel_project import make_op, write_kernels
from kernel_runner import KernelError, Runner, build
from microsoft_calls import OPS, Array, Call, calls
from onnx import TensorProto, helper

from epforge.ops.families._common import ANY

_DOMAIN = "com.microsoft"


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    project = tmp_path_factory.mktemp("kernels")
    write_kernels(project, [make_op(op, ANY, domain=_DOMAIN) for op in OPS])
    return build(project, "acme_npu")


def run(kernels: Runner, op: str, call: Call) -> list[Array | None]:
    outputs = [np.float32 if asked else None for asked in call.outputs]
    return kernels.run(op, 1, call.inputs, outputs, domain=_DOMAIN, **call.attributes)


def on_cpu(op: str, call: Call) -> list[Array | None]:
    names = ["" if x is None else f"x{i}" for i, x in enumerate(call.inputs)]
    asked = [f"y{i}" if wanted else "" for i, wanted in enumerate(call.outputs)]
    feeds = {name: x for name, x in zip(names, call.inputs, strict=True) if x is not None}
    graph = helper.make_graph(
        [helper.make_node(op, names, asked, domain=_DOMAIN, **call.attributes)],
        "one",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in feeds.items()
        ],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in asked if n],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(_DOMAIN, 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    found = iter(session.run(None, feeds))
    return [next(found) if name else None for name in asked]


def assert_same(mine: Iterable[Array | None], theirs: Iterable[Array | None], call: Call) -> None:
    for i, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        if one is None or other is None:
            continue
        assert one.shape == other.shape
        for part in call.valid.get(i, [()]):
            np.testing.assert_allclose(one[part], other[part], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("op", OPS)
def test_random_calls_agree_with_the_cpu(kernels: Runner, op: str) -> None:
    for number, call in enumerate(calls(op, 300 if "Attention" in op else 100)):
        try:
            assert_same(run(kernels, op, call), on_cpu(op, call), call)
        except Exception as error:
            shapes = [None if x is None else x.shape for x in call.inputs]
            error.add_note(f"call {number}: {call.attributes}, {shapes}, {call.outputs}")
            raise


RANDOM = np.random.default_rng(1)


def rand(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(np.float32)


def only(results: list[Array | None]) -> Array:
    """The first result."""
    assert results[0] is not None
    return results[0]


def test_packed_queries_keys_and_values_are_those_that_they_hold(kernels: Runner) -> None:
    """The CPU does not take them."""
    q, k, v = rand(2, 3, 2, 4), rand(2, 3, 2, 4), rand(2, 3, 2, 4)
    apart = [x.reshape(2, 3, 8) for x in (q, k, v)]
    want = only(run(kernels, "MultiHeadAttention", Call(tuple(apart), {"num_heads": 2})))
    for inputs in (
        (np.stack([q, k, v], axis=3),),
        (apart[0], np.stack([k, v], axis=3)),
    ):
        got = only(run(kernels, "MultiHeadAttention", Call(inputs, {"num_heads": 2})))
        np.testing.assert_array_equal(got, want)


def test_a_causal_query_sees_no_later_key_however_many_there_are(kernels: Runner) -> None:
    """The CPU shows them all to the last query."""
    q, k, v = rand(1, 2, 4), rand(1, 5, 4), rand(1, 5, 4)
    attributes = {"num_heads": 1, "unidirectional": 1}
    got = only(run(kernels, "MultiHeadAttention", Call((q, k, v), attributes)))
    fewer = Call((q, k[:, :2], v[:, :2]), attributes)
    np.testing.assert_allclose(got, only(run(kernels, "MultiHeadAttention", fewer)), 1e-5)


def test_heads_are_brought_to_unit_length_before_they_are_turned(kernels: Runner) -> None:
    """The CPU does not take these weights."""
    q, k, v, q_norm, k_norm = rand(1, 3, 32), rand(1, 3, 16), rand(1, 3, 16), rand(16), rand(16)
    cos, sin = rand(3, 8), rand(3, 8)
    attributes = {"num_heads": 2, "kv_num_heads": 1, "do_rotary": 1}

    def normal(x: Array, weights: Array, epsilon: float) -> Array:
        heads = x.reshape(1, 3, -1, 16)
        length = np.sqrt(np.mean(heads * heads, axis=-1, keepdims=True) + epsilon)
        return np.asarray(heads / length * weights, np.float32).reshape(x.shape)

    lengths = (None, None, np.array([2], np.int32), np.array([3], np.int32), cos, sin)
    more = (None, None, None, None, None, q_norm, k_norm)
    epsilons = {"q_norm_epsilon": 0.5, "k_norm_epsilon": 0.25}
    inside = Call((q, k, v, *lengths, *more), {**attributes, **epsilons})
    outside = Call((normal(q, q_norm, 0.5), normal(k, k_norm, 0.25), v, *lengths), attributes)
    got = only(run(kernels, "GroupQueryAttention", inside))
    np.testing.assert_allclose(got, only(on_cpu("GroupQueryAttention", outside)), 1e-4, 1e-5)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("numbers", [False, True])
def test_weights_in_groups_with_zero_points(kernels: Runner, bits: int, numbers: bool) -> None:
    """What the CPU does not compute, or not as the schema says: g_idx with packed zero points."""
    k, n, block = 40, 3, 16
    weights = RANDOM.integers(0, 2**bits, (n, 48))
    zeros = RANDOM.integers(0, 2**bits, (n, 3))
    scales, a = rand(n, 3), rand(2, k)
    groups = RANDOM.integers(0, 3, k)
    whole = (weights[:, :k] - zeros[:, groups]) * scales[:, groups]

    def packed(values: Array) -> Array:
        each = 8 // bits
        filled = np.pad(values, ((0, 0), (0, -values.shape[1] % each))).reshape(n, -1, each)
        return np.sum(filled << (np.arange(each) * bits), axis=-1).astype(np.uint8)

    b = packed(weights).reshape(n, 3, -1)
    points = zeros.astype(np.float32) if numbers else packed(zeros)
    inputs = (a, b, scales, points, groups.astype(np.int32))
    attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
    got = only(run(kernels, "MatMulNBits", Call(inputs, attributes)))
    np.testing.assert_allclose(got, a @ whole.T, 1e-4, 1e-4)


def test_weights_left_out_are_a_product_of_zeros(kernels: Runner) -> None:
    nothing = np.empty((3, 0, 8), np.uint8)
    inputs = (rand(2, 20), nothing, rand(3, 2), None, None, np.arange(3, dtype=np.float32))
    call = Call(inputs, {"K": 20, "N": 3, "block_size": 16})
    got = only(run(kernels, "MatMulNBits", call))
    np.testing.assert_array_equal(got, [[0, 1, 2], [0, 1, 2]])
    np.testing.assert_array_equal(got, only(on_cpu("MatMulNBits", call)))


def test_a_vector_on_the_right_of_a_transposed_matrix(kernels: Runner) -> None:
    """The CPU forgets to transpose there."""
    a, b = rand(2, 4, 3), rand(4)
    got = only(run(kernels, "FusedMatMul", Call((a, b), {"transA": 1})))
    np.testing.assert_allclose(got, a.transpose(0, 2, 1) @ b, 1e-5, 1e-5)


X = rand(2, 3, 8)
GROUPS = {"num_heads": 2, "kv_num_heads": 1}
Q, K = rand(1, 2, 32), rand(1, 2, 16)
LAST, TOTAL = np.array([1], np.int32), np.array([2], np.int32)
PROMPT = (Q, K, K, None, None, LAST, TOTAL)
NBITS = {"K": 16, "N": 1, "block_size": 16}
WEIGHTS = np.zeros((1, 1, 8), np.uint8)
REFUSALS: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("BiasGelu", (X, rand(3)), {}, "last dimension"),
    ("FusedMatMul", (X, X), {}, "cannot multiply"),
    ("FusedMatMul", (X, np.float32(1)), {}, "scalar"),
    ("SkipLayerNormalization", (X, X[:, :1], rand(8)), {}, "input 1"),
    ("SkipLayerNormalization", (X, X, rand(3)), {}, "last dimension"),
    ("MatMulNBits", (rand(2, 16), WEIGHTS, rand(1)), {**NBITS, "bits": 3}, "weights of 3 bits"),
    ("MatMulNBits", (rand(2, 16), WEIGHTS, rand(1)), {**NBITS, "block_size": 24}, "power of two"),
    ("MatMulNBits", (rand(2, 16), WEIGHTS, rand(1)), {**NBITS, "weight_prepacked": 1}, "packed"),
    ("MatMulNBits", (rand(2, 17), WEIGHTS, rand(1)), NBITS, "K is 16"),
    ("MatMulNBits", (rand(2, 16), WEIGHTS, rand(2)), NBITS, "each block"),
    (
        "MatMulNBits",
        (rand(2, 16), WEIGHTS, rand(1), None, np.full(16, 1, np.int32)),
        NBITS,
        "g_idx names block 1 of 1",
    ),
    ("MultiHeadAttention", (X, X, X), {"num_heads": 3}, "num_heads"),
    ("MultiHeadAttention", (X, X, X), {"num_heads": 0}, "num_heads is 0"),
    ("MultiHeadAttention", (X, X), {"num_heads": 2}, "value is missing"),
    ("MultiHeadAttention", (X, X, X[:1]), {"num_heads": 2}, "input 2"),
    ("MultiHeadAttention", (X, X, X, rand(23)), {"num_heads": 2}, "input 3"),
    ("MultiHeadAttention", (X, X, X, *[None] * 5, LAST), {"num_heads": 2}, "beams"),
    ("GroupQueryAttention", PROMPT, {"num_heads": 3, "kv_num_heads": 2}, "kv_num_heads is 2"),
    ("GroupQueryAttention", PROMPT, {**GROUPS, "local_window_size": 0}, "local_window_size is 0"),
    ("GroupQueryAttention", PROMPT, {**GROUPS, "sliding_window_cache": 1}, "local_window"),
    (
        "GroupQueryAttention",
        PROMPT,
        {**GROUPS, "sliding_window_cache": 1, "local_window_size": 2},
        "0 rows for a window of 2",
    ),
    ("GroupQueryAttention", PROMPT, {**GROUPS, "kv_cache_bit_width": 8}, "quantized"),
    ("GroupQueryAttention", PROMPT, {**GROUPS, "do_rotary": 1}, "needs cos_cache"),
    ("GroupQueryAttention", (*PROMPT[:5], LAST + 1, TOTAL), GROUPS, "seqlens_k has 2"),
    ("GroupQueryAttention", (*PROMPT[:5], LAST - 2, TOTAL), GROUPS, "seqlens_k has -1"),
    ("GroupQueryAttention", (*PROMPT[:5], LAST + 1, TOTAL + 1), GROUPS, "should hold 1 tokens"),
    ("GroupQueryAttention", (*PROMPT[:6], TOTAL - 1), GROUPS, "total_sequence_length is 1"),
    (
        "GroupQueryAttention",
        (*PROMPT, rand(1, 8), rand(1, 8)),
        {**GROUPS, "do_rotary": 1},
        "position 1 is out of range",
    ),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "reason"), REFUSALS)
def test_refuses_what_makes_no_sense(
    kernels: Runner, op: str, inputs: tuple[Any, ...], attributes: Any, reason: str
) -> None:
    with pytest.raises(KernelError, match=reason) as caught:
        run(kernels, op, Call(inputs, attributes))
    assert caught.value.code in ("invalid argument", "not implemented")
