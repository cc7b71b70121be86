"""Which of an operator's models are run, where not all of them are.

Most of the full product of element types, since-versions and calls is alike. What is left stands
for the rest: every since-version meets every element type with usual shapes, with empty tensors
and with scalars, and every call; every element type meets every call, and every other type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from epforge.validate.cases import Ask, Case
from epforge.validate.worker import schema

Target = tuple[object, ...]
_ATTEMPTS = 3  # models without a verdict until a target is given up


class Covering:
    """Decides on models one by one, as they come, by what the ones before have come to.

    Args:
        thorough: all of them are run.
    """

    def __init__(self, thorough: bool = False) -> None:
        self._thorough = thorough
        self._reached: set[Target] = set()
        self._tried: Counter[Target] = Counter()
        self.run = 0
        self.left_out = 0

    def wants(self, targets: Iterable[Target]) -> bool:
        """Does a model reach something that none before it has reached? It is counted."""
        wanted = self._thorough or any(
            target not in self._reached and self._tried[target] < _ATTEMPTS for target in targets
        )
        self.run += wanted
        self.left_out += not wanted
        return wanted

    def note(self, targets: Iterable[Target], judged: bool) -> None:
        """Takes down what a model that was run has come to.

        Args:
            judged: it was computed and compared; otherwise others may reach its targets yet.
        """
        if judged:
            self._reached.update(targets)
        else:
            self._tried.update(targets)


def targets(ask: Ask, case: Case, opset: int, bound: Sequence[str]) -> tuple[Target, ...]:
    """What a model reaches.

    Args:
        bound: the type constraints that the call settles; the model is the same for all types of
            the others.
    """
    shape = kind_of_shapes(case)
    types = [(name, ask.types[name]) for name in bound]
    return (
        ("since", ask.since, case.label),
        ("opset", ask.since, opset),
        *(("type", ask.since, one, shape) for one in types),
        *(("call", one, case.label) for one in types),
        *(("types", one, other) for i, one in enumerate(types) for other in types[i + 1 :]),
    )


def kind_of_shapes(case: Case) -> str:
    """Of what shape the data of a call is: "empty", "scalar" or "usual"."""
    shapes = [feed.array.shape for feed in case.inputs if feed is not None and not feed.constant]
    if any(0 in shape for shape in shapes):
        return "empty"
    return "scalar" if shapes and not shapes[0] else "usual"


def bound_by(ask: Ask, case: Case) -> tuple[str, ...]:
    """The type constraints that a call settles; all of them where no schema says so."""
    known = None if ask.domain else schema.find(ask.domain, ask.op, ask.since)
    if known is None:
        return tuple(ask.types)
    present = [index for index, feed in enumerate(case.inputs) if feed is not None]
    found = [name for name in ask.types if schema.binds(known, name, present, case.outputs)]
    return tuple(found)


def always_bound(types: Mapping[str, Sequence[str]], seen: Iterable[Sequence[str]]) -> set[str]:
    """The constraints with several types that no call is known to settle: all calls count as if
    they did."""
    found = {name for names in seen for name in names}
    return {name for name, choices in types.items() if len(choices) > 1 and name not in found}
