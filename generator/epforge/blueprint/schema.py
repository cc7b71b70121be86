"""The shape of a blueprint as a JSON Schema."""

from __future__ import annotations

from typing import Any

from epforge.blueprint.shape import BlueprintShape


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a blueprint, for editors."""
    schema = _without_null(BlueprintShape.model_json_schema())
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "epforge blueprint"}
    return {**head, **{key: value for key, value in schema.items() if key != "title"}}


def _without_null(schema: Any) -> Any:
    """The schema without ``null``, which stands for "absent" in the shape and never in YAML."""
    if isinstance(schema, list):
        return [_without_null(item) for item in schema if item != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _without_null(value) for key, value in schema.items() if value is not None}
    if len(kept.get("anyOf", ())) == 1:
        kept = {**kept.pop("anyOf")[0], **kept}
    return kept
