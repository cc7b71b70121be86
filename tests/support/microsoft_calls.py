"""Random calls of com.microsoft's operators, within what ONNX Runtime's CPU kernels do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Call:
    """A call, and which of its outputs count.

    Args:
        inputs: None is an optional input left out.
        attributes: of the node.
        outputs: which ones are asked for.
        valid: per output, the parts of it that are specified; all of it if there is no entry.
    """

    inputs: tuple[Array | None, ...]
    attributes: Mapping[str, Any]
    outputs: tuple[bool, ...] = (True,)
    valid: Mapping[int, list[tuple[Any, ...]]] = field(default_factory=dict)


class Chance:
    """Random numbers for calls."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def floats(self, *shape: int) -> Array:
        return self._random.standard_normal(shape).astype(np.float32)

    def bytes(self, *shape: int) -> Array:
        return self._random.integers(0, 256, shape, np.uint8)

    def bits(self, *shape: int) -> Array:
        return self._random.integers(0, 2, shape, np.int32)

    def size(self, low: int, high: int) -> int:
        """A number, both ends included."""
        return int(self._random.integers(low, high + 1))

    def sizes(self, low: int, high: int, *shape: int) -> Array:
        return self._random.integers(low, high + 1, shape)

    def one(self, *choices: Any) -> Any:
        return choices[self._random.integers(len(choices))]

    def often(self, share: float) -> bool:
        return bool(self._random.random() < share)

    def maybe(self, share: float, make: Callable[[], Array]) -> Array | None:
        return make() if self.often(share) else None


def _gelu(c: Chance, op: str) -> Call:
    shape = c.one((2, 3, 8), (5,), (0, 4), (1, 7), (300, 40))
    bias = op == "BiasGelu" or (op == "FastGelu" and c.often(0.5))
    inputs = (c.floats(*shape), *([c.floats(shape[-1])] if bias else []))
    return Call(inputs, {"alpha": c.one(1.0, 0.5)} if op == "QuickGelu" else {})


def _fused_matmul(c: Chance, _: str) -> Call:
    m, k, n = c.size(1, 20), c.size(1, 20), c.size(1, 20)
    flags = {name: c.size(0, 1) for name in ("transA", "transB")}
    outer = c.often(0.4)  # the CPU wants two factors of one rank there, and no vector elsewhere
    ranks = [c.size(3, 4)] * 2 if outer else [c.size(2, 4), c.size(2, 4)]
    if outer:
        flags |= {name: c.size(0, 1) for name in ("transBatchA", "transBatchB")}
    batch = [c.size(1, 3), c.size(1, 3)]

    def factor(rows: int, cols: int, rank: int, side: str) -> Array:
        first, last = (cols, rows) if flags[f"trans{side}"] else (rows, cols)
        stack = [dim if c.often(0.7) else 1 for dim in batch[4 - rank :]]
        if flags.get(f"transBatch{side}"):
            return c.floats(first, *stack, last)
        return c.floats(*stack, first, last)

    a, b = factor(m, k, ranks[0], "A"), factor(k, n, ranks[1], "B")
    return Call((a, b), {**flags, "alpha": c.one(1.0, 0.7)})


def _skip(c: Chance, op: str) -> Call:
    size = c.one(1, 8, 40)
    shape = c.one((2, 3, size), (6, size), (0, 3, size))
    skips = [shape] if len(shape) == 2 else [shape, (1, 3, size), (3, size)]
    more = [c.maybe(0.5, lambda: c.floats(size)) for _ in range(2 if op[4] == "L" else 1)]
    outputs = c.one((True,), (True, False, False, True), (True, True, True, True))
    inputs = (c.floats(*shape), c.floats(*c.one(*skips)), c.floats(size), *more)
    return Call(inputs, {"epsilon": c.one(1e-12, 1e-3)}, outputs)


def _matmul_nbits(c: Chance, _: str) -> Call:
    bits, block = c.one(2, 4, 8), c.one(16, 32, 64, 128)
    k, n = c.one(1, 16, 17, 48, 100, 200), c.one(1, 3, 8, 17)
    blocks = (k + block - 1) // block
    zeros = c.one(None, c.bytes(n, (blocks * bits + 7) // 8), c.floats(n, blocks) * 4)
    if zeros is not None and zeros.dtype == np.float32 and bits == 8:
        zeros = None  # the CPU has none of these
    # Of the inputs that are out of date, the CPU knows this one without packed zero points.
    groups = c.sizes(0, blocks - 1, k).astype(np.int32)
    grouped = bits == 4 and (zeros is None or zeros.dtype == np.float32) and c.often(0.3)
    a = c.floats(*c.one((3, k), (2, 2, k), (1, k), (40, k)))
    scales = c.one(c.floats(n, blocks), c.floats(n * blocks)) / np.float32(2**bits)
    bias = c.maybe(0.4, lambda: c.floats(n))
    weights = c.bytes(n, blocks, block * bits // 8)
    attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
    return Call((a, weights, scales, zeros, groups if grouped else None, bias), attributes)


def _multi_head(c: Chance, _: str) -> Call:
    batch, queries, heads, depth = c.size(1, 3), c.size(1, 6), c.size(1, 3), c.one(4, 5, 8)
    causal, split, past = c.often(0.3), c.often(0.15), c.size(1, 4) if c.often(0.3) else 0
    # The CPU hides nothing from the last query, so it is to see everything.
    news = queries if causal else c.size(1, 9)
    v_depth = depth if past or split else c.one(depth, 3)
    keys = past + news
    q = c.floats(batch, queries, heads * depth)
    k, v = c.floats(batch, news, heads * depth), c.floats(batch, news, heads * v_depth)
    if split:
        k, v = c.floats(batch, heads, news, depth), c.floats(batch, heads, news, v_depth)
    bias = c.maybe(0.4, lambda: c.floats(heads * (2 * depth + v_depth)))
    mask = c.one(
        None,
        c.sizes(1, keys, batch).astype(np.int32),
        c.bits(batch, keys),
        c.bits(batch, queries, keys),
    )
    if mask is not None and mask.ndim > 1:
        mask[..., 0] = 1  # where nothing is seen, -10000 leaves few digits to the scores
    scores = c.maybe(0.3, lambda: c.floats(c.one(1, batch), c.one(1, heads), queries, keys))
    old = [c.floats(batch, heads, past, d) if past else None for d in (depth, v_depth)]
    attributes = {"num_heads": heads, "unidirectional": int(causal)}
    if c.often(0.3):
        attributes |= {"scale": 0.3, "mask_filter_value": -3.5}
    present = bool(past) or c.often(0.3)
    outputs = (True, present, present, c.often(0.2))
    return Call((q, k, v, bias, mask, scores, *old), attributes, outputs)


def _grouped(c: Chance, _: str) -> Call:
    if c.often(0.2):
        return _sliding(c)
    batch, kv_heads, depth = c.size(1, 3), c.size(1, 3), 16
    heads = kv_heads * c.size(1, 3)
    kind = c.one("prompt", "token", "chunk", "padded chunks")
    past = 0 if kind == "prompt" else c.size(1, 7)
    rows = 1 if kind == "token" else c.size(2, 6)
    batch = 1 if kind == "chunk" else batch
    total = past + rows
    capacity = total + c.size(0, 3) if c.often(0.4) or kind == "padded chunks" else past
    lasts = np.full(batch, total - 1)
    fresh = np.full(batch, rows)
    if kind in ("prompt", "token") and rows > 1:
        lasts[1:] = c.sizes(0, total - 1, batch - 1)
        fresh = np.minimum(rows, lasts + 1)
    if kind == "padded chunks":
        fresh = c.sizes(0, rows, batch)
        lasts = c.sizes(0, past - 1, batch) + fresh
    q, k, v = (c.floats(batch, rows, n * depth) for n in (heads, kv_heads, kv_heads))
    packed = c.often(0.4)
    tokens = (np.concatenate([q, k, v], -1), None, None) if packed else (q, k, v)
    cache = [None, None]
    if capacity or c.often(0.3):
        cache = [c.floats(batch, kv_heads, capacity, depth) for _ in range(2)]
    attributes: dict[str, Any] = {"num_heads": heads, "kv_num_heads": kv_heads}
    table: list[Array | None] = [None, None, None]
    if c.often(0.5):
        attributes |= {"do_rotary": 1, "rotary_interleaved": c.size(0, 1)}
        known = total + c.size(0, 3)
        table[:2] = [c.floats(known, depth // 2) for _ in range(2)]
        if kind in ("token", "chunk") and c.often(0.4):
            table[2] = c.sizes(0, known - 1, batch, rows)
    for name, value in (("local_window_size", c.size(1, 4)), ("softcap", 1.5), ("scale", 0.3)):
        if c.often(0.2):
            attributes[name] = value
    if kind != "padded chunks" and "local_window_size" not in attributes and c.often(0.1):
        attributes["causal"] = 0
    scores = c.maybe(0.25, lambda: c.floats(c.one(1, batch), c.one(1, heads), rows, total))
    sinks = c.maybe(0.2, lambda: c.floats(heads))
    if sinks is None and c.often(0.2):
        attributes["smooth_softmax"] = 1
    shown = c.one(0, 0, 0, 1, 2)
    if shown:
        attributes["qk_output"] = shown
    lengths = (lasts.astype(np.int32), np.array(total, np.int32).reshape(c.one((), (1,))))
    inputs = [*tokens, *cache, *lengths, *table, scores, sinks]
    if kind == "padded chunks":
        inputs += [None, None, None, None, fresh.astype(np.int32)]
    every = range(batch)
    new = [(b, slice(fresh[b])) for b in every]
    kept = [(b, slice(None), slice(lasts[b] + 1)) for b in every]
    seen = [(b, slice(None), slice(fresh[b])) for b in every]
    valid = {0: new, 1: kept, 2: kept, 3: seen}
    return Call(tuple(inputs), attributes, (True, True, True, bool(shown)), valid)


def _sliding(c: Chance) -> Call:
    """Of _grouped those whose cache holds little more than the window."""
    kv_heads, depth, window = c.size(1, 2), 16, c.size(1, 5)
    heads, capacity = kv_heads * c.size(1, 2), window + c.size(0, 3)
    padded = c.often(0.4)
    rows, past = c.size(1, 6), c.size(0, 11)
    batch = c.size(1, 3) if padded or rows == 1 else 1
    fresh = c.sizes(0, rows, batch) if padded else np.full(batch, rows)
    old = c.sizes(1, past + 1, batch) if padded else np.full(batch, past)
    total = max(int((old + fresh).max()), rows)
    q, k, v = (c.floats(batch, rows, n * depth) for n in (heads, kv_heads, kv_heads))
    cache = [c.floats(batch, kv_heads, capacity, depth) for _ in range(2)]
    lengths = ((old + fresh - 1).astype(np.int32), np.array([total], np.int32))
    rotary = c.often(0.5)
    table = [c.floats(total, depth // 2) if rotary else None for _ in range(2)]
    scores = c.maybe(0.3, lambda: c.floats(c.one(1, batch), c.one(1, heads), rows, total))
    sinks = c.maybe(0.3, lambda: c.floats(heads))
    inputs = [q, k, v, *cache, *lengths, *table, None, scores, sinks]
    if padded:
        inputs += [None, None, None, None, fresh.astype(np.int32)]
    attributes = {
        "num_heads": heads,
        "kv_num_heads": kv_heads,
        "local_window_size": window,
        "sliding_window_cache": 1,
        "do_rotary": int(rotary),
    }
    room = capacity - window + 1
    held = [t - room * max(0, -(-(t - capacity) // room)) for t in old + fresh]
    kept = [(b, slice(None), slice(held[b])) for b in range(batch)]
    valid = {0: [(b, slice(fresh[b])) for b in range(batch)], 1: kept, 2: kept}
    return Call(tuple(inputs), attributes, (True, True, True), valid)


_MAKERS: Mapping[str, Callable[[Chance, str], Call]] = {
    "BiasGelu": _gelu,
    "FastGelu": _gelu,
    "FusedMatMul": _fused_matmul,
    "Gelu": _gelu,
    "GroupQueryAttention": _grouped,
    "MatMulNBits": _matmul_nbits,
    "MultiHeadAttention": _multi_head,
    "QuickGelu": _gelu,
    "SkipLayerNormalization": _skip,
    "SkipSimplifiedLayerNormalization": _skip,
}
OPS = tuple(_MAKERS)


def calls(op: str, count: int, seed: int = 0) -> Iterator[Call]:
    """``count`` calls of an operator, the same ones every time."""
    chance = Chance(seed)
    for _ in range(count):
        yield _MAKERS[op](chance, op)
