"""Cases of quantization, and of products of what is quantized."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import NEWEST, Case, Json, constant, scalar, within

_X = within((2, 3, 4), -20, 20)
_SMALL = within((2, 3, 4), 0, 20)  # of any integer type


def _quantize() -> tuple[Case, ...]:
    # Scales are whole numbers: newer versions have integers for them.
    result: Mapping[str, Json] = {"type_of": "T2"}
    newer: Mapping[str, Json] = {"type_of": "T3"}
    return (
        Case([_X, scalar(2), scalar(3)]),
        Case([_X, constant(2), constant(3)]),
        Case([(0, 4), scalar(2), scalar(3)]),
        Case([_X, constant(1, 2, 4), constant(0, 1, 2)], {}, (13, NEWEST)),
        Case([_X, constant(1, 2, 4, 8), constant(0, 1, 2, 3)], {"axis": -1}, (13, NEWEST)),
        Case(
            [_X, constant([[1, 2], [4, 8], [2, 1]], [[2, 4], [1, 4], [8, 2]]), None],
            {"axis": 2, "block_size": 2, "output_dtype": dict(result)},
            (21, 22),
        ),
        Case(
            [_X, constant([[1, 2], [4, 8], [2, 1]], [[2, 4], [1, 4], [8, 2]]), None],
            {"axis": 2, "block_size": 2, "output_dtype": dict(newer)},
            (23, NEWEST),
        ),
    )


_BLOCKS = (constant([[0.5, 2, 1, 4]], [[2, 4, 0.25, 3]]), constant([[0, 1, 2, 3]], [[3, 2, 1, 0]]))
_DEQUANTIZE = (
    Case([_SMALL, scalar(0.5), scalar(3)]),
    Case([_SMALL, constant(0.5)]),
    Case([(0, 4), scalar(0.5), scalar(3)]),
    Case([_SMALL, constant(0.5, 1, 2), constant(3, 2, 1)], {}, (13, NEWEST)),
    Case([_SMALL, constant(0.5, 1, 2, 4), constant(3, 2, 1, 0)], {"axis": -1}, (13, NEWEST)),
    Case([_SMALL, *_BLOCKS], {"block_size": 3}, (21, NEWEST)),
)

_A = within((3, 5), 0, 100)
_B = within((5, 4), 0, 100)
_WIDE = within((70, 600), 0, 100)
_TALL = within((600, 67), 0, 100)
_IMAGE = within((2, 4, 7, 5), 0, 100)
_PADDED: Mapping[str, Json] = {"pads": [1, 1, 1, 1], "strides": [2, 1]}
_FEW = within((4,), 1, 50)

TABLE: Mapping[str, tuple[Case, ...]] = {
    "ConvInteger": (
        Case([_IMAGE, within((6, 4, 3, 3), 0, 100), scalar(7), scalar(3)], _PADDED),
        Case([_IMAGE, within((6, 2, 3, 2), 0, 100)], {"group": 2, "dilations": [2, 1]}),
        Case([_IMAGE, within((4, 1, 2, 2), 0, 100), scalar(7)], {"group": 4}),
        Case([within((1, 2, 9), 0, 100), within((3, 2, 3), 0, 100), scalar(1)]),
    ),
    "DequantizeLinear": _DEQUANTIZE,
    "DynamicQuantizeLinear": (
        Case([(2, 3, 4)], outputs=3),
        Case([within((30000,), -7, 3)], outputs=3),
        Case([within((5,), 1, 2)], outputs=3),
    ),
    "MatMulInteger": (
        Case([_A, _B, scalar(3), scalar(5)]),
        Case([_A, _B]),
        Case([within((2, 3, 5), 0, 100), _B, scalar(3), constant(1, 2, 3, 4)]),
        Case([_WIDE, _TALL, constant(3)]),
    ),
    "QLinearConv": (
        Case(
            [
                _IMAGE,
                scalar(0.5),
                scalar(7),
                within((6, 4, 3, 3), 0, 100),
                scalar(0.25),
                scalar(3),
                scalar(300),
                scalar(5),
                within((6,), -100, 100),
            ],
            _PADDED,
        ),
        Case(
            [
                _IMAGE,
                scalar(0.5),
                scalar(7),
                within((4, 1, 3, 3), 0, 100),
                constant(0.25, 0.5, 1, 2),
                constant(3, 3, 3, 3),
                scalar(100),
                scalar(5),
            ],
            {"group": 4},
        ),
    ),
    "QLinearMatMul": (
        Case([_A, scalar(0.5), scalar(3), _B, scalar(0.25), scalar(5), scalar(30), scalar(9)]),
        Case(
            [
                within((2, 3, 5), 0, 100),
                scalar(0.5),
                scalar(3),
                _B,
                constant(0.5, 0.25, 1, 2),
                constant(3, 4, 5, 6),
                scalar(60),
                scalar(9),
            ]
        ),
        Case(
            [
                _WIDE,
                scalar(0.5),
                scalar(50),
                _TALL,
                scalar(0.25),
                scalar(40),
                scalar(900),
                scalar(9),
            ]
        ),
    ),
    "QuantizeLinear": _quantize(),
}
