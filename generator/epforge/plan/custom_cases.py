"""What the generated project's own tests feed to its custom operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epforge.resolve.services import CustomAttribute, CustomOp

if TYPE_CHECKING:
    from epforge.plan.cases.model import Json

_SHAPES = ((2, 3, 4), (), (0, 4), (1,))
#: The first input's, and those of the others in turns.
_MEETING = ((2, 1, 4), (3, 1), (), (4,))
_NUMBERS: Mapping[str, Json] = {
    "int": 2,
    "float": 0.5,
    "bool": 1,
    "string": "text",
    "ints": [1, 2],
    "floats": [0.5, 1.5],
    "strings": ["a", "b"],
}


@dataclass(frozen=True)
class CustomCase:
    """One node: the shapes of its inputs, None for one left out, and its attributes."""

    inputs: tuple[Sequence[int] | None, ...]
    attributes: Mapping[str, Json]


def custom_cases(custom: CustomOp) -> Iterator[CustomCase]:
    """Nodes of a custom operator.

    Of one with an expression: equal shapes, scalars and no elements among them; shapes that are
    broadcast; optional inputs left out; other numbers of variadic inputs. Of a stub, whose shapes
    are its owner's to decide: equal shapes. Nothing for an operator without a node that the cases
    can describe: one that needs a tensor as an attribute, and has no type variable for it.
    """
    attributes = _attributes(custom)
    if attributes is None:
        return

    def case(shapes: Sequence[Sequence[int]], absent: bool = False, count: int = 2) -> CustomCase:
        inputs: list[Sequence[int] | None] = []
        for parameter in custom.inputs:
            for _ in range(count if parameter.option == "variadic" else 1):
                position = len(inputs)
                others = shapes[1:] or shapes
                own = shapes[0] if position == 0 else others[(position - 1) % len(others)]
                inputs.append(None if absent and parameter.option == "optional" else own)
        while inputs and inputs[-1] is None:
            inputs.pop()
        return CustomCase(tuple(inputs), attributes)

    for shape in _SHAPES if custom.inputs else _SHAPES[:1]:
        yield case([shape])
    if custom.compute is None:
        return
    options = {parameter.option for parameter in custom.inputs}
    if len(custom.inputs) > 1 or "variadic" in options:
        yield case(_MEETING)
    if "optional" in options:
        yield case(_SHAPES[:1], absent=True)
    if "variadic" in options:
        yield from (case(_SHAPES[:1], count=count) for count in (1, 3))


def _attributes(custom: CustomOp) -> Mapping[str, Json] | None:
    """Values for the attributes that a node must have; None if there is one that none fits."""
    found: dict[str, Json] = {}
    for attribute in custom.attributes:
        if attribute.default is None:
            value = _value(attribute, custom)
            if value is None:
                return None
            found[str(attribute.name)] = value
    return found


def _value(attribute: CustomAttribute, custom: CustomOp) -> Json:
    if attribute.type != "tensor":
        return _NUMBERS[attribute.type]
    variable = next(iter(custom.types), None)
    return {"type_of": variable, "values": [1]} if variable is not None else None
