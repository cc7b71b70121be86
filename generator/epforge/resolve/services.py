"""What a blueprint may ask for beyond kernels on one device: frozen, every default filled in.

Custom operators, compiling, compiled models, bindings for numpy and PyTorch, overlays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from epforge.names import Identifier
from epforge.ops.model import DType

if TYPE_CHECKING:
    from epforge.ops.expression import Expression


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

    AUTO = "auto"  # derived from its expression
    STUB = "stub"
    NONE = "none"


class CustomKernel(StrEnum):
    """Who writes the kernel of a custom operator."""

    GENERATED = "generated"
    YOURS = "yours"
    ELSEWHERE = "elsewhere"  # another library; only the schema is here


class CustomLibrary(StrEnum):
    """The custom operators as a library of their own, for a plain ONNX Runtime."""

    NONE = "none"
    CPU = "cpu"
    CUDA = "cuda"  # for the CPU, and for ONNX Runtime's CUDA execution provider


@dataclass(frozen=True)
class CustomAttribute:
    """An attribute of a custom operator. ``default`` None: the attribute is required."""

    name: Identifier
    type: str  # int, float, string, bool, ints, floats, strings, tensor
    default: int | float | bool | str | tuple[int | float | bool | str, ...] | None


@dataclass(frozen=True)
class CustomParameter:
    """An input or output of a custom operator."""

    name: Identifier
    type: str  # a type variable or an element type: "T", "float32"
    option: str = "single"  # "single", "optional", "variadic"

    @property
    def spelling(self) -> str:
        """As blueprints write it: ``T``, ``T?``, ``T*``."""
        return self.type + {"optional": "?", "variadic": "*"}.get(self.option, "")


@dataclass(frozen=True)
class CustomOp:
    """An operator of the project's own.

    Args:
        version: the version of the domain that the operator begins with.
        types: per type variable.
        compute: per output an elementwise expression; None: a stub.
    """

    domain: str
    op: Identifier
    version: int
    inputs: tuple[CustomParameter, ...]
    outputs: tuple[CustomParameter, ...]
    types: Mapping[str, tuple[DType, ...]]
    attributes: tuple[CustomAttribute, ...]
    compute: Mapping[str, Expression] | None
    grad: Grad
    kernel: CustomKernel

    @property
    def label(self) -> str:
        """com.contoso::MyClip."""
        return f"{self.domain}::{self.op}"


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
    custom_op_library: CustomLibrary = CustomLibrary.NONE
    profiler: bool = False
    external_memory: bool = False  # importer of other APIs' memory and semaphores
    graphics_interop: bool = False
    graph_capture: bool = False
    resource_accounting: bool = False
    memory_capacity: bool = False


@dataclass(frozen=True)
class Cuda:
    """How device code is compiled."""

    architectures: tuple[int, ...]  # compute capabilities times ten: 80, 90


@dataclass(frozen=True)
class Torch:
    """Opsets that the PyTorch exporters use; None: not tested."""

    legacy: int | None
    dynamo: int | None


class OverlayKind(StrEnum):
    """What an overlay brings."""

    SOURCE = "source"  # a copier or cookiecutter template, laid over the result
    TEMPLATES = "templates"  # templates in place of epforge's own
    HEADER = "header"  # a text for the top of files


@dataclass(frozen=True)
class Overlay:
    """A house style that is laid over the project."""

    kind: OverlayKind
    place: str  # as written: ./house-style, python:acme_style/ep
    data: tuple[tuple[str, str], ...] = ()  # answers to the template's questions
    where: str = field(default="", compare=False)  # blueprint.yaml:37, for messages

    @property
    def package(self) -> str:
        """The Python package that has it; empty where it lies beside the blueprint."""
        return self.place.removeprefix("python:").split("/")[0] if self.is_packaged else ""

    @property
    def path(self) -> str:
        """Relative to the package or the blueprint's directory, with forward slashes."""
        parts = self.place.removeprefix("python:").split("/")[1 if self.is_packaged else 0 :]
        return "/".join(part for part in parts if part not in ("", "."))

    @property
    def is_packaged(self) -> bool:
        """Does it come from an installed Python package?"""
        return self.place.startswith("python:")
