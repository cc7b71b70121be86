"""Derivatives: what they are, that they are right, and what has none."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from expressions import SCOPE, checked, numbers
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from epforge.ops.expression import (
    Formal,
    NotDerivableError,
    Scope,
    check,
    differentiate,
    evaluate,
    parse,
)
from epforge.ops.expression.evaluate import Values
from epforge.ops.expression.model import Cast, Count, Node, Number, children
from epforge.ops.expression.parse import MAX_DEPTH, MAX_LENGTH
from epforge.ops.expression.spell import text
from epforge.ops.model import DType


def slope(source: str, wrt: str = "x", result: str = "T") -> Node:
    return differentiate(checked(source, result), wrt, SCOPE)


@pytest.mark.parametrize(
    ("source", "wrt", "derivative"),
    [
        ("3", "x", "0"),
        ("y * alpha", "x", "0"),
        ("x", "x", "1"),
        ("x + y", "x", "1"),
        ("2 - x", "x", "-1"),
        ("-(-x)", "x", "1"),
        ("x * y", "x", "y"),
        ("y * -x", "x", "-y"),
        ("2 * x * 3", "x", "6"),
        ("x * x", "x", "x + x"),
        ("x / y", "x", "1 / y"),
        ("x / y", "y", "-(x / y / y)"),
        ("1 / x", "x", "-(1 / x / x)"),
        ("(x + y) * 0", "x", "0"),
        ("pow(x, 2)", "x", "2 * x"),
        ("pow(x, 1)", "x", "1"),
        ("pow(x, 0)", "x", "0"),
        ("pow(x, 0.5)", "x", "0.5 * pow(x, -0.5)"),
        ("pow(2, x)", "x", "pow(2, x) * 0.6931471805599453"),
        ("pow(0, x)", "x", "select(x >= 0, 0, pow(0, x) * log(0))"),
        ("pow(x, y)", "x", "select(y == 0, 0, y * pow(x, y - 1))"),
        ("pow(x, n)", "x", "select(n == 0, 0, n * pow(x, n - 1))"),
        ("pow(x, y)", "y", "select(x == 0 and y >= 0, 0, pow(x, y) * log(x))"),
        ("abs(x)", "x", "sign(x)"),
        ("ceil(x) + floor(x) * round(x) - sign(x)", "x", "0"),
        ("exp(2 * x)", "x", "2 * exp(2 * x)"),
        ("log(x)", "x", "1 / x"),
        ("sqrt(x)", "x", "1 / (2 * sqrt(x))"),
        ("sin(x) + cos(x)", "x", "cos(x) - sin(x)"),
        ("cos(x) + sin(x)", "x", "cos(x) - sin(x)"),
        ("tan(x)", "x", "1 + tan(x) * tan(x)"),
        ("sinh(x) - cosh(x)", "x", "cosh(x) - sinh(x)"),
        ("tanh(x)", "x", "1 - tanh(x) * tanh(x)"),
        ("atan(x)", "x", "1 / (1 + x * x)"),
        ("asin(x)", "x", "1 / sqrt(1 - x * x)"),
        ("acos(x)", "x", "-(1 / sqrt(1 - x * x))"),
        ("acos(-x)", "x", "1 / sqrt(1 - x * x)"),
        ("erf(x)", "x", "1.1283791670955126 * exp(-(x * x))"),
        ("sigmoid(x)", "x", "sigmoid(x) * (1 - sigmoid(x))"),
        ("max(x, 0)", "x", "select(x < 0, 0, select(x == 0, 0.5, 1))"),
        ("min(0, x)", "x", "select(x > 0, 0, select(0 == x, 0.5, 1))"),
        ("max(y, 0)", "x", "0"),
        ("select(x > 0, x, alpha * x)", "x", "select(x > 0, 1, alpha)"),
        ("select(x > 0, x, x)", "x", "1"),
        ("select(x > y, 1, 2)", "x", "0"),
        ("default(bias, x)", "x", "select(has(bias), 0, 1)"),
        ("default(bias, 1)", "bias", "select(has(bias), 1, 0)"),
        ("select(has(bias), x * bias, x)", "bias", "select(has(bias), x, 0)"),
        ("select(has(bias), x * bias, x)", "x", "select(has(bias), bias, 1)"),
        ("sum(xs) * x", "xs", "x"),
        ("sum(xs) * x", "x", "sum(xs)"),
        ("mean(xs)", "xs", "1 / count(xs)"),
        ("max(xs) * x", "x", "max(xs)"),
        ("cast(2 * d, T)", "d", "2"),
        ("cast(d * d, T)", "d", "cast(d + d, T)"),
        ("cast(i, T) * x", "x", "cast(i, T)"),
        ("cast(m, T) + cast(cast(x, int32), T)", "x", "0"),
    ],
)
def test_derivatives(source: str, wrt: str, derivative: str) -> None:
    found = slope(source, wrt)
    assert text(found) == derivative
    assert found.type == "T"


def test_every_part_of_a_derivative_has_a_type() -> None:
    source = "cast(pow(d, 2) * max(d, 1) / sigmoid(d), T) * pow(x, y) + default(bias, mean(xs))"
    for wrt in ("x", "y", "d", "bias", "xs"):
        todo = [slope(source, wrt)]
        while todo:
            node = todo.pop()
            assert node.type in ("T", "float64", "bool"), text(node)
            parts = children(node)
            if type(node).__name__ in ("Arithmetic", "Call", "Negate"):
                assert {part.type for part in parts} == {node.type}, text(node)
            todo += parts


def test_how_many_tensors_there_are_is_of_the_type_of_the_mean() -> None:
    found = [node for node in children(slope("mean(xs)", "xs")) if isinstance(node, Count)]
    assert found == [Count("xs", type="T")]


AT: Values = {"x": 0.0, "y": 0.0, "d": 0.0, "xs": (1.0, 1.0, 1.0, 1.0)}


@pytest.mark.parametrize(
    ("source", "wrt", "values", "wanted"),
    [
        ("max(x, y)", "x", {}, 0.5),
        ("max(x, y)", "y", {}, 0.5),
        ("min(x, 0)", "x", {}, 0.5),
        ("max(x, y, 0, 0)", "x", {}, 0.25),
        ("max(x, x)", "x", {}, 1.0),
        ("max(x, y)", "x", {"x": 1.0}, 1.0),
        ("max(x, y)", "y", {"x": 1.0}, 0.0),
        ("min(x, y, 5)", "y", {"y": -1.0}, 1.0),
        ("abs(x)", "x", {}, 0.0),
        ("pow(x, 2)", "x", {}, 0.0),
        ("pow(x, y)", "x", {}, 0.0),
        ("pow(x, y)", "y", {}, 0.0),
        ("pow(x, y)", "y", {"y": 2.0}, 0.0),
        ("pow(x, y)", "y", {"y": -1.0}, -math.inf),
        ("pow(x, y)", "x", {"y": 1.0}, 1.0),
        ("sqrt(x)", "x", {}, math.inf),
        ("max(sqrt(x), 1)", "x", {}, 0.0),  # not 0 * infinity
        ("select(x > 0, sqrt(x), 0)", "x", {}, 0.0),
        ("mean(xs)", "xs", {}, 0.25),
        ("sum(xs)", "xs", {}, 1.0),
    ],
)
def test_where_it_is_not_smooth(
    source: str, wrt: str, values: dict[str, float], wanted: float
) -> None:
    assert evaluate(slope(source, wrt), {**AT, **values}, {"n": 2}) == wanted


@pytest.mark.parametrize(
    ("source", "wrt", "result", "what", "where"),
    [
        ("i + 1", "i", "int32", "the input i is no floating-point number: it is int32", "i + 1"),
        ("cast(x, int32)", "x", "int32", "the result is no floating-point number", None),
        ("x < y", "x", "bool", "the result is no floating-point number: it is bool", None),
        ("select(m, x, y)", "m", "T", "the input m is no floating-point number: it is bool", None),
        ("x + max(xs)", "xs", "T", "max of a variadic input has no derivative", "max(xs)"),
        ("x * exp(min(xs))", "xs", "T", "min of a variadic input has no derivative", "min(xs)"),
        ("cast(cast(x, K), T)", "x", "T", "depends on what K is", "cast(x, K)"),
    ],
)
def test_what_has_no_derivative(
    source: str, wrt: str, result: str, what: str, where: str | None
) -> None:
    with pytest.raises(NotDerivableError, match=what) as caught:
        slope(source, wrt, result)
    span = caught.value.span
    assert source[span.start : span.end] == (where or source)
    assert caught.value.message == str(caught.value)


def test_an_input_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="no input z"):
        slope("x", "z")


def test_a_type_that_can_be_an_integer_has_the_derivative_of_its_floats() -> None:
    assert text(slope("max(k, 0) * k", "k", "K")).startswith("select(k < 0, 0,")
    assert text(slope("cast(k, T) * x", "k")) == "x"
    assert text(slope("cast(x * x, K)", "x", "K")) == "cast(x + x, K)"


@pytest.mark.parametrize(
    "step",
    [
        "pow({}, x)",
        "pow(x, {})",
        "max(x, {})",
        "select(x > 0, {}, x)",
        "erf({})",
        "({}) / x",
        "-{}",
    ],
)
def test_the_derivative_of_a_deep_expression_can_be_walked(step: str) -> None:
    source = "x"
    for _ in range(min(MAX_DEPTH - 1, MAX_LENGTH // len(step))):
        source = step.format(source)
    found = differentiate(check(parse(source), SCOPE, "T"), "x", SCOPE)
    assert len(text(found)) < 200_000
    evaluate(found, {"x": 0.5}, {})
    assert found == differentiate(check(parse(source), SCOPE, "T"), "x", SCOPE)


def test_a_function_of_many_arguments_is_taken_two_by_two() -> None:
    found = slope(f"max({', '.join(['x'] * 300)})")
    assert evaluate(found, {"x": 2.0}, {}) == 1.0
    assert len(text(found)) < 200_000


#: The tests below look at the floats of this scope as at doubles.
_STEP = 1e-5


def _drawn(data: st.DataObject) -> dict[str, float | bool | tuple[float, ...] | None]:
    """Values of the inputs, none of which is whole or equal to another: there are the corners."""
    offsets = iter(0.000317 * step for step in range(1, 9))

    def number() -> float:
        return round(data.draw(st.floats(-3, 3)), 3) + next(offsets)

    values: dict[str, float | bool | tuple[float, ...] | None] = {
        name: number() for name in ("x", "y", "d", "bias")
    }
    values |= {"scale": number() if data.draw(st.booleans()) else None}
    values |= {"m": data.draw(st.booleans())}
    return values | {"xs": tuple(number() for _ in range(data.draw(st.integers(1, 3))))}


def _differences(
    node: Node, values: dict[str, float | bool | tuple[float, ...] | None], wrt: str
) -> list[float]:
    """The slope between neighbouring points, from left to right."""
    attributes = {"alpha": -1.5, "n": 2, "flag": True}
    found = []
    for at in (-2, -1, 0, 1, 2):
        here = values[wrt]
        moved: float | tuple[float, ...]
        if isinstance(here, tuple):
            moved = (here[0] + at * _STEP, *here[1:])
        else:
            assert here is not None
            moved = here + at * _STEP
        found.append(float(evaluate(node, {**values, wrt: moved}, attributes)))
    return [(right - left) / _STEP for left, right in pairwise(found)]


@settings(
    max_examples=400, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
@given(numbers(3), st.sampled_from(["x", "y", "d", "bias", "xs"]), st.data())
def test_derivatives_are_the_slopes(node: Node, wrt: str, data: st.DataObject) -> None:
    try:
        derivative = differentiate(node, wrt, SCOPE)
    except NotDerivableError:
        assume(False)
    assume(not isinstance(derivative, Number))
    values = _drawn(data)
    slopes = _differences(node, values, wrt)
    middle = (slopes[1] + slopes[2]) / 2
    # Smooth here, and not so steep that doubles cannot tell: all four slopes are alike.
    assume(all(math.isfinite(slope) and abs(slope) < 1e4 for slope in slopes))
    spread = max(slopes) - min(slopes)
    size = abs(float(evaluate(node, values, {"alpha": -1.5, "n": 2, "flag": True})))
    assume(spread <= 1e-3 * max(1, abs(middle)) and size < 1e4)
    found = evaluate(derivative, values, {"alpha": -1.5, "n": 2, "flag": True})
    assume(math.isfinite(found))  # sigmoid(1 / y) is smooth around 0 and yet 0 * infinity
    assert math.isclose(found, middle, rel_tol=1e-3, abs_tol=1e-3), (text(node), text(derivative))


@given(numbers(3), st.sampled_from(["x", "y", "d", "bias", "xs"]), st.data())
def test_a_derivative_is_an_expression_of_the_same_inputs(
    node: Node, wrt: str, data: st.DataObject
) -> None:
    """Optional inputs in it are guarded, and its types fit: it can be checked like any other."""
    try:
        derivative = differentiate(node, wrt, SCOPE)
    except NotDerivableError:
        assume(False)
    assume("count(" not in text(derivative) and len(text(derivative)) <= MAX_LENGTH)
    again = check(parse(text(derivative)), SCOPE, "T")
    values = _drawn(data)
    attributes = {"alpha": -1.5, "n": 2, "flag": True}
    found, wanted = (evaluate(tree, values, attributes) for tree in (again, derivative))
    assert found == wanted or (math.isnan(found) and math.isnan(wanted))


def test_casts_between_floats_keep_the_type_of_each_side() -> None:
    scope = Scope((Formal("h", "float16"),), {}, {"T": (DType.FLOAT32,)})
    node = check(parse("cast(sin(cast(h, float32) * 2), float16)"), scope, "float16")
    found = differentiate(node, "h", scope)
    assert text(found) == "cast(2 * cos(cast(h, float32) * 2), float16)"
    assert isinstance(found, Cast)
    assert found.operand.type == "float32"
