"""The C++ of an expression is what an engineer would write, and defined for all values."""

from __future__ import annotations

import pytest
from custom_ops import printed

from epforge.ops.model import DType

_INTS = (DType.FLOAT32, DType.INT32)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("min(max(x, 0), 6)", "Minimum(Maximum(x, T(0)), T(6))"),
        ("max(x, y, 0.5)", "Maximum(Maximum(x, y), T(0.5))"),
        ("x + y * 2", "x + y * T(2)"),
        ("(x + y) * 2", "(x + y) * T(2)"),
        ("x - (y - 1)", "x - (y - T(1))"),
        ("x - y - 1", "x - y - T(1)"),
        ("x / (y / 2)", "x / (y / T(2))"),
        ("-x * y", "-x * y"),
        ("-(x * y)", "-(x * y)"),
        ("-(-x)", "-(-x)"),
        ("x - -y", "x - (-y)"),
        ("x - -1", "x - T(-1)"),
        ("sigmoid(-x)", "Sigmoid(-x)"),
        ("round(x) + sign(y)", "Nearbyint(x) + SignOf(y)"),
        ("abs(pow(x, 2))", "Magnitude(Pow(x, T(2)))"),
        ("select(x < y, x, y)", "x < y ? x : y"),
        ("select(x < y, select(y > 1, x, 2), y)", "x < y ? (y > T(1) ? x : T(2)) : y"),
        ("select(x < y, x, select(y > 1, 1, 2))", "x < y ? x : y > T(1) ? T(1) : T(2)"),
        ("1 + select(not (x < y or x > 2), x, y)", "T(1) + (!(x < y || x > T(2)) ? x : y)"),
        ("x * 1e-3 + 1e20", "x * T(0.001) + T(1e+20)"),
        ("x * 0.1", "x * T(0.1)"),
    ],
)
def test_an_expression_of_floats(text: str, code: str) -> None:
    assert printed(text).code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x + y * 2", "Add(x, Multiply(y, T(2)))"),
        ("-x - y", "Subtract(Negate(x), y)"),
        ("max(x - y, 0)", "Maximum(Subtract(x, y), T(0))"),
        ("select(x >= 0, x, -x)", "x >= T(0) ? x : Negate(x)"),
    ],
)
def test_what_may_be_integers_wraps_around(text: str, code: str) -> None:
    found = printed(text, types=_INTS)
    assert found.code == code
    assert "arithmetic.h" in found.headers


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x < y and x > 1 or y == 2", "(x < y && x > T(1)) || y == T(2)"),
        ("x < y and (x > 1 or y == 2)", "x < y && (x > T(1) || y == T(2))"),
        ("x < 1 and y < 1 and x < y", "x < T(1) && y < T(1) && x < y"),
        ("not x < y", "!(x < y)"),
        ("(x < y) == (y < x)", "(x < y) == (y < x)"),
        ("not (x < y) != (y < x)", "!((x < y) != (y < x))"),
        ("x + 1 < y * 2", "x + T(1) < y * T(2)"),
        ("not flag and x != x", "!flag && x != x"),
    ],
)
def test_an_expression_of_truth_values(text: str, code: str) -> None:
    assert printed(text, "bool", attributes={"flag": "bool"}).code == code


def test_optional_and_variadic_inputs() -> None:
    inputs = {"x": "T", "b": "T?", "zs": "T*"}
    assert printed("x + default(b, 0)", inputs=inputs).code == "x + (has_b ? b : T(0))"
    assert printed("select(has(b), x + b, x)", inputs=inputs).code == "has_b ? x + b : x"
    folded = printed("sum(zs) / mean(zs) - max(zs) * min(zs)", inputs=inputs)
    assert folded.code == "Sum(zs) / Mean(zs) - Maximum(zs) * Minimum(zs)"
    assert folded.headers == {"elements.h"}


@pytest.mark.parametrize(
    ("kind", "types", "code"),
    [
        ("float", (DType.FLOAT32,), "x * T(a)"),
        ("int", (DType.FLOAT32,), "x * T(a)"),
        ("int", _INTS, "Multiply(x, T(a))"),
    ],
)
def test_an_attribute_takes_the_type_that_it_meets(
    kind: str, types: tuple[DType, ...], code: str
) -> None:
    assert printed("x * a", attributes={"a": kind}, types=types).code == code


def test_an_attribute_of_the_type_that_it_meets_is_not_converted() -> None:
    inputs = {"x": "float32", "n": "int64"}
    attributes = {"a": "float", "i": "int", "b": "bool"}
    assert printed("x * a", "float32", inputs, attributes=attributes).code == "x * a"
    assert printed("n + i", "int64", inputs, attributes=attributes).code == "Add(n, i)"
    assert printed("b and x > 0", "bool", inputs, attributes=attributes).code == "b && x > 0.0f"
    assert printed("x * i", "float32", inputs, attributes=attributes).code == "x * float(i)"


def test_types_meet_by_conversion_only() -> None:
    inputs = {"x": "T", "n": "int64", "b": "bool", "u": "uint8"}
    assert printed("x * cast(n, T)", inputs=inputs).code == "x * Convert<T>(n)"
    found = printed("cast(x, int64) + cast(b, int64)", "int64", inputs)
    assert found.code == "Add(Convert<int64_t>(x), Convert<int64_t>(b))"
    assert found.headers == {"arithmetic.h", "convert.h"}
    assert printed("cast(cast(x, T), T)", inputs=inputs).code == "x"


def test_literals_keep_every_digit() -> None:
    inputs = {"f": "float32", "d": "float64", "n": "int64", "u": "uint8"}
    assert printed("f * 0.1", "float32", inputs).code == "f * 0.1f"
    assert printed("f * 2", "float32", inputs).code == "f * 2.0f"
    assert printed("d * 0.30000000000000004", "float64", inputs).code == "d * 0.30000000000000004"
    assert printed("d - -1e-300", "float64", inputs).code == "d - (-1e-300)"
    smallest = printed("n + -9223372036854775808", "int64", inputs).code
    assert smallest == "Add(n, int64_t{-9223372036854775807 - 1})"
    assert printed("u + 200", "uint8", inputs).code == "Add(u, uint8_t{200})"
    large = printed("x + 18446744073709551615", types=(DType.UINT64,)).code
    assert large == "Add(x, T(18446744073709551615u))"


def test_what_a_compiler_would_warn_of_is_compared_by_functions() -> None:
    inputs = {"u": "uint8", "n": "int64", "x": "T"}
    found = printed("u >= 0 and n == n", "bool", inputs)
    assert found.code == "GreaterOrEqual(u, uint8_t{0}) && Equal(n, n)"
    assert found.headers == {"compare.h"}
    unsigned = printed("x >= 0", "bool", inputs, (DType.FLOAT32, DType.UINT8))
    assert unsigned.code == "GreaterOrEqual(x, T(0))"
    assert printed("x >= 0", "bool", inputs, (DType.INT8,)).code == "x >= T(0)"


def test_functions_cost_more_than_sums() -> None:
    assert printed("x").cost == 1
    assert printed("x + y").cost < printed("exp(x) + y").cost
