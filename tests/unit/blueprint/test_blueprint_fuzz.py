"""Whatever the text, a blueprint is read or refused with places; nothing else ever happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from blueprint_cases import CASES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epforge.assets import assets_dir
from epforge.blueprint import BlueprintErrors, apply_fix, parse, render
from epforge.blueprint.text import decode, split_lines
from epforge.resolve import analyse

SEEDS = [path.read_text() for path in sorted(Path(assets_dir("blueprints")).glob("*.yaml"))]
SEEDS += [
    case.data.decode()
    for case in CASES
    if len(case.data) < 500 and case.id.isascii() and not case.id.startswith(("latin", "utf-"))
]
PIECES = [
    "[",
    "]",
    "{",
    "}",
    ":",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "&a ",
    "*a",
    "!!str ",
    "!",
    "|\n",
    ">",
    '"',
    "'",
    "#",
    "?",
    "<<: ",
    "---\n",
    "%",
    "\t",
    "\\",
    "~",
    "\0",
    "\ufeff",
    "\x85",
    "\u2028",
    "ops",
    "Relu",
    "::",
    "0x",
    "1e999",
    "-",
    ",",
    "é",
    "\U0001f600",
    "yes",
    "null",
    "__class__",
]

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def outcome(text: str) -> None:
    """Reads ``text``; every diagnostic must lie in it."""
    try:
        analysis = analyse(parse(text))
    except BlueprintErrors as error:
        found, report = error.diagnostics, str(error)
    else:
        found = (*analysis.errors, *analysis.warnings, *analysis.unsupported)
        assert (analysis.blueprint is None) == bool(analysis.errors)
        report = render(found, text)
    assert bool(report) == bool(found)
    lines = split_lines(text.removeprefix("\ufeff"))
    for diagnostic in found:
        assert 1 <= diagnostic.line <= len(lines) + 1
        length = len(lines[diagnostic.line - 1]) if diagnostic.line <= len(lines) else 0
        assert 1 <= diagnostic.column <= length + 1
        assert diagnostic.span.end_line >= diagnostic.line
        assert "\n" not in diagnostic.message


@FUZZ
@given(st.text())
def test_any_text(text: str) -> None:
    outcome(text)


@FUZZ
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_yaml_like_text(text: str) -> None:
    outcome("epforge: 1\nname: a1\nvendor: b\n" + text)


@FUZZ
@given(
    st.sampled_from(SEEDS),
    st.lists(
        st.tuples(
            st.floats(0, 1), st.integers(0, 12), st.sampled_from(PIECES) | st.text(max_size=6)
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_a_mutated_blueprint(text: str, edits: list[tuple[float, int, str]]) -> None:
    for where, removed, added in edits:
        place = int(where * len(text))
        text = text[:place] + added + text[place + removed :]
    outcome(text)


@FUZZ
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    try:
        text = decode(data, "b.yaml").text
    except BlueprintErrors:
        text = ""
    outcome(text)


_LEAVES = st.sampled_from(["x", "1", "1.5", "true", "Relu", '"q"', "''", "", "[]", "{}", "float32"])
_KEYS = st.sampled_from(["op", "name", "type", "types", "T", "default", "range", "match", "min"])
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(_KEYS, inner, max_size=3).map(
            lambda entries: (
                "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"
            )
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "key",
    [
        "names",
        "ort",
        "devices",
        "memory",
        "ops",
        "custom_ops",
        "compile",
        "options",
        "features",
        "python",
        "torch",
        "overlays",
        "types",
    ],
)
@settings(max_examples=25, deadline=None)
@given(value=_VALUES)
def test_any_value_of_a_key(key: str, value: str) -> None:
    outcome(f"epforge: 1\nname: a1\nvendor: b\nparadigm: compiled\n{key}: {value}\n")


@pytest.mark.parametrize("value", ["float32", "float32, int64", "-1", '"int64"', "a::b, c:d"])
def test_one_value_is_put_into_brackets(value: str) -> None:
    text = f"epforge: 1\nname: a1\nvendor: b\nops: {value}\n"
    found = next(d for d in parse(text).errors if d.code == "wrong-kind")
    assert found.fix is not None
    assert f"ops: [{value}]\n" in apply_fix(text, found.fix)
    assert "wrong-kind" not in {d.code for d in parse(apply_fix(text, found.fix)).errors}


@pytest.mark.parametrize(
    "value", ["", ">", "|\n  Relu", "12,- Attention", "a]", "a [b", "'it''s'", "x #"]
)
def test_what_brackets_would_break_is_not_put_into_them(value: str) -> None:
    text = f"epforge: 1\nname: a1\nvendor: b\nops: {value}\n"
    for found in parse(text).errors:
        if found.fix is not None:
            parse(apply_fix(text, found.fix))


def test_names_in_a_message_stay_in_its_line() -> None:
    text = (
        "epforge: 1\nname: a1\nvendor: b\nops: [Relu]\n"
        'devices: [{name: "a\\nb\\e[31m", type: npu, ep: "x y"}]\n'
    )
    found = analyse(parse(text)).errors
    assert any("device a\\nb" in each.message for each in found)
    assert all(each.message.isprintable() for each in found)
