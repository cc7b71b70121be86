"""Cases of recurrent operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from epforge.validate.cases.model import Ask, Builder, Case, Feed, ints

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_ACTIVATIONS: Mapping[str, list[str]] = {
    "RNN": ["Relu"],
    "GRU": ["HardSigmoid", "Softsign"],
    "LSTM": ["HardSigmoid", "Softsign", "Tanh"],
}


def _recurrent(ask: Ask) -> Iterator[Case]:
    gates = _GATES[ask.op]
    outputs = 3 if ask.op == "LSTM" else 2
    steps, batch, size, hidden = 4, 3, 5, 6

    def small(*shape: int, constant: bool = False) -> Feed:
        return ask.feed(shape, low=-1, high=1, constant=constant)

    def weights(directions: int = 1, constant: bool = True) -> tuple[Feed, ...]:
        return (
            small(directions, gates * hidden, size, constant=constant),
            small(directions, gates * hidden, hidden, constant=constant),
            small(directions, 2 * gates * hidden, constant=constant),
        )

    def case(label: str, *inputs: Feed | None, basic: bool = True, **attributes: Any) -> Case:
        return Case(label, inputs, {"hidden_size": hidden, **attributes}, outputs, basic)

    x = small(steps, batch, size)
    lengths = ints([4, 1, 2], "int32", constant=False)
    state = small(1, batch, hidden)
    states = (state,) * (outputs - 1)
    yield case("forward", x, *weights())
    yield case("no biases", x, *weights()[:2])
    yield case("weights fed", x, *weights(constant=False))
    yield case("an initial state", x, *weights(), None, *states)
    yield case("reverse", x, *weights(), direction="reverse")
    yield case("bidirectional", x, *weights(2), direction="bidirectional")
    yield case("one step", small(1, batch, size), *weights(), None, *states)
    yield case("lengths", x, *weights(), lengths, basic=False)
    yield case("lengths, reverse", x, *weights(), lengths, direction="reverse", basic=False)
    yield case("clip", x, *weights(), clip=0.5, basic=False)
    yield case("other activations", x, *weights(), activations=_ACTIVATIONS[ask.op], basic=False)
    if ask.op == "GRU":
        yield case("linear_before_reset", x, *weights(), linear_before_reset=1)
    if ask.op == "LSTM":
        peepholes = small(1, 3 * hidden, constant=True)
        yield case("peepholes", x, *weights(), None, *states, peepholes, basic=False)
        yield case("input_forget", x, *weights(), input_forget=1, basic=False)


TABLE: Mapping[str, Builder] = {"GRU": _recurrent, "LSTM": _recurrent, "RNN": _recurrent}
