"""Cases of losses, norms, sums of products, spectra and windows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from epforge.validate.cases.model import NUMPY, Ask, Builder, Case, Feed, both_ways, dims, ints


def _of(ask: Ask, value: object, constraint: str) -> Feed:
    type_ = ask.type(constraint)
    return Feed(np.asarray(value).astype(NUMPY.get(type_, np.float32)), type_, constant=True)


def _losses(ask: Ask) -> Iterator[Case]:
    index = ask.type("Tind")
    x, labels = ask.feed((2, 3)), ints([2, 0], index, constant=False)
    weights = ask.feed((3,), low=0.5)
    image = (ask.feed((2, 3, 2)), ints([[1, 0], [2, 2]], index, constant=False))
    yield Case("mean", (x, labels))
    for reduction in ("sum", "none"):
        yield Case(reduction, (x, labels), {"reduction": reduction})
        yield Case(f"{reduction}, of pixels", image, {"reduction": reduction})
    yield Case("weights", (x, labels, weights))
    yield Case("weights of pixels", (*image, weights), {"reduction": "none"})
    ignored = ints([2, -1], index, constant=False)
    yield Case("one is ignored", (x, ignored), {"ignore_index": -1})
    yield Case("weights, one is ignored", (x, ignored, weights), {"ignore_index": -1})
    if ask.op == "SoftmaxCrossEntropyLoss":
        yield Case("logarithms", (x, labels), outputs=2)
        yield Case("logarithms of pixels", (*image, weights), {"reduction": "sum"}, outputs=2)


_PRODUCTS: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = (
    ("ij,jk->ik", ((2, 3), (3, 4))),
    ("ij->ji", ((2, 3),)),
    ("ij->i", ((2, 3),)),
    ("ij->", ((2, 3),)),
    ("ii", ((3, 3),)),
    ("...ii->...i", ((2, 3, 3),)),
    ("ij,jk", ((2, 3), (3, 9))),
    ("bij, bjk -> bik", ((2, 2, 3), (2, 3, 2))),
    ("...ij,...jk->...ik", ((2, 2, 3), (1, 3, 2))),
    ("i,j->ij", ((2,), (3,))),
    ("bhqd,bhkd->bhqk", ((1, 2, 3, 4), (1, 2, 5, 4))),
)


def _einsum(ask: Ask) -> Iterator[Case]:
    for equation, shapes in _PRODUCTS:
        inputs = tuple(ask.feed(shape) for shape in shapes)
        plain = "." not in equation
        yield Case(equation, inputs, {"equation": equation}, basic=plain)
    three = (ask.feed((2, 3)), ask.feed((3, 2)), ask.feed((2,)))
    yield Case("ij,jk,k->i", three, {"equation": "ij,jk,k->i"}, basic=False)


def _det(ask: Ask) -> Iterator[Case]:
    for shape in ((3, 3), (1, 1), (2, 4, 4)):
        yield Case(dims(shape), (ask.feed(shape),))


def _lp_normalization(ask: Ask) -> Iterator[Case]:
    for shape, axis in (((2, 3), -1), ((2, 3, 4), 1), ((3, 2), 0)):
        for p in (2, 1):
            label = f"{dims(shape)} axis={axis} p={p}"
            yield Case(label, (ask.feed(shape),), {"axis": axis, "p": p})


def _mean_variance(ask: Ask) -> Iterator[Case]:
    yield Case("axes=(0,2,3)", (ask.feed((2, 3, 2, 2)),))
    for axes in ([1, 2], [-1], [0, 1, 2]):
        yield Case(f"axes={axes}", (ask.feed((2, 3, 4)),), {"axes": axes})


def _windows(ask: Ask) -> Iterator[Case]:
    of = {"output_datatype": ask.type("T2")}
    # What is a whole number up to rounding may be cut to the one below.
    exact = ask.type("T2") in ("float16", "float32", "float64", "bfloat16")
    for size in (8, 9):
        given = (_of(ask, size, "T1"),)
        yield Case(f"{size}", given, of, defined=exact)
        yield Case(f"{size}, symmetric", given, {**of, "periodic": 0}, defined=exact)


def _mel(ask: Ask) -> Iterator[Case]:
    of = {"output_datatype": ask.type("T3")}
    for bands, length in ((4, 64), (8, 128)):
        whole = (_of(ask, n, "T1") for n in (bands, length, 8192))
        edges = (_of(ask, n, "T2") for n in (0, 4096))
        yield Case(f"{bands} bands of {length}", (*whole, *edges), of)


def _dft(ask: Ask) -> Iterator[Case]:
    index = ask.type("T2")
    for points in (8, 6, 7, 1):
        yield Case(f"{points} real", (ask.feed((1, points, 1), "T1"),))
        yield Case(f"{points} complex", (ask.feed((2, points, 2), "T1"),))
    yield Case("half", (ask.feed((1, 7, 1), "T1"),), {"onesided": 1})
    yield Case("inverse", (ask.feed((2, 6, 2), "T1"),), {"inverse": 1})
    for length in (5, 11):
        inputs = (ask.feed((1, 8, 1), "T1"), ints(length, index))
        yield from both_ways(Case(f"dft_length={length}", inputs))
    x = ask.feed((2, 3, 4, 1), "T1")
    if ask.since < 20:
        yield Case("axis=2", (x,), {"axis": 2})
    else:
        yield Case("axis=1", (x, None, ints(1)))


def _stft(ask: Ask) -> Iterator[Case]:
    index = ask.type("T2")
    x, step = ask.feed((2, 16, 1), "T1"), ints(4, index)
    yield Case("frames of 8", (x, step, None, ints(8, index)))
    window = ask.feed((5,), "T1", low=0.5)
    yield Case("a window", (x, step, window))
    yield Case("both sides", (x, step, window), {"onesided": 0})


TABLE: Mapping[str, Builder] = {
    "BlackmanWindow": _windows,
    "DFT": _dft,
    "Det": _det,
    "Einsum": _einsum,
    "HammingWindow": _windows,
    "HannWindow": _windows,
    "LpNormalization": _lp_normalization,
    "MeanVarianceNormalization": _mean_variance,
    "MelWeightMatrix": _mel,
    "NegativeLogLikelihoodLoss": _losses,
    "STFT": _stft,
    "SoftmaxCrossEntropyLoss": _losses,
}
