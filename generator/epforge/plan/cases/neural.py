"""Cases of products, windows and normalisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from epforge.plan.cases.model import NEWEST, Case, within


def _pool() -> tuple[Case, ...]:
    return (
        Case([(1, 2, 6, 6)], {"kernel_shape": [2, 2], "strides": [2, 2]}),
        Case([(2, 3, 5, 7)], {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 1, 1, 1]}),
        Case([(1, 2, 9)], {"kernel_shape": [3]}),
        Case([(1, 1, 5, 5)], {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER"}),
    )


TABLE: Mapping[str, tuple[Case, ...]] = {
    "AveragePool": (
        *(c for c in _pool() if not {"pads", "auto_pad"} & set(c.attributes)),
        # Whether version 1 counts padding is left open, and implementations differ.
        *(
            replace(c, since=(7, NEWEST))
            for c in _pool()
            if {"pads", "auto_pad"} & set(c.attributes)
        ),
        Case(
            [(1, 2, 4, 4)],
            {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
            (7, NEWEST),
        ),
    ),
    "BatchNormalization": (
        Case([(2, 3, 4, 5), (3,), (3,), (3,), within((3,), 0.5, 2.0)], {}, (7, NEWEST)),
        Case([(0, 3, 4), (3,), (3,), (3,), within((3,), 0.5, 2.0)], {}, (7, NEWEST)),
        Case(
            [(2, 3, 4), (3,), (3,), (3,), within((3,), 0.5, 2.0)],
            {"training_mode": 1, "momentum": 0.75},
            (14, NEWEST),
            3,
            channels_first=True,
        ),
    ),
    "Conv": (
        Case([(1, 3, 5, 5), (4, 3, 3, 3), (4,)], {"pads": [1, 1, 1, 1]}),
        Case([(2, 4, 7, 5), (6, 2, 3, 3)], {"group": 2, "strides": [2, 1]}),
        Case([(1, 4, 6, 6), (4, 1, 3, 3)], {"group": 4, "dilations": [2, 2]}),
        Case([(2, 3, 7, 5), (6, 1, 3, 2)], {"group": 3, "dilations": [2, 1]}),
        Case([(2, 2, 7), (3, 2, 3)]),
        Case([(0, 3, 5, 5), (4, 3, 3, 3)]),
    ),
    "Gemm": (
        Case([(2, 3), (3, 4), (4,)], {}, (7, NEWEST)),
        Case([(3, 2), (4, 3), (2, 1)], {"transA": 1, "transB": 1, "alpha": 0.5}, (7, NEWEST)),
        Case([(2, 3), (3, 4), (2, 4)], {"beta": 0.25}),
        Case([(2, 3), (3, 4)], {}, (11, NEWEST)),
        Case([(0, 3), (3, 4), (4,)], {}, (7, NEWEST)),
    ),
    "GlobalAveragePool": (Case([(1, 3, 4, 5)]), Case([(2, 3, 4)])),
    "GlobalMaxPool": (Case([(1, 3, 4, 5)]), Case([(2, 3, 4)])),
    "GroupNormalization": (
        Case([(2, 4, 3), (2,), (2,)], {"num_groups": 2}, (18, 20)),
        Case([(2, 4, 3), (4,), (4,)], {"num_groups": 2}, (21, NEWEST)),
    ),
    "Hardmax": (Case([(2, 3, 4)]), Case([(2, 3)], {"axis": 0})),
    "InstanceNormalization": (Case([(2, 3, 4, 5), (3,), (3,)], since=(6, NEWEST)),),
    "LayerNormalization": (
        Case([(2, 3, 4), (4,), (4,)]),
        Case([(2, 3, 4), (3, 4)], {"axis": 1}),
        Case([(0, 4), (4,)]),
    ),
    "LpPool": (
        Case([(1, 2, 6, 6)], {"kernel_shape": [2, 2], "strides": [2, 2]}, (2, NEWEST)),
        Case([(1, 2, 9)], {"kernel_shape": [3], "p": 1}, (2, NEWEST)),
        Case([(2, 3, 5, 7)], {"kernel_shape": [2, 3], "strides": [1, 2]}, (2, NEWEST)),
    ),
    "LRN": (Case([(1, 5, 3, 3)], {"size": 3}), Case([(2, 5, 3, 4)], {"size": 3})),
    "MatMul": (
        Case([(2, 3), (3, 4)]),
        Case([(5, 2, 3), (3, 4)]),
        Case([(2, 1, 2, 3), (4, 3, 2)]),
        Case([(3,), (3,)]),
        Case([(0, 3), (3, 4)]),
    ),
    "MaxPool": _pool(),
    # The runtime expands it to a function whose Mul does not take two types.
    "RMSNormalization": (
        Case([(2, 3, 4), (4,)], one_type=True),
        Case([(2, 3, 4), (3, 4)], {"axis": 1}, one_type=True),
    ),
    "LogSoftmax": (Case([(2, 3, 4)]), Case([(2, 3)], {"axis": 0}), Case([(0, 3)], {"axis": 1})),
    "Softmax": (Case([(2, 3, 4)]), Case([(2, 3)], {"axis": 0}), Case([(0, 3)], {"axis": 1})),
}
