"""JUnit XML: read back, of the shape that its readers expect, whatever the texts are."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from reports import HOSTILE, check, hostile, report, usual

from epforge.report import Report, junit, parse
from epforge.validate import Outcome

# What the readers of CI systems agree on: attributes that must be there, those that may be there
# as well, and the elements inside, in this order.
SHAPE = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set(), ["testsuite"]),
    "testsuite": (
        {"name", "tests", "failures", "errors", "time", "timestamp", "hostname", "id", "package"},
        {"skipped"},
        ["properties", "testcase"],
    ),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": ({"name", "classname", "time"}, set(), ["skipped", "error", "failure"]),
    "skipped": (set(), {"message"}, []),
    "error": ({"type"}, {"message"}, []),
    "failure": ({"type"}, {"message"}, []),
}


def shaped(element: ElementTree.Element) -> None:
    must, may, inside = SHAPE[element.tag]
    assert must <= set(element.attrib) <= must | may, element.attrib
    order = [inside.index(child.tag) for child in element]
    assert order == sorted(order)
    for key in ("tests", "failures", "errors", "skipped", "id"):
        assert element.get(key, "0").isdigit()
    assert re.fullmatch(r"\d+\.\d{3}", element.get("time", "0.000"))
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.get("timestamp", "2026-11-30T00:00:00")
    )
    for child in element:
        shaped(child)


def read(made: Report) -> ElementTree.Element:
    return ElementTree.fromstring(junit(made))


def test_the_shape_and_the_numbers() -> None:
    root = read(report(*usual()))
    shaped(root)
    assert [suite.get("name") for suite in root] == ["static", "ops", "graphs", "context"]
    ops = root[1]
    names = [(case.get("name"), [child.tag for child in case]) for case in ops.iter("testcase")]
    assert names == [
        ("Add", []),
        ("Relu", ["error"]),
        ("Relu: since 13, T=float32: case 1", ["failure"]),
        ("Relu: since 13, T=float32: case 2", ["error"]),
        ("Odd", ["error"]),
    ]
    counts = [ops.get(key) for key in ("tests", "failures", "errors", "skipped")]
    assert counts == ["5", "1", "3", "0"]
    assert ops.get("time") == "2.500"
    assert ops.get("timestamp") == "2026-11-30T17:33:59"
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "1", "3")
    assert root[3].get("skipped") == "1"
    assert next(root[3].iter("skipped")).get("message") == "a lower rung failed"
    fault = next(ops.iter("error"))
    assert (fault.get("type"), fault.text) == ("crashed", "case 2: SIGSEGV")


def test_the_place_is_in_the_properties() -> None:
    root = read(report(*usual()))
    known = {one.get("name"): one.get("value") for one in root[0].iter("property")}
    assert known["library"] == "/x/libtoy.so"
    assert known["runtimes"] == "1.32.0"


def test_runtimes_are_told_apart_by_the_class() -> None:
    root = read(report(check("Relu"), check("Relu", runtime="1.24.4")))
    classes = [case.get("classname") for case in root.iter("testcase")]
    assert classes == [f"ToyExecutionProvider.ops.{version}" for version in ("1.32.0", "1.24.4")]


def test_hostile_text_is_text() -> None:
    content = junit(parse(hostile(), "it"))
    root = ElementTree.fromstring(content)
    assert {element.tag for element in root.iter()} == set(SHAPE) - set()
    texts = [text for element in root.iter() for text in (*element.attrib.values(), element.text)]
    assert any("<script src" in (text or "") for text in texts)
    assert any(r"\x00\x01\x1b[31m\ud800\ufffe\u202e" in (text or "") for text in texts)
    content.decode("ascii")


@pytest.mark.parametrize("code", [0, 8, 11, 31, 127, 133, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x1FFFE])
def test_every_character_gives_well_formed_xml(code: int) -> None:
    text = f"a{chr(code)}b"
    root = read(report(check(text, Outcome.FAILED, detail=text), ep=text, library=text))
    case = next(root.iter("testcase"))
    assert case.get("name", "").startswith("a")


def test_an_empty_report_is_well_formed() -> None:
    root = read(report())
    assert len(root) == 0
    assert root.get("tests") == "0"


def test_a_text_without_end_is_cut() -> None:
    root = read(report(check("Relu", Outcome.FAILED, detail=HOSTILE * 10_000)))
    assert len(next(root.iter("failure")).text or "") < 200_000
