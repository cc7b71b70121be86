"""Names keep their words through every spelling; versions translate; identifiers are checked."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epforge.names import Identifier, Name, SemVer


@pytest.mark.parametrize(
    "text", ["contoso-npu", "contoso_npu", "ContosoNpu", "contoso npu", "CONTOSO_NPU"]
)
def test_every_spelling_is_the_same_name(text: str) -> None:
    name = Name.parse(text)
    assert name.camel == "ContosoNpu"
    assert name.lower_camel == "contosoNpu"
    assert name.snake == "contoso_npu"
    assert name.screaming == "CONTOSO_NPU"
    assert name.kebab == "contoso-npu"


@pytest.mark.parametrize(
    ("op", "snake"),
    [
        ("Relu", "relu"),
        ("BatchNormalization", "batch_normalization"),
        ("LRN", "lrn"),
        ("GlobalAveragePool", "global_average_pool"),
        ("ReduceL2", "reduce_l2"),
        ("PRelu", "p_relu"),
        ("STFT", "stft"),
        ("IsNaN", "is_nan"),
        ("QLinearConv", "q_linear_conv"),
    ],
)
def test_operator_names_split_at_changes_of_case(op: str, snake: str) -> None:
    assert Name.parse(op).snake == snake


@pytest.mark.parametrize("text", ["", "-", "  ", "__", "é"])
def test_a_name_needs_a_word(text: str) -> None:
    with pytest.raises(ValueError, match="no word"):
        Name.parse(text)


@given(st.lists(st.from_regex(r"[a-z][a-z]{0,7}", fullmatch=True), min_size=1, max_size=5))
def test_spellings_read_back_as_the_same_words(words: list[str]) -> None:
    name = Name(tuple(words))
    assert Name.parse(name.snake) == name
    assert Name.parse(name.kebab) == name
    assert Name.parse(name.screaming) == name


@pytest.mark.parametrize("text", ["", "1a", "a b", "a-b", 'x"', "é", "a\n", "$a"])
def test_an_identifier_is_checked(text: str) -> None:
    with pytest.raises(ValueError, match="not an identifier"):
        Identifier(text)


@given(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True))
def test_identifiers_are_python_identifiers(text: str) -> None:
    assert Identifier(text).isidentifier() or keyword.iskeyword(text)


@pytest.mark.parametrize(
    ("text", "pep440"),
    [
        ("1.2.3", "1.2.3"),
        ("0.1.0-alpha.1", "0.1.0a1"),
        ("0.1.0-beta", "0.1.0b0"),
        ("1.0.0-rc.1+build.5", "1.0.0rc1+build.5"),
        ("1.0.0-dev.7", "1.0.0.dev7"),
        ("1.0.0+a-b", "1.0.0+a.b"),
    ],
)
def test_versions_translate_to_python(text: str, pep440: str) -> None:
    version = SemVer.parse(text)
    assert str(version) == text
    assert version.pep440 == pep440
    assert version.cmake == text[:5]


@pytest.mark.parametrize("text", ["1.2", "v1.0.0", "", "1.2.3.4", "01.2.3", "1.2.3-01", "x"])
def test_what_is_no_semantic_version(text: str) -> None:
    with pytest.raises(ValueError, match="not a semantic version"):
        SemVer.parse(text)


def test_a_pre_release_python_cannot_express() -> None:
    with pytest.raises(ValueError, match="no counterpart"):
        _ = SemVer.parse("1.0.0-nightly.x").pep440
