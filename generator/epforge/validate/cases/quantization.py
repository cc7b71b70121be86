"""Cases of quantization, and of products of what is quantized."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from epforge.validate.cases.model import DTYPES, NUMPY, Ask, Builder, Case, Feed, dims


def _constant(values: object, type_: str) -> Feed:
    return Feed(np.asarray(values, dtype=NUMPY.get(type_, np.float32)), type_, constant=True)


# The scales of products divide to an odd number: no result lies in the middle of two, where some
# round after the zero point is added, and others before.


def _bytes(ask: Ask, shape: tuple[int, ...], constraint: str, constant: bool = False) -> Feed:
    return ask.feed(shape, constraint, low=-100, high=100, constant=constant)


def _quantize(ask: Ask) -> Iterator[Case]:
    result = ask.type("T3" if ask.since >= 23 else "T2")
    scale = "float32" if ask.since < 19 else ask.type("T2" if ask.since >= 23 else "T1")
    # Quarters: on which side of a half a quotient lies is then the same in every precision.
    quarters = np.round(ask.array((2, 3, 4), ask.type("T1"), -100, 100).astype(np.float32) * 4) / 4
    x = Feed(quarters.astype(DTYPES.get(ask.type("T1"), np.float32)), ask.type("T1"))

    def case(label: str, scales: object, zeros: object, axis: int | None = None) -> Case:
        attributes = {} if axis is None else {"axis": axis}
        # Whole numbers: newer versions have integers for scales.
        return Case(label, (x, _constant(scales, scale), _constant(zeros, result)), attributes)

    yield case("one scale", 2, 0)
    if "float8" in result or "float4" in result:
        return  # what zero points other than 0 mean is left open
    yield case("a zero point", 2, 3)
    empty = Feed(np.zeros((0, 3), x.array.dtype), x.type)
    one = (_constant(2, scale), _constant(3, result))
    yield Case("no elements", (empty, *one))
    yield Case("rank 0", (ask.feed((), "T1"), *one))
    fed = (Feed(one[0].array, scale), Feed(one[1].array, result))
    yield Case("the scale fed", (x, *fed))
    if ask.since >= 13:
        yield case("axis 1 by default", [1, 2, 4], [0, 1, 2])
        yield case("axis=-1", [1, 2, 4, 8], [0, 1, 2, 3], axis=-1)
        yield case("axis=0", [1, 2], [0, 1], axis=0)
    if ask.since >= 21:
        blocks = _constant([[[1, 2, 4, 8]], [[2, 4, 1, 3]]], scale)
        zeros = _constant([[[0, 1, 2, 3]], [[3, 2, 1, 0]]], result)
        yield Case("blocks of 3", (x, blocks, zeros), {"axis": 1, "block_size": 3})
        rows = _constant([[[1, 2]] * 3, [[4, 3]] * 3], scale)
        yield Case(
            "blocks of 3, the last one shorter",
            (x, rows, _constant(np.ones((2, 3, 2)), result)),
            {"axis": -1, "block_size": 3},
        )


def _dequantize(ask: Ask) -> Iterator[Case]:
    source = ask.type("T1" if ask.since >= 19 else "T")
    scale = ask.type("T2") if ask.since >= 19 else "float32"
    x = ask.feed((2, 3, 4), "T1" if ask.since >= 19 else "T", low=-100, high=100)
    kind: dict[str, Any] = {}
    if ask.since >= 23 and ask.type("T3") != scale:
        from epforge.validate.worker.session import onnx_type

        kind = {"output_dtype": onnx_type(ask.type("T3"))}
    yield Case("one scale", (x, _constant(0.5, scale)), kind)
    if "float8" in source or "float4" in source:
        return
    zero = 0 if source == "int32" else 3
    one = (_constant(0.5, scale), _constant(zero, source))
    yield Case("a zero point", (x, *one), kind)
    yield Case("no elements", (Feed(np.zeros((0, 3), x.array.dtype), source), *one), kind)
    yield Case("the scale fed", (x, *(Feed(each.array, each.type) for each in one)), kind)
    if ask.since >= 13:
        for axis, count in ((0, 2), (1, 3), (-1, 4)):
            scales = _constant([0.5 * (i + 1) for i in range(count)], scale)
            zeros = _constant([zero] * count, source)
            yield Case(f"axis={axis}", (x, scales, zeros), {**kind, "axis": axis})
    if ask.since >= 21:
        blocks = _constant([[[1, 2, 4, 8]], [[2, 4, 1, 3]]], scale)
        zeros = _constant(np.full((2, 1, 4), zero), source)
        yield Case("blocks of 3", (x, blocks, zeros), {**kind, "axis": 1, "block_size": 3})


def _dynamic(ask: Ask) -> Iterator[Case]:
    for shape in ((2, 3, 4), (1,), (), (30000,)):
        yield Case(dims(shape), (ask.feed(shape, "T1"),), outputs=3)
    yield Case("above 0", (ask.feed((5,), "T1", low=1, high=2),), outputs=3)


_PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 3), (3, 4)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (2, 4, 2)), ((17, 65), (65, 9)),
    ((70, 600), (600, 67)), ((0, 3), (3, 4)),
)  # fmt: skip


def _matmul_integer(ask: Ask) -> Iterator[Case]:
    a_zero, b_zero = _constant(3, ask.type("T1")), _constant(5, ask.type("T2"))
    for a, b in _PAIRS:
        factors = (_bytes(ask, a, "T1"), _bytes(ask, b, "T2"))
        yield Case(f"{dims(a)} by {dims(b)}", factors)
        yield Case(f"{dims(a)} by {dims(b)}, zero points", (*factors, a_zero, b_zero))
    factors = (_bytes(ask, (2, 3), "T1"), _bytes(ask, (3, 4), "T2", constant=True))
    lines = _constant([1, 2, 3, 4], ask.type("T2"))
    yield Case("a zero point for each column", (*factors, a_zero, lines), basic=False)


def _qlinear_matmul(ask: Ask) -> Iterator[Case]:
    scales = ask.type("TS") if ask.since >= 21 else "float32"
    types = [ask.type(name) for name in ("T1", "T2", "T3")]
    a_part = (_constant(0.5, scales), _constant(3, types[0]))
    b_part = (_constant(0.25, scales), _constant(5, types[1]))
    end = (_constant(200.125, scales), _constant(7, types[2]))
    for a, b in _PAIRS:
        left, right = _bytes(ask, a, "T1"), _bytes(ask, b, "T2")
        yield Case(f"{dims(a)} by {dims(b)}", (left, *a_part, right, *b_part, *end))
    each = (_constant([0.5, 0.25, 1, 2], scales), _constant([1, 2, 3, 4], types[1]))
    inputs = (_bytes(ask, (2, 3), "T1"), *a_part, _bytes(ask, (3, 4), "T2"), *each, *end)
    yield Case("a scale for each column", inputs, basic=False)


def _windows() -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]]:
    yield "3x3", (2, 3, 8, 9), (4, 3, 3, 3), {}
    yield "padded, strides", (2, 3, 8, 9), (4, 3, 3, 3), {"pads": [1, 1, 1, 1], "strides": [2, 3]}
    yield "dilations", (1, 3, 8, 9), (4, 3, 3, 3), {"dilations": [2, 2]}
    yield "groups", (1, 4, 8, 8), (6, 2, 3, 3), {"group": 2}
    yield "depthwise", (1, 4, 8, 8), (4, 1, 3, 3), {"group": 4, "pads": [1] * 4}
    yield "1x1", (1, 4, 8, 8), (5, 4, 1, 1), {}


def _conv_integer(ask: Ask) -> Iterator[Case]:
    zeros = (_constant(7, ask.type("T1")), _constant(3, ask.type("T2")))
    for label, x, w, attributes in _windows():
        inputs = (_bytes(ask, x, "T1"), _bytes(ask, w, "T2", constant=True))
        yield Case(label, (*inputs, zeros[0]), attributes)
        yield Case(f"{label}, two zero points", (*inputs, *zeros), attributes, basic=False)


def _qlinear_conv(ask: Ask) -> Iterator[Case]:
    x_part = (_constant(0.5, "float32"), _constant(7, ask.type("T1")))
    w_part = (_constant(0.25, "float32"), _constant(0, ask.type("T2")))
    end = (_constant(100.125, "float32"), _constant(3, ask.type("T3")))
    for label, x, w, attributes in _windows():
        image = (_bytes(ask, x, "T1"), *x_part)
        weights = _bytes(ask, w, "T2", constant=True)
        yield Case(label, (*image, weights, *w_part, *end), attributes)
        bias = ask.feed((w[0],), "T4", low=-500, high=500, constant=True)
        inputs = (*image, weights, *w_part, *end, bias)
        yield Case(f"{label}, biased", inputs, attributes)
        each = (
            _constant([0.25 * (i + 1) for i in range(w[0])], "float32"),
            _constant([0] * w[0], ask.type("T2")),
        )
        yield Case(
            f"{label}, a scale for each channel",
            (*image, weights, *each, *end),
            attributes,
            basic=False,
        )


TABLE: Mapping[str, Builder] = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
}
