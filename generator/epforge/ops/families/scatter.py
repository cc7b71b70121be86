"""Operators that put elements where indices say, and those that fetch them from there."""

from __future__ import annotations

from epforge.ops.families._common import ALL, ANY, CHECKS, value
from epforge.ops.model import DType, FamilyRow, Sample, Value

_INDEX = (DType.INT32, DType.INT64)
_POSITIONS = ("positions.cc", "positions.h")
_COPYING = ("copy.cc", "copy.h", "strides.cc", "strides.h")
_REDUCING = ("arithmetic.h", "choice.cc", "choice.h", "device.h")
_SCATTERING = (*CHECKS, *_COPYING, *_POSITIONS)

_X = value([[1, 2, 3], [4, 5, 6]])


def _ints(data: list[int] | list[list[int]]) -> Value:
    return value(data, DType.INT64)


_LINE = value([1, 2, 3, 4])
_TWICE = value([3, 3, 0], "Tind")
_UPDATES = value([5, 2, 7])
_NEW = (16, 18)

_ELEMENTS = (
    Sample(
        (_X, value([[1, 0, 1]], "Tind"), value([[7, 8, 9]])),
        (value([[1, 8, 3], [7, 5, 9]]),),
    ),
    Sample(
        (_X, value([[0, -1], [2, 1]], "Tind"), value([[7, 8], [9, 0]])),
        (value([[7, 2, 8], [4, 0, 9]]),),
        {"axis": 1},
    ),
    Sample((_LINE, _TWICE, _UPDATES), (value([7, 2, 3, 2]),)),
    Sample((_LINE, value([], "Tind"), value([])), (_LINE,)),
)
_SCATTER_ELEMENTS = FamilyRow(
    op="ScatterElements",
    family="scatter_elements",
    since=(11, 13, 16, 18),
    types={"T": ALL, "Tind": _INDEX},
    params={"support": (*_SCATTERING, *_REDUCING)},
    samples=(
        *_ELEMENTS,
        Sample(
            (_X, value([[0, 0, 0]], "Tind"), value([[7, 8, 9]])), (value([[7, 8, 9], [4, 5, 6]]),)
        ),
        Sample((_LINE, _TWICE, _UPDATES), (value([8, 2, 3, 11]),), {"reduction": "add"}, _NEW),
        Sample((_LINE, _TWICE, _UPDATES), (value([7, 2, 3, 40]),), {"reduction": "mul"}, _NEW),
        Sample((_LINE, _TWICE, _UPDATES), (value([7, 2, 3, 5]),), {"reduction": "max"}, (18,)),
        Sample((_LINE, _TWICE, _UPDATES), (value([1, 2, 3, 2]),), {"reduction": "min"}, (18,)),
    ),
)
_SCATTER = FamilyRow(
    op="Scatter",
    family="scatter_elements",
    since=(9,),
    types={"T": (*ALL, DType.FLOAT16), "Tind": _INDEX},
    params={"support": _SCATTERING},
    samples=_ELEMENTS,
)
_POINTS = _ints([[3], [-1], [0]])
_SCATTER_ND = FamilyRow(
    op="ScatterND",
    family="scatter_nd",
    since=(11, 13, 16, 18),
    types={"T": ALL},
    params={"support": (*_SCATTERING, *_REDUCING)},
    samples=(
        Sample((_X, _ints([[1]]), value([[7, 8, 9]])), (value([[1, 2, 3], [7, 8, 9]]),)),
        Sample((_X, _ints([[0, 1], [1, -1]]), value([7, 8])), (value([[1, 7, 3], [4, 5, 8]]),)),
        Sample((_LINE, _POINTS, _UPDATES), (value([7, 2, 3, 2]),)),
        Sample((_LINE, value([], DType.INT64, (0, 1)), value([])), (_LINE,)),
        Sample((_LINE, _POINTS, _UPDATES), (value([8, 2, 3, 11]),), {"reduction": "add"}, _NEW),
        Sample((_LINE, _POINTS, _UPDATES), (value([7, 2, 3, 40]),), {"reduction": "mul"}, _NEW),
        Sample((_LINE, _POINTS, _UPDATES), (value([7, 2, 3, 5]),), {"reduction": "max"}, (18,)),
        Sample((_LINE, _POINTS, _UPDATES), (value([1, 2, 3, 2]),), {"reduction": "min"}, (18,)),
    ),
)
_BATCHES = value([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
_GATHER_ND = FamilyRow(
    op="GatherND",
    family="gather_nd",
    since=(11, 12, 13),
    types={"T": ANY},
    params={"header": "op", "support": (*CHECKS, *_POSITIONS)},
    samples=(
        Sample((_X, _ints([[0, 0], [1, -1]])), (value([1, 6]),)),
        Sample((_X, _ints([[1]])), (value([[4, 5, 6]]),)),
        Sample((_X, _ints([0])), (value([1, 2, 3]),)),
        Sample((_X, value([], DType.INT64, (0, 1))), (value([], shape=(0, 3)),)),
        Sample(
            (_BATCHES, _ints([[1], [0]])),
            (value([[3, 4], [5, 6]]),),
            {"batch_dims": 1},
            (12, 13),
        ),
    ),
)
_CACHE = value([[[1], [2], [3]], [[4], [5], [6]]])
_TENSOR_SCATTER = FamilyRow(
    op="TensorScatter",
    family="tensor_scatter",
    since=(24,),
    types={"T": ANY},
    params={"support": (*CHECKS, *_COPYING, "choice.cc", "choice.h")},
    samples=(
        Sample((_CACHE, value([[[7]], [[8]]])), (value([[[7], [2], [3]], [[8], [5], [6]]]),)),
        Sample(
            (_CACHE, value([[[7], [9]], [[8], [0]]]), _ints([1, 0])),
            (value([[[1], [7], [9]], [[8], [0], [6]]]),),
        ),
        Sample(
            (_CACHE, value([[[7], [9]], [[8], [0]]]), _ints([2, 4])),
            (value([[[9], [2], [7]], [[4], [8], [0]]]),),
            {"axis": 1, "mode": "circular"},
        ),
        Sample(
            (value([[1, 2, 3]]), value([[7, 8]]), _ints([1])),
            (value([[1, 7, 8]]),),
            {"axis": -1},
        ),
    ),
)

ROWS = (_SCATTER_ELEMENTS, _SCATTER, _SCATTER_ND, _GATHER_ND, _TENSOR_SCATTER)
