"""The JSON Schema of reports."""

from __future__ import annotations

from typing import Any

from epforge.report.shape import Report


def json_schema() -> dict[str, Any]:
    """What `epforge validate --report FILE.json` writes, as JSON Schema."""
    schema = Report.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Report of epforge validate",
    }
