"""Blueprints for tests."""

from __future__ import annotations

import dataclasses
from typing import Any

from epforge.blueprint import parse
from epforge.resolve import resolve
from epforge.resolve.model import Blueprint

MINIMAL = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu, Add, Mul]\n"


def example(text: str = MINIMAL, **changes: Any) -> Blueprint:
    """A resolved blueprint; ``changes`` replace fields of the result."""
    return dataclasses.replace(resolve(parse(text)), **changes)
