"""Cases of operators about positions: where elements go, which they are, and what is drawn."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import NEWEST, Case, Json, constant, scalar, within

# All different: between equal ones the order of results would count.
_RANKED = constant([3, 1, 2, 7], [0, 6, 5, 4], [11, 8, 10, 9])
_POINTS = constant([0, 1], [2, -1])
_ALIKE = ("T1", "T2", "T3")
_TWICE = constant([1, 0], [1, 2])


def _scatter(*, repeats: bool) -> tuple[Case, ...]:
    plain = (
        Case([(3, 3), constant([1, 0, 2], [0, 2, 1]), (2, 3)]),
        Case([(2, 4), constant([3, 0], [1, 2]), (2, 2)], {"axis": 1}),
        Case([(0, 3), {"shape": [0, 3]}, (0, 3)]),
    )
    joined = (
        Case([(3, 2), _TWICE, (2, 2)], {"reduction": "add"}, (16, NEWEST)),
        Case([(3, 2), _TWICE, (2, 2)], {"reduction": "mul"}, (16, NEWEST)),
    )
    return (*plain, *joined) if repeats else plain


def _cumulative() -> tuple[Case, ...]:
    return (
        Case([(2, 3), scalar(0)]),
        Case([(2, 3, 4), scalar(-2)]),
        Case([(2, 3), scalar(1)], {"exclusive": 1}),
        Case([(2, 3), scalar(1)], {"exclusive": 1, "reverse": 1}),
        Case([(0, 3), scalar(1)]),
    )


def _certain(attributes: Mapping[str, Json], *, of: str = "T") -> Mapping[str, Json]:
    """What leaves nothing to chance, so that there is a result to compare with."""
    return {"dtype": {"type_of": of}, **attributes}


# The runtime aborts at a scale of 0. Added to 2.5, this one leaves it as it is.
_NORMAL: Mapping[str, Json] = {"mean": 2.5, "scale": 1e-30}
_UNIFORM: Mapping[str, Json] = {"low": 2.5, "high": 2.5}


def _free(known: Mapping[str, Json]) -> tuple[Case, ...]:
    return (
        Case([], _certain({"shape": [2, 3], **known})),
        Case([], _certain({"shape": [0, 3], "seed": 1.0, **known})),
    )


def _like(known: Mapping[str, Json]) -> tuple[Case, ...]:
    return (
        Case([(2, 3)], _certain(known, of="T2")),
        Case([(0, 3)], _certain({"seed": 1.0, **known}, of="T2")),
    )


TABLE: Mapping[str, tuple[Case, ...]] = {
    # ONNX Runtime computes it by ONNX's function, which draws a one with the chance of a zero.
    "Bernoulli": (
        Case([(0, 3)], _certain({}, of="T2")),
        Case([(0,)], _certain({"seed": 1.0}, of="T2")),
    ),
    "Compress": (
        Case([(2, 3), constant(False, True, True)]),
        Case([(2, 3), constant(False, True)], {"axis": 0}),
        Case([(2, 3, 4), constant(True, False, True)], {"axis": 1}),
    ),
    "CumProd": _cumulative(),
    "CumSum": _cumulative(),
    "EyeLike": (
        Case([(3, 4)], {"dtype": {"type_of": "T2"}}),
        Case([(3, 4)], {"dtype": {"type_of": "T2"}, "k": -1}),
        Case([(0, 3)], {"dtype": {"type_of": "T2"}}),
    ),
    "GatherND": (
        Case([(3, 4), _POINTS]),
        Case([(3, 4), constant([2], [0])]),
        Case([(2, 3, 4), constant([1], [2])], {"batch_dims": 1}, (12, NEWEST)),
    ),
    # Version 22 is computed by nobody that there is to compare with.
    "Multinomial": (
        Case([(2, 1)], _certain({}, of="T2"), (7, 21)),
        Case([(2, 1)], _certain({"sample_size": 3, "seed": 1.0}, of="T2"), (7, 21)),
    ),
    "NonZero": (
        Case([within((3, 4), 0, 2)]),
        Case([constant(0, 1, 0, 1)]),
        Case([(0, 3)]),
    ),
    # Combinations of three types are many.
    "OneHot": (
        Case([constant(0, 2, 1), scalar(3), constant(0, 1)], one_type=_ALIKE),
        Case([constant([0, 1], [1, 0]), scalar(2), constant(1, 0)], {"axis": 0}, one_type=_ALIKE),
    ),
    "RandomNormal": _free(_NORMAL),
    "RandomNormalLike": _like(_NORMAL),
    "RandomUniform": _free(_UNIFORM),
    "RandomUniformLike": _like(_UNIFORM),
    "Range": (
        Case([scalar(1), scalar(9), scalar(3)]),
        Case([scalar(9), scalar(1), scalar(-2)]),
        Case([scalar(1), scalar(1), scalar(1)]),
    ),
    "ReverseSequence": (
        Case([(4, 3), constant(4, 1, 3)]),
        Case([(2, 3, 2), constant(0, 2)], {"batch_axis": 0, "time_axis": 1}),
    ),
    "Scatter": _scatter(repeats=False),
    "ScatterElements": _scatter(repeats=True),
    "ScatterND": (
        Case([(3, 4), _POINTS, (2,)]),
        Case([(3, 4), constant([2], [0]), (2, 4)]),
        Case([(3, 4), constant([2], [2]), (2, 4)], {"reduction": "add"}, (16, NEWEST)),
        Case([(3, 4), constant([2], [2]), (2, 4)], {"reduction": "mul"}, (16, NEWEST)),
    ),
    "TensorScatter": (
        Case([(2, 4, 3), (2, 2, 3)]),
        Case([(2, 4, 3), (2, 2, 3), constant(2, 1)]),
        Case([(2, 4, 3), (2, 2, 3), constant(3, 6)], {"mode": "circular"}),
    ),
    "TopK": (
        Case([_RANKED], {"k": 2}, (1, 9), 2),
        Case([_RANKED, constant(2)], {}, (10, NEWEST), 2),
        Case([_RANKED, constant(3)], {"axis": 0}, (10, NEWEST), 2),
        Case([_RANKED, constant(3)], {"largest": 0}, (11, NEWEST), 2),
        Case([(0, 3), constant(1)], {}, (10, NEWEST), 2),
    ),
    "Trilu": (
        Case([(3, 4)]),
        Case([(2, 3, 3)], {"upper": 0}),
        Case([(3, 4), scalar(1)]),
        Case([(3, 4), scalar(-2)], {"upper": 0}),
        Case([(0, 3)]),
    ),
    "Unique": (
        Case([constant(1, 0, 0, 1, 1)], outputs=4),
        Case([constant(1, 0, 0, 1, 1)], {"sorted": 0}, outputs=4),
        Case([constant([1, 0], [0, 1], [1, 0])], {"axis": 0}, outputs=4),
    ),
}
