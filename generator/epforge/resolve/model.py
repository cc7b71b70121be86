"""The resolved blueprint: frozen, complete, every default filled in, every name derived.

The only thing `plan` and everything after it see of a blueprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from epforge.names import Identifier, Name, SemVer
from epforge.ops.model import SMALL, Attribute, DType, FamilyRow, SchemaVersion
from epforge.resolve.optypes import HALVES, widened_constraints
from epforge.resolve.services import (
    Compile,
    Cuda,
    CustomLibrary,
    CustomOp,
    Features,
    Layout,
    Native,
    Overlay,
    Torch,
)


class Paradigm(StrEnum):
    KERNEL_REGISTRY = "kernel-registry"
    COMPILED = "compiled"
    VIRTUAL = "virtual"


class Runtime(StrEnum):
    HOST = "host"
    CUDA = "cuda"
    STUB = "stub"


class DeviceType(StrEnum):
    CPU = "cpu"
    GPU = "gpu"
    NPU = "npu"


class VirtualPolicy(StrEnum):
    NEVER = "never"  # only real hardware is offered
    ALLOWED = "allowed"  # a virtual device when the registration name ends in ".virtual"


class MemoryKind(StrEnum):
    NONE = "none"
    PLAIN = "plain"
    ARENA = "arena"


class OptionType(StrEnum):
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STRING = "string"
    ENUM = "enum"


class KernelSource(StrEnum):
    GENERATED = "generated"  # from a family's template
    YOURS = "yours"  # written by the project's owner; a typed stub at first


@dataclass(frozen=True)
class Names:
    """Every name of the project; all derive from ``name`` unless the blueprint says otherwise."""

    name: Name  # contoso-npu
    namespace: Identifier  # contoso_npu: the C++ namespace
    ep: Identifier  # ContosoNpuExecutionProvider
    library: Identifier  # onnxruntime_ep_contoso_npu: stem, without prefix and suffix
    distribution: str  # onnxruntime-ep-contoso-npu
    package: Identifier  # onnxruntime_ep_contoso_npu: the import name
    macro: Identifier  # CONTOSO_NPU: prefix of CMake options and environment variables


@dataclass(frozen=True)
class Vendor:
    name: str
    pci_id: int  # 0: none


@dataclass(frozen=True)
class OrtRange:
    minimum: tuple[int, int, int]  # oldest runtime to load in: (1, 24, 4)
    target: int  # API level whose features are used: 27 is 1.27

    @property
    def minimum_text(self) -> str:
        return ".".join(map(str, self.minimum))


@dataclass(frozen=True)
class DeviceMatch:
    vendor_id: int | None
    device_ids: tuple[int, ...]  # empty: any
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class Device:
    name: Identifier
    type: DeviceType
    match: DeviceMatch
    virtual: VirtualPolicy
    metadata: Mapping[str, str]
    ep: Identifier  # the execution provider that offers it
    software: bool = False  # may the machine's CPU stand in for it?


@dataclass(frozen=True)
class Memory:
    default: MemoryKind
    host_accessible: MemoryKind
    read_only: MemoryKind
    streams: bool

    @property
    def on_device(self) -> bool:
        """Does the EP's default memory differ from the CPU's?"""
        return self.default is not MemoryKind.NONE

    @property
    def is_varied(self) -> bool:
        """Is there more than plain default memory that nothing is queued on?"""
        more = self.streams or MemoryKind.PLAIN in self._others
        return self.has_arena or (self.on_device and more)

    @property
    def has_arena(self) -> bool:
        """Does any memory come from an arena?"""
        return self.on_device and MemoryKind.ARENA in (self.default, *self._others)

    @property
    def _others(self) -> tuple[MemoryKind, MemoryKind]:
        return (self.host_accessible, self.read_only)


@dataclass(frozen=True)
class Option:
    """A provider option."""

    name: str  # as the application spells it; [A-Za-z_][A-Za-z0-9_]*
    field: Identifier  # the C++ member
    type: OptionType
    default: int | float | bool | str
    minimum: int | float | None
    maximum: int | float | None
    choices: tuple[str, ...]  # for enum
    excludes: tuple[str, ...]  # names of options that must not be set together with this one
    doc: str
    dynamic: bool = False  # may be changed while a session lives


#: What every execution provider with streams has.
USER_STREAM = Option(
    name="user_compute_stream",
    field=Identifier("user_compute_stream"),
    type=OptionType.INT,
    default=0,
    minimum=0,
    maximum=None,
    choices=(),
    excludes=(),
    doc="Address of a stream of the application's that the session works on; 0 for its own.",
)

#: What every execution provider with graph capture has.
GRAPH_CAPTURE = Option(
    name="enable_graph_capture",
    field=Identifier("enable_graph_capture"),
    type=OptionType.BOOL,
    default=False,
    minimum=None,
    maximum=None,
    choices=(),
    excludes=(),
    doc="Capture the first run on the device and replay it from then on.",
)


@dataclass(frozen=True)
class OpVersion:
    """One since-version of an op that the project registers a kernel for."""

    schema: SchemaVersion
    types: Mapping[str, tuple[DType, ...]]  # every constraint of the schema, narrowed


@dataclass(frozen=True)
class Op:
    """An operator that the project implements."""

    domain: str  # "" is ai.onnx
    op: str  # Relu
    name: Name  # relu: file and C++ names
    versions: tuple[OpVersion, ...]  # oldest first
    kernel: KernelSource
    row: FamilyRow | None  # None when no family implements the op
    compiled: bool = False  # may be in a compiled group
    registered: bool = True  # has a kernel in the registry
    custom: CustomOp | None = None  # the project's own operator
    widens: bool = True  # 16-bit floats are converted for a kernel that computes in float32

    def widened(self, version: OpVersion) -> tuple[str, ...]:
        """The type constraints whose 16-bit floats the kernel takes as float32."""
        return widened_constraints(self.row if self.widens else None, version.types)

    @property
    def label(self) -> str:
        """Relu, or com.microsoft::BiasGelu."""
        return f"{self.domain}::{self.op}" if self.domain else self.op

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """Union of the attributes over the versions, in order of first appearance."""
        seen: dict[str, Attribute] = {}
        for version in self.versions:
            for attribute in version.schema.attributes:
                seen.setdefault(attribute.name, attribute)
        return tuple(seen.values())


@dataclass(frozen=True)
class Blueprint:
    """A blueprint with all its meaning worked out."""

    edition: int
    names: Names
    version: SemVer
    vendor: Vendor
    license: str  # SPDX identifier
    paradigm: Paradigm
    ort: OrtRange
    runtime: Runtime
    devices: tuple[Device, ...]
    memory: Memory
    types: tuple[DType, ...]
    ops: tuple[Op, ...]  # sorted by (domain, op)
    options: tuple[Option, ...]  # in the blueprint's order
    python_min: tuple[int, int]
    targets: tuple[str, ...]
    text: str  # the blueprint as written, for the project's own copy
    custom_ops: tuple[CustomOp, ...] = ()
    compile: Compile | None = None  # only with a compiled paradigm
    layout: Layout = Layout.NCHW
    features: Features = field(default_factory=Features)
    runtime_libs: tuple[str, ...] = ()  # vendor libraries to ship beside the plugin
    system_libs: tuple[str, ...] = ()  # libraries never to ship
    native: Native = Native.NONE
    distributions: tuple[str, ...] = ("",)  # suffixes to the distribution's name
    torch: Torch | None = None
    cuda: Cuda | None = None  # only with runtime cuda
    overlays: tuple[Overlay, ...] = ()
    control_flow: tuple[Op, ...] = ()  # operators whose kernels ONNX Runtime makes: If, Loop, Scan

    @property
    def has_small_types(self) -> bool:
        """Does the library take tensors of elements that are smaller than those of C++?"""
        versions = (version for op in self.ops for version in op.versions)
        return any(d in SMALL for v in versions for group in v.types.values() for d in group)

    @property
    def has_halves(self) -> bool:
        """Does the library take 16-bit floats?"""
        versions = (version for op in self.ops for version in op.versions)
        return any(d in HALVES for v in versions for group in v.types.values() for d in group)

    @property
    def providers(self) -> tuple[Identifier, ...]:
        """The execution providers in the library, its own first."""
        return tuple(dict.fromkeys((self.names.ep, *(device.ep for device in self.devices))))

    @property
    def claimed(self) -> tuple[Op, ...]:
        """All operators, those whose kernels ONNX Runtime makes among them; sorted."""
        return tuple(sorted((*self.ops, *self.control_flow), key=lambda op: (op.domain, op.op)))

    @property
    def provider_options(self) -> tuple[Option, ...]:
        """The options of the blueprint, and those that every such execution provider has."""
        return (
            *self.options,
            *((USER_STREAM,) if self.memory.streams else ()),
            *((GRAPH_CAPTURE,) if self.features.graph_capture else ()),
        )

    @property
    def compiles(self) -> bool:
        """Are nodes compiled in groups, rather than claimed one by one?"""
        return self.paradigm is not Paradigm.KERNEL_REGISTRY

    @property
    def has_contexts(self) -> bool:
        """Are compiled models written and loaded (EPContext nodes)?"""
        return self.features.embed or self.features.external or self.features.share

    @property
    def custom_library(self) -> Identifier | None:
        """The stem of the library that has the custom operators alone; None when there is none."""
        if self.features.custom_op_library is CustomLibrary.NONE:
            return None
        return Identifier(f"{self.names.namespace}_custom_ops")

    @property
    def has_registry(self) -> bool:
        """Are there kernels for ORT to call: for nodes, or for copies to and from the device?"""
        return self.memory.on_device or any(op.registered for op in self.claimed)
