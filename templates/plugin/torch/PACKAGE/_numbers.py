<%= banner %>
"""Functions of the expressions that PyTorch has not, or not quite."""

import functools
from collections.abc import Sequence

import torch
from torch import Tensor


def sign(value: Tensor) -> Tensor:
    """-1, 0 or 1; NaN stays NaN."""
    result = torch.sign(value)
    return torch.where(torch.isnan(value), value, result) if value.is_floating_point() else result


def total(values: Sequence[Tensor]) -> Tensor:
    """The sum of tensors that are broadcast, from the first to the last."""
    return functools.reduce(torch.add, values)


def mean(values: Sequence[Tensor]) -> Tensor:
    """The mean of tensors that are broadcast."""
    return total(values) / len(values)


def smallest(values: Sequence[Tensor]) -> Tensor:
    """The smallest of each place; NaN where one is."""
    return functools.reduce(torch.minimum, values)


def largest(values: Sequence[Tensor]) -> Tensor:
    """The largest of each place; NaN where one is."""
    return functools.reduce(torch.maximum, values)
