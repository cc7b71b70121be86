"""Cases of ops that draw at random: what chance has no part in, and type and shape of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from epforge.validate.cases.model import NUMPY, Ask, Builder, Case, Feed, dims

# ONNX Runtime aborts at a scale of 0. Added to 2.5, this one leaves it as it is.
_CERTAIN: Mapping[str, Mapping[str, Any]] = {
    "Normal": {"mean": 2.5, "scale": 1e-30},
    "Uniform": {"low": 2.5, "high": 2.5},
}


def _certain(ask: Ask) -> Mapping[str, Any]:
    return _CERTAIN[ask.op.removeprefix("Random").removesuffix("Like")]


def _free(ask: Ask) -> Iterator[Case]:
    dtype = {"dtype": ask.type()}
    for shape in ((2, 3), (0, 3)):
        known = {"shape": list(shape), **dtype}
        yield Case(f"{dims(shape)}, certain", (), {**known, **_certain(ask)})
        yield Case(dims(shape), (), known, defined=False)
        yield Case(f"{dims(shape)}, a seed", (), {**known, "seed": 7.0}, defined=False)


def _like(ask: Ask) -> Iterator[Case]:
    dtype = {"dtype": ask.type("T2")}
    for shape in ((2, 3), (1,), (0, 3)):
        inputs = (ask.feed(shape, "T1"),)
        yield Case(f"{dims(shape)}, certain", inputs, {**dtype, **_certain(ask)})
        yield Case(dims(shape), inputs, dtype, defined=False)
        yield Case(f"{dims(shape)}, a seed", inputs, {**dtype, "seed": 7.0}, defined=False)


def _given(ask: Ask, values: object) -> tuple[Feed, ...]:
    type_ = ask.type("T1")
    return (Feed(np.asarray(values).astype(NUMPY.get(type_, np.float32)), type_),)


def _bernoulli(ask: Ask) -> Iterator[Case]:
    dtype = {"dtype": ask.type("T2")}
    # ONNX Runtime computes it by ONNX's function, which draws a one with the chance of a zero.
    chances = _given(ask, [[0.25, 0.5, 0.75], [0, 1, 0.5]])
    yield Case("uncertain", chances, dtype, defined=False)
    yield Case("nothing", (ask.feed((0, 3), "T1"),), dtype)
    yield Case("a seed", chances, {**dtype, "seed": 7.0}, defined=False)


def _multinomial(ask: Ask) -> Iterator[Case]:
    dtype = {"dtype": ask.type("T2")}
    sure = _given(ask, [[0, -2000, -2000], [-2000, -2000, 0]])
    yield Case("certain", sure, {**dtype, "sample_size": 4})
    chances = _given(ask, [[0.0, -1.0, -2.0]])
    yield Case("uncertain", chances, dtype, defined=False)
    yield Case("a seed", chances, {**dtype, "sample_size": 5, "seed": 7.0}, defined=False)


TABLE: Mapping[str, Builder] = {
    "Bernoulli": _bernoulli,
    "Multinomial": _multinomial,
    "RandomNormal": _free,
    "RandomNormalLike": _like,
    "RandomUniform": _free,
    "RandomUniformLike": _like,
}
