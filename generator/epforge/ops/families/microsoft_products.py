"""Products of matrices, of com.microsoft."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS, value
from epforge.ops.model import DType, FamilyRow, Sample
from epforge.ops.schemas import MICROSOFT

_SUPPORT = (*CHECKS, "gemm.cc", "gemm.h")
_FLOAT32 = (DType.FLOAT32,)

_A = value([[1, 2], [3, 4], [5, 6]])
_B = value([[1, 0, 2], [0, 1, 1]])
_STACK = value([[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[0, 1], [1, 0]]])
_FUSED_SAMPLES = (
    Sample((_A, _B), (value([[0.5, 1, 2], [1.5, 2, 5], [2.5, 3, 8]]),), {"alpha": 0.5}),
    Sample((_A, _A), (value([[35, 44], [44, 56]]),), {"transA": 1}),
    Sample((_B, _B), (value([[5, 2], [2, 2]]),), {"transB": 1}),
    Sample((value([1, 2]), _B), (value([1, 2, 4]),)),
    # Two products of three rows each: the rows are the first dimension.
    Sample(
        (_STACK, value([[[1], [1]]])),
        (value([[[3], [11], [1]], [[7], [15], [1]]]),),
        {"transBatchA": 1},
    ),
    Sample((value([], shape=(0, 2)), _B), (value([], shape=(0, 3)),)),
)

_UINT8 = DType.UINT8
#: One column whose number at row i is i, in a block of 16, by bits.
_COUNTING = {
    4: value([[[0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE]]], _UINT8),
    8: value([[list(range(16))]], _UINT8),
}
_PICKS = value([[1] + [0] * 15, [0] * 15 + [1]], "T1")  # the first row of the weights, and the last
_SIZES = {"K": 16, "N": 1, "block_size": 16}
_NBITS_SAMPLES = (
    Sample((_PICKS, _COUNTING[4], value([0.5], "T1")), (value([[-4], [3.5]], "T1"),), _SIZES),
    Sample(
        (_PICKS, _COUNTING[4], value([0.5], "T1"), value([3], _UINT8)),
        (value([[-1.5], [6]], "T1"),),
        _SIZES,
    ),
    Sample(
        (_PICKS, _COUNTING[8], value([2], "T1"), None, None, value([100], "T1")),
        (value([[-156], [-126]], "T1"),),
        {**_SIZES, "bits": 8},
    ),
)

ROWS = (
    FamilyRow(
        op="FusedMatMul",
        domain=MICROSOFT,
        family="fused_matmul",
        since=(1,),
        types={"T": FLOATS},
        params={"header": "op", "support": _SUPPORT},
        samples=_FUSED_SAMPLES,
    ),
    FamilyRow(
        op="MatMulNBits",
        domain=MICROSOFT,
        family="matmul_nbits",
        since=(1,),
        types={
            "T1": _FLOAT32,
            "T2": (_UINT8,),
            "T3": (_UINT8, DType.FLOAT32),
            "T4": (DType.INT32,),
        },
        params={"header": "op", "support": _SUPPORT},
        samples=_NBITS_SAMPLES,
    ),
)
