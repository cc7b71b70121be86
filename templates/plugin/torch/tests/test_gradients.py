<%= banner %>
"""Gradients against differences, in float64."""

from typing import Any

import pytest
import torch

import support
from <%= package %> import _library


@support.cases()
@pytest.mark.parametrize("optional", [True, False], ids=["all", "required"])
def test_the_gradient_is_that_of_the_function(case: dict[str, Any], optional: bool) -> None:
    support.require(case)
    operator = support.operator(case)
    if not operator.gradient:
        pytest.skip("the operator has no gradient")
    if not case["double"]:
        pytest.skip("the operator computes in narrower types: differences tell nothing")
    if optional not in support.presences(case):
        pytest.skip("the operator has no optional inputs")
    values = _inputs(case, optional)
    floats = [each for each in support.flat(values) if each.is_floating_point()]

    def call(*tensors: torch.Tensor) -> Any:
        replaced = iter(tensors)

        def new(tensor: torch.Tensor) -> torch.Tensor:
            return next(replaced) if tensor.is_floating_point() else tensor

        results = support.function(case)(
            *(
                None
                if value is None
                else [new(each) for each in value]
                if isinstance(value, list)
                else new(value)
                for value in values
            )
        )
        return tuple(each for each in support.several(results) if each.is_floating_point())

    for tensor in floats:
        tensor.requires_grad_()
    with _library.doubles():
        try:
            torch.autograd.gradcheck(call, floats)
        except NotImplementedError as error:
            pytest.skip(str(error))


def _inputs(case: dict[str, Any], optional: bool) -> list[Any]:
    """Inputs in float64; those of an expression are broadcast, each in another way."""
    shapes = support.shapes(case, optional=optional)
    if support.operator(case).elementwise:
        ways = [(2, 3), (3,), (2, 1), (1, 3), ()]
        shapes = [
            shape if shape is None or isinstance(shape, list) else ways[index % len(ways)]
            for index, shape in enumerate(shapes)
        ]
    return support.inputs(case, shapes, types=support.dtypes(case, widest=True))
