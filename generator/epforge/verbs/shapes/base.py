"""What all shapes have in common."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    # Keys may be added without a new format, so what is not known here is no error.
    model_config = ConfigDict(frozen=True, extra="allow", use_attribute_docstrings=True)


class Answer(Shape):
    """What a verb prints with `--json`."""

    format: Literal[1]
    """Goes up when a key goes away, or changes its type or its meaning."""
