"""What epforge knows of an operator: its schema by version, and the kernel family behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class DType(Enum):
    """Tensor element types. Value: (ONNX name as in blueprints, TensorProto.DataType number)."""

    FLOAT32 = ("float32", 1)
    UINT8 = ("uint8", 2)
    INT8 = ("int8", 3)
    UINT16 = ("uint16", 4)
    INT16 = ("int16", 5)
    INT32 = ("int32", 6)
    INT64 = ("int64", 7)
    STRING = ("string", 8)
    BOOL = ("bool", 9)
    FLOAT16 = ("float16", 10)
    FLOAT64 = ("float64", 11)
    UINT32 = ("uint32", 12)
    UINT64 = ("uint64", 13)
    BFLOAT16 = ("bfloat16", 16)
    FLOAT8E4M3FN = ("float8e4m3fn", 17)
    FLOAT8E4M3FNUZ = ("float8e4m3fnuz", 18)
    FLOAT8E5M2 = ("float8e5m2", 19)
    FLOAT8E5M2FNUZ = ("float8e5m2fnuz", 20)
    UINT4 = ("uint4", 21)
    INT4 = ("int4", 22)
    FLOAT4E2M1 = ("float4e2m1", 23)
    FLOAT8E8M0 = ("float8e8m0", 24)
    UINT2 = ("uint2", 25)
    INT2 = ("int2", 26)

    __hash__ = object.__hash__  # an Enum's own hashes the name, in Python

    @property
    def text(self) -> str:
        """The spelling in a blueprint: ``float32``."""
        return self.value[0]

    @property
    def onnx(self) -> int:
        """The number in ``onnx.TensorProto.DataType``."""
        return self.value[1]

    @classmethod
    def parse(cls, text: str) -> DType:
        """The type spelled ``text``. Raises KeyError for an unknown one."""
        return _BY_TEXT[text]


#: The types of quantised tensors that numpy and C++ have none for: floats of a byte, and what is
#: smaller than a byte. Kernels of conversion take them; none computes in them.
SMALL = (
    DType.FLOAT8E4M3FN,
    DType.FLOAT8E4M3FNUZ,
    DType.FLOAT8E5M2,
    DType.FLOAT8E5M2FNUZ,
    DType.UINT4,
    DType.INT4,
    DType.FLOAT4E2M1,
    DType.FLOAT8E8M0,
    DType.UINT2,
    DType.INT2,
)
#: Those of which several share a byte.
PACKED = (DType.UINT4, DType.INT4, DType.FLOAT4E2M1, DType.UINT2, DType.INT2)
_BY_TEXT = {dtype.text: dtype for dtype in DType}


@dataclass(frozen=True)
class Parameter:
    """A formal input or output of an operator."""

    name: str
    type_str: str  # a constraint's name ("T") or a fixed type ("tensor(int64)")
    option: str  # "single", "optional" or "variadic"


@dataclass(frozen=True)
class Attribute:
    """An attribute of an operator."""

    name: str
    kind: str  # "int", "float", "string", "tensor", "ints", "floats", "strings", "graph", ...
    required: bool
    default: object | None = None  # int, float, str, list of those, or None


@dataclass(frozen=True)
class SchemaVersion:
    """One since-version of an operator's schema."""

    since: int
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    min_inputs: int
    max_inputs: int
    min_outputs: int
    max_outputs: int
    attributes: tuple[Attribute, ...]
    constraints: Mapping[str, tuple[str, ...]]  # "T" -> ("tensor(float)", ...)
    deprecated: bool = False


@dataclass(frozen=True)
class OpSchema:
    """An operator of a domain ("" is ai.onnx), oldest version first."""

    domain: str
    name: str
    versions: tuple[SchemaVersion, ...]


@dataclass(frozen=True)
class Value:
    """A tensor in a `Sample`.

    Args:
        data: the elements in row-major order.
        shape: of the tensor; () is a scalar.
        type: the element type, or the name of a type constraint: then the sample is run for every
            element type of the constraint that can hold the values.
    """

    data: tuple[float, ...]
    shape: tuple[int, ...]
    type: DType | str = "T"


@dataclass(frozen=True)
class Sample:
    """A call of a kernel and its result, for tests that run without ONNX Runtime.

    Args:
        inputs: by position; None is an optional input left out.
        outputs: what must come out.
        attributes: of the node: int, float, str, a tuple of int or float (not mixed), or a Value.
        since: run only for these since-versions; empty: for every one of the row.
        host_only: the kernel's device code, which has a template of its own, refuses it.
    """

    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    attributes: Mapping[str, object] = field(default_factory=dict)
    since: tuple[int, ...] = ()
    host_only: bool = False


@dataclass(frozen=True)
class FamilyRow:
    """One operator's entry in a kernel family: everything that tells it from its siblings.

    ``params`` is what the family's template needs beyond this. Strings in it are C++ that epforge
    wrote, and are printed as they are. Some keys have a meaning of their own:

    * ``support``: file names in ``src/gen/kernels/support`` that the kernel includes, directly or
      not, with the ``.cc`` files behind them,
    * ``cuda_template``: true where the device code has a template of its own, the family's name
      with ``.cu``; else the family's is compiled by nvcc as well,
    * ``cuda_support``: like ``support``, for the device code, where that is not the same,
    * ``half_support``: what it includes besides where it gets 16-bit floats or smaller types,
    * ``cuda_half_support``: like ``half_support``, for device code that has ``cuda_support``,
    * ``header``: the template of the op's header, without ``.h``, if it is not the family's own;
      ``"op"`` makes the attribute struct from the schema,
    * ``attributes``: names of those that the struct has, if it is not all of the schema's,
    * ``main``: the constraint that `k.t` means, if it is not the first of ``types``,
    * ``packs``: true where the kernel packs constant inputs (``Kernel::Pack``),
    * ``formulas``: of the family ``expression`` what is computed; it has no ``support``, which
      follows from that.
    """

    op: str
    family: str  # name of the template in templates/kernels/
    since: tuple[int, ...]  # since-versions whose semantics the kernel implements
    types: Mapping[str, tuple[DType, ...]]  # per constraint: element types the kernel can handle
    host_inputs: tuple[int, ...] = ()  # inputs read on the host (shapes, axes, sizes)
    host_outputs: tuple[int, ...] = ()
    device: bool = False  # the body also compiles as device code
    params: Mapping[str, object] = field(default_factory=dict)
    samples: tuple[Sample, ...] = ()
    domain: str = ""
    #: Constraints that the schemas of older runtimes do not have: a runtime refuses to register a
    #: kernel with them. The kernel tells from the attributes what it does not take.
    newer: tuple[str, ...] = ()
    #: The since-versions that ONNX Runtime has of the op in its domain of nodes whose channels come
    #: last (NHWC); empty where the family has no body for that layout.
    channels_last: tuple[int, ...] = ()
