"""What a kernel's template sees of its op: ready names, types and C++ expressions."""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epforge.literals import cpp_string
from epforge.names import Identifier, Name, Safe
from epforge.ops.model import SMALL, Attribute, DType
from epforge.plan.once import once
from epforge.resolve.model import KernelSource, Op
from epforge.resolve.optypes import HALVES

if TYPE_CHECKING:
    from epforge.plan.expression_view import ExpressionView

#: Inputs and outputs that a mask can name.
MASK_BITS = 64
#: Inputs that the kernels of ONNX's own operators broadcast against each other.
ORDINARY_OPERANDS = 3

_CPP_TYPES = {
    DType.FLOAT32: "float",
    DType.FLOAT64: "double",
    DType.INT8: "int8_t",
    DType.INT16: "int16_t",
    DType.INT32: "int32_t",
    DType.INT64: "int64_t",
    DType.UINT8: "uint8_t",
    DType.UINT16: "uint16_t",
    DType.UINT32: "uint32_t",
    DType.UINT64: "uint64_t",
    DType.BOOL: "bool",
    DType.STRING: "std::string",
    DType.FLOAT16: "uint16_t",  # the bits: C++17 has no type for it
    DType.BFLOAT16: "uint16_t",
    **dict.fromkeys(SMALL, "uint8_t"),
}
#: Kinds of attributes that `Node::Get` reads, and the C++ type of each.
_ATTRIBUTE_TYPES = {
    "int": "int64_t",
    "float": "float",
    "string": "std::string",
    "ints": "std::vector<int64_t>",
    "floats": "std::vector<float>",
    "strings": "std::vector<std::string>",
    "bool": "bool",
    "tensor": "TensorValue",
}
#: Standard headers, by what they declare of the above.
_STD_HEADERS = (
    ("int64_t", "cstdint"),
    ("std::numeric_limits", "limits"),
    ("std::string", "string"),
    ("std::vector", "vector"),
)
_LARGEST_FLOAT = (2.0 - 2.0**-23) * 2.0**127
#: Attributes' names that C++ has taken.
_KEYWORDS = frozenset(
    """
    and auto bool break case char class const default delete do double else enum export float
    for if int long new not operator or private public register return short signed static
    struct switch template this throw try typename union unsigned using virtual void while xor
    attrs node found
    """.split()  # noqa: SIM905 (a list of sixty strings reads worse)
)


@dataclass(frozen=True)
class TypeView:
    """An element type: ``kFloat32`` of ``DType``, ``float``. Unpacks to the two."""

    enumerator: Identifier
    cpp: Safe

    def __iter__(self) -> Iterator[Safe | Identifier]:
        return iter((self.enumerator, self.cpp))


@dataclass(frozen=True)
class AttributeView:
    """A member of the struct of attributes.

    Args:
        key: the attribute's name in a model.
        name: of the member.
        cpp: its type.
        default: its initialiser; empty for a type that is empty by itself.
        required: an absent one refuses the node.
        has: a second member that tells whether the attribute is there, where no value can.
    """

    key: str
    name: Identifier
    cpp: Safe
    default: Safe
    required: bool
    has: Identifier | None


@dataclass(frozen=True)
class KernelView:
    """An op as its templates see it.

    Args:
        op: a C++ name for it: ``Relu``, ``ComMicrosoftBiasGelu``.
        label: what people call it: ``Relu``, ``com.microsoft::BiasGelu``.
        attrs: the struct of attributes: ``ReluAttrs``.
        stem: of its files: ``relu``.
        header: as it is included: ``gen/kernels/relu.h``.
        about: one sentence on which versions and types there are.
        types: per constraint, the element types that the kernel computes in, over all versions:
            those that the project asks for, with float32 in the place of 16-bit floats that are
            converted.
        t: those of the main constraint.
        p: the family's parameters; strings in it are C++ of ours.
        since: the versions that the project registers, oldest first.
        attributes: what `read` reads.
        unread: attributes of kinds that `Node` does not read (graphs, types).
        inputs: (name, option) of the newest version's inputs.
        outputs: likewise.
        host_inputs: a mask of the inputs that are read on the host.
        yours: whether the files belong to the project's owner.
        ready: whether the library offers the op from the start.
        expression: the functions of an op that an expression computes.
        custom: whether the op is the project's own.
    """

    op: Identifier
    label: str
    attrs: Identifier
    stem: Identifier
    header: Safe
    about: str
    types: Mapping[str, tuple[TypeView, ...]]
    t: tuple[TypeView, ...]
    p: Mapping[str, object]
    since: tuple[int, ...]
    attributes: tuple[AttributeView, ...]
    unread: tuple[Attribute, ...]
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]
    host_inputs: Safe
    yours: bool
    ready: bool
    expression: ExpressionView | None
    custom: bool

    @property
    def function_header(self) -> Safe:
        """The header of what `expression` describes."""
        return Safe(f"{self.header.removesuffix('.h')}_function.h")

    @property
    def base(self) -> Mapping[str, object] | None:
        """Of a kernel for tensors whose channels come last, the struct and the header of the kernel
        that reads nodes for it."""
        found = self.p.get("base")
        return found if isinstance(found, Mapping) else None

    @property
    def cuda_header(self) -> Safe:
        """The header of the op's kernel for ONNX Runtime's CUDA execution provider."""
        return Safe(f"{self.header.removesuffix('.h')}_cuda.h")

    @property
    def cuda_support(self) -> tuple[str, ...]:
        """The same for the kernel's device code."""
        listed = self.p.get("cuda_support")
        if not isinstance(listed, tuple):
            return self.support
        halves = self.p.get("cuda_half_support", ()) if self.converts else ()
        assert isinstance(halves, tuple)
        return (*map(str, listed), *halves)

    @property
    def support(self) -> tuple[str, ...]:
        """The files in ``src/gen/kernels/support`` that the kernel needs, directly or not."""
        if self.expression is not None:
            return self.expression.support
        listed = self.p.get("support", ())
        assert isinstance(listed, tuple)
        return (*listed, *self._half_support)

    @property
    def halves(self) -> bool:
        """Does the kernel itself get 16-bit floats?"""
        return any(view.enumerator in map(enumerator, HALVES) for view in self.t)

    @property
    def converts(self) -> bool:
        """Are there types among the kernel's that C++ has only the bits of?"""
        bits = set(map(enumerator, (*HALVES, *SMALL)))
        return any(view.enumerator in bits for group in self.types.values() for view in group)

    @property
    def _half_support(self) -> tuple[str, ...]:
        listed = self.p.get("half_support", ()) if self.converts else ()
        assert isinstance(listed, tuple)
        return listed

    @property
    def by_size(self) -> tuple[tuple[Safe, tuple[Identifier, ...]], ...]:
        """``t`` grouped by the bytes of an element, for kernels that only move elements.

        Each group is an unsigned type of that size and the enumerators that it stands for.
        """
        groups: dict[Safe, list[Identifier]] = {}
        for view in self.t:
            groups.setdefault(_carrier(view.cpp), []).append(view.enumerator)
        return tuple((carrier, tuple(groups[carrier])) for carrier in sorted(groups, key=_bits))

    @property
    def std_headers(self) -> tuple[Safe, ...]:
        """The standard headers that a struct of all attributes needs."""
        mentioned = " ".join(f"{a.cpp} {a.default}" for a in self.attributes)
        return tuple(Safe(header) for cpp, header in _STD_HEADERS if cpp in mentioned)

    def members(self, prefix: str) -> Safe:
        """The members one after another, for an initialiser list: ``attrs.alpha, attrs.beta``."""
        return Safe(", ".join(f"{prefix}{attribute.name}" for attribute in self.attributes))


def mask(positions: tuple[int, ...]) -> Safe:
    """Positions as the bits of a C++ number; those that 64 bits do not hold are left out."""
    return Safe(hex(sum(1 << i for i in positions if i < MASK_BITS)) if positions else "0")


def _carrier(cpp: str) -> Safe:
    bits = {"bool": 8, "float": 32, "double": 64}.get(cpp) or _bits(cpp)
    return Safe(f"uint{bits}_t")


def _bits(cpp: str) -> int:
    """The digits in ``uint16_t``."""
    return int("".join(filter(str.isdigit, cpp)))


@once
def kernel_view(op: Op) -> KernelView:
    """What the templates of ``op`` get as ``k``."""
    types = _types(op)
    main = op.row.params.get("main") if op.row else None
    key = str(main) if main else next(iter(op.row.types if op.row else types), "")
    if op.row and not main:
        key = next((name for name in op.row.types if name in types), key)
    name = Identifier(op.op) if not op.domain else op.name.camel
    yours = op.kernel is KernelSource.YOURS
    newest = op.versions[-1].schema
    kept = op.row.params.get("attributes") if op.row else None
    wanted = [a for a in op.attributes if not isinstance(kept, tuple) or a.name in kept]
    attributes = tuple(_attribute(a) for a in wanted if a.kind in _ATTRIBUTE_TYPES)
    return KernelView(
        op=name,
        label=f"{op.domain}::{op.op}" if op.domain else op.op,
        attrs=Identifier(f"{name}Attrs"),
        stem=op.name.snake,
        header=Safe(f"{'kernels' if yours else 'gen/kernels'}/{op.name.snake}.h"),
        about=_about(op, types),
        types={constraint: tuple(map(type_view, group)) for constraint, group in types.items()},
        t=tuple(map(type_view, types.get(key, ()))),
        p=_wrapped(op.row.params) if op.row else {},
        since=tuple(version.schema.since for version in op.versions),
        attributes=attributes,
        unread=tuple(a for a in wanted if a.kind not in _ATTRIBUTE_TYPES),
        inputs=tuple((p.name, p.option) for p in newest.inputs),
        outputs=tuple((p.name, p.option) for p in newest.outputs),
        host_inputs=mask(op.row.host_inputs if op.row else ()),
        yours=yours,
        ready=not yours or op.row is not None,
        expression=_expression(op, name, types, attributes),
        custom=op.custom is not None,
    )


def _expression(
    op: Op,
    name: Identifier,
    types: Mapping[str, tuple[DType, ...]],
    attributes: tuple[AttributeView, ...],
) -> ExpressionView | None:
    formulas = op.row.params.get("formulas") if op.row else None
    if formulas is None:
        return None
    # The language of expressions is imported by projects that use it.
    from epforge.ops.families._expression import Formulas
    from epforge.plan.expression_view import expression_view

    assert isinstance(formulas, Formulas)
    members = {attribute.key: attribute.name for attribute in attributes}
    cpp = {dtype: (enumerator(dtype), Safe(_CPP_TYPES[dtype])) for dtype in DType}
    return expression_view(formulas, name, types, members, cpp)


@functools.cache
def type_view(dtype: DType) -> TypeView:
    """``dtype`` in C++."""
    return TypeView(enumerator(dtype), Safe(_CPP_TYPES[dtype]))


@functools.cache
def enumerator(dtype: DType) -> Identifier:
    """The enumerator of ``DType`` in C++: kFloat32."""
    return Identifier(f"k{Name((dtype.text,)).camel}")


def _types(op: Op) -> dict[str, tuple[DType, ...]]:
    """Per constraint, the union over the versions, in the order of `DType`."""
    found: dict[str, set[DType]] = {}
    for version in op.versions:
        for constraint, group in version.types.items():
            found.setdefault(constraint, set()).update(group)
        for constraint in op.widened(version):
            found[constraint] = found[constraint] - set(HALVES) | {DType.FLOAT32}
    return {name: tuple(d for d in DType if d in group) for name, group in found.items()}


def _about(op: Op, types: Mapping[str, tuple[DType, ...]]) -> str:
    *older, newest = [str(version.schema.since) for version in op.versions]
    versions = f"{', '.join(older)} and {newest}" if older else newest
    domain = op.domain or "ai.onnx"
    return f"{op.op} of {domain}, version{'s' if older else ''} {versions}."


def _attribute(attribute: Attribute) -> AttributeView:
    key = attribute.name
    loud = len(key) > 2 and key.upper() == key  # may be a macro
    name = Identifier(f"{key}_value" if key in _KEYWORDS or loud else key)
    unknowable = attribute.default is None and attribute.kind in ("int", "float", "bool")
    return AttributeView(
        key=key,
        name=name,
        cpp=Safe(_ATTRIBUTE_TYPES[attribute.kind]),
        default=Safe(_default(attribute)),
        required=attribute.required,
        has=Identifier(f"has_{name}") if unknowable and not attribute.required else None,
    )


def _default(attribute: Attribute) -> str:
    value = attribute.default
    if value is None:
        return {"int": "0", "float": "0.0f", "bool": "false"}.get(attribute.kind, "")
    if isinstance(value, list):
        return f"{{{', '.join(_literal(item) for item in value)}}}" if value else ""
    return _literal(value)


def _literal(value: object) -> str:
    """The C++ literal of a schema's default."""
    if isinstance(value, str):
        return cpp_string(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _float(value)
    # There is no literal for the smallest number: -9223372036854775808 negates one too large.
    return "-9223372036854775807 - 1" if value == -(2**63) else str(value)


def _float(value: float) -> str:
    """A C++ literal of type float."""
    if value != value:
        return "std::numeric_limits<float>::quiet_NaN()"
    if abs(value) > _LARGEST_FLOAT:
        return f"{'-' if value < 0 else ''}std::numeric_limits<float>::infinity()"
    # Compilers warn of a number that is too small for the type.
    (held,) = struct.unpack("f", struct.pack("f", value))
    return f"{value if held else held!r}f"


def _wrapped(value: object) -> Mapping[str, object]:
    wrapped = _wrap(value)
    assert isinstance(wrapped, Mapping)
    return wrapped


def _wrap(value: object) -> object:
    """Marks the strings of a family's parameters as code of ours."""
    if isinstance(value, str):
        return Safe(value)
    if isinstance(value, Mapping):
        return {name: _wrap(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_wrap(item) for item in value)
    return value
