"""Products of matrices."""

from __future__ import annotations

from epforge.ops.families._common import BROADCAST, CHECKS, FLOATS, value
from epforge.ops.model import FamilyRow, Sample

_PARAMS = {
    "header": "op",
    "support": (*CHECKS, "gemm.cc", "gemm.h"),
    "packs": True,
    "cuda_template": True,
    "cuda_support": (*BROADCAST, "matrix_product.h"),
}

_MATMUL_SAMPLES = (
    Sample((value([[1, 2], [3, 4]]), value([[5, 6], [7, 8]])), (value([[19, 22], [43, 50]]),)),
    # Vectors on either side.
    Sample((value([1, 2]), value([[1, 2, 3], [4, 5, 6]])), (value([9, 12, 15]),)),
    Sample((value([[1, 2], [3, 4]]), value([1, -1])), (value([-1, -1]),)),
    Sample((value([1, 2, 3]), value([4, 5, 6])), (value(32),)),
    # Stacks of matrices, broadcast.
    Sample(
        (value([[[[1, 2]], [[3, 4]]]]), value([[[[1], [1]]], [[[1], [-1]]]])),
        (value([[[[3]], [[7]]], [[[-1]], [[-1]]]]),),
    ),
    Sample((value([], shape=(2, 0)), value([], shape=(0, 2))), (value([[0, 0], [0, 0]]),)),
    # Enough columns for a tile.
    Sample((value([[1, 2]]), value([[*range(9)], [1] * 9])), (value([[*range(2, 11)]]),)),
    Sample((value([], shape=(0, 3)), value([[1], [2], [3]])), (value([], shape=(0, 1)),)),
)
_A = value([[1, 2], [3, 4], [5, 6]])
_B = value([[1, 0, 2], [0, 1, 1]])
_GEMM_SAMPLES = (
    Sample((_A, _B, value([1, 2, 3])), (value([[2, 4, 7], [4, 6, 13], [6, 8, 19]]),)),
    Sample(
        (_A, _A, value([[10], [20]])),
        (value([[22.5, 27], [32, 38]]),),
        {"transA": 1, "alpha": 0.5, "beta": 0.5},
    ),
    Sample((_B, _B), (value([[5, 2], [2, 2]]),), {"transB": 1}, since=(11, 13)),
    Sample(
        (value([[1, 2]]), value([[i, 1] for i in range(9)]), value([[1]])),
        (value([[2 * i + 5 for i in range(9)]]),),
        {"transB": 1, "alpha": 2.0},
    ),
    Sample(
        (value([], shape=(1, 0)), value([], shape=(0, 2)), value(7)),
        (value([[7, 7]]),),
    ),
)

ROWS = (
    FamilyRow(
        op="MatMul",
        family="matmul",
        since=(1, 9, 13),
        types={"T": FLOATS},
        device=True,
        params=_PARAMS,
        samples=_MATMUL_SAMPLES,
    ),
    FamilyRow(
        op="Gemm",
        family="gemm",
        since=(7, 9, 11, 13),
        types={"T": FLOATS},
        device=True,
        params=_PARAMS,
        samples=_GEMM_SAMPLES,
    ),
)
