"""Operators that draw at random.

Their numbers are made from a seed and a position alone, so that threads change nothing. With the
attribute `seed` every call gives the same; without one, every call gives others. The samples ask
for what chance has no part in.
"""

from __future__ import annotations

from collections.abc import Mapping

from epforge.ops.families._common import ALL, ANY, CHECKS, ERRORS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample

_RANDOM = ("device.h", "math.h", "random.cc", "random.h")
_NORMAL: Mapping[str, object] = {
    "value": "mean + scale * random.Normal(i)",
    "numbers": (
        ("mean", "static_cast<double>(attrs.mean)"),
        ("scale", "static_cast<double>(attrs.scale)"),
    ),
    "cost": "96",
}
_UNIFORM: Mapping[str, object] = {
    "value": "low + range * random.Uniform(i)",
    "numbers": (
        ("low", "static_cast<double>(attrs.low)"),
        ("range", "static_cast<double>(attrs.high) - low"),
    ),
    "cost": "32",
}
# ONNX Runtime aborts at a scale of 0. Added to 2.5, this one leaves it as it is.
_OF_NORMAL = {"mean": 2.5, "scale": 1e-30}
_OF_UNIFORM = {"low": 2.5, "high": 2.5}


def _free(op: str, what: Mapping[str, object], fixed: Mapping[str, float]) -> FamilyRow:
    """Without inputs: the shape is an attribute."""
    known = {"dtype": "type of T", **fixed}
    return FamilyRow(
        op=op,
        family="random_values",
        since=(1, 22),
        types={"T": FLOATS},
        params={
            "header": "op",
            "attributes": ("shape", "seed", *fixed),
            "like": False,
            "support": (*CHECKS, *_RANDOM),
            **what,
        },
        samples=(
            Sample((), (value([[2.5, 2.5]]),), {"shape": (1, 2), **known}),
            Sample((), (value([2.5]),), {"shape": (1,), "seed": 7.0, **known}),
            Sample((), (value([], shape=(0, 2)),), {"shape": (0, 2), **known}),
        ),
    )


def _like(op: str, what: Mapping[str, object], fixed: Mapping[str, float]) -> FamilyRow:
    """Of the shape of the input."""
    known = {"dtype": "type of T2", **fixed}
    return FamilyRow(
        op=op,
        family="random_values",
        since=(1, 22),
        types={"T1": ANY, "T2": FLOATS},
        params={
            "header": "op",
            "attributes": ("seed", *fixed),
            "like": True,
            "main": "T2",
            "support": (*ERRORS, *_RANDOM),
            **what,
        },
        samples=(
            Sample((value([[1, 0]], "T1"),), (value([[2.5, 2.5]], "T2"),), known),
            Sample((value(1, "T1"),), (value(2.5, "T2"),), {"seed": 7.0, **known}),
            Sample((value([], "T1"),), (value([], "T2"),), known),
        ),
    )


_CERTAIN = value([0, 1, 1, 0], "T1")
_BERNOULLI = FamilyRow(
    op="Bernoulli",
    family="bernoulli",
    since=(15, 22),
    types={"T1": FLOATS, "T2": ALL},
    params={
        "header": "op",
        "attributes": ("seed",),
        "support": (
            *(*ERRORS, *_RANDOM, "convert.h", "copy.cc", "copy.h", "numbers.cc", "numbers.h"),
            *("strides.cc", "strides.h"),
        ),
    },
    samples=(
        Sample((_CERTAIN,), (value([0, 1, 1, 0], "T2"),), {"dtype": "type of T2"}),
        Sample((_CERTAIN,), (value([0, 1, 1, 0], "T2"),), {"dtype": "type of T2", "seed": 7.0}),
        Sample((value([], "T1"),), (value([], "T2"),), {"dtype": "type of T2"}),
    ),
)
_SURE = value([[0, -2000, -2000], [-2000, -2000, 3]], "T1")
_MULTINOMIAL = FamilyRow(
    op="Multinomial",
    family="multinomial",
    since=(7, 22),
    types={"T1": FLOATS, "T2": (DType.INT32, DType.INT64)},
    params={
        "header": "op",
        "attributes": ("sample_size", "seed"),
        "support": (*CHECKS, *_RANDOM, "arithmetic.h"),
    },
    samples=(
        Sample((_SURE,), (value([[0], [2]], "T2"),), {"dtype": "type of T2"}),
        Sample(
            (_SURE,),
            (value([[0, 0], [2, 2]], "T2"),),
            {"dtype": "type of T2", "sample_size": 2, "seed": 7.0},
        ),
    ),
)

ROWS = (
    _free("RandomNormal", _NORMAL, _OF_NORMAL),
    _free("RandomUniform", _UNIFORM, _OF_UNIFORM),
    _like("RandomNormalLike", _NORMAL, _OF_NORMAL),
    _like("RandomUniformLike", _UNIFORM, _OF_UNIFORM),
    _BERNOULLI,
    _MULTINOMIAL,
)
