"""Cases of recurrent operators: a few steps of a few sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epforge.plan.cases.model import NEWEST, Case, Json, constant, within

_STEPS, _BATCH, _INPUT, _HIDDEN = 4, 3, 5, 6


def _small(*shape: int) -> Mapping[str, Json]:
    """Numbers that leave activations away from their limits."""
    return within(shape, -1, 1)


def _inputs(gates: int, directions: int = 1) -> list[Mapping[str, Json]]:
    """X, W, R and B."""
    return [
        _small(_STEPS, _BATCH, _INPUT),
        _small(directions, gates * _HIDDEN, _INPUT),
        _small(directions, gates * _HIDDEN, _HIDDEN),
        _small(directions, 2 * gates * _HIDDEN),
    ]


def _cases(gates: int, outputs: int, activations: Sequence[str]) -> tuple[Case, ...]:
    size: Mapping[str, Json] = {"hidden_size": _HIDDEN}
    both = {**size, "direction": "bidirectional"}
    lengths = constant(4, 1, 2)
    state = [_small(1, _BATCH, _HIDDEN)] * (outputs - 1)
    peepholes = [_small(1, 3 * _HIDDEN)] if outputs == 3 else []
    since = (7, NEWEST)  # no runtime computes older ones
    return (
        Case(_inputs(gates)[:3], size, since, outputs),
        Case([*_inputs(gates), lengths, *state, *peepholes], size, since, outputs),
        Case([*_inputs(gates), lengths], {**size, "direction": "reverse"}, since, outputs),
        Case([*_inputs(gates, 2), lengths], both, since, outputs),
        Case(
            _inputs(gates),
            {**size, "activations": list(activations), "clip": 0.5},
            since,
            outputs,
        ),
    )


TABLE: Mapping[str, tuple[Case, ...]] = {
    "GRU": (
        *_cases(3, 2, ("HardSigmoid", "Softsign")),
        Case(_inputs(3), {"hidden_size": _HIDDEN, "linear_before_reset": 1}, (7, NEWEST), 2),
    ),
    "LSTM": (
        *_cases(4, 3, ("HardSigmoid", "Softsign", "Tanh")),
        Case(_inputs(4), {"hidden_size": _HIDDEN, "input_forget": 1}, (7, NEWEST), 3),
    ),
    "RNN": _cases(1, 2, ("Relu",)),
}
