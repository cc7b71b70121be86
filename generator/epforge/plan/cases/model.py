"""A case: one node that the generated tests run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Json: TypeAlias = "int | float | str | bool | list[Json] | dict[str, Json] | None"

#: Later than every since-version.
NEWEST = 10_000


@dataclass(frozen=True)
class Case:
    """One node to test.

    Args:
        inputs: per input a shape (filled with random numbers), a mapping with ``shape`` and
            ``range`` or with ``values`` (a constant), or None for an optional input left out.
        attributes: as in the node. ``{"type_of": "T2"}`` stands for the number of the element
            type that constraint T2 has, ``{"type_of": "T2", "values": [1]}`` for a tensor of it.
        since: the first and last since-version that the case is legal for.
        outputs: how many outputs the node has.
        one_type: only combinations in which all floating-point constraints, or those that are
            named, have the same type.
        channels_first: not for nodes that are converted to another layout.
    """

    inputs: Sequence[Sequence[int] | Mapping[str, Json] | None]
    attributes: Mapping[str, Json] = field(default_factory=dict)
    since: tuple[int, int] = (1, NEWEST)
    outputs: int = 1
    one_type: bool | tuple[str, ...] = False
    channels_first: bool = False


def constant(*values: Json) -> Mapping[str, Json]:
    """An input of one dimension or more with these values."""
    return {"values": list(values)}


def scalar(value: float) -> Mapping[str, Json]:
    """An input without dimensions."""
    return {"values": value}


def within(shape: Sequence[int], low: float, high: float) -> Mapping[str, Json]:
    """An input of random numbers between two others."""
    return {"shape": list(shape), "range": [low, high]}


#: What fits every op that works element by element.
SHAPES = ((2, 3, 4), (), (0, 4), (1,))
