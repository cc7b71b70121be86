"""Norms, determinants, and sums of products."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS, NUMBERS, value
from epforge.ops.model import FamilyRow, Sample, Value

_MATH = (*CHECKS, "device.h", "math.h")
_EMPTY = value([], shape=(0, 2))

_LP_NORMALIZATION = FamilyRow(
    op="LpNormalization",
    family="lp_normalization",
    since=(1, 22),
    types={"T": FLOATS},
    params={"header": "op", "support": (*_MATH, "arithmetic.h")},
    samples=(
        Sample((value([[3, 4], [0, 0]]),), (value([[0.6, 0.8], [0, 0]]),)),
        Sample(
            (value([[-3, 5], [1, 5]]),), (value([[-0.75, 0.5], [0.25, 0.5]]),), {"axis": 0, "p": 1}
        ),
        Sample((_EMPTY,), (_EMPTY,)),
    ),
)
_PLANES = value([1, 3, 2, 6], shape=(1, 2, 1, 2))
_MEAN_VARIANCE = FamilyRow(
    op="MeanVarianceNormalization",
    family="mean_variance_normalization",
    since=(9, 13),
    types={"T": FLOATS},
    params={"header": "op", "support": (*_MATH, "strides.cc", "strides.h")},
    samples=(
        Sample((_PLANES,), (value([-1, 1, -1, 1], shape=(1, 2, 1, 2)),)),
        Sample((value([[1, 5], [3, 9]]),), (value([[-1, -1], [1, 1]]),), {"axes": (0,)}),
        Sample((value([[1, 1], [3, 3]]),), (value([[-1, -1], [1, 1]]),), {"axes": (0, -1)}),
        Sample((_EMPTY,), (_EMPTY,), {"axes": (1,)}),
    ),
)
_DET = FamilyRow(
    op="Det",
    family="det",
    since=(11, 22),
    types={"T": FLOATS},
    params={"header": "op", "support": (*CHECKS, "arithmetic.h", "device.h")},
    samples=(
        Sample((value([[1, 2], [3, 4]]),), (value(-2),)),
        Sample((value([[[0, 2], [3, 4]], [[1, 2], [2, 4]]]),), (value([-6, 0]),)),
        Sample((value([[0, 0, 2], [0, 3, 0], [4, 0, 1]]),), (value(-24),)),
        Sample((value([], shape=(0, 2, 2)),), (value([]),)),
    ),
)


def _einsum(equation: str, *values: Value) -> Sample:
    """A sample: the inputs, and last the output."""
    return Sample(values[:-1], values[-1:], {"equation": equation})


_A = value([[1, 2, 3], [4, 5, 6]])
_SQUARE = value([[1, 2], [3, 4]])
_EINSUM = FamilyRow(
    op="Einsum",
    family="einsum",
    since=(12, 28),
    types={"T": NUMBERS},
    params={"support": (*CHECKS, "arithmetic.h", "device.h", "strides.cc", "strides.h")},
    samples=(
        _einsum("ij->ji", _A, value([[1, 4], [2, 5], [3, 6]])),
        _einsum("ij->i", _A, value([6, 15])),
        _einsum("ij->", _A, value(21)),
        _einsum("ii", _SQUARE, value(5)),
        _einsum("...ii -> ...i", _SQUARE, value([1, 4])),
        _einsum("ij, jk", _SQUARE, _A, value([[9, 12, 15], [19, 26, 33]])),
        _einsum("i,i", value([1, 2]), value([3, 4]), value(11)),
        _einsum("i,j->ij", value([1, 2]), value([3, 4]), value([[3, 4], [6, 8]])),
        _einsum("...,...", _A, value([[1], [2]]), value([[1, 2, 3], [8, 10, 12]])),
        _einsum("ij,jk,k->i", _SQUARE, _A, value([1, 0, 1]), value([24, 52])),
        _einsum("ij,k->i", _SQUARE, value([1, 2]), value([9, 21])),
        _einsum("j,jk", value([2, 1]), value([[*range(9)], [1] * 9]), value([*range(1, 19, 2)])),
        _einsum("ij->j", value([], shape=(0, 2)), value([0, 0])),
        _einsum("ij->i", value([], shape=(0, 2)), value([])),
    ),
)

ROWS = (_LP_NORMALIZATION, _MEAN_VARIANCE, _DET, _EINSUM)
