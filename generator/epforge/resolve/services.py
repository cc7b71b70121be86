"""What a blueprint may ask for beyond kernels on one device: frozen, every default filled in.

Custom operators, compiling, compiled models, bindings for numpy and PyTorch, overlays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from epforge.names import Identifier
from epforge.ops.model import DType


class Layout(StrEnum):
    """The data layout the execution provider prefers."""

    NCHW = "NCHW"
    NHWC = "NHWC"


class Weightless(StrEnum):
    """Compiled models that take their weights from the source model."""

    NONE = "none"
    EXTERNAL_ONLY = "external_only"
    ALL = "all"


class Native(StrEnum):
    """How kernels are offered to numpy."""

    NONE = "none"
    SEPARATE = "separate"  # a distribution of its own


class Grad(StrEnum):
    """The gradient of a custom operator."""

    NONE = "none"
    STUB = "stub"


@dataclass(frozen=True)
class CustomAttribute:
    """An attribute of a custom operator. ``default`` None: the attribute is required."""

    name: Identifier
    type: str  # int, float, string, bool, ints, floats, strings
    default: int | float | bool | str | tuple[int | float | bool | str, ...] | None


@dataclass(frozen=True)
class CustomOp:
    """An operator of the project's own."""

    domain: str
    op: Identifier
    inputs: Mapping[str, str]  # name -> type variable or element type
    outputs: Mapping[str, str]
    types: Mapping[str, tuple[DType, ...]]  # per type variable
    attributes: tuple[CustomAttribute, ...]
    compute: str | None  # elementwise expression; None: a stub
    grad: Grad


@dataclass(frozen=True)
class Pattern:
    """Operators that are compiled together, in the order of the chain."""

    name: Identifier
    match: tuple[tuple[str, str], ...]  # (domain, op)


@dataclass(frozen=True)
class Compile:
    """How the compiled paradigm takes nodes."""

    drop_constants: bool = False
    max_group: int = 0  # nodes; 0: no limit
    also_kernels: tuple[tuple[str, str], ...] = ()  # (domain, op)
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class Features:
    """Optional services of the execution provider."""

    embed: bool = False  # compiled models: context inside the model
    external: bool = False  # ... beside it
    share: bool = False  # ... shared between models
    weightless: Weightless = Weightless.NONE
    profiler: bool = False


@dataclass(frozen=True)
class Torch:
    """Opsets that the PyTorch exporters use; None: not tested."""

    legacy: int | None
    dynamo: int | None
