"""The shape of a blueprint, edition 1: which keys there are and what type each value has.

What the values mean together (names, opsets, excluded options, ...) is the business of `resolve`.
The docstrings and descriptions here become the JSON Schema that editors show, and the reference.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from epforge.blueprint import words
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
    read_int,
)

#: The edition of the format that this version of epforge reads.
EDITION = 1

DTypeText = Annotated[str, Choice(words.TYPES)]
U32 = Annotated[int, Field(ge=0, le=0xFFFFFFFF), BeforeValidator(read_int)]


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

    vendor_id: U32 | None = Field(default=None, description="PCI vendor id of the hardware.")
    device_ids: tuple[U32, ...] = Field(
        default=(), description="PCI device ids of the hardware; empty for any."
    )
    metadata: dict[str, Text] = Field(
        default={}, description="Entries the hardware device must have."
    )


class DeviceShape(Shape):
    """A device that the execution provider offers."""

    name: Text = Field(description="Short name, unique in the project.")
    type: Annotated[str, Choice(words.DEVICE_TYPES)] = Field(
        description="Kind of hardware that it is."
    )
    match: MatchShape = Field(
        default=MatchShape.model_construct(),
        description="Which hardware it is; nothing in it matches all of its type.",
    )
    virtual: Annotated[str, Choice(words.VIRTUAL)] = Field(
        default="never",
        description="allowed: offered under a registration name that ends in .virtual.",
    )
    ep: Text | None = Field(
        default=None, description="Execution provider that offers it; absent: the library's own."
    )
    software: Annotated[str, Choice(words.SOFTWARE)] = Field(
        default="never",
        description="allowed: the machine's CPU stands in where the application asks for that.",
    )
    metadata: dict[str, Text] = Field(default={}, description="Entries shown to applications.")


class MemoryShape(Shape):
    """Memory of the device. `none` is the CPU's own memory."""

    default: Annotated[str, Choice(words.MEMORY_KINDS)] = Field(
        default="none", description="Memory of tensors; the other kinds need it."
    )
    host_accessible: Annotated[str, Choice(words.MEMORY_KINDS)] = Field(
        default="none", description="Memory that host and device share."
    )
    read_only: Annotated[str, Choice(words.MEMORY_KINDS)] = Field(
        default="none", description="Memory of initializers."
    )
    streams: Flag = Field(default=False, description="Work goes into queues beside the host.")


class OpShape(Shape):
    """An operator that the execution provider implements."""

    op: Text = Field(description="Its name: Relu, or domain::Op.")
    types: dict[str, tuple[DTypeText, ...]] | None = Field(
        default=None, description="Element types per type constraint of the operator's schema."
    )
    models: NumberLike | None = Field(
        default=None, description="Opsets that models may use: '13', '13-20', '>=13' or '>=13,<20'."
    )
    kernel: Annotated[str, Choice(words.KERNELS)] | None = Field(
        default=None, description="generated (default where there is a family) or yours."
    )


class CustomAttributeShape(Shape):
    """An attribute of a custom operator."""

    type: Annotated[str, Choice(words.ATTRIBUTE_TYPES)] = Field(description="Type of its value.")
    default: RawOrList | None = Field(
        default=None, description="Value where a node has none; absent: nodes must have one."
    )


class CustomOpShape(Shape):
    """An operator of your own, with a schema that is registered with the runtime."""

    op: Text = Field(description="Its name, with a domain of yours: domain::Op.")
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
    attributes: dict[str, CustomAttributeShape] = Field(
        default={}, description="Its attributes, by name."
    )
    compute: Computes | None = Field(
        default=None,
        description="Elementwise expression, or one per output; absent: a stub.",
    )
    grad: Annotated[str, Choice(words.GRADS)] | None = Field(
        default=None, description="auto (default where it can be derived), a stub, or none."
    )
    kernel: Annotated[str, Choice(words.CUSTOM_KERNELS)] | None = Field(
        default=None,
        description="generated (default with compute), yours, or elsewhere: only its schema.",
    )


class PatternShape(Shape):
    """Operators that are compiled together."""

    name: Text = Field(description="Name of the pattern, for the code that compiles it.")
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
    patterns: tuple[PatternShape, ...] = Field(
        default=(), description="Chains of operators that stay in one group."
    )


class OptionShape(Shape):
    """A provider option."""

    name: Text = Field(description="Key as applications write it.")
    type: Annotated[str, Choice(words.OPTION_TYPES)] | None = Field(
        default=None, description="Type of its value; absent: follows from choices or default."
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

    embed: Flag = Field(default=False, description="What was compiled can lie in the model.")
    external: Flag = Field(default=False, description="It can lie in a file beside the model.")
    share: Flag = Field(default=False, description="Several models can share one such file.")


class FeaturesShape(Shape):
    """Optional services of an execution provider."""

    ep_context: EpContextShape = Field(
        default=EpContextShape.model_construct(), description="How compiled models are saved."
    )
    weightless: Annotated[str, Choice(words.WEIGHTLESS)] = Field(
        default="none", description="Which weights compiled models can do without."
    )
    custom_op_library: Annotated[str, Choice(words.CUSTOM_LIBRARIES)] | None = Field(
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
        default=(80, 90),
        description="Compute capabilities that device code is compiled for: 80 is 8.0.",
    )


class DistributionShape(Shape):
    """A Python distribution of the project."""

    suffix: Text = Field(default="", description="Added to the distribution's name, such as -cu13.")


class PythonShape(Shape):
    """The Python side of the project."""

    min: NumberLike = Field(default="3.11", description="Oldest Python that is supported.")
    native: Annotated[str, Choice(words.NATIVE)] = Field(
        default="none", description="separate: the kernels for NumPy, as a package of their own."
    )
    distributions: tuple[DistributionShape, ...] = Field(
        default=(DistributionShape.model_construct(),),
        description="Names under which the wheel is published.",
    )


class TorchShape(Shape):
    """Opsets of the PyTorch exporters."""

    legacy: Int | None = Field(default=None, description="Opset of the exporter of TorchScript.")
    dynamo: Int | None = Field(default=None, description="Opset of the exporter of torch.export.")


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
    names: NamesShape = Field(
        default=NamesShape.model_construct(),
        description="Names that the project's own does not fit.",
    )
    version: NumberLike = Field(default="0.1.0", description="Semantic version of the project.")
    vendor: VendorEntry = Field(description="Vendor's name, or {name, pci_id}.")
    license: Text = Field(default="Apache-2.0", description="SPDX license identifier.")
    paradigm: Annotated[str, Choice(words.PARADIGMS)] = Field(
        default="kernel-registry",
        description="How nodes are taken: one by one, compiled in groups, or for a virtual device.",
    )
    ort: OrtShape = Field(
        default=OrtShape.model_construct(),
        description="Which releases of ONNX Runtime the plugin is for.",
    )
    runtime: Annotated[str, Choice(words.RUNTIMES)] = Field(
        default="host",
        description="What kernels run on: a simulated device, CUDA, or a stub of yours.",
    )
    devices: tuple[DeviceShape, ...] | None = Field(
        default=None,
        description="Devices that it offers, the first match wins; absent: one CPU of any vendor, "
        "or a virtual NPU for paradigm virtual.",
    )
    cuda: CudaShape | None = Field(
        default=None, description="How device code is compiled, with runtime cuda."
    )
    memory: MemoryShape = Field(
        default=MemoryShape.model_construct(),
        description="Memory of the device, by use; none is the CPU's own.",
    )
    types: tuple[DTypeText, ...] = Field(
        default=("float32",),
        description="Default element types of an operator's main type constraint.",
    )
    ops: tuple[OpEntry, ...] = Field(
        default=(), description="Operators that it implements: Relu, domain::Op or {op: ...}."
    )
    custom_ops: tuple[CustomOpShape, ...] = Field(
        default=(), description="Operators of your own, with their schemas."
    )
    compile: CompileShape | None = Field(
        default=None, description="How nodes are taken, with paradigm compiled or virtual."
    )
    layout: Annotated[str, Choice(words.LAYOUTS)] = Field(
        default="NCHW", description="Data layout that the device prefers."
    )
    options: tuple[OptionShape, ...] = Field(
        default=(), description="Provider options that applications can set."
    )
    features: FeaturesShape = Field(
        default=FeaturesShape.model_construct(),
        description="Optional services, each only where it is asked for.",
    )
    runtime_libs: tuple[Text, ...] = Field(
        default=(), description="Vendor's libraries to ship beside the plugin."
    )
    system_libs: tuple[Text, ...] = Field(
        default=(), description="Libraries that are never shipped: the system has them."
    )
    python: PythonShape = Field(
        default=PythonShape.model_construct(), description="The Python packages of the project."
    )
    torch: TorchShape | None = Field(
        default=None, description="A PyTorch package of the custom operators."
    )
    targets: tuple[Annotated[str, Choice(words.TARGETS)], ...] = Field(
        default=words.TARGETS, description="Platforms to build for."
    )
    overlays: tuple[OverlayShape, ...] = Field(
        default=(), description="House styles, laid over the result one after the other."
    )
