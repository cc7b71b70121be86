"""The schemas as they were released: ``python tests/support/golden_schemas.py`` writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from epforge.verbs.schema import BLUEPRINT, json_schema, list_schemas

PLACE = Path(__file__).resolve().parents[1] / "golden/schemas"


def names() -> list[str]:
    """Those of answers; that of blueprints has editions of its own."""
    return [name for name in list_schemas().schemas if name != BLUEPRINT]


def path(name: str) -> Path:
    return PLACE / f"{name.replace(' ', '-')}.json"


def text(name: str) -> str:
    return json.dumps(json_schema(name).schema, indent=2) + "\n"


def golden(name: str) -> dict[str, Any]:
    """The schema as it is committed."""
    data: dict[str, Any] = json.loads(path(name).read_text(encoding="utf-8"))
    return data


if __name__ == "__main__":
    PLACE.mkdir(parents=True, exist_ok=True)
    for each in names():
        path(each).write_text(text(each), encoding="utf-8")
