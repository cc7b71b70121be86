"""Cases of attention and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.cases.model import NEWEST, SHAPES, Case, constant, within

#: Two batches of four heads of queries and two of keys; five queries, seven keys.
_QKV = ((2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 6))
_PACKED = ((2, 5, 32), (2, 7, 16), (2, 7, 12))
_HEADS = {"q_num_heads": 4, "kv_num_heads": 2}

_ATTENTION = (
    # The mask may be of any type. Two types for keys and values are more than the CPU takes.
    Case([(1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4), (3, 3)], one_type=("T1", "T2")),
    Case([*_QKV], one_type=True),
    Case([*_QKV], {"is_causal": 1, "softcap": 2.0}, one_type=True),
    Case([*_PACKED, (2, 1, 5, 7)], {**_HEADS, "scale": 0.5}, one_type=True),
    Case(
        [(1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4), None, (1, 2, 5, 4), (1, 2, 5, 4)],
        {"is_causal": 1},
        outputs=3,
        one_type=True,
    ),
    Case([*_QKV], {"qk_matmul_output_mode": 3}, outputs=4, one_type=True),
    Case(
        [*_QKV, None, None, None, constant(5, 7)],
        {"is_causal": 1},
        (24, NEWEST),
        one_type=True,
    ),
    Case(
        [*_QKV],
        {"left_window_size": 2, "right_window_size": 1},
        (25, NEWEST),
        one_type=True,
    ),
)

_LINEAR = {"q_num_heads": 4, "kv_num_heads": 2}
_DECAY = within((2, 3, 2), -1.0, 0.0)
_BETA = within((2, 3, 2), 0.0, 1.0)
_TOKENS = (
    within((2, 3, 16), -1.0, 1.0),
    within((2, 3, 8), -0.5, 0.5),
    within((2, 3, 6), -1.0, 1.0),
)

TABLE: Mapping[str, tuple[Case, ...]] = {
    "Attention": _ATTENTION,
    "CausalConvWithState": (
        Case([(2, 3, 5), (3, 1, 4), (3,), (2, 3, 3)], {"activation": "silu"}, outputs=2),
        Case([(2, 3, 2), (3, 1, 4)], outputs=2),
    ),
    "Gelu": (
        *(Case([shape]) for shape in SHAPES),
        Case([(2, 3)], {"approximate": "tanh"}),
    ),
    "LinearAttention": (
        Case([*_TOKENS], {**_LINEAR, "update_rule": "linear"}, outputs=2),
        Case([*_TOKENS, None, _DECAY], {**_LINEAR, "update_rule": "gated"}, outputs=2),
        Case([*_TOKENS, (2, 2, 4, 3), _DECAY, _BETA], {**_LINEAR}, outputs=2, one_type=True),
    ),
    "RotaryEmbedding": (
        Case([(2, 4, 3, 8), (2, 3, 4), (2, 3, 4)]),
        Case(
            [(2, 3, 32), (10, 2), (10, 2), constant([0, 3, 9], [1, 1, 2])],
            {"num_heads": 4, "rotary_embedding_dim": 4, "interleaved": 1},
        ),
    ),
    "SwiGLU": (Case([(2, 3), (2, 3)]), Case([(0, 4), (0, 4)]), Case([(5,), (5,)], {"alpha": 1.5})),
}
