"""Cases of operators that move elements, and of those about shapes."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import NEWEST, SHAPES, Case, constant

TABLE: Mapping[str, tuple[Case, ...]] = {
    "Concat": (
        Case([(2, 1, 3), (2, 2, 3)], {"axis": 1}),
        Case([(2, 3), (0, 3), (1, 3)], {"axis": 0}),
        Case([(2, 3)], {"axis": -1}, (11, NEWEST)),
    ),
    "Constant": (),  # onnxruntime turns these nodes into initializers before anyone can claim them
    "ConstantOfShape": (
        Case([constant(2, 3)], {"value": {"type_of": "T2", "values": [1]}}),
        Case([constant()], {"value": {"type_of": "T2", "values": [0]}}),
    ),
    "Expand": (Case([(3, 1), constant(2, 3, 4)]), Case([(), constant(2, 2)])),
    "Flatten": (
        Case([(2, 3, 4)]),
        Case([(2, 3, 4)], {"axis": 2}),
        Case([(0, 3)], {"axis": 1}),
    ),
    "Gather": (
        Case([(3, 4), constant(0, 2)]),
        Case([(3, 4), constant([0, -1], [1, 1])], {"axis": 1}, (11, NEWEST)),
    ),
    "GatherElements": (
        Case([(2, 3), constant([2, -1, 0], [0, 0, 1])], {"axis": 1}),
        Case([(0, 3), {"shape": [0, 3]}]),
    ),
    "Pad": (
        Case([(2, 3)], {"pads": [0, 1, 1, 0]}, (2, 10)),
        Case([(2, 3), constant(0, 1, 1, 0)], {}, (11, NEWEST)),
    ),
    "Reshape": (
        Case([(2, 3, 4), constant(0, -1)], since=(5, NEWEST)),
        Case([(1, 1), constant()], since=(5, NEWEST)),
        Case([(0, 3), constant(3, 0)], {"allowzero": 1}, (14, NEWEST)),
    ),
    "Shape": (
        *(Case([shape]) for shape in SHAPES),
        Case([(2, 3, 4)], {"start": 1, "end": -1}, (15, NEWEST)),
    ),
    "Slice": (
        Case([(4, 5)], {"starts": [1, 0], "ends": [3, -1], "axes": [0, 1]}, (1, 9)),
        Case([(4, 5), constant(1), constant(1000), constant(1), constant(2)], since=(10, NEWEST)),
        Case(
            [(4, 5), constant(-1, 1), constant(-1000, 4), constant(0, 1), constant(-1, 2)],
            since=(10, NEWEST),
        ),
        Case([(4, 5), constant(2), constant(2)], since=(10, NEWEST)),
    ),
    "Split": (
        Case([(4, 3)], {"axis": 0}, (2, 17), 2),
        Case([(4, 3)], {"axis": 0, "num_outputs": 2}, (18, NEWEST), 2),
    ),
    "Squeeze": (
        Case([(2, 1, 3)], {"axes": [1]}, (1, 12)),
        Case([(2, 1, 3), constant(1)], since=(13, NEWEST)),
        Case([(1, 3, 1)]),
        Case([(1, 0), constant(0)], since=(13, NEWEST)),
    ),
    "Tile": (Case([(2, 3), constant(1, 2)], since=(6, NEWEST)),),
    "Transpose": (
        Case([(2, 3, 4)]),
        Case([(2, 3, 4)], {"perm": [1, 0, 2]}),
        Case([(0, 3)]),
    ),
    "Unsqueeze": (
        Case([(2, 3)], {"axes": [0, 2]}, (1, 12)),
        Case([(2, 3), constant(0, -1)], since=(13, NEWEST)),
        Case([(), constant(0)], since=(13, NEWEST)),
    ),
}
