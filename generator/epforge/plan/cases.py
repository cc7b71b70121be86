"""What the generated project's own tests feed to each of its ops.

A case is one node: its attributes and its inputs. It says nothing of element types; the test runs
it once per combination of types that the library registers. An op that is not in the table gets
inputs of equal shapes, which fits whatever works element by element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from epforge.plan.custom_cases import custom_cases
from epforge.resolve.model import Blueprint, Op

Json: TypeAlias = "int | float | str | bool | list[Json] | dict[str, Json] | None"

_NEWEST = 10_000


@dataclass(frozen=True)
class Case:
    """One node to test.

    Args:
        inputs: per input a shape (filled with random numbers), a mapping with ``shape`` and
            ``range`` or with ``values`` (a constant), or None for an optional input left out.
        attributes: as in the node. ``{"type_of": "T2"}`` stands for the number of the element
            type that constraint T2 has, ``{"type_of": "T2", "values": [1]}`` for a tensor of it.
        since: the first and last since-version that the case is legal for.
        outputs: how many outputs the node has.
        one_type: only combinations in which all constraints have the same type.
    """

    inputs: Sequence[Sequence[int] | Mapping[str, Json] | None]
    attributes: Mapping[str, Json] = field(default_factory=dict)
    since: tuple[int, int] = (1, _NEWEST)
    outputs: int = 1
    one_type: bool = False


def _constant(*values: Json) -> Mapping[str, Json]:
    return {"values": list(values)}


def _scalar(value: float) -> Mapping[str, Json]:
    return {"values": value}


def _within(shape: Sequence[int], low: float, high: float) -> Mapping[str, Json]:
    return {"shape": list(shape), "range": [low, high]}


_SHAPES = ((2, 3, 4), (), (0, 4), (1,))
_BROADCAST = (
    *("Add", "Div", "Max", "Min", "Mul", "Sub"),
    *("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"),
    *("And", "Or", "Xor"),
)
_REDUCTIONS = (
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax"),
    *("ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"),
)


def _broadcasting() -> tuple[Case, ...]:
    return (
        *(Case([shape, shape]) for shape in _SHAPES),
        Case([(2, 1, 4), (3, 1)], since=(7, _NEWEST)),
        Case([(2, 3), ()], since=(7, _NEWEST)),
        Case([(0, 3), (1, 3)], since=(7, _NEWEST)),
    )


def _reduction(axes_are_input_from: int) -> tuple[Case, ...]:
    old, new = (1, axes_are_input_from - 1), (axes_are_input_from, _NEWEST)
    return (
        Case([(2, 3, 4)]),
        Case([(2, 3, 4)], {"axes": [1], "keepdims": 0}, old),
        Case([(2, 3, 4)], {"axes": [0, 2]}, old),
        Case([(2, 3, 4), _constant(1)], {"keepdims": 0}, new),
        Case([(2, 3, 4), _constant(0, -1)], {}, new),
        Case([(2, 3, 4)], {"noop_with_empty_axes": 1}, new),
    )


def _pool() -> tuple[Case, ...]:
    return (
        Case([(1, 2, 6, 6)], {"kernel_shape": [2, 2], "strides": [2, 2]}),
        Case([(2, 3, 5, 7)], {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 1, 1, 1]}),
        Case([(1, 2, 9)], {"kernel_shape": [3]}),
        Case([(1, 1, 5, 5)], {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER"}),
    )


_CASES: dict[str, tuple[Case, ...]] = {
    **{op: _broadcasting() for op in _BROADCAST},
    **{op: _reduction(13 if op == "ReduceSum" else 18) for op in _REDUCTIONS},
    "ArgMax": (Case([(2, 3, 4)], {"axis": 1}), Case([(2, 3, 4)], {"axis": 2, "keepdims": 0})),
    "ArgMin": (Case([(2, 3, 4)], {"axis": 1}), Case([(2, 3, 4)], {"axis": 2, "keepdims": 0})),
    "AveragePool": (
        *(c for c in _pool() if not {"pads", "auto_pad"} & set(c.attributes)),
        # Whether version 1 counts padding is left open, and implementations differ.
        *(
            replace(c, since=(7, _NEWEST))
            for c in _pool()
            if {"pads", "auto_pad"} & set(c.attributes)
        ),
        Case(
            [(1, 2, 4, 4)],
            {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
            (7, _NEWEST),
        ),
    ),
    "BatchNormalization": (
        Case([(2, 3, 4, 5), (3,), (3,), (3,), _within((3,), 0.5, 2.0)], {}, (7, _NEWEST)),
        Case([(0, 3, 4), (3,), (3,), (3,), _within((3,), 0.5, 2.0)], {}, (7, _NEWEST)),
    ),
    "BitShift": (
        *(Case([s, s], {"direction": "LEFT"}) for s in _SHAPES),
        Case([(2, 1, 4), (3, 1)], {"direction": "RIGHT"}),
    ),
    "Cast": (Case([(2, 3)], {"to": {"type_of": "T2"}}), Case([()], {"to": {"type_of": "T2"}})),
    "Clip": (
        Case([(2, 3)], {"min": -0.5, "max": 0.5}, (1, 10)),
        Case([(2, 3), _scalar(1), _scalar(2)], {}, (11, _NEWEST)),
        Case([(2, 3), None, _scalar(1)], {}, (11, _NEWEST)),
        Case([(0, 3), _scalar(1)], {}, (11, _NEWEST)),
    ),
    "Concat": (
        Case([(2, 1, 3), (2, 2, 3)], {"axis": 1}),
        Case([(2, 3), (0, 3), (1, 3)], {"axis": 0}),
        Case([(2, 3)], {"axis": -1}, (11, _NEWEST)),
    ),
    "Constant": (),  # onnxruntime turns these nodes into initializers before anyone can claim them
    "ConstantOfShape": (
        Case([_constant(2, 3)], {"value": {"type_of": "T2", "values": [1]}}),
        Case([_constant()], {"value": {"type_of": "T2", "values": [0]}}),
    ),
    "Conv": (
        Case([(1, 3, 5, 5), (4, 3, 3, 3), (4,)], {"pads": [1, 1, 1, 1]}),
        Case([(2, 4, 7, 5), (6, 2, 3, 3)], {"group": 2, "strides": [2, 1]}),
        Case([(1, 4, 6, 6), (4, 1, 3, 3)], {"group": 4, "dilations": [2, 2]}),
        Case([(2, 3, 7, 5), (6, 1, 3, 2)], {"group": 3, "dilations": [2, 1]}),
        Case([(2, 2, 7), (3, 2, 3)]),
        Case([(0, 3, 5, 5), (4, 3, 3, 3)]),
    ),
    "ConvTranspose": (Case([(1, 2, 3, 3), (2, 3, 3, 3)], {"strides": [2, 2]}),),
    "DepthToSpace": (Case([(1, 8, 2, 3)], {"blocksize": 2}),),
    "Elu": (*(Case([shape], {"alpha": 0.5}) for shape in _SHAPES),),
    "Expand": (Case([(3, 1), _constant(2, 3, 4)]), Case([(), _constant(2, 2)])),
    "Flatten": (
        Case([(2, 3, 4)]),
        Case([(2, 3, 4)], {"axis": 2}),
        Case([(0, 3)], {"axis": 1}),
    ),
    "Gather": (
        Case([(3, 4), _constant(0, 2)]),
        Case([(3, 4), _constant([0, -1], [1, 1])], {"axis": 1}, (11, _NEWEST)),
    ),
    "GatherElements": (
        Case([(2, 3), _constant([2, -1, 0], [0, 0, 1])], {"axis": 1}),
        Case([(0, 3), {"shape": [0, 3]}]),
    ),
    "Gemm": (
        Case([(2, 3), (3, 4), (4,)], {}, (7, _NEWEST)),
        Case([(3, 2), (4, 3), (2, 1)], {"transA": 1, "transB": 1, "alpha": 0.5}, (7, _NEWEST)),
        Case([(2, 3), (3, 4), (2, 4)], {"beta": 0.25}),
        Case([(2, 3), (3, 4)], {}, (11, _NEWEST)),
        Case([(0, 3), (3, 4), (4,)], {}, (7, _NEWEST)),
    ),
    "GlobalAveragePool": (Case([(1, 3, 4, 5)]), Case([(2, 3, 4)])),
    "GlobalMaxPool": (Case([(1, 3, 4, 5)]), Case([(2, 3, 4)])),
    "GroupNormalization": (
        Case([(2, 4, 3), (2,), (2,)], {"num_groups": 2}, (18, 20)),
        Case([(2, 4, 3), (4,), (4,)], {"num_groups": 2}, (21, _NEWEST)),
    ),
    "HardSigmoid": (*(Case([shape], {"alpha": 0.25, "beta": 0.4}) for shape in _SHAPES),),
    "Hardmax": (Case([(2, 3, 4)]), Case([(2, 3)], {"axis": 0})),
    "InstanceNormalization": (Case([(2, 3, 4, 5), (3,), (3,)], since=(6, _NEWEST)),),
    "LayerNormalization": (
        Case([(2, 3, 4), (4,), (4,)]),
        Case([(2, 3, 4), (3, 4)], {"axis": 1}),
        Case([(0, 4), (4,)]),
    ),
    "LeakyRelu": (*(Case([shape], {"alpha": 0.2}) for shape in _SHAPES),),
    "LpPool": (
        Case([(1, 2, 6, 6)], {"kernel_shape": [2, 2], "strides": [2, 2]}, (2, _NEWEST)),
        Case([(1, 2, 9)], {"kernel_shape": [3], "p": 1}, (2, _NEWEST)),
        Case([(2, 3, 5, 7)], {"kernel_shape": [2, 3], "strides": [1, 2]}, (2, _NEWEST)),
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
    "Mod": (Case([(2, 3), (2, 3)], {"fmod": 1}),),
    "Pad": (
        Case([(2, 3)], {"pads": [0, 1, 1, 0]}, (2, 10)),
        Case([(2, 3), _constant(0, 1, 1, 0)], {}, (11, _NEWEST)),
    ),
    "Pow": (
        *(Case([_within(s, 1, 3), _within(s, 1, 3)]) for s in _SHAPES),
        Case([_within((2, 3), 1, 3), _scalar(2)], since=(7, _NEWEST)),
    ),
    "PRelu": (
        Case([(2, 3), (3,)], since=(7, _NEWEST)),
        Case([(2, 3, 4), (3, 1)], since=(7, _NEWEST)),
    ),
    "Range": (Case([_scalar(1), _scalar(9), _scalar(3)]),),
    # The runtime expands it to a function whose Mul does not take two types.
    "RMSNormalization": (
        Case([(2, 3, 4), (4,)], one_type=True),
        Case([(2, 3, 4), (3, 4)], {"axis": 1}, one_type=True),
    ),
    "Reshape": (
        Case([(2, 3, 4), _constant(0, -1)], since=(5, _NEWEST)),
        Case([(1, 1), _constant()], since=(5, _NEWEST)),
        Case([(0, 3), _constant(3, 0)], {"allowzero": 1}, (14, _NEWEST)),
    ),
    "Resize": (),
    "Shape": (
        *(Case([shape]) for shape in _SHAPES),
        Case([(2, 3, 4)], {"start": 1, "end": -1}, (15, _NEWEST)),
    ),
    "Slice": (
        Case([(4, 5)], {"starts": [1, 0], "ends": [3, -1], "axes": [0, 1]}, (1, 9)),
        Case(
            [(4, 5), _constant(1), _constant(1000), _constant(1), _constant(2)], since=(10, _NEWEST)
        ),
        Case(
            [(4, 5), _constant(-1, 1), _constant(-1000, 4), _constant(0, 1), _constant(-1, 2)],
            since=(10, _NEWEST),
        ),
        Case([(4, 5), _constant(2), _constant(2)], since=(10, _NEWEST)),
    ),
    "LogSoftmax": (Case([(2, 3, 4)]), Case([(2, 3)], {"axis": 0}), Case([(0, 3)], {"axis": 1})),
    "Softmax": (Case([(2, 3, 4)]), Case([(2, 3)], {"axis": 0}), Case([(0, 3)], {"axis": 1})),
    "SpaceToDepth": (Case([(1, 2, 4, 6)], {"blocksize": 2}),),
    "Split": (
        Case([(4, 3)], {"axis": 0}, (2, 17), 2),
        Case([(4, 3)], {"axis": 0, "num_outputs": 2}, (18, _NEWEST), 2),
    ),
    "Squeeze": (
        Case([(2, 1, 3)], {"axes": [1]}, (1, 12)),
        Case([(2, 1, 3), _constant(1)], since=(13, _NEWEST)),
        Case([(1, 3, 1)]),
        Case([(1, 0), _constant(0)], since=(13, _NEWEST)),
    ),
    "Sum": (Case([(2, 3)] * 3), Case([(2, 3)])),
    "Tile": (Case([(2, 3), _constant(1, 2)], since=(6, _NEWEST)),),
    "Transpose": (
        Case([(2, 3, 4)]),
        Case([(2, 3, 4)], {"perm": [1, 0, 2]}),
        Case([(0, 3)]),
    ),
    "Unsqueeze": (
        Case([(2, 3)], {"axes": [0, 2]}, (1, 12)),
        Case([(2, 3), _constant(0, -1)], since=(13, _NEWEST)),
        Case([(), _constant(0)], since=(13, _NEWEST)),
    ),
    "Where": (
        *(Case([shape, shape, shape]) for shape in _SHAPES),
        Case([(3, 1), (1, 4), ()]),
    ),
}


def op_cases(blueprint: Blueprint) -> list[dict[str, Json]]:
    """The cases of a blueprint's ops as JSON values, in the order of its ops.

    Versions whose inputs have the same types share a row.
    """
    return [
        _row(op, case, types, since)
        for op in blueprint.ops
        for case in _cases(op)
        for types, since in _versions(op, case).items()
    ]


def _cases(op: Op) -> tuple[Case, ...]:
    if op.custom is not None:
        outputs = len(op.custom.outputs)
        found = custom_cases(op.custom)
        return tuple(Case(case.inputs, case.attributes, outputs=outputs) for case in found)
    if not op.domain and op.op in _CASES:
        return _CASES[op.op]
    count = min(version.schema.min_inputs for version in op.versions)
    return tuple(Case([shape] * count) for shape in _SHAPES)


def _versions(op: Op, case: Case) -> dict[tuple[str, ...], list[int]]:
    """The since-versions that the case is legal for, by the types that its inputs have there."""
    first, last = case.since
    found: dict[tuple[str, ...], list[int]] = {}
    for version in op.versions:
        schema = version.schema
        if first <= schema.since <= last and len(case.inputs) <= schema.max_inputs:
            formal = [parameter.type_str for parameter in schema.inputs]
            types = tuple(formal[min(i, len(formal) - 1)] for i in range(len(case.inputs)))
            found.setdefault(types, []).append(schema.since)
    return found


def _row(op: Op, case: Case, types: Sequence[str], since: list[int]) -> dict[str, Json]:
    row: dict[str, Json] = {
        "domain": op.domain,
        "op": op.op,
        "since": list(since),
        "inputs": [_input(*each) for each in zip(case.inputs, types, strict=True)],
    }
    if case.attributes:
        row["attributes"] = dict(case.attributes)
    if case.outputs != 1:
        row["outputs"] = case.outputs
    if case.one_type:
        row["one_type"] = True
    return row


def _input(given: Sequence[int] | Mapping[str, Json] | None, type_str: str) -> Json:
    if given is None:
        return None
    spec: dict[str, Json] = dict(given) if isinstance(given, Mapping) else {"shape": list(given)}
    return {**spec, "type": type_str}
