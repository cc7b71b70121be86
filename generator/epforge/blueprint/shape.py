"""The shape of a blueprint, edition 1: which keys there are and what type each value has.

What the values mean together (names, opsets, excluded options, ...) is the business of `resolve`.
The docstrings and descriptions here become the JSON Schema that editors show.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from epforge.blueprint.scalars import (
    Choice,
    Computes,
    Flag,
    Int,
    NumberLike,
    Raw,
    RawOrList,
    Shorthand,
    Text,
)

#: The edition of the format that this version of epforge reads.
EDITION = 1

PARADIGMS = ("kernel-registry", "compiled", "virtual")
RUNTIMES = ("host", "cuda", "stub")
DEVICE_TYPES = ("cpu", "gpu", "npu")
VIRTUAL = ("never", "allowed")
SOFTWARE = ("never", "allowed")
MEMORY_KINDS = ("none", "plain", "arena")
OPTION_TYPES = ("int", "float", "bool", "string", "enum")
KERNELS = ("generated", "yours")
LAYOUTS = ("NCHW", "NHWC")
WEIGHTLESS = ("none", "external_only", "all")
NATIVE = ("none", "separate")
GRADS = ("auto", "stub", "none")
CUSTOM_KERNELS = ("generated", "yours", "elsewhere")
CUSTOM_LIBRARIES = ("none", "cpu", "cuda")
TARGETS = ("linux-x64", "linux-arm64", "windows-x64", "macos-arm64")
ATTRIBUTE_TYPES = ("int", "float", "string", "bool", "ints", "floats", "strings", "tensor")
TYPES = (
    "float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "bool", "string",
    "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float8e8m0",
    "float4e2m1", "int4", "uint4", "int2", "uint2",
)  # fmt: skip

DTypeText = Annotated[str, Choice(TYPES)]
U32 = Annotated[Int, Field(ge=0, le=0xFFFFFFFF)]


class Shape(BaseModel):
    """A mapping with a fixed set of keys."""

    # A validator is built for what is validated, once: for a blueprint as a whole. So the defaults
    # below are made without one.
    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, defer_build=True
    )


class NamesShape(Shape):
    """Names that do not follow from `name`."""

    ep: Text | None = Field(default=None, description="Name of the execution provider in sessions.")
    library: Text | None = Field(
        default=None, description="Library file without prefix and suffix."
    )
    distribution: Text | None = Field(
        default=None, description="Name of the Python package on an index."
    )


class VendorShape(Shape):
    """Who makes the device."""

    name: Text = Field(description="Vendor's name as users see it.")
    pci_id: Int = Field(default=0, ge=0, le=0xFFFF, description="PCI vendor id; 0 for none.")


class OrtShape(Shape):
    """Which ONNX Runtime releases the plugin is for."""

    min: NumberLike = Field(default="1.24.4", description="Oldest runtime to load in.")
    target: NumberLike = Field(
        default="1.27", description="Release whose API is used where present."
    )


class MatchShape(Shape):
    """Which hardware a device is; a key that is absent matches anything."""

    vendor_id: U32 | None = Field(default=None, description="PCI vendor id.")
    device_ids: tuple[U32, ...] = Field(default=(), description="Device ids; empty for any.")
    metadata: dict[str, Text] = Field(
        default={}, description="Entries the hardware device must have."
    )


class DeviceShape(Shape):
    """A device that the execution provider offers."""

    name: Text = Field(description="Short name, unique in the project.")
    type: Annotated[str, Choice(DEVICE_TYPES)] = Field(description="Kind of hardware.")
    match: MatchShape = Field(
        default=MatchShape.model_construct(), description="Which hardware it is."
    )
    virtual: Annotated[str, Choice(VIRTUAL)] = Field(
        default="never",
        description="allowed: offered under a registration name that ends in .virtual.",
    )
    ep: Text | None = Field(
        default=None, description="Execution provider that offers it; absent: the library's own."
    )
    software: Annotated[str, Choice(SOFTWARE)] = Field(
        default="never",
        description="allowed: the machine's CPU stands in where the application asks for that.",
    )
    metadata: dict[str, Text] = Field(default={}, description="Entries shown to applications.")


class MemoryShape(Shape):
    """Memory of the device. `none` is the CPU's own memory."""

    default: Annotated[str, Choice(MEMORY_KINDS)] = Field(default="none", description="Tensors.")
    host_accessible: Annotated[str, Choice(MEMORY_KINDS)] = Field(
        default="none", description="Memory that host and device share."
    )
    read_only: Annotated[str, Choice(MEMORY_KINDS)] = Field(
        default="none", description="Initializers."
    )
    streams: Flag = Field(default=False, description="Asynchronous streams.")


class OpShape(Shape):
    """An operator that the execution provider implements."""

    op: Text = Field(description="Relu, or domain::Op.")
    types: dict[str, tuple[DTypeText, ...]] | None = Field(
        default=None, description="Element types per type constraint of the operator's schema."
    )
    models: NumberLike | None = Field(
        default=None, description="Opsets that models may use: '13', '13-20', '>=13' or '>=13,<20'."
    )
    kernel: Annotated[str, Choice(KERNELS)] | None = Field(
        default=None, description="generated (default where there is a family) or yours."
    )


class CustomAttributeShape(Shape):
    """An attribute of a custom operator."""

    type: Annotated[str, Choice(ATTRIBUTE_TYPES)]
    default: RawOrList | None = Field(default=None, description="Absent: required.")


class CustomOpShape(Shape):
    """An operator of your own, with a schema that is registered with the runtime."""

    op: Text = Field(description="domain::Op.")
    version: Int = Field(
        default=1, ge=1, le=1000, description="Version of the domain that the operator begins with."
    )
    inputs: dict[str, Text] = Field(
        default={},
        description="Type variable or element type per input; T? is optional, T* any number.",
    )
    outputs: dict[str, Text] = Field(description="Type variable or element type per output.")
    types: dict[str, tuple[DTypeText, ...]] = Field(
        default={}, description="Element types per variable."
    )
    attributes: dict[str, CustomAttributeShape] = Field(default={})
    compute: Computes | None = Field(
        default=None,
        description="Elementwise expression, or one per output; absent: a stub.",
    )
    grad: Annotated[str, Choice(GRADS)] | None = Field(
        default=None, description="auto (default where it can be derived), a stub, or none."
    )
    kernel: Annotated[str, Choice(CUSTOM_KERNELS)] | None = Field(
        default=None,
        description="generated (default with compute), yours, or elsewhere: only its schema.",
    )


class PatternShape(Shape):
    """Operators that are compiled together."""

    name: Text
    match: tuple[Text, ...] = Field(description="Operators in the order of the chain.")


class CompileShape(Shape):
    """How the compiled paradigm takes nodes."""

    drop_constants: Flag = Field(default=False, description="Let the runtime free constant inputs.")
    max_group: Int = Field(
        default=0, ge=0, le=1_000_000, description="Nodes per group; 0: no limit."
    )
    also_kernels: tuple[Text, ...] = Field(
        default=(), description="Operators also in a kernel registry."
    )
    patterns: tuple[PatternShape, ...] = ()


class OptionShape(Shape):
    """A provider option."""

    name: Text = Field(description="Key as applications write it.")
    type: Annotated[str, Choice(OPTION_TYPES)] | None = Field(
        default=None, description="Absent: follows from choices or default."
    )
    range: tuple[Raw, ...] | None = Field(
        default=None, description="[lowest, highest] of a number."
    )
    choices: tuple[Text, ...] | None = Field(default=None, description="Values of an enum.")
    default: Raw | None = Field(default=None, description="Value when the option is not set.")
    excludes: tuple[Text, ...] = Field(
        default=(), description="Options that cannot be set beside it."
    )
    dynamic: Flag = Field(
        default=False, description="Applications may change it while a session lives."
    )
    doc: Text = Field(default="", description="One sentence for users.")


class EpContextShape(Shape):
    """Compiled models (EPContext nodes)."""

    embed: Flag = False
    external: Flag = False
    share: Flag = False


class FeaturesShape(Shape):
    """Optional services of an execution provider."""

    ep_context: EpContextShape = EpContextShape.model_construct()
    weightless: Annotated[str, Choice(WEIGHTLESS)] = "none"
    custom_op_library: Annotated[str, Choice(CUSTOM_LIBRARIES)] | None = Field(
        default=None,
        description="Custom operators also as a library of their own: cpu (default), cuda, none.",
    )
    profiler: Flag = Field(default=False, description="Events of the device in profiles.")
    external_memory: Flag = Field(
        default=False, description="Memory and semaphores of other APIs as tensors and fences."
    )
    graphics_interop: Flag = Field(
        default=False, description="Streams on the queue of a graphics API."
    )
    graph_capture: Flag = Field(
        default=False, description="Record the first run on the device, then replay it."
    )
    resource_accounting: Flag = Field(
        default=False, description="Tell the runtime how much memory the device has left."
    )
    memory_capacity: Flag = Field(
        default=False, description="Tell applications how much memory a device has."
    )


class CudaShape(Shape):
    """How device code is compiled for CUDA."""

    architectures: tuple[Int, ...] = Field(
        default=(80, 90), description="Compute capabilities: 80, 90."
    )


class DistributionShape(Shape):
    """A Python distribution of the project."""

    suffix: Text = Field(default="", description="Added to the distribution's name, such as -cu13.")


class PythonShape(Shape):
    """The Python side of the project."""

    min: NumberLike = Field(default="3.11", description="Oldest Python.")
    native: Annotated[str, Choice(NATIVE)] = Field(default="none", description="Kernels for numpy.")
    distributions: tuple[DistributionShape, ...] = (DistributionShape.model_construct(),)


class TorchShape(Shape):
    """Opsets of the PyTorch exporters."""

    legacy: Int | None = None
    dynamo: Int | None = None


class OverlayShape(Shape):
    """A house style: a template laid over the result, templates in place of epforge's, or a
    header for files. One of them; a path is relative to the blueprint, or python:PACKAGE/DIR."""

    source: Text | None = Field(
        default=None, description="Directory of a copier or cookiecutter template."
    )
    templates: Text | None = Field(
        default=None, description="Directory of templates that stand in for epforge's own."
    )
    header: Text | None = Field(
        default=None, description="File with a text for the top of every file that has comments."
    )
    data: dict[str, Text] = Field(
        default={}, description="Answers to the template's questions, with source."
    )


OpEntry = Annotated[OpShape, Shorthand("op")]
VendorEntry = Annotated[VendorShape, Shorthand("name")]


class BlueprintShape(Shape):
    """A blueprint: one YAML file that epforge expands into a plugin execution provider."""

    epforge: Int = Field(ge=EDITION, le=EDITION, description="Edition of this format: 1.")
    name: Text = Field(description="Name of the project; every other name derives from it.")
    names: NamesShape = NamesShape.model_construct()
    version: NumberLike = Field(default="0.1.0", description="Semantic version of the project.")
    vendor: VendorEntry = Field(description="Vendor's name, or {name, pci_id}.")
    license: Text = Field(default="Apache-2.0", description="SPDX license identifier.")
    paradigm: Annotated[str, Choice(PARADIGMS)] = Field(
        default="kernel-registry", description="How nodes are taken: by kernel, or compiled."
    )
    ort: OrtShape = OrtShape.model_construct()
    runtime: Annotated[str, Choice(RUNTIMES)] = Field(
        default="host", description="What kernels run on."
    )
    devices: tuple[DeviceShape, ...] | None = Field(
        default=None, description="Absent: one CPU device."
    )
    cuda: CudaShape | None = Field(default=None, description="With runtime cuda.")
    memory: MemoryShape = MemoryShape.model_construct()
    types: tuple[DTypeText, ...] = Field(
        default=("float32",),
        description="Default element types of an operator's main type constraint.",
    )
    ops: tuple[OpEntry, ...] = Field(
        default=(), description="Operators: Relu, domain::Op or {op: ...}."
    )
    custom_ops: tuple[CustomOpShape, ...] = ()
    compile: CompileShape | None = None
    layout: Annotated[str, Choice(LAYOUTS)] = "NCHW"
    options: tuple[OptionShape, ...] = Field(default=(), description="Provider options.")
    features: FeaturesShape = FeaturesShape.model_construct()
    runtime_libs: tuple[Text, ...] = Field(
        default=(), description="Vendor libraries to ship beside it."
    )
    system_libs: tuple[Text, ...] = Field(
        default=(), description="Libraries that are never shipped."
    )
    python: PythonShape = PythonShape.model_construct()
    torch: TorchShape | None = None
    targets: tuple[Annotated[str, Choice(TARGETS)], ...] = Field(
        default=TARGETS, description="Platforms to build for."
    )
    overlays: tuple[OverlayShape, ...] = Field(
        default=(), description="House styles, laid over the result one after the other."
    )


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
