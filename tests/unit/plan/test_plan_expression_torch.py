"""Expressions as PyTorch: what is printed, and that nothing in it changes a type."""

from __future__ import annotations

import ast

import pytest

from epforge.ops.expression import Formal, Scope, check, differentiate, parse
from epforge.ops.model import DType
from epforge.plan.expression_torch import Code, Names, attributes_of, inputs_of, print_torch

SCOPE = Scope(
    inputs=(
        Formal("x", "T"),
        Formal("b", "T", "optional"),
        Formal("n", "int64"),
        Formal("xs", "T", "variadic"),
    ),
    attributes={"lo": "float", "k": "int", "flag": "bool"},
    types={"T": (DType.FLOAT32, DType.FLOAT64)},
)
NAMES = Names(
    inputs={"x": "x", "b": "b", "n": "n_", "xs": "xs"},
    attributes={"lo": "lo", "k": "k", "flag": "flag"},
    like=("x", "T"),
    dtypes={"T": "x.dtype"},
)


def printed(text: str, result: str = "T") -> Code:
    return print_torch(check(parse(text), SCOPE, result), NAMES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("min(max(x, lo), 1)", "torch.clamp(torch.clamp(x, min=lo), max=1)"),
        ("max(1, x, pow(x, 2))", "torch.maximum(torch.clamp(x, min=1), torch.pow(x, 2))"),
        ("x - (x - 1)", "x - (x - 1)"),
        ("x - x - 1", "x - x - 1"),
        ("-(x + 1) * 2", "-(x + 1) * 2"),
        ("x / 3", "x / 3"),
        ("x + lo * k", "x + lo * k"),
        # A literal behind which no tensor stands takes the operator's type, not PyTorch's default.
        ("exp(lo)", "torch.exp(x.new_full((), lo))"),
        ("max(lo, k)", "torch.clamp(x.new_full((), lo), min=k)"),
        ("select(x > 0, 1, 0)", "torch.where(x > 0, x.new_full((), 1), 0)"),
        ("cast(2.5, T)", "x.new_full((), 2.5, dtype=torch.float64).to(x.dtype)"),
        # Python raises where it divides by zero; PyTorch rounds a number by a tensor twice.
        ("1 / x", "x.new_full((), 1) / x"),
        ("x * (1 / lo)", "x * (x.new_full((), 1) / lo)"),
        ("cast(n + 1, T)", "(n_ + 1).to(x.dtype)"),
        ("cast(cast(x, int32), T)", "x.to(torch.int32).to(x.dtype)"),
        ("sign(x)", "_numbers.sign(x)"),
        ("mean(xs) - sum(xs)", "_numbers.mean(xs) - _numbers.total(xs)"),
        ("select(x > 0 and not (lo < x), x, -x)", "torch.where((x > 0) & ~(x > lo), x, -x)"),
        ("select(x > 0 or flag, x, lo)", "torch.where((x > 0) | flag, x, lo)"),
        ("select(x == x, x, 0)", "torch.where(torch.eq(x, x), x, 0)"),
    ],
)
def test_an_expression_is_one_of_pytorch(text: str, value: str) -> None:
    code = printed(text)
    assert (code.lines, code.value) == ((), value)
    ast.parse(code.value)


def test_numbers_alone_are_no_tensor() -> None:
    code = printed("select(flag, lo, k) * 2")
    assert (code.value, code.tensor) == ("(lo if flag else k) * 2", False)


def test_a_missing_input_is_never_touched() -> None:
    code = printed("select(has(b), x * b, x)")
    assert code.lines == ("if b is not None:", "    v1 = x * b", "else:", "    v1 = x")
    assert (code.value, code.fresh) == ("v1", False)


def test_a_guard_among_conditions_of_elements_comes_first() -> None:
    code = printed("select(has(b) and x > 0, b, x)")
    assert code.lines == (
        "if b is not None:",
        "    v1 = torch.where(x > 0, b, x)",
        "else:",
        "    v1 = x",
    )


def test_a_default_has_the_type_of_the_input() -> None:
    assert "    v1 = x.new_full((), 0.5)" in printed("default(b, 0.5) * x").lines


def test_a_number_of_another_type_says_so() -> None:
    assert "dtype=torch.int64" in printed("select(n > 0, 1, 0)", "int64").value


def test_what_stands_twice_is_computed_once() -> None:
    code = printed("exp(x) + 1 / exp(x)")
    assert code.lines == ("v1 = torch.exp(x)",)
    assert code.value == "v1 + x.new_full((), 1) / v1"


def test_a_name_from_one_branch_is_not_used_in_another() -> None:
    code = printed("select(has(b), exp(x) * b, 0) + exp(x)")
    assert code.lines == (
        "if b is not None:",
        "    v2 = torch.exp(x)",
        "    v1 = v2 * b",
        "else:",
        "    v1 = x.new_full((), 0)",
        "v3 = torch.exp(x)",
    )
    assert code.value == "v1 + v3"


@pytest.mark.parametrize(
    ("text", "fresh"),
    [("x", False), ("x + 0", True), ("cast(x, T)", False), ("sum(xs)", False), ("-x", True)],
)
def test_it_is_known_what_may_be_an_input(text: str, fresh: bool) -> None:
    assert printed(text).fresh is fresh


def test_lines_stay_short() -> None:
    term = "erf(x / sqrt(2)) * 0.5 * x + tanh(0.79788 * (x + 0.044715 * x * x * x))"
    code = printed(" + ".join([f"({term}) * {number}" for number in range(2, 9)]))
    assert max(map(len, (*code.lines, code.value))) <= 90
    ast.parse("\n".join((*code.lines, code.value)))


def test_names_that_are_taken_are_left_alone() -> None:
    names = Names({"x": "v1"}, {}, ("v1", "T"), {"T": "v1.dtype"})
    scope = Scope((Formal("x", "T"),), {}, {"T": (DType.FLOAT32,)})
    code = print_torch(check(parse("exp(x) * exp(x)"), scope, "T"), names)
    assert code.lines == ("v2 = torch.exp(v1)",)


def test_gradients_are_printed_by_the_same_printer() -> None:
    node = differentiate(check(parse("x * x"), SCOPE, "T"), "x", SCOPE)
    assert print_torch(node, NAMES).value == "x + x"


def test_what_an_expression_asks_for() -> None:
    node = check(parse("select(has(b), x, lo) + sum(xs)"), SCOPE, "T")
    assert inputs_of(node) == {"x", "b", "xs"}
    assert attributes_of(node) == {"lo"}
