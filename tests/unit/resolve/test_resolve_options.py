"""Provider options: types that follow, defaults that follow, names that collide."""

from __future__ import annotations

import pytest

from epforge.blueprint import parse
from epforge.resolve import analyse, resolve
from epforge.resolve.model import Option, OptionType

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"


def option(text: str) -> Option:
    (only,) = resolve(parse(f"{HEAD}options: [{{name: x1, {text}}}]\n")).options
    return only


@pytest.mark.parametrize(
    ("text", "kind", "default"),
    [
        ("default: 3", OptionType.INT, 3),
        ("default: 0x10", OptionType.INT, 16),
        ("default: -1.5e3", OptionType.FLOAT, -1500.0),
        ("default: true", OptionType.BOOL, True),
        ("default: yes", OptionType.STRING, "yes"),
        ('default: "3"', OptionType.STRING, "3"),
        ("range: [0, 3]", OptionType.INT, 0),
        ("range: [0, 3.5]", OptionType.FLOAT, 0.0),
        ("range: [2, 3]", OptionType.INT, 2),
        ("range: [-3, -2]", OptionType.INT, -2),
        ("choices: [lo, hi]", OptionType.ENUM, "lo"),
        ("choices: [no, yes], default: yes", OptionType.ENUM, "yes"),
        ("type: string", OptionType.STRING, ""),
        ("type: string, default: 1.30", OptionType.STRING, "1.30"),
        ("type: bool", OptionType.BOOL, False),
        ("type: float, default: 1", OptionType.FLOAT, 1.0),
    ],
)
def test_type_and_default_follow(text: str, kind: OptionType, default: object) -> None:
    found = option(text)
    assert (found.type, found.default) == (kind, default)
    assert type(found.default) is type(default)


def test_a_range_is_kept_as_numbers_of_the_type() -> None:
    whole, real = option("type: int, range: [0, 3]"), option("type: float, range: [0, 3]")
    assert (whole.minimum, whole.maximum) == (0, 3)
    assert (type(whole.minimum), type(real.minimum)) == (int, float)


@pytest.mark.parametrize(
    ("name", "field"),
    [("effort", "effort"), ("logLevel", "log_level"), ("auto", "auto_"), ("min", "min_"),
     ("lambda", "lambda_"), ("_x", "x"), ("IN", "in_"), ("Use_FP16", "use_fp16")],
)  # fmt: skip
def test_a_key_that_no_member_can_have_gets_a_suffix(name: str, field: str) -> None:
    (only,) = resolve(parse(f"{HEAD}options: [{{name: {name}, type: int}}]\n")).options
    assert (only.name, only.field) == (name, field)


@pytest.mark.parametrize(
    ("one", "other"), [("logLevel", "log_level"), ("auto", "auto_"), ("A", "a"), ("x", "x")]
)
def test_names_that_become_one_are_reported_with_both_lines(one: str, other: str) -> None:
    text = f"{HEAD}options:\n  - {{name: {one}, type: int}}\n  - {{name: {other}, type: int}}\n"
    (error,) = analyse(parse(text)).errors
    assert (error.line, error.code) == (7, "name-collision")
    assert "line 6" in error.message


def test_a_doc_is_one_line() -> None:
    assert option('type: int, doc: "two\\n  lines"').doc == "two lines"


def test_excludes_suggest_the_option_that_was_meant() -> None:
    text = HEAD + (
        "options:\n  - {name: effort, type: int}\n  - {name: b, type: int, excludes: [efort]}\n"
    )
    (error,) = analyse(parse(text)).errors
    assert error.fix is not None
    assert error.fix.text == "effort"
