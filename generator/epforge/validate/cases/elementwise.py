"""Cases of ops that work element by element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from epforge.validate.cases.model import DTYPES, UNSIGNED, Ask, Builder, Case, Feed, dims

SHAPES: tuple[tuple[int, ...], ...] = (
    (2, 3), (), (1,), (0,), (2, 0, 3), (2, 3, 4, 5), (7, 33), (5, 1031)
)  # fmt: skip
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 3), ()),
    ((), (2, 3)),
    ((), ()),
    ((1,), (1,)),
    ((2, 1, 3), (4, 1)),
    ((3, 1, 5), (2, 3, 4, 1)),
    ((0,), (1,)),
    ((2, 0, 3), (3,)),
    ((2, 0, 3), (1, 1, 1)),
    ((7, 33), (7, 33)),
    ((6, 1031), (1031,)),
)


def _unary(
    ask: Ask, low: float = -3, high: float = 3, attributes: tuple[Mapping[str, Any], ...] = ({},)
) -> Iterator[Case]:
    for shape in SHAPES:
        yield Case(dims(shape), (ask.feed(shape, low=low, high=high),), attributes[0])
    for extra in attributes[1:]:
        text = ", ".join(f"{key}={value}" for key, value in extra.items())
        yield Case(text, (ask.feed((2, 3), low=low, high=high),), extra)


def _round(ask: Ask) -> Iterator[Case]:
    yield from _unary(ask)
    halves = np.arange(-3.5, 4.0, 0.5).astype(ask.array((1,), ask.type()).dtype)
    yield Case("halves", (Feed(halves, ask.type()),))


def _is_special(ask: Ask) -> Iterator[Case]:
    yield from _unary(ask)
    values = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0]).astype(
        ask.array((1,), ask.type("T1")).dtype
    )
    yield Case("nan and inf", (Feed(values, ask.type("T1")),))


def _gelu(ask: Ask) -> Iterator[Case]:
    yield from _unary(ask, attributes=({}, {"approximate": "tanh"}))


def _binary(
    ask: Ask,
    second: str = "T",
    low: float = -3,
    high: float = 3,
    right: tuple[float, float] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> Iterator[Case]:
    a_low, b_range = low, right or (low, high)
    how = "".join(f", {key}={value}" for key, value in (attributes or {}).items())
    for a, b in PAIRS if ask.since >= 7 else tuple(p for p in PAIRS if p[0] == p[1]):
        feeds = (
            ask.feed(a, low=a_low, high=high),
            ask.feed(b, second, low=b_range[0], high=b_range[1]),
        )
        yield Case(f"{dims(a)} with {dims(b)}{how}", feeds, attributes or {})
    same = ask.feed((2, 3), low=a_low, high=high)
    constant = ask.feed((3,), second, low=b_range[0], high=b_range[1], constant=True)
    if ask.since >= 7:
        yield Case(f"second is constant{how}", (same, constant), attributes or {})


def _div(ask: Ask) -> Iterator[Case]:
    yield from _binary(ask, low=-9 if ask.type() not in UNSIGNED else 0, high=9, right=(1, 4))


def _mod(ask: Ask) -> Iterator[Case]:
    floating = ask.type() in ("float16", "float32", "float64")
    for fmod in (1,) if floating and ask.since < 28 else (0, 1):
        yield from _binary(ask, low=-9, high=9, right=(1, 4), attributes={"fmod": fmod})


def _pow(ask: Ask) -> Iterator[Case]:
    second = "T1" if "T1" in ask.types else "T"
    yield from _binary(ask, second, low=0.5, high=3, right=(0, 3))


def _shift(ask: Ask) -> Iterator[Case]:
    for direction in ("LEFT", "RIGHT"):
        yield from _binary(ask, low=0, high=9, attributes={"direction": direction})


def _bias(ask: Ask) -> Iterator[Case]:
    yield Case("(2,3,4) with (4)", (ask.feed((2, 3, 4)), ask.feed((4,))))


def _equal(ask: Ask) -> Iterator[Case]:
    yield from _binary(ask, low=0, high=2)


def _variadic(ask: Ask) -> Iterator[Case]:
    for a, b in PAIRS if ask.since >= 8 else tuple(p for p in PAIRS if p[0] == p[1]):
        yield Case(f"{dims(a)} with {dims(b)}", (ask.feed(a), ask.feed(b)))
    yield Case("one input", (ask.feed((2, 3)),))
    yield Case("three inputs", tuple(ask.feed((2, 3), low=-3 + k) for k in range(3)))


def _prelu(ask: Ask) -> Iterator[Case]:
    for a, b in (
        ((2, 3), (2, 3)),
        ((2, 3), (3,)),
        ((2, 3, 4), (3, 1)),
        ((2, 3), (1,)),
        ((0, 3), (3,)),
    ):
        if a == b or ask.since >= 7:
            yield Case(f"{dims(a)} with {dims(b)}", (ask.feed(a), ask.feed(b)))


def _where(ask: Ask) -> Iterator[Case]:
    triples: tuple[tuple[tuple[int, ...], ...], ...] = (
        ((2, 3), (2, 3), (2, 3)),
        ((3,), (2, 3), ()),
        ((2, 1), (3,), (2, 3)),
        ((), (2, 3), (2, 3)),
        ((), (), ()),
        ((1,), (0,), (1,)),
        ((2, 0, 3), (3,), ()),
        ((4, 1, 3), (2, 1), (1, 1, 3)),
    )
    for c, a, b in triples:
        condition = Feed(ask.array(c, "bool"), "bool")
        label = f"{dims(c)} ? {dims(a)} : {dims(b)}"
        yield Case(label, (condition, ask.feed(a), ask.feed(b, low=-2)))


def _clip(ask: Ask) -> Iterator[Case]:
    if ask.since < 11:
        for bounds in ({"min": -1.0, "max": 1.0}, {"min": 0.5}, {"max": 0.5}, {}):
            yield Case(f"bounds {bounds}", (ask.feed((2, 3)),), bounds)
        yield from (Case(dims(s), (ask.feed(s),), {"min": -1.0, "max": 1.0}) for s in SHAPES)
        return
    dtype = ask.array((1,), ask.type()).dtype
    for constant in (True, False):
        low = Feed(np.asarray(1, dtype), ask.type(), constant)
        high = Feed(np.asarray(2, dtype), ask.type(), constant)
        how = "constant" if constant else "fed"
        for shape in SHAPES if constant else SHAPES[:2]:
            yield Case(f"{dims(shape)}, {how} bounds", (ask.feed(shape), low, high))
        yield Case(f"no lower bound, {how}", (ask.feed((2, 3)), None, high))
        yield Case(f"no upper bound, {how}", (ask.feed((2, 3)), low))
    yield Case("no bounds", (ask.feed((2, 3)),))


def _convertible(ask: Ask, shape: tuple[int, ...]) -> Feed:
    """Numbers of T1 that T2 has, or rounds or cuts as ONNX says."""
    source, target = ask.type("T1"), ask.type("T2")
    if target in _TINY:  # to which runtimes round, or cut
        whole = ask.array(shape, target, low=0, high=1 if "int2" in (source, target) else 3)
        return Feed(whole.astype(np.int64).astype(DTYPES.get(source, np.float32)), source)
    if target == "float8e8m0":  # has neither a sign nor zero
        return ask.feed(shape, "T1", low=1)
    return ask.feed(shape, "T1", low=0 if target in UNSIGNED or source in UNSIGNED else -3)


_TINY = frozenset({"int4", "uint4", "int2", "uint2"})


def _cast(ask: Ask) -> Iterator[Case]:
    source, target = ask.type("T1"), ask.type("T2")
    basic = "string" not in (source, target)
    for shape in SHAPES[:6]:
        feed = _convertible(ask, shape)
        if source == "string":
            feed = Feed(np.full(shape, "1", dtype=np.object_), "string")
        yield Case(dims(shape), (feed,), {"to": target}, basic=basic)


def _bit_cast(ask: Ask) -> Iterator[Case]:
    source, target = ask.type("T1"), ask.type("T2")
    if source not in DTYPES or target not in DTYPES or _bits(source) != _bits(target):
        return
    for shape in SHAPES[:6]:
        yield Case(dims(shape), (ask.feed(shape, "T1", low=0),), {"to": target})


def _bits(type_: str) -> int:
    """Bits of an element."""
    below_a_byte = {"float4e2m1": 4, "int4": 4, "uint4": 4, "int2": 2, "uint2": 2}
    return below_a_byte.get(type_, 8 * int(np.dtype(DTYPES[type_]).itemsize))


def _cast_like(ask: Ask) -> Iterator[Case]:
    basic = "string" not in (ask.type("T1"), ask.type("T2"))
    for shape in SHAPES[:4]:
        yield Case(dims(shape), (_convertible(ask, shape), ask.feed((1,), "T2")), basic=basic)


def _dropout(ask: Ask) -> Iterator[Case]:
    for shape in SHAPES[:5]:
        yield Case(dims(shape), (ask.feed(shape),))
    if ask.since >= 12:
        type_ = ask.type("T1")
        none = Feed(np.zeros((), DTYPES.get(type_, np.float32)), type_, constant=True)
        training = Feed(np.array(True), "bool", constant=True)
        inputs = (ask.feed((2, 3)), none, training)
        yield Case("training, of which none", inputs, outputs=2, basic=False)


_DOMAINS: Mapping[str, tuple[float, float]] = {
    "Acos": (-0.9, 0.9), "Acosh": (1.1, 4), "Asin": (-0.9, 0.9), "Atanh": (-0.9, 0.9),
    "Log": (0.1, 4), "Reciprocal": (0.3, 3), "Sqrt": (0, 4), "Tan": (-1, 1),
}  # fmt: skip
_PLAIN = (
    "Abs", "Asinh", "Atan", "BitwiseNot", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor",
    "HardSwish", "Identity", "Mish", "Neg", "Not", "Relu", "Sigmoid", "Sign", "Sin", "Sinh",
    "Softplus", "Softsign", "Tanh",
)  # fmt: skip
_WITH_ATTRIBUTES: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "Celu": ({}, {"alpha": 2.0}),
    "Elu": ({}, {"alpha": 0.5}),
    "HardSigmoid": ({}, {"alpha": 0.3, "beta": 0.4}),
    "LeakyRelu": ({}, {"alpha": 0.1}),
    "Selu": ({}, {"alpha": 1.5, "gamma": 1.2}),
    "Shrink": ({}, {"lambd": 1.0, "bias": 0.5}),
    "Swish": ({}, {"alpha": 1.5}),
    "ThresholdedRelu": ({}, {"alpha": 0.5}),
}
_BINARY = ("Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mul", "Or", "Sub", "Xor")
_COMPARISON = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")

TABLE: Mapping[str, Builder] = {
    **dict.fromkeys(_PLAIN, _unary),
    **{op: partial(_unary, low=low, high=high) for op, (low, high) in _DOMAINS.items()},
    **{op: partial(_unary, attributes=extra) for op, extra in _WITH_ATTRIBUTES.items()},
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_COMPARISON, _equal),
    **dict.fromkeys(("Max", "Mean", "Min", "Sum"), _variadic),
    "BitShift": _shift,
    "BitCast": _bit_cast,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Clip": _clip,
    "Div": _div,
    "Dropout": _dropout,
    "Gelu": _gelu,
    "IsInf": _is_special,
    "IsNaN": _is_special,
    "Mod": _mod,
    "PRelu": _prelu,
    "Pow": _pow,
    "Round": _round,
    "Where": _where,
}  # fmt: skip
MICROSOFT: Mapping[str, Builder] = {
    "BiasGelu": _bias,
    "Gelu": _unary,
    "QuickGelu": _unary,
}
