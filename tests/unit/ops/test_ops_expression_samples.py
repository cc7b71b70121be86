"""The samples of an expression cover what a kernel can meet, and never rely on rounding."""

from __future__ import annotations

import math

from epforge.ops.expression import Expression, Formal, Scope, check, parse
from epforge.ops.families._expression import expression_row
from epforge.ops.model import SMALL, DType, Sample, Value

_FLOATS = (DType.FLOAT32, DType.FLOAT64)
_Inputs = tuple[tuple[str, str, str], ...]
_TWO: _Inputs = (("x", "T", "single"), ("y", "T", "single"))


def _samples(
    text: str,
    inputs: _Inputs = _TWO,
    types: tuple[DType, ...] = _FLOATS,
    attributes: tuple[tuple[str, str, object], ...] = (),
    result: str = "T",
) -> tuple[Sample, ...]:
    formals = tuple(Formal(*each) for each in inputs)
    scope = Scope(formals, {name: kind for name, kind, _ in attributes}, {"T": types})
    expression = Expression(text, check(parse(text), scope, result))
    row = expression_row(
        domain="com.acme",
        op="Op",
        since=1,
        inputs=inputs,
        outputs=(("out", result),),
        types={"T": types},
        attributes=attributes,
        compute={"out": expression},
    )
    return row.samples


def _numbers(sample: Sample) -> list[float]:
    return [number for value in sample.inputs if value for number in value.data]


def test_the_shapes_are_those_that_go_wrong() -> None:
    shapes = [tuple(v.shape for v in s.inputs if v) for s in _samples("x + y")]
    assert ((), ()) in shapes
    assert ((2, 3), (3,)) in shapes
    assert ((0, 4), (4,)) in shapes
    outputs = {s.outputs[0].shape for s in _samples("x + y")}
    assert {(), (2, 3), (0, 4)} <= outputs


def test_every_element_of_a_broadcast_is_from_its_own_place() -> None:
    (sample,) = [s for s in _samples("x - 2 * y") if s.outputs[0].shape == (2, 3)]
    x, y = sample.inputs
    assert x is not None
    assert y is not None
    wanted = [x.data[3 * i + j] - 2 * y.data[j] for i in range(2) for j in range(3)]
    assert list(sample.outputs[0].data) == wanted
    assert len(set(x.data)) > 3
    assert len(set(y.data)) == 3


def test_nan_and_infinity_are_among_the_values() -> None:
    numbers = [n for s in _samples("max(x, y)") for n in _numbers(s)]
    assert any(map(math.isnan, numbers))
    assert math.inf in numbers


def test_each_element_type_has_values_that_it_holds() -> None:
    types = (DType.FLOAT32, DType.INT8, DType.UINT16)
    found = _samples("x + y", types=types)
    for dtype in types:
        own = [s for s in found if s.outputs[0].type is dtype]
        assert own, dtype
        if dtype is not DType.FLOAT32:
            numbers = [n for s in own for n in _numbers(s)]
            assert all(n == int(n) for n in numbers)
            assert (min(numbers) < 0) == (dtype is DType.INT8)


def test_what_an_integer_does_not_hold_is_left_out() -> None:
    """Between the two differences is a number that an unsigned type would wrap around."""
    (sample,) = _samples("max(x - 3, 0)", (("x", "T", "single"),), (DType.UINT8,))[:1]
    (x,) = sample.inputs
    assert isinstance(x, Value)
    assert min(x.data) >= 3


def test_what_rounding_decides_is_left_out() -> None:
    """0.1 * 3 is above 0.3 in one type and not in another; so is a floor just below a number."""
    (x,) = _samples("select(x * 0.1 > 0.3, 1, 0)", (("x", "T", "single"),))[0].inputs
    assert x is not None
    assert 3.0 not in x.data
    assert 1.5 in x.data


def test_optional_inputs_are_left_out_one_by_one_and_together() -> None:
    inputs = (("x", "T", "single"), ("a", "T", "optional"), ("b", "T", "optional"))
    found = _samples("x + default(a, 1) * default(b, 2)", inputs)
    there = {tuple(v is not None for v in s.inputs) for s in found}
    assert there == {(True, True, True), (True, False, True), (True, True), (True,)}


def test_a_variadic_input_has_one_to_three_tensors() -> None:
    found = _samples("mean(xs)", (("xs", "T", "variadic"),))
    assert {len(s.inputs) for s in found} == {1, 2, 3}


def test_attributes_have_their_defaults_and_other_values() -> None:
    attributes = (("low", "float", -1.0), ("high", "float", None), ("off", "bool", False))
    text = "select(off, x, min(max(x, low), high))"
    found = _samples(text, (("x", "T", "single"),), attributes=attributes)
    assert [s.attributes for s in found[:2]] == [
        {"high": 0.75},
        {"low": 0.25, "high": 0.75, "off": True},
    ]
    assert max(found[0].outputs[0].data) == 0.75
    assert min(found[0].outputs[0].data) == -1.0


def test_a_default_is_what_32_bits_hold_of_it() -> None:
    attributes = (("a", "float", 0.1),)
    found = _samples("x * a", (("x", "T", "single"),), (DType.FLOAT64,), attributes)
    (x,) = found[0].inputs
    assert x is not None
    assert found[0].outputs[0].data == tuple(n * 0.10000000149011612 for n in x.data)


def test_many_types_have_some_of_their_combinations() -> None:
    types = tuple(
        d for d in DType if d not in (DType.STRING, DType.FLOAT16, DType.BFLOAT16, *SMALL)
    )
    found = _samples("select(x == y, x, y)", types=types)
    assert {s.outputs[0].type for s in found} == set(types)
    assert len(found) < 30


def test_without_inputs_there_is_one_scalar() -> None:
    (sample,) = _samples("2.5", (), (DType.FLOAT32,), result="float32")
    assert sample.inputs == ()
    assert sample.outputs == (Value((2.5,), (), DType.FLOAT32),)
