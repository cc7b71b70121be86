"""Cases of operators that compute each element by itself."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import NEWEST, SHAPES, Case, scalar, within

_BROADCAST = (
    *("Add", "Div", "Max", "Min", "Mul", "Sub"),
    *("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"),
    *("And", "Or", "Xor"),
)


def _broadcasting() -> tuple[Case, ...]:
    return (
        *(Case([shape, shape]) for shape in SHAPES),
        Case([(2, 1, 4), (3, 1)], since=(7, NEWEST)),
        Case([(2, 3), ()], since=(7, NEWEST)),
        Case([(0, 3), (1, 3)], since=(7, NEWEST)),
    )


TABLE: Mapping[str, tuple[Case, ...]] = {
    **{op: _broadcasting() for op in _BROADCAST},
    "BitCast": (Case([(2, 3)], {"to": {"type_of": "T2"}}, one_type=("T1", "T2")),),
    "BitShift": (
        *(Case([s, s], {"direction": "LEFT"}) for s in SHAPES),
        Case([(2, 1, 4), (3, 1)], {"direction": "RIGHT"}),
    ),
    "Cast": (Case([(2, 3)], {"to": {"type_of": "T2"}}), Case([()], {"to": {"type_of": "T2"}})),
    "Clip": (
        Case([(2, 3)], {"min": -0.5, "max": 0.5}, (1, 10)),
        Case([(2, 3), scalar(1), scalar(2)], {}, (11, NEWEST)),
        Case([(2, 3), None, scalar(1)], {}, (11, NEWEST)),
        Case([(0, 3), scalar(1)], {}, (11, NEWEST)),
    ),
    "Elu": (*(Case([shape], {"alpha": 0.5}) for shape in SHAPES),),
    "HardSigmoid": (*(Case([shape], {"alpha": 0.25, "beta": 0.4}) for shape in SHAPES),),
    "LeakyRelu": (*(Case([shape], {"alpha": 0.2}) for shape in SHAPES),),
    "Mod": (
        Case([(2, 3), (2, 3)], {"fmod": 1}),
        Case([within((2, 3), -9, 9), (2, 3)], since=(28, NEWEST)),
    ),
    "Pow": (
        *(Case([within(s, 1, 3), within(s, 1, 3)]) for s in SHAPES),
        Case([within((2, 3), 1, 3), scalar(2)], since=(7, NEWEST)),
    ),
    "PRelu": (
        Case([(2, 3), (3,)], since=(7, NEWEST)),
        Case([(2, 3, 4), (3, 1)], since=(7, NEWEST)),
    ),
    "Sum": (Case([(2, 3)] * 3), Case([(2, 3)])),
    "Where": (
        *(Case([shape, shape, shape]) for shape in SHAPES),
        Case([(3, 1), (1, 4), ()]),
    ),
}
