"""Reports are read back: what `validate` writes, and what nobody should have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel
from reports import data, hostile, large, report, usual

from epforge.errors import UsageError
from epforge.report import json_schema, parse, read
from epforge.report.shape import Report

SCHEMA = jsonschema.Draft202012Validator(json_schema())


def unknown(part: Any, place: str = "report") -> list[str]:
    """Keys that the shape does not know."""
    if isinstance(part, list):
        return [text for each in part for text in unknown(each, place)]
    if isinstance(part, dict):
        return [text for each in part.values() for text in unknown(each, place)]
    if not isinstance(part, BaseModel):
        return []
    found = [f"{place}.{key}" for key in part.model_extra or ()]
    for name in type(part).model_fields:
        found += unknown(getattr(part, name), f"{place}.{name}")
    return found


@pytest.mark.parametrize("made", [data(*usual()), data(), hostile()], ids=["usual", "none", "bad"])
def test_what_is_written_is_valid_and_says_nothing_that_the_schema_does_not_know(
    made: dict[str, Any],
) -> None:
    SCHEMA.validate(made)
    back = parse(made, "it")
    assert not unknown(back)


def holds(whole: Any, part: Any) -> bool:
    """Is everything of a part in the whole?"""
    if isinstance(part, dict):
        return all(key in whole and holds(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(holds, whole, part))
    return bool(whole == part)


def test_nothing_is_lost_on_the_way() -> None:
    made = data(*usual())
    again = parse(made, "it").model_dump(mode="json")
    assert holds(again, made)
    assert not holds(again, {**made, "seconds": 4})


def test_the_schema_itself_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    texts = json.dumps(json_schema())
    assert "The verdict in one line." in texts


def test_the_schema_refuses_what_is_no_report() -> None:
    assert not SCHEMA.is_valid({"format": 1})
    assert not SCHEMA.is_valid({**data(*usual()), "seconds": -1})
    assert not SCHEMA.is_valid({**data(*usual()), "format": 2})


def test_a_report_from_before_the_newer_keys_is_read() -> None:
    made = data(*usual())
    for key in ("started", "summary", "environment", "timings", "ops", "partitions"):
        del made[key]
    back = parse(made, "it")
    assert back.environment.library.sha256 is None
    assert back.timings == []


def test_keys_of_a_later_epforge_are_kept() -> None:
    back = parse({**data(*usual()), "newer": {"a": 1}}, "it")
    assert back.model_dump(mode="json")["newer"] == {"a": 1}


def test_the_file_name_is_that_of_any_system() -> None:
    assert report(library="C:\\x\\toy.dll").file == "toy.dll"
    assert report(library="/x/libtoy.so").file == "libtoy.so"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"checks": 3}, "checks: Input should be a valid list"),
        ({"checks": [{}]}, "checks[0].rung: Field required"),
        ({"seconds": "3"}, "seconds: Input should be a valid number"),
        ({"seconds": -1}, "seconds: Input should be greater than or equal to 0"),
        ({"passed": 1}, "passed: Input should be a valid boolean"),
        ({"ops": [{"runtime": "", "op": "A", "since": True, "types": {}}]}, "ops[0].since"),
        ({"format": 2}, "format 2; this epforge reads format 1"),
        ({"format": True}, "format true"),
        ({"format": {"a": [1] * 100}}, "a report of format"),
    ],
)
def test_what_is_wrong_has_its_place(change: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse({**data(*usual()), **change}, "x.json")
    assert str(caught.value).startswith("x.json: ")
    assert says in caught.value.message
    assert caught.value.cure


def test_a_list_that_is_all_wrong_is_one_error() -> None:
    with pytest.raises(UsageError) as caught:
        parse({**data(), "checks": [0] * 100_000}, "x.json")
    assert "checks[0]: " in caught.value.message
    assert "more" not in caught.value.message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe{", "no JSON"),
        (b"{", "no JSON"),
        (b"[1]", "no key format"),
        (b'"x"', "no key format"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"format": 1, "seconds": NaN}', "NaN is no number"),
        (b'{"format": 1, "seconds": ' + b"9" * 5000 + b"}", "no JSON"),
        (b'{"format": 1}', "Field required"),
    ],
)
def test_a_file_that_is_no_report_is_called_so(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read(path)
    assert caught.value.message.startswith(f"{path}: ")
    assert says in caught.value.message
    assert len(caught.value.message) < 1000


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epforge.report.reading._MOST_BYTES", 1 << 20)
    path = tmp_path / "x.json"
    path.write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        read(path)


@pytest.mark.parametrize("name", ["none.json", "."])
def test_a_file_that_is_not_there_is_no_traceback(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"No such file|Is a directory"):
        read(tmp_path / name)


def test_a_report_of_every_operator_is_read() -> None:
    back = parse(json.loads(json.dumps(large().to_json())), "it")
    assert isinstance(back, Report)
    assert len(back.ops) == 600 + 3
