"""Cases of matrix products, convolutions, pools and normalisations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from epforge.validate.cases.model import Ask, Builder, Case, dims


def _matmul(ask: Ask) -> Iterator[Case]:
    pairs: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
        ((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((1, 1), (1, 1)),
        ((2, 1, 3, 4), (5, 4, 2)), ((4, 2, 3), (3, 5)), ((2, 3), (4, 3, 5)), ((17, 65), (65, 9)),
        ((0, 3), (3, 4)), ((2, 3), (3, 0)), ((2, 0), (0, 3)),
    )  # fmt: skip
    for a, b in pairs:
        yield Case(f"{dims(a)} by {dims(b)}", (ask.feed(a), ask.feed(b)))
    yield Case("constant weights", (ask.feed((2, 3)), ask.feed((3, 4), constant=True)))


def _gemm(ask: Ask) -> Iterator[Case]:
    for ta in (0, 1):
        for tb in (0, 1):
            a, b = ((3, 2) if ta else (2, 3)), ((4, 3) if tb else (3, 4))
            attributes: dict[str, Any] = {"transA": ta, "transB": tb}
            yield Case(
                f"transA={ta} transB={tb}", (ask.feed(a), ask.feed(b), ask.feed((2, 4))), attributes
            )
    a_, b_ = ask.feed((2, 3)), ask.feed((3, 4), constant=True)
    for shape in ((4,), (1,), (1, 4), (2, 1), ()):
        scaled = (
            {"alpha": 2.0, "beta": 3.0}
            if ask.type() not in ("float32",)
            else {"alpha": 0.5, "beta": 0.25}
        )
        yield Case(f"C is {dims(shape)}, scaled", (a_, b_, ask.feed(shape, constant=True)), scaled)
    yield Case("larger", (ask.feed((17, 65)), ask.feed((65, 9)), ask.feed((9,))))
    yield Case("no rows", (ask.feed((0, 3)), b_, ask.feed((4,))))
    if ask.since >= 11:
        yield Case("no C", (a_, b_))


def _conv(ask: Ask) -> Iterator[Case]:
    w = ask.feed((4, 3, 3, 3), low=-1, high=1, constant=True)
    bias = ask.feed((4,), constant=True)
    x = ask.feed((2, 3, 8, 9), low=-1, high=1)
    square: dict[str, Any] = {"kernel_shape": [3, 3]}
    yield Case("3x3", (x, w), square)
    yield Case("bias, padded", (x, w, bias), {**square, "pads": [1, 1, 1, 1]})
    yield Case("uneven pads", (x, w), {**square, "pads": [1, 0, 2, 1]})
    yield Case("strides", (x, w, bias), {**square, "strides": [2, 3]})
    yield Case("dilations", (x, w), {**square, "dilations": [2, 2]})
    yield Case("weights fed", (x, ask.feed((4, 3, 3, 3), low=-1, high=1), ask.feed((4,))), square)
    yield Case("no kernel_shape", (x, w))
    x4 = ask.feed((1, 4, 8, 8), low=-1, high=1)
    yield Case("groups", (x4, ask.feed((6, 2, 3, 3), constant=True)), {**square, "group": 2})
    yield Case(
        "depthwise",
        (x4, ask.feed((4, 1, 3, 3), constant=True)),
        {**square, "group": 4, "pads": [1] * 4},
    )
    yield Case("1x1", (x4, ask.feed((5, 4, 1, 1), constant=True)), {"kernel_shape": [1, 1]})
    yield Case("no images", (ask.feed((0, 3, 8, 9)), w), square)
    for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        yield Case(
            f"auto_pad={pad}", (x, w), {**square, "auto_pad": pad, "strides": [2, 2]}, basic=False
        )
    w1 = ask.feed((4, 3, 3), constant=True)
    yield Case("one axis", (ask.feed((2, 3, 8)), w1), {"kernel_shape": [3]}, basic=False)
    w3 = ask.feed((2, 3, 2, 2, 2), constant=True)
    yield Case(
        "three axes", (ask.feed((1, 3, 4, 5, 4)), w3), {"kernel_shape": [2, 2, 2]}, basic=False
    )


def _pool(ask: Ask) -> Iterator[Case]:
    x = ask.feed((2, 3, 8, 9))
    square: dict[str, Any] = {"kernel_shape": [3, 3]}
    yield Case("3x3", (x,), square)
    yield Case("2x2, stride 2", (x,), {"kernel_shape": [2, 2], "strides": [2, 2]})
    yield Case("padded", (x,), {**square, "pads": [1, 1, 1, 1]})
    yield Case("uneven pads", (x,), {**square, "pads": [1, 0, 0, 1], "strides": [1, 2]})
    yield Case("no images", (ask.feed((0, 3, 8, 9)),), square)
    if ask.op == "AveragePool" and ask.since >= 7:
        yield Case("padding counts", (x,), {**square, "pads": [1] * 4, "count_include_pad": 1})
    if ask.since >= (18 if ask.op == "LpPool" else 10):
        yield Case("ceil_mode", (x,), {**square, "strides": [2, 2], "ceil_mode": 1})
    if ask.since >= {"MaxPool": 10, "LpPool": 18}.get(ask.op, 19):
        yield Case("dilations", (x,), {**square, "dilations": [2, 2]})
    if ask.op == "MaxPool" and ask.since >= 8:
        yield Case("with indices", (x,), square, outputs=2, basic=False)
    for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        yield Case(
            f"auto_pad={pad}", (x,), {**square, "auto_pad": pad, "strides": [2, 2]}, basic=False
        )
    yield Case("one axis", (ask.feed((2, 3, 8)),), {"kernel_shape": [3]}, basic=False)
    yield Case("three axes", (ask.feed((1, 2, 4, 5, 4)),), {"kernel_shape": [2, 2, 2]}, basic=False)


def _global_pool(ask: Ask) -> Iterator[Case]:
    attributes: dict[str, Any] = {}
    for shape in ((2, 3, 4, 5), (1, 1, 1, 1), (0, 3, 4, 5)):
        yield Case(dims(shape), (ask.feed(shape),), attributes)
    for shape3 in ((2, 3, 7), (1, 2, 3, 4, 5)):
        yield Case(dims(shape3), (ask.feed(shape3),), attributes, basic=False)


def _batch_norm(ask: Ask) -> Iterator[Case]:
    scale = "T1" if ask.since >= 15 else "T"
    stat = "T2" if ask.since >= 15 else "U" if ask.since >= 14 else "T"
    test: dict[str, Any] = {"is_test": 1} if ask.since < 7 else {}
    if ask.since < 6:
        test["consumed_inputs"] = [0, 0, 0, 0, 0]
    for shape in ((2, 3, 4, 5), (2, 3), (2, 3, 4), (0, 3, 4, 5), (1, 3, 1, 1)):
        for constant in (True, False):
            inputs = (
                ask.feed(shape),
                ask.feed((3,), scale, constant=constant),
                ask.feed((3,), scale, low=-1, constant=constant),
                ask.feed((3,), stat, constant=constant),
                ask.feed((3,), stat, low=0.5, constant=constant),
            )
            label = dims(shape) + ("" if constant else ", statistics fed")
            yield Case(label, inputs, {**test, "epsilon": 1e-3}, basic=len(shape) == 4)
    # Of several types, references compute the statistics in the shortest.
    if ask.since >= 14 and len(set(ask.types.values())) == 1:
        statistics = (ask.feed((3,), stat), ask.feed((3,), stat, low=0.5))
        given = (ask.feed((2, 3, 4)), ask.feed((3,), scale), ask.feed((3,), scale), *statistics)
        yield Case("training", given, {"training_mode": 1}, outputs=3, basic=False)


def _layer_norm(ask: Ask) -> Iterator[Case]:
    shapes: tuple[tuple[tuple[int, ...], int, tuple[int, ...]], ...] = (
        ((2, 3, 4), -1, (4,)), ((2, 3, 4), 1, (3, 4)), ((2, 257), 1, (257,)), ((0, 4), -1, (4,))
    )  # fmt: skip
    for shape, axis, tail in shapes:
        x, scale = (
            ask.feed(shape),
            ask.feed(tail, "T" if ask.op == "LayerNormalization" else "V", constant=True),
        )
        yield Case(f"{dims(shape)} axis={axis}, no bias", (x, scale), {"axis": axis})
        if ask.op == "LayerNormalization":
            bias = ask.feed(tail, low=-1, constant=True)
            yield Case(
                f"{dims(shape)} axis={axis}", (x, scale, bias), {"axis": axis, "epsilon": 1e-3}
            )


def _instance_norm(ask: Ask) -> Iterator[Case]:
    for shape in ((2, 3, 4, 5), (1, 3, 7), (0, 3, 4, 4)):
        inputs = (
            ask.feed(shape),
            ask.feed((3,), constant=True),
            ask.feed((3,), low=-1, constant=True),
        )
        yield Case(dims(shape), inputs, {"epsilon": 1e-3}, basic=len(shape) == 4)


def _group_norm(ask: Ask) -> Iterator[Case]:
    size = (2,) if ask.since < 21 else (4,)
    inputs = (
        ask.feed((2, 4, 3, 3)),
        ask.feed(size, constant=True),
        ask.feed(size, low=-1, constant=True),
    )
    yield Case("(2,4,3,3) in 2 groups", inputs, {"num_groups": 2, "epsilon": 1e-3})


def _lrn(ask: Ask) -> Iterator[Case]:
    yield Case(
        "size 3", (ask.feed((2, 5, 3, 4)),), {"size": 3, "alpha": 0.2, "beta": 0.5, "bias": 1.5}
    )


def _fused_matmul(ask: Ask) -> Iterator[Case]:
    yield Case("transB, scaled", (ask.feed((2, 3)), ask.feed((4, 3))), {"transB": 1, "alpha": 0.5})


TABLE: Mapping[str, Builder] = {
    "AveragePool": _pool,
    "BatchNormalization": _batch_norm,
    "Conv": _conv,
    "Gemm": _gemm,
    "GlobalAveragePool": _global_pool,
    "GlobalLpPool": _global_pool,
    "GlobalMaxPool": _global_pool,
    "GroupNormalization": _group_norm,
    "InstanceNormalization": _instance_norm,
    "LRN": _lrn,
    "LayerNormalization": _layer_norm,
    "LpPool": _pool,
    "MatMul": _matmul,
    "MaxPool": _pool,
    "RMSNormalization": _layer_norm,
}
MICROSOFT: Mapping[str, Builder] = {
    "FusedMatMul": _fused_matmul,
}
