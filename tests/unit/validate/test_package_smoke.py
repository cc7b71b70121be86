"""What rung `package` gives to the script that uses a package."""

from __future__ import annotations

from pathlib import Path

import pytest

from epforge.validate import Outcome
from epforge.validate.package import Packing, another_value, run

INT = {"name": "effort", "type": "int", "default": 1, "minimum": 0, "maximum": 3}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (INT, ("effort", "0")),
        (INT | {"default": 0}, ("effort", "3")),
        (INT | {"minimum": 1, "maximum": 1}, None),
        (INT | {"maximum": None}, None),
        (INT | {"excludes": ["auto"]}, None),
        (
            {"name": "mode", "type": "enum", "default": "a", "choices": ["a", "b"]},
            ("mode", "b"),
        ),
        ({"name": "mode", "type": "enum", "default": "a", "choices": ["a"]}, None),
        ({"name": "trace", "type": "bool", "default": False}, None),
        ({"name": "path", "type": "string", "default": ""}, None),
    ],
)
def test_an_option_is_changed_where_any_legal_value_will_do(
    option: dict[str, object], value: tuple[str, str] | None
) -> None:
    assert another_value(option) == value


def test_a_library_without_a_manifest_has_no_wheel_to_check(tmp_path: Path) -> None:
    (check,) = run(Packing(tmp_path / "libx.so", lambda _: pytest.fail("made"), ()))
    assert check.outcome is Outcome.FAILED
    assert "libx.so.manifest.json, which says what has to be in the wheel" in check.detail
