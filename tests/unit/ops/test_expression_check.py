"""The types of an expression, and what is said of those that do not fit."""

from __future__ import annotations

import pytest
from expressions import SCOPE, checked, place, refused

from epforge.ops.expression import Formal, Scope, check, parse
from epforge.ops.expression.model import (
    BOOL,
    KEYWORDS,
    NUMBER,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    Comparison,
    Default,
    Fold,
    Has,
    Input,
    Logical,
    Node,
    Not,
    Number,
    Select,
    children,
)
from epforge.ops.expression.spell import text
from epforge.ops.model import DType

X, Y, D = Input("x", type="T"), Input("y", type="T"), Input("d", type="float64")
HAS = Has("bias", type=BOOL)
BIAS = Input("bias", type="T")


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("2", Number(2, type="T")),
        ("alpha", Attribute("alpha", type="T")),
        ("x + 1", Arithmetic("+", X, Number(1, type="T"), type="T")),
        ("n / x", Arithmetic("/", Attribute("n", type="T"), X, type="T")),
        ("max(1, x)", Call("max", (Number(1, type="T"), X), type="T")),
        ("cast(d, T)", Cast(D, type="T")),
        ("cast(1, T)", Cast(Number(1, type="int64"), type="T")),
        ("cast(1 + alpha, T)", Cast(checked("1 + alpha", "float64"), type="T")),
        ("default(bias, 0)", Default("bias", Number(0, type="T"), type="T")),
        ("select(has(bias), bias, x)", Select(HAS, BIAS, X, type="T")),
        ("sum(xs)", Fold("sum", "xs", type="T")),
        ("max(xs)", Fold("max", "xs", type="T")),
        ("- 2 * x", Arithmetic("*", Number(-2, type="T"), X, type="T")),
        ("select(flag, 1, 2)", checked("select(flag, 1, 2)")),
    ],
)
def test_every_part_has_its_type(source: str, tree: Node) -> None:
    assert checked(source) == tree


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("x < 0", Comparison("<", X, Number(0, type="T"), type=BOOL)),
        (
            "m == flag",
            Comparison("==", Input("m", type=BOOL), Attribute("flag", type=BOOL), type=BOOL),
        ),
        ("not has(bias)", Not(HAS, type=BOOL)),
        ("m and has(bias)", Logical("and", Input("m", type=BOOL), HAS, type=BOOL)),
        (
            "n < 2",
            Comparison("<", Attribute("n", type="int64"), Number(2, type="int64"), type=BOOL),
        ),
        (
            "n < alpha",
            Comparison(
                "<", Attribute("n", type="float64"), Attribute("alpha", type="float64"), type=BOOL
            ),
        ),
        ("mixed == mixed", Comparison("==", *[Input("mixed", type="Mixed")] * 2, type=BOOL)),
    ],
)
def test_every_condition_has_its_types(source: str, tree: Node) -> None:
    assert checked(source, "bool") == tree


@pytest.mark.parametrize(
    "source",
    [
        "select(n < 1 and (1 < 2.5 or m), max(1, n, -alpha) * 3, 1 / (n + 2)) + 2",
        "x * select(flag, 1, select(m, alpha, pow(2, n)))",
        "default(bias, 1) + select(has(scale), scale, -1) * cast(select(m, 1, 2), T)",
    ],
)
def test_nothing_is_left_without_a_type(source: str) -> None:
    todo = [checked(source)]
    while todo:
        node = todo.pop()
        assert node.type not in ("", NUMBER), text(node)
        todo += children(node)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("i + 1", "int32"),
        ("i * n - 1e3", "int32"),
        ("-i", "int32"),
        ("abs(i) + sign(i) + max(i, 0)", "int32"),
        ("sum(ints) - min(ints)", "int32"),
        ("i - -2147483648", "int32"),
        ("u + 255", "uint8"),
        ("k + n", "K"),
        ("cast(alpha, K) + k", "K"),
        ("h * 65504", "H"),
        ("min(max(x, -3.4028235e38), 3.4028235e38)", "T"),
        ("d * 1e308", "float64"),
        ("-cast(u, int32)", "int32"),
        ("cast(m, int32) + cast(x < y, int32)", "int32"),
        ("select(has(bias) and has(scale), bias * scale, 0)", "T"),
        ("select(m and has(bias), bias, 0)", "T"),
        ("select(not has(bias), 0, bias)", "T"),
        ("select(not has(bias) or m, 0, bias)", "T"),
        ("select(not (has(bias) and m), 0, bias)", "T"),
        ("select(not (not has(bias) or not has(scale)), bias * scale, 0)", "T"),
        ("select(has(bias) or (has(bias) and m), bias, 0)", "T"),
        ("select(has(bias), select(bias > 0, x, select(has(scale), bias + scale, 0)), 0)", "T"),
        ("x != x or has(bias)", "bool"),
        ("n / 2 < 1 and sqrt(n) < n", "bool"),
        ("k == 2.0", "bool"),
        ("1 / 3 * x", "T"),
        ("x / select(m, 0, 1)", "T"),
        ("pow(0, 2) + pow(-2, 3) + sqrt(0) + log(1)", "T"),
    ],
)
def test_expressions_with_fitting_types(source: str, result: str) -> None:
    assert checked(source, result).type == result


def test_numbers_of_integer_types_are_whole() -> None:
    node = checked("i + 1e3", "int32")
    assert isinstance(node, Arithmetic)
    assert isinstance(node.right, Number)
    assert repr(node.right.value) == "1000"


def test_all_words_of_the_language_are_told_from_names() -> None:
    for word in set(KEYWORDS) - {"and", "or", "not"}:
        error = refused(word)
        assert "is a function" in error.message
        assert f"{word}(" in error.hint


@pytest.mark.parametrize(
    ("source", "what", "where", "cure"),
    [
        # names
        ("z", 'no input or attribute "z"', "z", "x, y, d"),
        ("alhpa * x", '"alhpa"', "alhpa", "did you mean alpha?"),
        ("ALPHA * x", '"ALPHA"', "ALPHA", "did you mean alpha?"),
        ("x * pi", '"pi"', "pi", "3.14159"),
        ("True", '"True"', "True", "the condition itself"),
        ("sine(x)", 'no function "sine"', "sine", "did you mean sin?"),
        ("fabs(x)", 'no function "fabs"', "fabs", "did you mean abs?"),
        ("where(m, x, y)", 'no function "where"', "where", "did you mean select?"),
        ("relu(x)", 'no function "relu"', "relu", "max(x, 0)"),
        ("x(y)", 'no function "x"', "x", "abs, "),
        ("__import__(x)", 'no function "__import__"', "__import__", "abs, "),
        ("mode", "of type string", "mode", "int, float or bool"),
        ("x + axes", "of type ints", "axes", "int, float or bool"),
        ("s", "strings have no arithmetic", "s", "stub"),
        ("select(s == s, 1, 2)", "strings have no arithmetic", "s", "stub"),
        # types that differ
        ("x + d", "x is T and d is float64", "d", "write cast(d, T)"),
        ("max(1, x, i)", "x is T and i is int32", "i", "write cast(i, T)"),
        ("select(m, x, d)", "x is T and d is float64", "d", "write cast(d, T)"),
        ("default(bias, d)", "bias is T and d is float64", "d", "write cast(d, T)"),
        ("select(x < d, x, y)", "x is T and d is float64", "d", "write cast(d, T)"),
        ("d", "the output is of type T, and d is float64", "d", "write cast(d, T)"),
        ("x < y", "the output is of type T, and x < y is bool", "x < y", "cast(x < y, T)"),
        ("cast(x, int32)", "cast(x, int32) is int32", "cast(x, int32)", "write cast(x, T)"),
        # bool is no number
        ("m + 1", "+ wants numbers, and m is bool", "m", "select(m, 1, 0)"),
        ("x * (x < y)", "* wants numbers, and x < y is bool", "(x < y)", "select(x < y, 1, 0)"),
        ("-m", "- wants numbers", "m", "select(m, 1, 0)"),
        ("abs(m)", "abs wants numbers", "m", "select(m, 1, 0)"),
        ("max(flags)", "max wants numbers", "flags", ""),
        ("select(m < flag, x, y)", "< wants numbers", "m", "select(m, 1, 0)"),
        ("select(m == 1, x, y)", "1 is a number, and cannot be bool", "1", "name alone"),
        ("select(m, m, 1)", "1 is a number, and cannot be bool", "1", "name alone"),
        ("mixed + mixed", "mixed is Mixed, which can be bool", "mixed", "cast(mixed, float32)"),
        ("select(mixed == 1, x, y)", "cannot be Mixed, which can be bool", "1", ""),
        # conditions
        ("select(x, 1, 2)", "select wants a bool, and x is T", "x", "x != 0"),
        ("select(1, x, y)", "select wants a bool, and 1 is a number", "1", "1 != 0"),
        ("select(m and x, 1, 2)", "and wants a bool", "x", "x != 0"),
        ("select(not x, 1, 2)", "not wants a bool", "x", "x != 0"),
        ("select(mixed, 1, 2)", "select wants a bool, and mixed is Mixed", "mixed", "mixed != 0"),
        # integers
        ("i / 2", "divides int32", "i / 2", "write cast(i, float32) / 2"),
        ("k / k", "divides K, which can be int64", "k / k", "cast(k, float32)"),
        ("i + 1 / 2", "divides int32", "1 / 2", "cast(x, float32)"),
        ("exp(i)", "exp wants floating-point numbers, and i is int32", "i", "cast(i, float32)"),
        ("i + sqrt(2)", "sqrt wants floating-point numbers", "2", "cast(x, float32)"),
        ("sqrt(k)", "k is K, which can be int64", "k", "cast(k, float32)"),
        ("pow(i, 2)", "pow wants floating-point numbers", "i", "cast(i, float32)"),
        ("mean(ints)", "mean wants floating-point numbers", "ints", ""),
        ("i * 0.5", "0.5 is not whole, and cannot be int32", "0.5", "cast(x, float32)"),
        ("k + (1 + 0.5)", "0.5 is not whole, and cannot be K, which can be int64", "0.5", "whole"),
        ("i + alpha", "alpha is a float, and cannot be int32", "alpha", "cast(alpha, int32)"),
        ("i + 2147483648", "beyond the range of int32", "2147483648", "-2147483648 to"),
        ("i + -2147483649", "beyond the range of int32", "-2147483649", "to 2147483647"),
        ("u + 256", "beyond the range of uint8", "256", "0 to 255"),
        ("u * -1", "-1 is beyond the range of uint8", "-1", "0 to 255"),
        ("-u", "u has no negative: it is uint8", "-u", "write -cast(u, int64)"),
        ("u + -n", "n has no negative", "-n", "write -cast(n, int64)"),
        ("h + 65520", "H, which can be float16", "65520", "65504 at most"),
        ("1e39", "T, which can be float32", "1e39", "3.4028235e38 at most"),
        ("x + 1e39", "T, which can be float32", "1e39", "cast(x, float64)"),
        ("select(n < 9223372036854775808, x, y)", "range of int64", "9223372036854775808", "to"),
        # division by zero, and other constants without a value
        ("x / 0", "division by zero", "0", "other than 0"),
        ("x / 0.0", "division by zero", "0.0", "other than 0"),
        ("x / -0", "division by zero", "-0", "other than 0"),
        ("1 / (2 - 2)", "division by zero: 2 - 2 is 0", "(2 - 2)", "other than 0"),
        ("x / -(1 - 1)", "division by zero", "-(1 - 1)", "other than 0"),
        ("x / (0 * 5 + floor(0.5))", "division by zero", "(0 * 5 + floor(0.5))", "other than"),
        ("x / cast(0, T)", "division by zero", "cast(0, T)", "other than 0"),
        ("x + pow(0, -1)", "division by zero: pow(0, -1)", "pow(0, -1)", "other than 0"),
        ("pow(-2, 0.5)", "pow(-2, 0.5) has no value", "pow(-2, 0.5)", "whole exponent"),
        ("log(0)", "log(0) has no value", "0", "above 0"),
        ("x + log(1 - 2)", "log(1 - 2) has no value", "1 - 2", "above 0"),
        ("sqrt(-1)", "sqrt(-1) has no value", "-1", "from 0 on"),
        ("acos(1.5)", "acos(1.5) has no value", "1.5", "from -1 to 1"),
        # calls
        ("abs()", "abs wants 1 argument, and has none", "abs()", "abs(x)"),
        ("pow(x)", "pow wants 2 arguments, and has 1", "pow(x)", "pow(x, y)"),
        ("exp(x, y)", "exp wants 1 argument, and has 2", "exp(x, y)", "exp(x)"),
        ("select(m, x)", "select wants 3 arguments, and has 2", "select(m, x)", "condition, a"),
        ("max()", "two arguments or more", "max()", "max(x, y)"),
        ("max(x)", "two arguments or more, or one variadic", "max(x)", "max(xs)"),
        ("min(x + 1)", "two arguments or more, or one variadic", "min(x + 1)", "min(xs)"),
        ("sum(x)", "sum wants one variadic input", "sum(x)", "sum(xs)"),
        ("mean(x, y)", "mean wants one variadic input", "mean(x, y)", "(x + y) / 2"),
        ("sum()", "sum wants one variadic input", "sum()", "sum(xs)"),
        ("sum(xz)", 'no input or attribute "xz"', "xz", "did you mean"),
        ("cast(x, 1)", "the name of a type", "1", "float32"),
        ("cast(d, float)", 'no type "float"', "float", "did you mean float32?"),
        ("cast(d, Float32)", 'no type "Float32"', "Float32", "did you mean float32?"),
        ("cast(d, string)", "cast to string", "string", "float32"),
        # optional and variadic inputs
        ("bias", "bias is optional", "bias", "default(bias, 0), or select(has(bias),"),
        ("x + bias * y", "bias is optional", "bias", "select(has(bias),"),
        ("select(has(bias), x, bias)", "bias is optional", "bias", "default"),
        ("select(not has(bias), bias, x)", "bias is optional", "bias", "default"),
        ("select(has(scale), bias, x)", "bias is optional", "bias", "default"),
        ("select(has(bias) or m, bias, x)", "bias is optional", "bias", "default"),
        ("select(has(bias) or has(scale), bias, 0)", "bias is optional", "bias", "default"),
        ("select(not has(bias) and m, 0, bias)", "bias is optional", "bias", "default"),
        ("select(has(bias) and bias > 0, 1, 0)", "bias is optional", "bias", "default"),
        ("select(has(bias) == m, bias, 0)", "bias is optional", "bias", "default"),
        ("select(has(bias), bias, 0) + bias", "bias is optional", "bias", "default"),
        ("default(scale, bias)", "bias is optional", "bias", "default"),
        ("xs", "xs is variadic", "xs", "sum(xs), mean(xs), min(xs) or max(xs)"),
        ("x * xs", "xs is variadic", "xs", "sum(xs)"),
        ("max(x, xs)", "xs is variadic", "xs", "max(xs)"),
        ("abs(xs)", "xs is variadic", "xs", "sum(xs)"),
        ("select(has(x), x, 0)", "x is always there", "x", '"T?"'),
        ("default(xs, 0)", "xs is always there", "xs", '"T?"'),
        ("default(alpha, 0)", "alpha is always there", "alpha", ""),
        ("select(has(x + y), 1, 2)", "the name of an optional input", "x + y", ""),
        ("select(has(bais), 1, 2)", '"bais"', "bais", "did you mean bias?"),
    ],
)
def test_what_does_not_fit_is_told_with_place_and_cure(
    source: str, what: str, where: str, cure: str
) -> None:
    error = refused(source)
    assert what in error.message
    assert place(error, source) == where
    assert cure in f"{error.expected} {error.hint}"


def test_the_place_of_an_optional_input_is_that_of_the_wrong_use() -> None:
    source = "select(has(bias), bias, 0) + bias"
    assert refused(source).span.start == source.rindex("bias")


@pytest.mark.parametrize(
    "source",
    ["alhpa * x", "fabs(x)", "x + d", "cast(d, half) + x", "d", "bias + x", "sqrt(i) + 1"],
)
def test_fixes_lead_to_an_expression(source: str) -> None:
    for _ in range(3):  # one may need another
        error = refused(source)
        assert error.fix is not None
        source = source[: error.span.start] + error.fix + source[error.span.end :]
        try:
            assert checked(source).type == "T"
        except type(error):
            continue
        return
    pytest.fail(source)


def test_an_operator_without_anything_to_name() -> None:
    scope = Scope((), {}, {"T": (DType.FLOAT32,)})
    assert check(parse("1 / 2"), scope, "T").type == "T"
    with pytest.raises(Exception, match="no input or attribute") as caught:
        check(parse("x"), scope, "T")
    assert "a number" in caught.value.expected  # type: ignore[attr-defined]


def test_a_variable_of_bool_alone_is_a_condition_and_no_bool() -> None:
    scope = Scope((Formal("b", "B"),), {}, {"B": (DType.BOOL,)})
    assert check(parse("not b"), scope, "bool").type == "bool"
    assert check(parse("select(b, 1, 2)"), scope, "int32").type == "int32"
    with pytest.raises(Exception, match="of type B, and not b is bool"):
        check(parse("not b"), scope, "B")
    assert check(parse("cast(not b, B)"), scope, "B").type == "B"


def test_a_scope_without_floats_refuses_them_by_name() -> None:
    error = refused("cast(i, T) + i")
    assert "cast(i, T) is T and i is int32" in error.message
    assert SCOPE.dtypes("int32") == (DType.INT32,)
