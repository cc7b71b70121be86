"""Normalisation of a sum, of com.microsoft, and what ONNX Runtime has of it in ONNX's domain."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, value
from epforge.ops.model import DType, FamilyRow, Sample, Value
from epforge.ops.schemas import MICROSOFT

_FLOAT32 = (DType.FLOAT32,)
_EXACT = {"epsilon": 0.0}
_X = value([[[1, 4], [-5, 1]]])
_SKIP = value([[[0, -1], [-1, 1]]])
_SUM = value([[[1, 3], [-6, 2]]])
_GAMMA = value([1, 2])
_EMPTY = value([], shape=(1, 0, 2))


def _rows(*dims: int) -> tuple[Value, Value, Value]:
    """The same sum by other means: in two dimensions, or with one skip for all batches."""
    return Value(_X.data, dims), Value(_SKIP.data, (2, 2)), _GAMMA


def _row(op: str, centered: bool, samples: tuple[Sample, ...]) -> FamilyRow:
    return FamilyRow(
        op=op,
        domain=MICROSOFT,
        family="skip_layer_normalization",
        since=(1,),
        types={"T": _FLOAT32, "U": _FLOAT32},
        params={
            "header": "op",
            "centered": centered,
            "support": (*CHECKS, "device.h", "math.h"),
        },
        samples=samples,
    )


ROWS = (
    _row(
        "SkipLayerNormalization",
        True,
        (
            Sample((_X, _SKIP, _GAMMA), (value([[[-1, 2], [-1, 2]]]),), _EXACT),
            Sample(_rows(2, 2), (value([[-1, 2], [-1, 2]]),), _EXACT),
            Sample(
                (*_rows(1, 2, 2), value([0, 1]), value([-1, -1])),
                (value([[[-1, 3], [-1, 3]]]),),
                _EXACT,
            ),
            Sample((_EMPTY, _EMPTY, _GAMMA), (_EMPTY,)),
        ),
    ),
    _row(
        "SkipSimplifiedLayerNormalization",
        False,
        (
            Sample(
                (value([[1, 8], [4, 5]]), value([[0, -1], [-1, -2]]), value([1, 10])),
                (value([[0.2, 14], [1, 10]]),),
                _EXACT,
            ),
            Sample(
                (
                    value([[[1, 8], [4, 5]]]),
                    value([[0, 0], [0, -1]]),
                    value([1, 10]),
                    value([0, -1]),
                ),
                (value([[[0.2, 14], [1.1313708499, 8.4852813742]]]),),
                _EXACT,
            ),
            Sample((_EMPTY, _EMPTY, _GAMMA), (_EMPTY,)),
        ),
    ),
    FamilyRow(
        op="SimplifiedLayerNormalization",
        family="layer_normalization",
        since=(1,),
        types={"T": _FLOAT32, "U": _FLOAT32, "V": _FLOAT32},  # T and V may not be mixed
        params={"centered": False, "support": (*CHECKS, "device.h", "math.h")},
        samples=(
            Sample(
                (value([[1, 7], [3, 3]]), value([1, 10])), (value([[0.2, 14], [1, 10]]),), _EXACT
            ),
            Sample(
                (value([[1, 7], [3, 3]]), value([1, 10])),
                (value([[0.2, 14], [1, 10]]), value([[0.2], [1 / 3]], "U")),
                _EXACT,
            ),
            Sample((value([], shape=(0, 2)), _GAMMA), (value([], shape=(0, 2)),)),
        ),
    ),
)
