"""Cases of what resizes, samples, cuts and puts together images."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import NEWEST, Case, Json, constant, within


def _resize() -> tuple[Case, ...]:
    twice = constant(1.0, 1.0, 2.0, 2.0)
    part = constant(1.0, 1.0, 1.5, 0.75)
    empty: Mapping[str, Json] = {"values": []}
    floor: dict[str, Json] = {
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    return (
        Case([(1, 2, 3, 4), twice], {}, (10, 10)),
        Case([(1, 2, 3, 4), empty, twice], {}, (11, NEWEST)),
        Case([(1, 2, 3, 4), empty, twice], floor, (11, NEWEST)),
        Case([(1, 2, 4, 8), None, part], floor, (13, NEWEST)),
        Case([(2, 1, 3, 3), None, None, constant(2, 1, 5, 2)], {}, (13, NEWEST)),
        # Linear is tested without elements: how fractions become integers is left open.
        Case([(0, 2, 3, 4), None, twice], {"mode": "linear"}, (13, NEWEST)),
    )


def _upsample() -> tuple[Case, ...]:
    scales: list[Json] = [1.0, 1.0, 2.0, 3.0]
    return (
        Case([(1, 2, 3, 2)], {"scales": scales}, (7, 7)),
        Case([(1, 2, 3, 2), {"values": scales}], {}, (9, 9)),
    )


_SQUARE: Mapping[str, Json] = {"kernel_shape": [2, 2], "strides": [2, 2]}
_BOX: Mapping[str, Json] = {"output_height": 2, "output_width": 2, "sampling_ratio": 2}

TABLE: Mapping[str, tuple[Case, ...]] = {
    "AffineGrid": (
        Case([(2, 2, 3), constant(2, 3, 4, 5)]),
        Case([(1, 3, 4), constant(1, 2, 3, 4, 5)], {"align_corners": 1}),
    ),
    "CenterCropPad": (
        Case([(3, 7, 4), constant(5, 4, 4)]),
        Case([(3, 7, 4), constant(2, 9)], {"axes": [-1, 0]}),
    ),
    "Col2Im": (
        Case([(1, 8, 6), constant(3, 4), constant(2, 2)]),
        Case([(2, 4, 9), constant(5, 5), constant(2, 2)], {"strides": [2, 2], "pads": [1] * 4}),
    ),
    "ConvTranspose": (
        Case([(1, 2, 3, 3), (2, 3, 3, 3)], {"strides": [2, 2]}),
        Case([(2, 4, 3, 4), (4, 3, 2, 2), (6,)], {"group": 2, "strides": [2, 2]}),
        Case(
            [(1, 3, 4, 5), (3, 2, 3, 3)],
            {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
        ),
        Case([(1, 2, 5), (2, 2, 3)], {"strides": [2], "dilations": [2]}),
        Case([(1, 2, 4, 4), (2, 1, 3, 3)], {"strides": [2, 2], "output_shape": [8, 8]}),
        Case([(0, 2, 3, 3), (2, 3, 3, 3)]),
    ),
    "DeformConv": (
        Case([(1, 2, 4, 5), (3, 2, 2, 2), (1, 8, 3, 4)]),
        Case(
            [(2, 4, 4, 4), (2, 2, 3, 3), (2, 36, 4, 4), (2,), (2, 18, 4, 4)],
            {"group": 2, "offset_group": 2, "pads": [1, 1, 1, 1]},
        ),
    ),
    "DepthToSpace": (
        Case([(2, 8, 3, 2)], {"blocksize": 2}),
        Case([(1, 9, 2, 2)], {"blocksize": 3, "mode": "CRD"}, (11, NEWEST)),
        Case([(0, 4, 2, 2)], {"blocksize": 2}),
    ),
    "GlobalLpPool": (
        Case([(2, 3, 4, 5)], {}, (2, 2)),  # nobody else computes version 22
        Case([(2, 3, 4)], {"p": 3}, (2, 2)),
    ),
    "GridSample": (
        Case([(2, 3, 4, 5), within((2, 3, 2, 2), -1.5, 1.5)]),
        Case(
            [(1, 2, 4, 5), within((1, 3, 4, 2), -1.5, 1.5)],
            {"padding_mode": "border", "align_corners": 1},
        ),
        Case(
            [(1, 2, 4, 5), within((1, 3, 4, 2), -1.5, 1.5)],
            {"mode": "nearest", "padding_mode": "reflection"},
        ),
        Case([(1, 2, 3, 4, 5), within((1, 2, 2, 2, 3), -1.5, 1.5)], {}, (20, NEWEST)),
    ),
    "MaxRoiPool": (
        Case(
            [(2, 3, 8, 9), constant([0, 0, 0, 7, 6], [1, 2, 3, 5, 20])],
            {"pooled_shape": [2, 3], "spatial_scale": 0.5},
            since=(1, 1),  # nobody else computes version 22
        ),
    ),
    "MaxUnpool": (
        Case([(1, 1, 2, 2), constant([[[0, 3], [9, 14]]])], _SQUARE),
        Case([(1, 2, 2), constant([[1, 2], [4, 7]])], {"kernel_shape": [2], "strides": [2]}),
    ),
    "NonMaxSuppression": (
        Case(
            [
                within((2, 9, 4), 0.0, 1.0),
                within((2, 3, 9), 0.0, 1.0),
                constant(4),
                constant(0.25),
                constant(0.125),
            ],
        ),
        Case([(1, 5, 4), (1, 2, 5), constant(3)], {"center_point_box": 1}),
        Case([(1, 5, 4), (1, 2, 5)]),
    ),
    "Resize": _resize(),
    "RoiAlign": (
        Case([(2, 3, 8, 9), constant([0, 0, 7, 6], [1, 2, 5, 7]), constant(1, 0)], _BOX),
        Case(
            [(2, 3, 8, 9), constant([0, 0, 7, 6], [1, 2, 5, 7]), constant(1, 0)],
            {**_BOX, "mode": "max", "spatial_scale": 0.5},
        ),
    ),
    "SpaceToDepth": (
        Case([(2, 2, 6, 4)], {"blocksize": 2}),
        Case([(1, 1, 3, 6)], {"blocksize": 3}),
        Case([(0, 1, 4, 4)], {"blocksize": 2}),
    ),
    "Upsample": _upsample(),
}
