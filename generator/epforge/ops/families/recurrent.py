"""Recurrent operators: cells that carry a state from one step of a sequence to the next."""

from __future__ import annotations

from epforge.ops.families._common import CHECKS, FLOATS
from epforge.ops.families._recurrent_samples import GRU_SAMPLES, LSTM_SAMPLES, RNN_SAMPLES
from epforge.ops.model import DType, FamilyRow, Sample

_SUPPORT = (
    *CHECKS,
    "activation.cc",
    "activation.h",
    "choice.cc",
    "choice.h",
    "device.h",
    "gemm.cc",
    "gemm.h",
    "math.h",
    "recurrent.cc",
    "recurrent.h",
)


def _row(
    op: str,
    since: tuple[int, ...],
    activations: tuple[str, ...],
    samples: tuple[Sample, ...],
    switch: str = "",
) -> FamilyRow:
    """A row; ``switch`` is an attribute that changes what the cell computes."""
    return FamilyRow(
        op=op,
        family=op.lower(),
        since=since,
        types={"T": FLOATS, "T1": (DType.INT32,)},
        params={
            "header": "recurrent",
            "support": _SUPPORT,
            "defaults": ", ".join(f'"{name}"' for name in activations),
            "switch": switch,
            "memory": op == "LSTM",
        },
        samples=samples,
    )


ROWS = (
    _row(
        "GRU",
        (1, 3, 7, 14, 22),
        ("Sigmoid", "Tanh"),
        GRU_SAMPLES,
        switch="linear_before_reset",
    ),
    _row(
        "LSTM",
        (1, 7, 14, 22),
        ("Sigmoid", "Tanh", "Tanh"),
        LSTM_SAMPLES,
        switch="input_forget",
    ),
    _row("RNN", (1, 7, 14, 22), ("Tanh",), RNN_SAMPLES),
)
