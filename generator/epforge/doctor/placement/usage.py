"""The element types of a node's values, by the type constraints of its operator's schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from epforge.ops.model import DType, Parameter, SchemaVersion
from epforge.validate.models.facts import NodeFact

#: Per type constraint, the element types that are used.
Used = Mapping[str, frozenset[str]]


def spelt(dtype: DType) -> str:
    """An element type as manifests and blueprints have it."""
    return dtype.text


def used_by(node: NodeFact, version: SchemaVersion | None) -> dict[str, frozenset[str]]:
    """What a node uses, as far as the model tells."""
    found: dict[str, set[str]] = {}
    if version is None:
        return {}
    for given, formal in ((node.inputs, version.inputs), (node.outputs, version.outputs)):
        for dtype, parameter in _paired(given, formal):
            if parameter.type_str in version.constraints and _is_element(dtype):
                found.setdefault(parameter.type_str, set()).add(dtype)
    return {name: frozenset(group) for name, group in found.items()}


def _paired(
    given: Sequence[str | None], formal: Sequence[Parameter]
) -> Iterator[tuple[str, Parameter]]:
    """The known types with their parameters; what the schema does not know is passed over."""
    for index, dtype in enumerate(given):
        if not dtype or not formal:
            continue
        if index < len(formal):
            yield dtype, formal[index]
        elif formal[-1].option == "variadic":
            yield dtype, formal[-1]


def _is_element(dtype: str) -> bool:
    try:
        DType.parse(dtype)
    except KeyError:
        return False
    return True
