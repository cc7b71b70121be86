<%= banner %>
"""Values, types and shapes of the operators in PyTorch."""

import random
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import support
from <%= package %> import _library

_SHAPES = 20


@support.cases()
def test_values_are_those_of_the_expression(case: dict[str, Any]) -> None:
    operator = support.operator(case)
    if not operator.elementwise:
        pytest.skip("the operator has no expression")
    assert case["samples"]
    for sample in case["samples"]:
        types = {name: getattr(torch, dtype) for name, dtype in sample["types"].items()}
        values = [
            None
            if value is None
            else [torch.tensor(each, dtype=types[formal.type]) for each in value]
            if formal.option == "variadic"
            else torch.tensor(value, dtype=types[formal.type])
            for formal, value in zip(operator.inputs, sample["inputs"], strict=True)
        ]
        results = support.several(support.function(case)(*values))
        for formal, result, numbers in zip(
            operator.outputs, results, sample["outputs"], strict=True
        ):
            assert result.dtype == types[formal.type]
            wanted = torch.tensor(numbers, dtype=torch.float64)
            narrow = any(each.is_floating_point and each.itemsize < 4 for each in types.values())
            wide = all(each is not torch.float32 for each in types.values())
            exact = 1e-2 if narrow else 1e-12 if wide else 1e-6
            scale = max(1.0, float(wanted.abs().max()))
            torch.testing.assert_close(
                result.to(wanted.dtype), wanted, rtol=exact, atol=exact * scale
            )


@support.cases()
def test_the_module_is_the_function(case: dict[str, Any]) -> None:
    support.require(case)
    values = support.inputs(case, support.shapes(case))
    results = support.several(support.function(case)(*values))
    for one, other in zip(results, support.several(support.module(case)(*values)), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


@support.cases()
def test_fake_results_have_the_shapes_of_real_ones(case: dict[str, Any]) -> None:
    support.require(case)
    for seed in range(_SHAPES):
        shapes = _random_shapes(case, random.Random(seed))
        values = support.inputs(case, shapes, seed=seed)
        real = support.several(support.function(case)(*values))
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            pretended = [
                [mode.from_tensor(each) for each in value]
                if isinstance(value, list)
                else None
                if value is None
                else mode.from_tensor(value)
                for value in values
            ]
            fake = support.several(support.function(case)(*pretended))
        for one, other in zip(real, fake, strict=True):
            assert (one.shape, one.dtype, one.stride()) == (
                other.shape,
                other.dtype,
                other.stride(),
            )


@support.cases()
def test_pytorch_finds_nothing_wrong_with_the_registration(case: dict[str, Any]) -> None:
    support.require(case)
    for present in support.presences(case):
        values = support.inputs(case, support.shapes(case, optional=present))
        for tensor in support.flat(values):
            tensor.requires_grad_(tensor.is_floating_point() and _has_gradient(case))
        torch.library.opcheck(support.operator(case).overload, *support.raw(case, values))


@support.cases()
@pytest.mark.parametrize("fake", [False, True], ids=["eager", "fake"])
def test_a_type_that_the_operator_has_not_is_a_clear_error(
    case: dict[str, Any], fake: bool
) -> None:
    operator = support.operator(case)
    values = support.inputs(case, support.shapes(case))
    formal = operator.inputs[0]
    wrong = torch.complex64
    values[0] = [each.to(wrong) for each in values[0]] if isinstance(
        values[0], list
    ) else values[0].to(wrong)  # fmt: skip
    with pytest.raises(TypeError) as raised:
        _call(case, values, fake)
    text = str(raised.value)
    assert operator.label in text
    assert formal.name in text
    assert str(operator.types[formal.type][0]).removeprefix("torch.") in text


@support.cases()
@pytest.mark.parametrize("fake", [False, True], ids=["eager", "fake"])
def test_a_mixture_of_types_is_a_clear_error(case: dict[str, Any], fake: bool) -> None:
    operator = support.operator(case)
    first = operator.inputs[0]
    same = [index for index, each in enumerate(operator.inputs) if each.type == first.type]
    known = operator.types[first.type]
    if len(same) < 2 or len(known) < 2:
        pytest.skip("the operator has no two inputs of one type that can be two")
    types = support.dtypes(case)
    types[same[1]] = next(each for each in known if each != types[same[0]])
    values = support.inputs(case, support.shapes(case), types=types)
    with pytest.raises(TypeError, match="of one type") as raised:
        _call(case, values, fake)
    assert operator.label in str(raised.value)
    assert operator.inputs[same[1]].name in str(raised.value)


def _call(case: dict[str, Any], values: list[Any], fake: bool) -> None:
    if not fake:
        support.function(case)(*values)
        return
    with FakeTensorMode(allow_non_fake_inputs=True):
        support.function(case)(*values)


def _random_shapes(case: dict[str, Any], chance: random.Random) -> list[Any]:
    """Shapes that can be broadcast; those of a stub are its own."""
    operator = support.operator(case)
    if not operator.elementwise:
        return support.shapes(case)
    whole = [chance.randint(0, 4) for _ in range(chance.randint(0, 4))]

    def part() -> list[int]:
        kept = whole[chance.randint(0, len(whole)) :]
        return [1 if chance.random() < 0.3 else size for size in kept]

    optional = len(support.presences(case)) > 1
    return [
        [part() for _ in range(chance.randint(1, 3))]
        if each.option == "variadic"
        else None
        if each.option == "optional" and optional and chance.random() < 0.5
        else tuple(part())
        for each in operator.inputs
    ]


def _has_gradient(case: dict[str, Any]) -> bool:
    """Can it be asked for? One that is yours may not be written yet."""
    operator = support.operator(case)
    if not operator.gradient:
        return False
    try:
        values = support.inputs(case, support.shapes(case))
        floats = [each for each in support.flat(values) if each.is_floating_point()]
        for tensor in floats:
            tensor.requires_grad_()
        results = support.several(support.function(case)(*values))
        outputs = [each for each in results if each.requires_grad]
        ones = [torch.ones_like(each) for each in outputs]
        torch.autograd.grad(outputs, floats, ones, allow_unused=True)
    except NotImplementedError:
        return False
    return True


def test_every_operator_has_a_case() -> None:
    assert {case["function"] for case in support.CASES} == set(support.BY_NAME)
    assert _library.NAMESPACE == <%= ns | py_string %>
