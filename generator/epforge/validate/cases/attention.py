"""Cases of attention and what stands around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from epforge.validate.cases.model import FLOATS, Ask, Builder, Case, Feed, dims, ints

_HEADS: Mapping[str, Any] = {"q_num_heads": 4, "kv_num_heads": 2}


def _mask(ask: Ask, shape: tuple[int, ...]) -> Feed:
    """A mask that leaves every query a key."""
    feed = ask.feed(shape, "U")
    if feed.type == "bool":
        feed.array[..., 0] = True
    return feed


def _attention(ask: Ask) -> Iterator[Case]:
    q, k, v = (
        ask.feed((2, 4, 5, 8), "T1"),
        ask.feed((2, 2, 7, 8), "T1"),
        ask.feed((2, 2, 7, 6), "T2"),
    )
    alike = ask.feed((2, 2, 7, 8), "T1"), ask.feed((2, 2, 7, 8), "T2")
    yield Case("as many heads of each", (ask.feed((2, 2, 5, 8), "T1"), *alike))
    yield Case("shared heads", (q, k, v))
    yield Case("causal", (q, k, v), {"is_causal": 1})
    yield Case("scale, softcap", (q, k, v), {"scale": 0.5, "softcap": 2.0})
    for shape in ((5, 7), (2, 1, 5, 7), (4, 5, 7)):
        yield Case(f"mask {dims(shape)}", (q, k, v, _mask(ask, shape)))
    if ask.type("U") in {"bool", *FLOATS}:  # onnx's reference adds minus infinity to the mask
        yield Case("mask, causal", (q, k, v, _mask(ask, (5, 7))), {"is_causal": 1})
    packed = ask.feed((2, 5, 32), "T1"), ask.feed((2, 7, 16), "T1"), ask.feed((2, 7, 12), "T2")
    yield Case("heads side by side", packed, _HEADS)
    past = ask.feed((2, 2, 3, 8), "T1"), ask.feed((2, 2, 3, 6), "T2")
    yield Case("past", (q, k, v, None, *past), outputs=3)
    yield Case("past, causal", (q, k, v, None, *past), {"is_causal": 1}, outputs=3)
    yield Case("one query", (ask.feed((1, 4, 1, 8), "T1"), *_keys(ask, (1, 2, 33))))
    long = ask.feed((1, 2, 70, 16), "T1"), ask.feed((1, 1, 130, 16), "T1")
    yield Case("long", (*long, ask.feed((1, 1, 130, 16), "T2")), {"is_causal": 1})
    for mode in (0, 1, 3):
        attributes: dict[str, Any] = {"qk_matmul_output_mode": mode, "softcap": 3.0}
        yield Case(f"scores, mode {mode}", (q, k, v), attributes, outputs=4, basic=False)
    if ask.since >= 24:
        valid = ints([3, 7], constant=False)
        yield Case("cache not full", (q, k, v, None, None, None, valid), basic=False)
    if ask.since >= 25:
        window = {"left_window_size": 2, "right_window_size": 1}
        yield Case("window", (q, k, v), window, basic=False)


def _keys(ask: Ask, shape: tuple[int, int, int]) -> tuple[Feed, Feed]:
    return ask.feed((*shape, 8), "T1"), ask.feed((*shape, 6), "T2")


def _rotary(ask: Ask) -> Iterator[Case]:
    per_token = ask.feed((2, 3, 4), low=-1, high=1), ask.feed((2, 3, 4), low=0, high=1)
    yield Case("angles per token", (ask.feed((2, 4, 3, 8)), *per_token))
    tables = ask.feed((10, 4), low=-1, high=1), ask.feed((10, 4), low=0, high=1)
    positions = ints([[0, 3, 9], [1, 1, 2]], constant=False)
    for interleaved in (0, 1):
        how: dict[str, Any] = {"interleaved": interleaved}
        yield Case(
            f"positions, interleaved={interleaved}",
            (ask.feed((2, 4, 3, 8)), *tables, positions),
            how,
        )
        yield Case(
            f"heads side by side, interleaved={interleaved}",
            (ask.feed((2, 3, 32)), *tables, positions),
            {**how, "num_heads": 4},
        )
    yield Case(
        "a part of each head",
        (ask.feed((2, 3, 40)), *tables, positions),
        {"num_heads": 4, "rotary_embedding_dim": 8},
        basic=False,
    )


def _linear(ask: Ask) -> Iterator[Case]:
    shapes = (2, 3, 16), (2, 3, 8), (2, 3, 6)
    tokens = tuple(ask.feed(shape, low=-0.5, high=0.5) for shape in shapes)
    past = ask.feed((2, 2, 4, 3), "S", low=-1, high=1)
    gates: Mapping[str, tuple[Feed | None, Feed | None]] = {
        "gated_delta": (ask.feed((2, 3, 8), low=-1, high=0), ask.feed((2, 3, 2), low=0, high=1)),
        "linear": (None, None),
        "gated": (ask.feed((2, 3, 2), low=-1, high=0), None),
        "delta": (None, ask.feed((2, 3, 1), low=0, high=1)),
    }
    for rule, (decay, beta) in gates.items():
        attributes: dict[str, Any] = {**_HEADS, "update_rule": rule}
        yield Case(rule, _given(*tokens, past, decay, beta), attributes, outputs=2)
    yield Case("no past", tokens, {**_HEADS, "update_rule": "linear", "scale": 0.5}, outputs=2)


def _given(*feeds: Feed | None) -> tuple[Feed | None, ...]:
    """The inputs without the ones at the end that are left out."""
    last = max(i for i, feed in enumerate(feeds) if feed is not None)
    return feeds[: last + 1]


def _causal_conv(ask: Ask) -> Iterator[Case]:
    x, w = ask.feed((2, 3, 5)), ask.feed((3, 1, 4), low=-1, high=1, constant=True)
    bias, past = ask.feed((3,), constant=True), ask.feed((2, 3, 3))
    for activation in ("none", "silu", "swish"):
        attributes: dict[str, Any] = {"activation": activation}
        yield Case(f"activation={activation}", (x, w, bias, past), attributes, outputs=2)
    yield Case("no past", (x, w), outputs=2)
    yield Case("fewer than the weights", (ask.feed((2, 3, 2)), w, None, past), outputs=2)


def _swiglu(ask: Ask) -> Iterator[Case]:
    for shape in ((2, 3, 4), (), (0, 3)):
        yield Case(dims(shape), (ask.feed(shape), ask.feed(shape)))
    other = Feed(np.flip(ask.feed((3, 5)).array).copy(), ask.type())
    yield Case("alpha=1.5", (ask.feed((3, 5)), other), {"alpha": 1.5})


TABLE: Mapping[str, Builder] = {
    "Attention": _attention,
    "CausalConvWithState": _causal_conv,
    "LinearAttention": _linear,
    "RotaryEmbedding": _rotary,
    "SwiGLU": _swiglu,
}
