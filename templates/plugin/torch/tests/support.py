<%= banner %>
"""Inputs, calls and models for the tests."""

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import <%= package %> as package
from <%= package %> import _library
from <%= package %>.ops import OPERATORS

BY_NAME = {operator.function: operator for operator in OPERATORS}
CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("cases.json").read_text(encoding="utf-8")
)
STUBS = {name for name, operator in BY_NAME.items() if not operator.elementwise}


def cases() -> pytest.MarkDecorator:
    """A decorator: the test gets each case."""
    return pytest.mark.parametrize("case", CASES, ids=lambda case: case["function"])


def operator(case: dict[str, Any]) -> _library.Operator:
    """The case's operator."""
    return BY_NAME[case["function"]]


def attributes(case: dict[str, Any]) -> dict[str, Any]:
    """Values for all attributes, by their names in Python."""
    if case["function"] in STUBS:
        found: dict[str, Any] = _yours(case).EXAMPLE_ATTRIBUTES
        return found
    names = {attribute.python for attribute in operator(case).tensor_attributes}
    return {
        name: torch.tensor(value) if name in names else value
        for name, value in case["attributes"].items()
    }


def function(case: dict[str, Any]) -> Callable[..., Any]:
    """The operator's function, with the case's attributes."""
    call: Callable[..., Any] = getattr(package, case["function"])
    given = attributes(case)
    return lambda *inputs: call(*inputs, **given)


def module(case: dict[str, Any]) -> torch.nn.Module:
    """The operator's module, with the case's attributes."""
    call = getattr(package, case["function"])
    made: torch.nn.Module = next(
        each
        for each in vars(package).values()
        if isinstance(each, type)
        and issubclass(each, torch.nn.Module)
        and call.__name__ in each.forward.__code__.co_names
    )(**attributes(case))
    return made


def raw(case: dict[str, Any], values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments for the operator in `torch.ops`: tensor attributes come behind the inputs,
    lists of strings are JSON."""
    given = attributes(case)
    tensors = [given[each.python] for each in operator(case).tensor_attributes]
    named = {
        each.python: json.dumps(list(given[each.python]))
        if each.type == "strings"
        else given[each.python]
        for each in operator(case).plain_attributes
    }
    return (*values, *tensors), named


def dtypes(case: dict[str, Any], *, widest: bool = False) -> list[torch.dtype]:
    """A type for each input: float32 where the input has it, else the first of its types.

    Args:
        widest: float64 for all that can be floating point.
    """
    found = []
    for formal in operator(case).inputs:
        known = operator(case).types[formal.type]
        dtype = torch.float32 if torch.float32 in known else known[0]
        if widest and any(each.is_floating_point for each in known):
            dtype = torch.float64
        found.append(dtype)
    return found


def inputs(
    case: dict[str, Any],
    shapes: Sequence[Any],
    *,
    types: Sequence[torch.dtype] | None = None,
    seed: int = 0,
) -> list[Any]:
    """Random inputs.

    Args:
        shapes: one for each input; None leaves it out, a list of shapes is for a variadic one.
    """
    chance = torch.Generator().manual_seed(seed)

    def tensor(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        low, high = case["low"], case["high"]
        values = torch.rand(tuple(shape), generator=chance, dtype=torch.float64)
        values = values * (high - low) + low
        result: Tensor = values > 0 if dtype is torch.bool else values.to(dtype)
        return result

    return [
        None
        if shape is None
        else [tensor(each, dtype) for each in shape]
        if isinstance(shape, list)
        else tensor(shape, dtype)
        for shape, dtype in zip(shapes, types or dtypes(case), strict=True)
    ]


def shapes(case: dict[str, Any], *, optional: bool = True) -> list[Any]:
    """Shapes of inputs that go together; without optional ones if they are not wanted."""
    if case["function"] in STUBS:
        found: list[Any] = list(_yours(case).EXAMPLE_SHAPES)
    else:
        formals = operator(case).inputs
        found = [[(2, 3), (3,)] if each.option == "variadic" else (2, 3) for each in formals]
    return [
        None if formal.option == "optional" and not optional else shape
        for formal, shape in zip(operator(case).inputs, found, strict=True)
    ]


def presences(case: dict[str, Any]) -> list[bool]:
    """With and without optional inputs, if there are any and the operator can do without."""
    formals = operator(case).inputs
    optional = any(each.option == "optional" for each in formals)
    required = any(each.option != "optional" for each in formals)
    return [True, False] if optional and required else [True]


def require(case: dict[str, Any]) -> None:
    """Skips the test of a stub that is not written yet."""
    if case["function"] in STUBS:
        try:
            function(case)(*inputs(case, shapes(case)))
        except NotImplementedError as error:
            pytest.skip(str(error))


def flat(values: Sequence[Any]) -> Iterator[Tensor]:
    """All tensors among inputs."""
    yield from _library.tensors(list(values))


def several(result: Any) -> tuple[Tensor, ...]:
    """The outputs of an operator."""
    return result if isinstance(result, tuple) else (result,)


class Wrapped(torch.nn.Module):
    """The operator between others: what follows it shows whether type and rank are known.

    Inputs are those tensors that are there, in order.
    """

    def __init__(self, case: dict[str, Any], example: Sequence[Any]) -> None:
        super().__init__()
        self.inner = module(case)
        self.pattern = [None if each is None else isinstance(each, list) for each in example]
        self.counts = [len(each) if isinstance(each, list) else 1 for each in example]

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The outputs, each times itself; as they are where they are no numbers."""
        rest = list(tensors)
        values: list[Any] = []
        for pattern, count in zip(self.pattern, self.counts, strict=True):
            if pattern is None:
                values.append(None)
            elif pattern:
                values.append(rest[:count])
                del rest[:count]
            else:
                values.append(rest.pop(0))
        results = several(self.inner(*values))
        return tuple(each if each.dtype is torch.bool else each * each for each in results)


def _yours(case: dict[str, Any]) -> Any:
    return importlib.import_module(f"<%= package %>.yours.{case['function']}")
