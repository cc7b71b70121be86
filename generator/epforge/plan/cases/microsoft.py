"""Cases of com.microsoft, and of what ONNX Runtime has of it in ONNX's domain."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import SHAPES, Case, Json, constant, scalar

_ROW = (8,)
_ROWS_OF_8 = ((2, 3, 8), (0, 8), (1, 1, 8))
_NBITS: Mapping[str, Json] = {"K": 20, "N": 3, "block_size": 16}
_HEADS: Mapping[str, Json] = {"num_heads": 2}
_GROUPS: Mapping[str, Json] = {"num_heads": 4, "kv_num_heads": 2}
#: Queries, keys and values of three tokens, with heads of 16 elements.
_QUERIES, _KEYS = (2, 3, 64), (2, 3, 32)
_CACHE = (2, 2, 5, 16)
#: The second batch is shorter than the first. The lengths of both are constants.
_PROMPT = (constant(2, 2), constant(3))
_LATER = (constant(5, 3), scalar(6))


def _normalisation() -> tuple[Case, ...]:
    return (
        Case([(2, 3, 8), (2, 3, 8), _ROW], one_type=True),
        Case([(2, 3, 8), (3, 8), _ROW, _ROW], {"epsilon": 1e-3}, one_type=True),
        Case([(6, 8), (6, 8), _ROW], outputs=4, one_type=True),
        Case([(0, 3, 8), (0, 3, 8), _ROW], one_type=True),
    )


TABLE: Mapping[str, tuple[Case, ...]] = {
    "SimplifiedLayerNormalization": (
        Case([(2, 3, 8), _ROW], one_type=True),
        Case([(2, 3, 4), (3, 4)], {"axis": 1, "epsilon": 1e-3}, one_type=True),
    ),
}
MICROSOFT: Mapping[str, tuple[Case, ...]] = {
    "BiasGelu": tuple(Case([shape, _ROW]) for shape in _ROWS_OF_8),
    "FastGelu": (
        *(Case([shape]) for shape in SHAPES if shape),
        *(Case([shape, _ROW]) for shape in _ROWS_OF_8),
    ),
    "FusedMatMul": (
        Case([(2, 3), (3, 4)], {"alpha": 0.5}),
        Case([(3, 2), (4, 3)], {"transA": 1, "transB": 1}),
        Case([(2, 1, 3, 4), (5, 4, 2)]),
        Case([(3, 2, 4), (4, 2, 5)], {"transBatchA": 1, "transBatchB": 1}),
        Case([(0, 3), (3, 4)]),
    ),
    "GroupQueryAttention": (
        Case([_QUERIES, _KEYS, _KEYS, None, None, *_PROMPT], _GROUPS, outputs=3, one_type=True),
        Case(
            [(2, 1, 128), None, None, _CACHE, _CACHE, *_LATER, (9, 8), (9, 8)],
            {**_GROUPS, "do_rotary": 1, "rotary_interleaved": 1},
            outputs=3,  # without a new cache the CPU does not find the old one
            one_type=True,
        ),
        Case(
            [_QUERIES, _KEYS, _KEYS, None, None, *_PROMPT, None, None, None, (1, 4, 3, 3), (4,)],
            {**_GROUPS, "local_window_size": 2, "softcap": 2.0},
            outputs=3,
            one_type=True,
        ),
    ),
    "MatMulNBits": (
        Case([(2, 5, 20), (3, 2, 8), (3, 2)], _NBITS, one_type=True),
        Case([(5, 20), (3, 2, 16), (6,)], {**_NBITS, "bits": 8}, one_type=True),
        # Of one block each the zero points have one shape, whatever their type.
        Case(
            [(5, 16), (3, 1, 8), (3, 1), (3, 1), None, (3,)],
            {**_NBITS, "K": 16},
            one_type=True,
        ),
    ),
    "MultiHeadAttention": (
        Case([(2, 3, 8), (2, 5, 8), (2, 5, 12)], _HEADS, one_type=True),
        Case(
            [(2, 3, 8), (2, 3, 8), (2, 3, 8), (24,), constant([1, 1, 0], [0, 1, 1])],
            {**_HEADS, "unidirectional": 1},
            outputs=3,
            one_type=True,
        ),
        Case(
            [(1, 2, 8), (1, 2, 8), (1, 2, 8), None, None, (1, 2, 2, 5), (1, 2, 3, 4), (1, 2, 3, 4)],
            {**_HEADS, "scale": 0.25},
            outputs=3,
            one_type=True,
        ),
        Case([(2, 3, 8), (2, 2, 5, 4), (2, 2, 5, 4)], _HEADS, one_type=True),
    ),
    "QuickGelu": (*(Case([shape]) for shape in SHAPES), Case([(2, 3)], {"alpha": 0.5})),
    "SkipLayerNormalization": (
        *_normalisation(),
        Case([(2, 3, 8), (1, 3, 8), _ROW, _ROW, _ROW], one_type=True),
    ),
    "SkipSimplifiedLayerNormalization": _normalisation(),
}
