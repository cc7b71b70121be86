"""Cases of reductions."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import NEWEST, Case, constant

_REDUCTIONS = (
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax"),
    *("ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"),
)


def _reduction(axes_are_input_from: int) -> tuple[Case, ...]:
    old, new = (1, axes_are_input_from - 1), (axes_are_input_from, NEWEST)
    return (
        Case([(2, 3, 4)]),
        Case([(2, 3, 4)], {"axes": [1], "keepdims": 0}, old),
        Case([(2, 3, 4)], {"axes": [0, 2]}, old),
        Case([(2, 3, 4), constant(1)], {"keepdims": 0}, new),
        Case([(2, 3, 4), constant(0, -1)], {}, new),
        Case([(2, 3, 4)], {"noop_with_empty_axes": 1}, new),
    )


TABLE: Mapping[str, tuple[Case, ...]] = {
    **{op: _reduction(13 if op == "ReduceSum" else 18) for op in _REDUCTIONS},
    "ArgMax": (Case([(2, 3, 4)], {"axis": 1}), Case([(2, 3, 4)], {"axis": 2, "keepdims": 0})),
    "ArgMin": (Case([(2, 3, 4)], {"axis": 1}), Case([(2, 3, 4)], {"axis": 2, "keepdims": 0})),
}
