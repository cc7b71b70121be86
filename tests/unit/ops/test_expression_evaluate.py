"""The value of an expression at one element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from expressions import checked, numbers
from hypothesis import given
from hypothesis import strategies as st

from epforge.ops.expression import evaluate
from epforge.ops.expression.evaluate import Values
from epforge.ops.expression.model import FUNCTIONS, Call, Count, Input, Node
from epforge.ops.model import DType

INF, NAN = math.inf, math.nan
VALUES: Values = {
    "x": 2.0,
    "y": -3.0,
    "d": 0.5,
    "i": 7.0,
    "m": True,
    "bias": 10.0,
    "scale": None,
    "xs": (1.0, 5.0, -2.0),
}
ATTRIBUTES = {"alpha": 0.25, "n": 3, "flag": False}


def value(source: str, result: str = "T", **values: float | bool | None) -> float | bool:
    return evaluate(checked(source, result), {**VALUES, **values}, ATTRIBUTES)


def same(found: float, wanted: float) -> bool:
    """Equal with the sign of zero, or both NaN."""
    if math.isnan(wanted):
        return math.isnan(found)
    return found == wanted and math.copysign(1, found) == math.copysign(1, wanted)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("x + y * 2", -4.0),
        ("(x - y) / 2", 2.5),
        ("x - y - 1", 4.0),
        ("-x * alpha + n", 2.5),
        ("select(x < y, 1, 2)", 2.0),
        ("select(m and not flag, x, y)", 2.0),
        ("select(x == 2 or 1 / 0.5 > 3, 1, 0)", 1.0),
        ("max(x, y, 1) + min(x, y, 1)", -1.0),
        ("default(bias, 1) + default(scale, 2)", 12.0),
        ("select(has(bias), bias, 0) + select(has(scale), scale, 1)", 11.0),
        ("sum(xs) + 10 * max(xs) + 100 * min(xs)", -146.0),
        ("mean(xs) * 3", 4.0),
        ("pow(x, n)", 8.0),
        ("cast(m, T) + cast(cast(7.9, int32), T)", 8.0),
        ("cast(cast(-7.9, int32), T)", -7.0),
        ("select(cast(0.1, bool), 1, 2)", 1.0),
        ("erf(0) + sigmoid(0) + sign(y) + abs(y)", 2.5),
    ],
)
def test_values(source: str, wanted: float) -> None:
    found = value(source)
    assert type(found) is float
    assert found == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("x < 3", True),
        ("x != x", False),
        ("m == flag", False),
        ("m and flag", False),
        ("flag or m", True),
        ("not m", False),
        ("has(scale)", False),
        ("has(bias)", True),
        ("select(flag, flag, m)", True),
        ("cast(x, bool)", True),
    ],
)
def test_conditions_are_bools(source: str, wanted: bool) -> None:
    assert value(source, "bool") is wanted


def test_comparisons_with_nan_are_those_of_ieee() -> None:
    found = [value(f"x {op} y", "bool", x=NAN) for op in ("<", "<=", ">", ">=", "==", "!=")]
    assert found == [False, False, False, False, False, True]


@pytest.mark.parametrize(
    ("source", "x", "wanted"),
    [
        ("1 / x", 0.0, INF),
        ("1 / x", -0.0, -INF),
        ("-1 / x", 0.0, -INF),
        ("x / x", 0.0, NAN),
        ("x / x", INF, NAN),
        ("1 / x", INF, 0.0),
        ("x * 1e30", 1e308, INF),
        ("log(x)", 0.0, -INF),
        ("log(x)", -0.0, -INF),
        ("log(x)", -1.0, NAN),
        ("log(x)", INF, INF),
        ("sqrt(x)", -1.0, NAN),
        ("sqrt(x)", INF, INF),
        ("exp(x)", 1000.0, INF),
        ("exp(x)", -INF, 0.0),
        ("sinh(x)", -1000.0, -INF),
        ("cosh(x)", -1000.0, INF),
        ("sin(x)", INF, NAN),
        ("tan(x)", -INF, NAN),
        ("acos(x)", 2.0, NAN),
        ("atan(x)", INF, math.pi / 2),
        ("tanh(x)", 1000.0, 1.0),
        ("erf(x)", -INF, -1.0),
        ("sigmoid(x)", 1000.0, 1.0),
        ("sigmoid(x)", -1000.0, 0.0),
        ("sigmoid(x)", -700.0, math.exp(-700)),
        ("sigmoid(x)", -720.0, math.exp(-720)),
        ("sigmoid(x)", NAN, NAN),
        ("pow(x, 2)", 1e200, INF),
        ("pow(x, 3)", -1e200, -INF),
        ("pow(x, -1)", 0.0, INF),
        ("pow(x, -1)", -0.0, -INF),
        ("pow(x, -2)", -0.0, INF),
        ("pow(x, -0.5)", 0.0, INF),
        ("pow(x, 0.5)", -2.0, NAN),
        ("pow(x, 0)", NAN, 1.0),
        ("sign(x)", NAN, NAN),
        ("sign(x)", -INF, -1.0),
        ("sign(x)", 0.0, 0.0),
        ("round(x)", 0.5, 0.0),
        ("round(x)", 1.5, 2.0),
        ("round(x)", 2.5, 2.0),
        ("round(x)", -0.5, -0.0),
        ("round(x)", INF, INF),
        ("ceil(x)", -0.5, -0.0),
        ("floor(x)", -0.5, -1.0),
        ("floor(x)", NAN, NAN),
        ("max(x, 1)", NAN, NAN),
        ("min(1, x)", NAN, NAN),
        ("max(x, 1)", INF, INF),
        ("cast(cast(x, int32), T)", NAN, NAN),
        ("abs(x)", -0.0, 0.0),
        ("-x", 0.0, -0.0),
    ],
)
def test_there_is_a_value_everywhere(source: str, x: float, wanted: float) -> None:
    found = value(source, x=x)
    assert same(found, wanted), found


def test_a_fold_over_nan_is_nan() -> None:
    for fold in ("max", "min", "sum", "mean"):
        node = checked(f"{fold}(xs)")
        assert math.isnan(evaluate(node, {"xs": (1.0, NAN, 2.0)}, {})), fold


def test_only_the_chosen_arm_is_looked_at() -> None:
    node = checked("select(has(bias), bias, x)")
    assert evaluate(node, {"bias": None, "x": 4.0}, {}) == 4.0
    assert evaluate(node, {"bias": 3.0}, {}) == 3.0
    assert evaluate(checked("default(bias, x)"), {"bias": 3.0}, {}) == 3.0


def test_an_input_that_is_left_out_of_the_values_is_one_left_out() -> None:
    assert evaluate(checked("has(bias)", "bool"), {}, {}) is False


@pytest.mark.parametrize("wrong", [None, (1.0,)])
def test_a_value_of_the_wrong_kind_is_an_error_of_the_caller(wrong: tuple[float] | None) -> None:
    with pytest.raises(TypeError, match="x"):
        evaluate(checked("x"), {"x": wrong}, {})
    with pytest.raises(TypeError, match="xs"):
        evaluate(checked("sum(xs)"), {"xs": 1.0}, {})


def test_a_cast_to_a_variable_asks_what_it_stands_for() -> None:
    node = checked("cast(d, K)", "K")
    assert evaluate(node, {"d": 2.75}, {}) == 2.75
    assert evaluate(node, {"d": 2.75}, {}, {"K": DType.FLOAT32}) == 2.75
    assert evaluate(node, {"d": 2.75}, {}, {"K": DType.INT64}) == 2.0


def test_how_many_tensors_a_variadic_input_has() -> None:
    assert evaluate(Count("xs", type="T"), {"xs": (1.0, 2.0)}, {}) == 2.0


_NUMPY = {
    "acos": "arccos",
    "asin": "arcsin",
    "atan": "arctan",
    "pow": "power",
    "max": "maximum",
    "min": "minimum",
    "round": "rint",
}


@given(
    st.sampled_from(sorted(set(FUNCTIONS) - {"erf", "sigmoid"})),
    st.floats(),
    st.floats(),
)
def test_functions_are_those_of_numpy(function: str, x: float, y: float) -> None:
    count = 1 if FUNCTIONS[function].arity == 1 else 2
    node = Call(function, (Input("x", type="T"), Input("y", type="T"))[:count], type="T")
    found = evaluate(node, {"x": x, "y": y}, {})
    with np.errstate(all="ignore"):
        wanted = getattr(np, _NUMPY.get(function, function))(*(x, y)[:count])
    assert np.isclose(found, wanted, rtol=1e-14, atol=0, equal_nan=True), (found, wanted)


@given(st.floats(-40, 40))
def test_sigmoid_is_symmetric(x: float) -> None:
    node = checked("sigmoid(x)")
    one = evaluate(node, {"x": x}, {}) + evaluate(node, {"x": -x}, {})
    assert math.isclose(one, 1, rel_tol=1e-15)
    assert math.isclose(evaluate(node, {"x": x}, {}), 1 / (1 + math.exp(-x)), rel_tol=1e-14)


_ANY = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, INF, -INF, NAN]))


@given(numbers(), st.data())
def test_every_tree_has_a_value_everywhere(node: Node, data: st.DataObject) -> None:
    values: dict[str, float | bool | tuple[float, ...] | None] = {
        name: data.draw(_ANY) for name in ("x", "y", "d")
    }
    values |= {name: data.draw(st.one_of(st.none(), _ANY)) for name in ("bias", "scale")}
    values |= {"m": data.draw(st.booleans()), "xs": tuple(data.draw(st.lists(_ANY, min_size=1)))}
    assert type(evaluate(node, values, {"alpha": -1.5, "n": 4, "flag": True})) is float
