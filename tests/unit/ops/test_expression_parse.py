"""From text to trees, and what is said of text that is no expression."""

from __future__ import annotations

import pytest
from expressions import SCOPE, conditions, numbers, place, refused
from hypothesis import given
from hypothesis import strategies as st

from epforge.ops.expression import ExpressionError, check, parse
from epforge.ops.expression.model import Node, Number, children
from epforge.ops.expression.parse import MAX_DEPTH
from epforge.ops.expression.spell import text


def full(source: str) -> str:
    """The tree with parentheses around everything."""

    def spelled(node: Node) -> str:
        parts = [spelled(child) for child in children(node)]
        name = type(node).__name__
        if name in ("Arithmetic", "Comparison", "Logical"):
            return f"({parts[0]} {node.op} {parts[1]})"  # type: ignore[attr-defined]
        if name in ("Negate", "Not"):
            return f"({'-' if name == 'Negate' else 'not '}{parts[0]})"
        if name == "Apply":
            return f"{node.function}[{', '.join(parts)}]"  # type: ignore[attr-defined]
        return text(node)

    return spelled(parse(source))


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("a or b and c", "(a or (b and c))"),
        ("a and b or c", "((a and b) or c)"),
        ("not a and b", "((not a) and b)"),
        ("not a == b", "(not (a == b))"),
        ("not not a", "(not (not a))"),
        ("a or not b", "(a or (not b))"),
        ("a + b < c * d", "((a + b) < (c * d))"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b / c * d", "(((a / b) / c) * d)"),
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("-a * -b", "((-a) * (-b))"),
        ("a - -b", "(a - (-b))"),
        ("--a", "(-(-a))"),
        ("-f(a)", "(-f[a])"),
        ("(a < b) == (c < d)", "((a < b) == (c < d))"),
        ("f()", "f[]"),
        ("f(a + b, g(c))", "f[(a + b), g[c]]"),
        ("a<b and b<c", "((a < b) and (b < c))"),
        ("\ta\n+\r\nb ", "(a + b)"),
        ("a.", None),
    ],
)
def test_operators_bind_as_the_language_says(source: str, tree: str | None) -> None:
    if tree is None:
        refused(source)
    else:
        assert full(source) == tree


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1", 1),
        ("0", 0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-3", 0.001),
        ("1.5E+2", 150.0),
        ("0.0e9", 0.0),
        ("1e308", 1e308),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_numbers(source: str, value: int | float) -> None:
    node = parse(source)
    assert node == Number(value)
    assert isinstance(node, Number)
    assert type(node.value) is type(value)


def test_parts_know_their_place() -> None:
    source = " max( x+1 , (y) ) * -2"
    root = parse(source)
    found: list[str] = []
    todo = [root]
    while todo:
        node = todo.pop()
        found.append(source[node.span.start : node.span.end])
        todo += children(node)
    assert sorted(found) == sorted(
        ["max( x+1 , (y) ) * -2", "max( x+1 , (y) )", "x+1", "x", "1", "(y)", "-2", "2"]
    )


@pytest.mark.parametrize(
    ("source", "what", "where", "cure"),
    [
        ("", "empty", "", "max(x, 0)"),
        (" \n ", "empty", " \n ", "max(x, 0)"),
        ("x ** 2", '"**"', "**", "pow(x, y)"),
        ("x // 2", '"//"', "//", "floor(x / y)"),
        ("x ^ 2", '"^"', "^", "pow(x, y)"),
        ("x % 2", '"%"', "%", "x - floor(x / y) * y"),
        ("m && m", '"&&"', "&&", "write and instead of &&"),
        ("m || m", '"||"', "||", "write or instead of ||"),
        ("m & m", '"&"', "&", "write and instead of &"),
        ("!m", '"!"', "!", "write not instead of !"),
        ("m ? x : y", '"?"', "?", "select(c, a, b)"),
        ("x if m else y", "no if", "if", "select(c, a, b)"),
        ("if m: x", "no if", "if", "select(c, a, b)"),
        ("x is y", "no is", "is", "write =="),
        ("x = y", '"="', "=", "write =="),
        ("x += 1", '"+="', "+=", "assigns nothing"),
        ("max(x, b=1)", '"="', "=", "arguments have no names"),
        ("x.__class__", '"."', ".", "only names of inputs and attributes"),
        ("x .y", '"."', ".", "only names"),
        ("'x'", "no strings", "'x'", "without quotes"),
        ('"x', "no strings", '"x', "without quotes"),
        ("__import__('os')", "no strings", "'os'", "without quotes"),
        ("x[0]", '"["', "[", "no indexing"),
        ("{x}", '"{"', "{", "write ( and )"),
        ("lambda x: x", "no lambda", "lambda", "defines no functions"),
        ("x; y", '";"', ";", "one formula"),
        ("x # y", '"#"', "#", "no comments"),
        ("1_000", "no _", "1_000", "write 1000"),
        ("x + 0xFF", "decimal", "0xFF", "write 255"),
        ("010", "begins with a zero", "010", "write 10"),
        ("1.0f * x", "no letters", "1.0f", "write 1.0"),
        ("2x", "not a number", "2x", "write 2 * x"),
        ("1.2.3", "not a number", "1.2.3", "such as 2, 0.5"),
        ("1e", "not a number", "1e", "such as 2, 0.5"),
        ("x + 1e309", "too large", "1e309", "below 1.8e308"),
        ("9" * 400, "too large", "9" * 400, "below 1.8e308"),
        ("1e-400", "too small", "1e-400", "above 4.9e-324"),
        ("x < y < d", "do not chain", "x < y < d", "write x < y and y < d"),
        ("m or x == y != d", "do not chain", "x == y != d", "write x == y and y != d"),
        ("(x", "never closed", "(", "write the )"),
        ("max(x, 1", "never closed", "(", "write the )"),
        ("x)", "closes nothing", ")", "delete it"),
        ("x, y", '","', ",", "with a point"),
        ("max(x,)", '")" cannot stand here', ")", "a number, a name"),
        ("x +", "ends where an operand", "+", "a number, a name"),
        ("* x", "no operand", "*", "a number, a name"),
        ("x + * y", "no operand", "*", "a number, a name"),
        ("()", '")" cannot', ")", "a number, a name"),
        ("+x", "no sign +", "+", "delete it"),
        ("x y", "no operator", "y", "write * for a product"),
        ("x 2", "no operator", "2", "write * for a product"),
        ("(x)(y)", "no operator", "(", "write * for a product"),
        ("2(x)", "no operator", "(", "write * for a product"),
        ("m not m", "no operator", "not", "write and not"),
        ("x + not m", '"not"', "not", "write (not a)"),
        ("and", '"and" cannot', "and", "a number, a name"),
        ("x + é", "U+00E9", "é", "ASCII"),
        ("x \u2212 1", "U+2212", "\u2212", "write -"),
        ("x\u00a0+ 1", "U+00A0", "\u00a0", "plain space"),
        ("٣", "U+0663", "٣", "ASCII"),
        ("x\x00", "control character U+0000", "\x00", "ASCII"),
        ("x\x1b[0m", "control character U+001B", "\x1b", "ASCII"),
        ("x\x0b+ 1", "control character U+000B", "\x0b", "ASCII"),
        ("x \ud800", "U+D800", "\ud800", "ASCII"),
    ],
)
def test_what_is_no_expression_is_told_with_place_and_cure(
    source: str, what: str, where: str, cure: str
) -> None:
    error = refused(source)
    assert what in error.message
    assert place(error, source) == where
    assert cure in f"{error.expected} {error.hint}"


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        ("m && flag", "m and flag"),
        ("m || flag", "m or flag"),
        ("x <> y", "x != y"),
        ("x === y", "x == y"),
        ("x => y", "x >= y"),
        ("x == 1_000", "x == 1000"),
        ("x == 0x10", "x == 16"),
        ("x == 000", "x == 0"),
        ("x < 2y", "x < 2 * y"),
        ("not x < y <= 1", "not (x < y and y <= 1)"),
        ("x < +y", "x < y"),
        ("(x < y))", "(x < y)"),
        ("x \u2264 y", "x <= y"),
    ],
)
def test_the_fix_makes_an_expression_of_it(source: str, mended: str) -> None:
    error = refused(source, "bool")
    assert error.fix is not None
    found = source[: error.span.start] + error.fix + source[error.span.end :]
    assert found == mended
    check(parse(found), SCOPE, "bool")


@pytest.mark.parametrize(
    "source",
    [
        "(" * 10_000 + "x" + ")" * 10_000,
        "-" * 10_000 + "x",
        "x" * 1001,
        "not " * 3000 + "m",
    ],
)
def test_an_expression_is_not_too_long(source: str) -> None:
    error = refused(source)
    assert f"{len(source)} characters" in error.message
    assert error.span.start == 1000


@pytest.mark.parametrize(
    ("opening", "closing", "taken"),
    [("(", ")", 1), ("-", "", 1), ("abs(", ")", 4), ("not ", "", 4), ("-(", ")", 2)],
)
def test_an_expression_is_not_too_deep(opening: str, closing: str, taken: int) -> None:
    levels = 990 // (len(opening) + len(closing))
    error = refused(opening * levels + "x" + closing * levels)
    assert f"{MAX_DEPTH} levels" in error.message
    assert MAX_DEPTH // 2 * taken <= error.span.start <= (MAX_DEPTH + 1) * taken


@pytest.mark.parametrize("sign", ["+", "*", "-", "/"])
def test_a_chain_is_not_too_deep_either(sign: str) -> None:
    longest = sign.join(["x"] * MAX_DEPTH)
    assert check(parse(longest), SCOPE, "T").type == "T"
    error = refused(f"{longest}{sign}x")
    assert f"{MAX_DEPTH} levels" in error.message
    assert "(a + b) + (c + d)" in error.hint


def test_as_many_parentheses_as_there_may_be() -> None:
    assert parse("(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH) == parse("x")


@given(numbers())
def test_what_is_spelled_is_read_as_the_same_tree(node: Node) -> None:
    assert check(parse(text(node)), SCOPE, "T") == node


@given(conditions())
def test_what_is_spelled_is_read_as_the_same_condition(node: Node) -> None:
    assert check(parse(text(node)), SCOPE, "bool") == node


@given(numbers(3))
def test_spelling_does_not_change_when_it_is_read(node: Node) -> None:
    assert text(parse(text(node))) == text(node)


_WORDS = st.sampled_from(
    [
        *"xym+-*/()<>=!&|,.?:'\"[]{}^%~#@;\\ \t\n",
        *("12", "0.5", "1e3", "e", "_", "and", "or", "not", "select(", "cast(", "has(", "max("),
        *("xs", "bias", "==", "<=", " ", "é", "\x00"),
    ]
)


@given(st.one_of(st.lists(_WORDS, max_size=40).map("".join), st.text(max_size=60)))
def test_any_text_is_an_expression_or_a_located_error(source: str) -> None:
    try:
        check(parse(source), SCOPE, "T")
    except ExpressionError:
        refused(source)
