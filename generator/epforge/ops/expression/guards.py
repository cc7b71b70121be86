"""Which optional inputs a condition makes sure of."""

from __future__ import annotations

from epforge.ops.expression.model import Has, Logical, Node, Not


def guarded(condition: Node, outcome: bool) -> frozenset[str]:
    """The optional inputs that are there whenever ``condition`` comes out as ``outcome``."""
    match condition:
        case Has(name=name):
            return frozenset({name} if outcome else ())
        case Not(operand=operand):
            return guarded(operand, not outcome)
        case Logical(op=op, left=left, right=right):
            both = (op == "and") == outcome  # else one of them alone may have decided it
            first, second = guarded(left, outcome), guarded(right, outcome)
            return first | second if both else first & second
        case _:
            return frozenset()
