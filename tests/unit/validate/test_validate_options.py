"""The line about provider options: what is asked, and what the answers come to."""

from __future__ import annotations

import pytest

from epforge.validate.manifest import OptionClaim
from epforge.validate.model import Outcome
from epforge.validate.options import UNKNOWN, given, judge
from epforge.validate.process import WorkerRun

_EFFORT = OptionClaim("effort", "int", 1, 0, 3)
_MODE = OptionClaim("mode", "enum", "fast")
_NAME = OptionClaim("name", "string", "")
_SOUND = {
    (UNKNOWN, "1"): f"unknown option '{UNKNOWN}'; the options are effort, mode",
    ("effort", "epforge?"): "option 'effort' is 'epforge?'",
    ("effort", "-1"): "option 'effort' is '-1'",
    ("effort", "4"): "option 'effort' is '4'",
    ("mode", "epforge?"): "option 'mode' is 'epforge?'",
    ("effort", "1"): None,
    ("mode", "fast"): None,
}
_PUBLISHED = {"effort": "1", "mode": "fast"}


def _run(
    answers: dict[tuple[str, str], str | None], published: dict[str, str] = _PUBLISHED
) -> WorkerRun:
    records: list[dict[str, object]] = [{"record": "published", "options": published}]
    records += [
        {"record": "option", "name": name, "value": value, "refusal": refusal}
        for (name, value), refusal in answers.items()
    ]
    return WorkerRun(tuple(records), True, 0, False, "", "", 0.0)


def test_asked_are_a_name_that_nobody_has_and_values_out_of_bounds() -> None:
    assert given([_EFFORT, _MODE, _NAME]) == [key for key, said in _SOUND.items() if said]
    assert given(None) == [(UNKNOWN, "1")]
    assert given([OptionClaim("auto", "bool", True, dynamic=True)]) == [
        (UNKNOWN, "1"),
        ("auto", "epforge?"),
        ("ep.dynamic.auto", "epforge?"),
        (f"ep.dynamic.{UNKNOWN}", "1"),
    ]


def test_a_sound_library_passes() -> None:
    outcome, detail = judge(_run(_SOUND), [_EFFORT, _MODE])
    assert (outcome, detail[:13]) == (Outcome.PASSED, "effort, mode;")


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({(UNKNOWN, "1"): None}, f"{UNKNOWN} is accepted, and nothing is said"),
        ({(UNKNOWN, "1"): f"no {UNKNOWN}"}, "refused without naming effort, mode"),
        ({(UNKNOWN, "1"): "the options are effort, mode"}, f"refused without naming {UNKNOWN}"),
        ({("effort", "4"): None}, "effort=4 is accepted, and nothing is said"),
        ({("effort", "4"): "bad effortless value"}, "effort=4 is refused without naming"),
        ({("mode", "fast"): "no"}, "mode=fast is published as the default, but refused: no"),
    ],
)
def test_what_is_wrong_is_named(changed: dict[tuple[str, str], str | None], text: str) -> None:
    outcome, detail = judge(_run({**_SOUND, **changed}), [_EFFORT, _MODE])
    assert outcome is Outcome.FAILED
    assert text in detail


@pytest.mark.parametrize(
    ("published", "text"),
    [
        ({"effort": "1"}, "mode is declared, but the device does not publish its default"),
        ({"effort": "2", "mode": "fast"}, "effort=2 is published as the default, declared is 1"),
    ],
)
def test_published_defaults_are_those_declared(published: dict[str, str], text: str) -> None:
    outcome, detail = judge(_run(_SOUND, published), [_EFFORT, _MODE])
    assert (outcome, detail) == (Outcome.FAILED, text)


@pytest.mark.parametrize(("text", "same"), [("1", True), ("true", True), ("0", False)])
def test_a_bool_is_published_in_either_spelling(text: str, same: bool) -> None:
    answers = {(UNKNOWN, "1"): f"{UNKNOWN}: the options are auto", ("auto", "epforge?"): "auto"}
    outcome, _ = judge(_run(answers, {"auto": text}), [OptionClaim("auto", "bool", True)])
    assert (outcome is Outcome.PASSED) == same


def test_where_nothing_is_declared_an_ignored_option_is_no_failure() -> None:
    outcome, detail = judge(_run({(UNKNOWN, "1"): None}, {}), None)
    assert outcome is Outcome.NOT_CHECKED
    assert "accepted" in detail
    assert judge(_run({(UNKNOWN, "1"): f"no {UNKNOWN}"}, {}), None)[0] is Outcome.PASSED


def test_without_a_device_there_is_nothing_to_ask() -> None:
    assert judge(WorkerRun((), True, 0, False, "", "", 0.0), [_EFFORT])[0] is Outcome.NOT_CHECKED
