"""The blueprint language: text to shape, with the place of everything and all errors at once."""

from __future__ import annotations

from epforge.blueprint.diagnostic import (
    BlueprintErrors,
    Diagnostic,
    Fix,
    Severity,
    Span,
    by_position,
)
from epforge.blueprint.report import apply_fix, apply_fixes, render, to_json
from epforge.blueprint.schema import json_schema
from epforge.blueprint.shape import EDITION, BlueprintShape
from epforge.blueprint.source import BlueprintSource, load, parse

__all__ = [
    "EDITION",
    "BlueprintErrors",
    "BlueprintShape",
    "BlueprintSource",
    "Diagnostic",
    "Fix",
    "Severity",
    "Span",
    "apply_fix",
    "apply_fixes",
    "by_position",
    "json_schema",
    "load",
    "parse",
    "render",
    "to_json",
]
