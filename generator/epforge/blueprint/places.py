"""Which shape a place of a blueprint has, and how places are spelt."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from epforge.blueprint.diagnostic import show
from epforge.blueprint.nodes import Path


def spell(path: Path) -> str:
    """A path as people write it: ``devices[0].match``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            shown = show(step, 40)[1:-1]
            text += f".{shown}" if text else shown
    return text or "the blueprint"


def shape_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The shape of the mapping at ``path``, or None where keys are free."""
    here: Any = model
    for step in path:
        if isinstance(here, type) and issubclass(here, BaseModel):
            info = here.model_fields.get(str(step))
            here = info.annotation if info else None
        else:
            here = _element(here)
        here = _bare(here)
    return here if isinstance(here, type) and issubclass(here, BaseModel) else None


def _bare(annotation: Any) -> Any:
    """An annotation without Annotated and without ``| None``."""
    while True:
        origin = typing.get_origin(annotation)
        if origin is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif origin in (typing.Union, types.UnionType):
            rest = [arg for arg in typing.get_args(annotation) if arg is not types.NoneType]
            annotation = rest[0]
        else:
            return annotation


def _element(annotation: Any) -> Any:
    """What a list or a mapping of this annotation holds."""
    arguments = typing.get_args(annotation)
    if not arguments:
        return None
    origin = typing.get_origin(annotation)
    return (
        arguments[1] if isinstance(origin, type) and issubclass(origin, Mapping) else arguments[0]
    )
