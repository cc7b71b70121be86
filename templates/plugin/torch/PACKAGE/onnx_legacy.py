<%= banner %>
"""The operators for PyTorch's older exporter to ONNX, that is built on tracing.

`register_symbolics()` comes before `torch.onnx.export(..., dynamo=False, custom_opsets=DOMAINS)`;
`export` does both, sets the opset and checks the result. Attributes that are tensors come out as
inputs there: only `export` puts them where they belong.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.onnx import symbolic_helper

from ._attributes import onnx_attributes
from ._library import NAMESPACE, Operator
from .ops import OPERATORS

_constant: Any = symbolic_helper._maybe_get_const
_OLDEST = 7  # opset: the nodes are the same for all
_KINDS = {
    "int": "i",
    "bool": "i",
    "float": "f",
    "string": "s",
    "ints": "i",
    "floats": "f",
    "strings": "s",
}
_CONSTANTS = {
    "int": "i",
    "bool": "b",
    "float": "f",
    "string": "s",
    "ints": "is",
    "floats": "fs",
    "strings": "s",
}
# Two sizes for each open dimension: what comes out alike does not depend on them.
_TRIALS = ((3, 5, 7, 11, 13, 17, 19, 23), (4, 6, 10, 14, 22, 26, 34, 38))

Sizes = list[int | None]


def register_symbolics() -> None:
    """Tells the exporter what makes a node of each operator. Doing it again changes nothing."""
    for operator in OPERATORS:
        name = f"{NAMESPACE}::{operator.function}"
        torch.onnx.register_custom_op_symbolic(name, _symbolic(operator), _OLDEST)  # type: ignore[attr-defined]


def _symbolic(operator: Operator) -> Callable[..., Any]:
    count = len(operator.inputs) + len(operator.tensor_attributes)
    lists = [formal.option == "variadic" for formal in operator.inputs]
    lists += [False] * len(operator.tensor_attributes)

    def symbolic(graph: Any, *arguments: Any) -> Any:
        inputs = [
            list(symbolic_helper._unpack_list(value)) if is_list else value
            for is_list, value in zip(lists, arguments[:count], strict=True)
        ]
        given = {
            attribute.python: _constant(value, _CONSTANTS[attribute.type])
            for attribute, value in zip(_ordered(operator), arguments[count:], strict=True)
        }
        attributes = {
            f"{name}_{_kind(operator, name)}": value
            for name, value in onnx_attributes(operator, given).items()
        }
        values = [v for value in inputs for v in (value if isinstance(value, list) else [value])]
        while values and _is_none(values[-1]):
            values.pop()
        outputs = graph.op(
            f"{operator.domain}::{operator.name}",
            *values,
            outputs=len(operator.outputs),
            **attributes,
        )
        results = outputs if isinstance(outputs, list | tuple) else (outputs,)
        traced = [output.type() for output in graph.original_node.outputs()]
        _set_types(operator, traced, inputs, given, results)
        return outputs

    return symbolic


def _tensors(inputs: Sequence[Any]) -> list[Any]:
    """The values that are tensors; those left out are none."""
    values = [v for value in inputs for v in (value if isinstance(value, list) else [value])]
    return [value for value in values if not _is_none(value)]


def _ordered(operator: Operator) -> list[Any]:
    """The plain attributes in the order of PyTorch's schema."""
    names = [argument.name for argument in operator.overload._schema.arguments]
    return sorted(operator.plain_attributes, key=lambda attribute: names.index(attribute.python))


def _kind(operator: Operator, name: str) -> str:
    return next(_KINDS[each.type] for each in operator.plain_attributes if each.name == name)


def _is_none(value: Any) -> bool:
    return value is None or bool(value.node().mustBeNone())


def _set_types(
    operator: Operator,
    traced: Sequence[Any],
    inputs: Sequence[Any],
    given: dict[str, Any],
    results: Sequence[Any],
) -> None:
    """Gives the outputs what the exporter does not know: their types and ranks.

    Args:
        traced: the types of the outputs in the run that was traced: their sizes are of that run.
        inputs: as PyTorch's operator takes them.
    """
    known = [value.type() for value in _tensors(inputs)]
    is_open = any(None in type_.varyingSizes() for type_ in known)
    for index, (type_, result) in enumerate(zip(traced, results, strict=True)):
        if is_open:
            sizes = _sizes(operator, inputs, given, index, len(type_.sizes()))
            alike = [each for each in known if each.varyingSizes() == sizes]
            # One that has these sizes has the names of the open ones, too.
            type_ = (alike[0] if alike else type_.with_sizes(sizes)).with_dtype(type_.dtype())
        result.setType(type_)


def _sizes(
    operator: Operator, inputs: Sequence[Any], given: dict[str, Any], index: int, rank: int
) -> Sizes:
    """The sizes of an output: None where one is open."""
    if operator.elementwise:
        return _broadcast([value.type().varyingSizes() for value in _tensors(inputs)], rank)
    try:
        trials = [_trial(operator, inputs, given, index, numbers) for numbers in _TRIALS]
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        return [None] * rank  # a shape function may refuse sizes that are as good as any
    return [one if one == other else None for one, other in zip(*trials, strict=True)]


def _broadcast(shapes: Sequence[Sizes], rank: int) -> Sizes:
    result: Sizes = []
    for place in range(rank, 0, -1):
        sizes = {shape[-place] for shape in shapes if len(shape) >= place} - {1}
        whole = sizes - {None}
        result.append(whole.pop() if whole else None if sizes else 1)
    return result


def _trial(
    operator: Operator,
    inputs: Sequence[Any],
    given: dict[str, Any],
    index: int,
    numbers: Sequence[int],
) -> list[int]:
    """The sizes for one choice of the open ones; those in the same place are the same."""

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(each) for each in value]
        if _is_none(value):
            return None
        sizes = value.type().varyingSizes()
        shape = [
            numbers[(len(sizes) - place) % len(numbers)] if size is None else size
            for place, size in enumerate(sizes)
        ]
        return torch.empty(shape, dtype=value.type().dtype(), device="meta")

    outputs = operator.overload(*map(filled, inputs), **given)
    return list((outputs if isinstance(outputs, tuple) else (outputs,))[index].shape)
