"""A change of an answer that breaks those who read it needs a higher format."""

from copy import deepcopy
from typing import Any

import pytest
from golden_schemas import PLACE, golden, names, path, text
from schema_changes import breaks, formats

from epforge.verbs.schema import json_schema

REGENERATE = "run: python tests/support/golden_schemas.py, and commit what it writes"


@pytest.mark.parametrize("name", names())
def test_a_schema_changes_with_its_golden_copy_and_breaks_no_reader(name: str) -> None:
    assert path(name).is_file(), REGENERATE
    old, new = golden(name), dict(json_schema(name).schema)
    if formats(new) == formats(old):
        assert breaks(old, new) == [], f"{name}: this needs a higher format"
    assert path(name).read_text(encoding="utf-8") == text(name), REGENERATE


def test_there_is_no_golden_copy_of_what_is_not_there() -> None:
    assert {each.name for each in PLACE.iterdir()} == {path(name).name for name in names()}


@pytest.mark.parametrize("name", names())
def test_every_answer_has_one_format_a_title_and_a_description(name: str) -> None:
    schema = json_schema(name).schema
    assert formats(schema) == {1}
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"]


def parts(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [part for each in schema for part in parts(each)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for each in schema.values() for part in parts(each))]


@pytest.mark.parametrize("name", names())
def test_readers_are_told_that_keys_may_be_added(name: str) -> None:
    for part in parts(golden(name)):
        if part.get("type") == "object" and "properties" in part:
            assert part.get("additionalProperties", True) is not False, part


def changed(*steps: Any, to: Any = None, drop: Any = None) -> dict[str, Any]:
    """The schema of `status`, with something in it changed."""
    schema = deepcopy(golden("status"))
    part: Any = schema
    for step in steps:
        part = part[step]
    if drop is not None:
        part.remove(drop) if isinstance(part, list) else part.pop(drop)
    if to is not None:
        part.update(to) if isinstance(part, dict) else part.append(to)
    return schema


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (changed("properties", drop="cure"), "cure: is gone"),
        (changed("required", drop="cure"), "cure: may be left out"),
        (changed("properties", "cure", to={"type": "integer"}), "cure: may be integer"),
        (changed("$defs", "Drift", "properties", drop="lines"), "findings[].lines: is gone"),
        (changed("properties", "status", "enum", drop="drift"), "status: is never 'drift'"),
        (
            changed("properties", "cure", to={"type": ["string", "null"]}),
            "cure: may be null, and was string",
        ),
    ],
)
def test_what_breaks_readers_is_seen(new: dict[str, Any], why: str) -> None:
    assert why in " ".join(breaks(golden("status"), new))


@pytest.mark.parametrize(
    "new",
    [
        changed("properties", to={"more": {"type": "string"}}),
        changed("properties", "status", "enum", to="lost"),
        changed("properties", "cure", to={"description": "In other words."}),
    ],
)
def test_what_breaks_nobody_is_let_through(new: dict[str, Any]) -> None:
    assert breaks(golden("status"), new) == []


def test_an_answer_that_is_one_of_several_must_stay_one() -> None:
    old = golden("upgrade")
    new = deepcopy(old)
    new["anyOf"].pop()
    assert breaks(old, new)
