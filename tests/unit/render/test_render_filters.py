"""Typed filters: whatever text goes in, a parser of the target language gets it back."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from epforge.names import Identifier, Safe
from epforge.render import filters

# Characters that end, escape, interpolate or hide something in one of the target languages.
_NASTY = st.sampled_from(
    [
        *"\"'\\$;{}[]()<>%?*/#`~|_&@!:-+=. \t\r\n\0\x7f\x85\xa0",
        *("*/", "/*", ')"', "??/", "<%", "%>", "<%=", "]]", "${x}", "$<1:a>", "\\\n"),
        *("\u2028", "\u202e", "\ufeff", "é", "漢", "\U0001f600", "\U000e0041"),
    ]
)
TEXT = st.lists(st.one_of(_NASTY, st.characters(exclude_categories=["Cs"])), max_size=12).map(
    "".join
)


@given(TEXT)
def test_python_literal_round_trips(text: str) -> None:
    assert ast.literal_eval(filters.py_string(text)) == text


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("", '""'),
        ("it's", '"it\'s"'),
        ('"as it is"', "'\"as it is\"'"),
        ('"it\'s"', "'\"it\\'s\"'"),
        ("'\"", '"\'\\""'),
        ('\\"', "'\\\\\"'"),
        ("\\", '"\\\\"'),
    ],
)
def test_python_literals_have_the_quotes_that_a_formatter_leaves(text: str, literal: str) -> None:
    assert filters.py_string(text) == literal
    command = [sys.executable, "-m", "ruff", "format", "-"]
    line = f"x = {literal}\n"
    done = subprocess.run(command, input=line, capture_output=True, text=True, check=True)
    assert done.stdout == line


@given(TEXT)
def test_toml_string_round_trips(text: str) -> None:
    assert tomllib.loads(f"x = {filters.toml_string(text)}")["x"] == text


@given(TEXT)
def test_yaml_string_round_trips(text: str) -> None:
    assert YAML(typ="safe", pure=True).load(f"x: {filters.yaml_string(text)}\n")["x"] == text


@given(TEXT)
def test_json_round_trips_and_is_ascii(text: str) -> None:
    printed = filters.json({"k": [text, 1, None, True]})
    assert json.loads(printed)["k"][0] == text
    assert printed.isascii()


def read_cpp(literal: str) -> bytes:
    """The bytes of a narrow C++ literal, by the rules of the standard."""
    assert literal[0] == literal[-1] == '"'
    assert "??" not in literal
    out = bytearray()
    rest = literal[1:-1]
    while rest:
        match = re.match(r"\\([0-7]{1,3})|\\(.)|([^\"\\])", rest, re.DOTALL)
        assert match, rest
        octal, escape, plain = match.groups()
        if octal:
            out.append(int(octal, 8))
        else:
            out += {"n": "\n", "r": "\r", "t": "\t"}.get(escape or "", escape or plain).encode()
        rest = rest[match.end() :]
    return bytes(out)


@given(TEXT)
def test_cpp_string_round_trips_in_ascii(text: str) -> None:
    literal = filters.cpp_string(text)
    assert read_cpp(literal) == text.encode()
    assert literal.isascii()
    assert literal.isprintable()


@given(TEXT)
def test_cpp_comment_stays_one_comment(text: str) -> None:
    comment = filters.cpp_comment(text)
    assert "*/" not in comment
    assert "/*" not in comment
    assert not re.search(r"\\(\s|$)", comment)
    assert comment.isprintable() or not comment.isascii()
    assert len(comment.splitlines()) <= 1


@given(TEXT.filter(lambda text: "\0" not in text))
def test_cmake_string_round_trips(text: str) -> None:
    body = filters.cmake_string(text)[1:-1]
    # CMake: a backslash escapes punctuation, \n \r \t are what they look like, ${ expands.
    assert not re.search(r"(?<!\\)(?:\\\\)*\$", body)
    back = re.sub(
        r"\\(.)", lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m[1], m[1]), body, flags=re.DOTALL
    )
    assert back == text


@given(TEXT)
def test_no_filter_lets_a_template_mark_through(text: str) -> None:
    for name, filter_ in filters.FILTERS.items():
        if name in ("path", "join", "cpp_bool", "py_value") or (
            name == "cmake_string" and "\0" in text
        ):
            continue
        printed = filter_(text)
        assert "<%" not in printed, name
        assert "%>" not in printed, name


@given(TEXT)
def test_markdown_is_one_line_without_html(text: str) -> None:
    printed = filters.md(text)
    assert len(printed.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[<>`|\[\]*]", printed)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b c-d", "a_b c-d"),
        ("# heading", r"\# heading"),
        ("1. item", r"1\. item"),
        ("[x](http://evil)", r"\[x\](http://evil)"),
        ("&amp; & co", r"\&amp; & co"),
        ("<%= x %>", r"&lt;%= x %\>"),
        ("$x$ and ${y}", r"\$x\$ and \${y}"),
    ],
)
def test_markdown_escapes_only_what_would_be_read(text: str, shown: str) -> None:
    assert filters.md(text) == shown


@pytest.mark.parametrize("text", ["a`b", "``", "`", "plain", " a "])
def test_markdown_code_outlasts_its_backticks(text: str) -> None:
    printed = filters.md_code(text)
    fence = re.match("`+", printed)
    assert fence
    inner = printed[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inner)
    assert inner.strip() == text.strip()


def test_markdown_code_in_a_table_does_not_end_its_cell() -> None:
    assert filters.md_code_cell("a|b") == r"`a\|b`"


@pytest.mark.parametrize(
    "text", ["", "/etc/passwd", "../x", "a/../b", "a//b", "a b", "a\\b", "a\nb", "C:x", "a/.", "~"]
)
def test_path_refuses_what_is_not_a_plain_relative_path(text: str) -> None:
    with pytest.raises(ValueError, match="plain relative path"):
        filters.path(text)


@given(TEXT)
def test_xml_round_trips_as_one_line(text: str) -> None:
    shown = filters.xml(text)
    assert "@" not in shown  # it marks what the script of a package fills in
    parsed = ElementTree.fromstring(f'<a b="{shown}">{shown}</a>')
    assert (parsed.text or "") == parsed.attrib["b"]
    if not re.search("[<%>]", text):  # what breaks up a template's marks
        assert parsed.attrib["b"] == filters.line(text)


def test_path_passes_plain_paths() -> None:
    assert filters.path("src/gen/a-b.c_d+1.h") == "src/gen/a-b.c_d+1.h"


def test_lone_surrogates_are_refused() -> None:
    for name in ("cpp_string", "cmake_string", "py_string", "toml_string", "yaml_string", "md"):
        with pytest.raises(UnicodeEncodeError):
            filters.FILTERS[name]("\ud800")


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (True, "true"),
        (3, "3"),
        (-(2**63), "(-9223372036854775807 - 1)"),
        (1.0, "1.0"),
        (1e300, "1e+300"),
        ("a", '"a"'),
    ],
)
def test_cpp_value_is_a_literal_of_its_type(value: bool | int | float | str, literal: str) -> None:
    assert filters.cpp_value(value) == literal


def test_values_without_a_literal_are_refused() -> None:
    with pytest.raises(ValueError, match="no literal"):
        filters.cpp_value(float("nan"))
    with pytest.raises(ValueError, match="no literal"):
        filters.py_value(float("inf"))
    with pytest.raises(ValueError, match="not JSON compliant"):
        filters.json(float("nan"))


def test_only_integers_identifiers_and_safe_text_are_printed() -> None:
    assert filters.printed(3) == "3"
    assert filters.printed(Identifier("abc")) == "abc"
    assert filters.printed(Safe("a + b")) == "a + b"
    for value in ("text", True, 1.5, None, ["a"]):
        with pytest.raises(TypeError, match="needs a filter"):
            filters.printed(value)
