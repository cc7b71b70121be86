"""Answers about JSON Schemas."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from epforge.verbs.shapes.base import Answer


class SchemaOf(Answer):
    """`epforge schema --json`."""

    of: str
    """What it describes."""
    schema_: dict[str, Any] = Field(alias="schema")
    """The JSON Schema."""


class SchemaList(Answer):
    """`epforge schema --list --json`."""

    schemas: list[str]
    """What --of takes."""
