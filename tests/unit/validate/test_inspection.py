"""Findings from facts, and made-up hardware from words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epforge.errors import UsageError
from epforge.validate.inspection.findings import of_answers
from epforge.validate.inspection.hardware import MadeUp, parse
from epforge.validate.inspection.model import Answers, Ended, Factory, Filled, Slot, slots

NAME = "epforge-check"
EP = Filled(0, "OrtEp", "", 24, (("GetName", 22),), ("IsConcurrentRunSupported",), ())


def device(**changes: Any) -> dict[str, Any]:
    usual = {"ep": "X", "version": "1.0", "type": "cpu", "hardware_vendor_id": 0x1022}
    return {**usual, **changes}


GOOD = Answers(
    runtime="1.32.0",
    level=32,
    asked=((24, True),),
    older=Ended("refused", "needs onnxruntime 1.24, this is 1.22.0"),
    entry=Ended("fine"),
    registered=Ended("fine"),
    name=NAME,
    factories=(Factory(0, "X", "Someone", 0, "1.0", ep="X", structs=(replace(EP, unset=()),)),),
    devices=(device(),),
    unmapped=True,
)


def found(answers: Answers) -> dict[str, str]:
    return {each.rule: each.text for each in of_answers(answers, NAME)}


def factory(**changes: Any) -> Answers:
    return replace(GOOD, factories=(replace(GOOD.factories[0], **changes),))


def test_nothing_is_found_in_what_is_right() -> None:
    assert found(GOOD) == {}


@pytest.mark.parametrize(
    ("answers", "rule", "says"),
    [
        (replace(GOOD, older=Ended("crashed", "SIGSEGV")), "crash-when-old", "SIGSEGV"),
        (replace(GOOD, older=Ended("fine", "says nothing")), "silent-when-old", "says nothing"),
        (replace(GOOD, older=Ended("refused", "no")), "vague-when-old", "no"),
        (replace(GOOD, asked=((33, False), (1, True))), "newer-api", "asks for API 33"),
        (replace(GOOD, entry=Ended("crashed", "boom")), "entry", "crashed: boom"),
        (replace(GOOD, registered=Ended("refused", "no")), "register", "refused: no"),
        (
            replace(GOOD, registered=Ended("refused", "no"), entry=Ended("refused", "no")),
            "register",
            "registering it: refused: no",
        ),
        (replace(GOOD, factories=()), "no-factory", "without a factory"),
        (replace(GOOD, factories=GOOD.factories * 2), "same-names", "two factories"),
        (replace(GOOD, unmapped=False), "unload", "stays in memory"),
        (replace(GOOD, stray=("hello",)), "stderr", "hello"),
        (factory(name=NAME, ep=NAME), "name", "registered under"),
        (factory(ep="Y"), "name", "'Y'"),
        (factory(vendor_id=0x5143), "any-vendor", "cpu of AMD"),
        (factory(vendor_id=0x4D4F4351), "any-vendor", "of Qualcomm, offers"),
        (factory(errors=(("CreateEp", "no driver"),)), "error", "CreateEp: no driver"),
        (factory(structs=(EP,)), "concurrency", "may be concurrent"),
        (factory(structs=(replace(EP, unset=(), lacking=("GetName",)),)), "members", "GetName"),
        (factory(structs=(replace(EP, unset=(), stamp=0),)), "stamp", "version 0"),
        (factory(structs=(replace(EP, unset=(), stamp=33),)), "stamp", "newer than this"),
        (replace(GOOD, devices=(device(version="2.0"),)), "version", "its devices 2.0"),
    ],
)
def test_each_thing_has_its_rule(answers: Answers, rule: str, says: str) -> None:
    assert list(found(answers)) == [rule]
    assert says in found(answers)[rule]


def test_what_no_vendor_says_or_the_same_one_has_two_numbers_is_no_stranger() -> None:
    assert found(factory(vendor_id=0x1002)) == {}  # AMD, whose processors have another number
    assert found(factory(vendor_id=0xB357)) == {}


def test_runtimes_that_never_unload_prove_nothing() -> None:
    assert found(replace(GOOD, unmapped=False, level=26)) == {}


def test_members_by_their_needs() -> None:
    seen = [("A", 22, True), ("B", 22, False), ("C", 24, False)]
    known = [Slot("A", 22, "required"), Slot("B", 22, "crashes"), Slot("C", 24, "optional")]
    assert slots(seen, known) == ((("A", 22),), ("B", "C"), ("B",))


def test_made_up_devices() -> None:
    assert parse(["gpu:0x10de:0x2684,Discrete=1,a=b", "npu"]) == (
        MadeUp("gpu", 0x10DE, 0x2684, (("Discrete", "1"), ("a", "b"))),
        MadeUp("npu", 0),
    )
    usual = parse(["usual", "cpu:0x8086"])
    assert len(set(usual)) == len(usual) == 12
    assert {each.type for each in usual} == {"cpu", "gpu", "npu"}


@pytest.mark.parametrize(
    "text", ["", "tpu", "gpu:x", "gpu:1:2:3", "gpu:-1", "gpu:0x100000000", "gpu,Discrete"]
)
def test_what_is_no_device_says_how_to_write_one(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse([text])
    assert "TYPE:VENDOR:DEVICE" in str(caught.value)
