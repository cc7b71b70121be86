"""Cases of com.microsoft, and of what ONNX Runtime has of it in ONNX's domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from epforge.validate.cases.model import Ask, Builder, Case, Feed, dims, ints

_HEADS = {"num_heads": 2}
_GROUPS = {"num_heads": 4, "kv_num_heads": 2}


def _fast_gelu(ask: Ask) -> Iterator[Case]:
    for shape in ((2, 3, 4), (5,), (0, 4)):
        yield Case(dims(shape), (ask.feed(shape),))
    bias = ask.feed((4,), constant=True)
    for shape in ((2, 3, 4), (0, 4)):
        yield Case(f"{dims(shape)}, bias", (ask.feed(shape), bias))


def _simplified(ask: Ask) -> Iterator[Case]:
    scale = ask.feed((8,), "V", constant=True)
    yield Case("last axis", (ask.feed((2, 3, 8)), scale))
    yield Case("epsilon", (ask.feed((2, 3, 8)), scale), {"epsilon": 0.1})
    whole = ask.feed((3, 8), "V", constant=True)
    yield Case("axis=1", (ask.feed((2, 3, 8)), whole), {"axis": 1})
    yield Case("no rows", (ask.feed((0, 8)), scale))


def _skip(ask: Ask) -> Iterator[Case]:
    row = ask.feed((8,), constant=True)
    x = ask.feed((2, 3, 8))
    yield Case("three dimensions", (x, ask.feed((2, 3, 8), low=-2, high=4), row))
    yield Case("two dimensions", (ask.feed((6, 8)), ask.feed((6, 8), low=-2, high=4), row))
    yield Case("one skip for all", (x, ask.feed((3, 8)), row), {"epsilon": 0.1})
    biased = (x, ask.feed((1, 3, 8)), row, row)
    yield Case("one row more", biased)
    if ask.op == "SkipLayerNormalization":
        yield Case("beta, bias", (*biased, row))
    yield Case("no batches", (ask.feed((0, 3, 8)), ask.feed((0, 3, 8)), row))


def _matmul_nbits(ask: Ask) -> Iterator[Case]:
    sizes = {"K": 40, "N": 5, "block_size": 16}

    def bytes_(*shape: int) -> Feed:
        random = np.random.default_rng(len(shape))
        return Feed(random.integers(0, 256, shape).astype(np.uint8), "uint8", constant=True)

    a = ask.feed((2, 3, 40), "T1")
    scales = ask.feed((5, 3), "T1", low=0.1, high=0.5, constant=True)
    bias = ask.feed((5,), "T1", constant=True)
    four, eight = bytes_(5, 3, 8), bytes_(5, 3, 16)
    yield Case("4 bits", (a, four, scales), sizes)
    yield Case("8 bits", (a, eight, scales), {**sizes, "bits": 8})
    if ask.types.get("T3", "uint8") == "uint8":
        yield Case("4 bits, zero points", (a, four, scales, bytes_(5, 2)), sizes)
        yield Case("8 bits, zero points", (a, eight, scales, bytes_(5, 3)), {**sizes, "bits": 8})
    elif ask.types["T3"] == ask.type("T1"):
        zeros = ask.feed((5, 3), "T3", low=0, high=15, constant=True)
        yield Case("4 bits, zero points as numbers", (a, four, scales, zeros), sizes, basic=False)
    yield Case("bias", (a, four, scales, None, None, bias), sizes)
    yield Case("one row", (ask.feed((1, 40), "T1"), four, scales), sizes)
    yield Case("no rows", (ask.feed((0, 40), "T1"), four, scales), sizes)
    yield Case("2 bits", (a, bytes_(5, 3, 4), scales), {**sizes, "bits": 2}, basic=False)


def _multi_head(ask: Ask) -> Iterator[Case]:
    q, k, v = ask.feed((2, 3, 8)), ask.feed((2, 5, 8)), ask.feed((2, 5, 12))
    yield Case("values of another size", (q, k, v), _HEADS)
    yield Case("scale", (q, k, v), {**_HEADS, "scale": 0.25})
    yield Case("bias", (q, k, v, ask.feed((28,), constant=True)), _HEADS)
    lengths = ints([5, 2], "int32", constant=False)
    yield Case("lengths of keys", (q, k, v, None, lengths), _HEADS)
    mask = ints([[1, 0, 1, 1, 0], [0, 1, 1, 0, 0]], "int32", constant=False)
    yield Case("mask of keys", (q, k, v, None, mask), _HEADS)
    scores = ask.feed((1, 2, 3, 5))
    yield Case("bias of scores", (q, k, v, None, None, scores), _HEADS)
    causal = {**_HEADS, "unidirectional": 1}
    yield Case("causal", (q, q, q), causal)
    past = ask.feed((2, 2, 4, 4))
    later = (q, q, q, None, None, None, past, past)
    yield Case("past, present", later, _HEADS, outputs=3)
    yield Case("past, present, causal", later, causal, outputs=3)
    split = ask.feed((2, 2, 5, 4))
    yield Case("heads outside", (q, split, split), _HEADS)


def _grouped(ask: Ask) -> Iterator[Case]:
    q, k = ask.feed((2, 3, 64)), ask.feed((2, 3, 32))
    v = ask.feed((2, 3, 32), low=-2, high=4)

    def lengths(last: list[int], total: int) -> tuple[Feed, Feed]:
        return ints(last, "int32", constant=False), ints([total], "int32")

    def case(label: str, *inputs: Feed | None, basic: bool = True, **attributes: Any) -> Case:
        return Case(label, inputs, {**_GROUPS, **attributes}, outputs=3, basic=basic)

    prompt = (q, k, v, None, None, *lengths([2, 2], 3))
    yield case("prompt", *prompt)
    yield case("scale", *prompt, scale=0.25)
    cache = ask.feed((2, 2, 5, 16), "T_CACHE")
    room = ask.feed((2, 2, 8, 16), "T_CACHE")
    one, one_k = ask.feed((2, 1, 64)), ask.feed((2, 1, 32))
    later = (*lengths([5, 5], 6),)
    yield case("one more token", one, one_k, one_k, cache, cache, *later)
    yield case("one more token, room for others", one, one_k, one_k, room, room, *later)
    yield case(
        "query, key and value in one", ask.feed((2, 1, 128)), None, None, cache, cache, *later
    )
    table = ask.feed((9, 8), constant=True)
    turned = (one, one_k, one_k, cache, cache, *later, table, table)
    yield case("rotary", *turned, do_rotary=1)
    yield case("rotary, interleaved", *turned, do_rotary=1, rotary_interleaved=1)
    yield case("window", *prompt, local_window_size=2, basic=False)
    yield case("softcap", *prompt, softcap=2.0, basic=False)
    yield case("smooth softmax", *prompt, smooth_softmax=1, basic=False)
    scores = ask.feed((1, 4, 3, 3))
    yield case("bias of scores", *prompt, None, None, None, scores, basic=False)
    sink = ask.feed((4,), constant=True)
    yield case("sinks", *prompt, None, None, None, None, sink, basic=False)


TABLE: Mapping[str, Builder] = {"SimplifiedLayerNormalization": _simplified}
MICROSOFT: Mapping[str, Builder] = {
    "FastGelu": _fast_gelu,
    "GroupQueryAttention": _grouped,
    "MatMulNBits": _matmul_nbits,
    "MultiHeadAttention": _multi_head,
    "SkipLayerNormalization": _skip,
    "SkipSimplifiedLayerNormalization": _skip,
}
