"""Operators to build graphs of: some that the library takes, and one that it leaves to the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from epforge.validate.worker import schema

# In the order in which they are liked: small numbers stay small, and nothing is undefined.
_BINARY = ("Mul", "Add", "Sub", "Max", "Min", "Sum", "Mean")
_UNARY = (
    "Relu", "Neg", "Abs", "Sigmoid", "Tanh", "Softsign", "Erf", "Sin", "Cos", "Atan", "Elu",
    "LeakyRelu", "HardSigmoid", "Selu", "Softplus", "Floor", "Ceil", "Identity",
)  # fmt: skip
#: The element types that graphs may be in, the usual one first.
TYPES = ("float32", "float64", "float16", "int32", "int64", "int8", "uint8")
# What chains are not drawn of: small integers would overflow, and the CPU computes a float16 as a
# float32, which may be rounded to another whole number.
_GROWING = frozenset({"Mul", "Add", "Sub", "Sum", "Mean"})
_LEFT_OUT = {"int8": _GROWING, "uint8": _GROWING, "float16": frozenset({"Floor", "Ceil"})}
NONE = f"takes no op to build graphs of, such as Relu or Max in {', '.join(TYPES)}"
_USUAL_OPSET = 17
_OLDEST_OPSET = 13


@dataclass(frozen=True)
class Foreign:
    """A node that keeps the shape of its input, whatever that is.

    Args:
        constants: further inputs: (name, value).
    """

    op: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    constants: tuple[tuple[str, int], ...] = ()


# What the CPU computes and a library may well not.
FOREIGN = (
    *(Foreign(op) for op in ("Sin", "Cos", "Erf", "Softsign", "Tanh", "Floor", "Sign", "Neg")),
    Foreign("Dropout"),
    Foreign("CumSum", constants=(("axis", 0),)),
    Foreign("Trilu"),
    Foreign("Einsum", {"equation": "...->..."}),
)


@dataclass(frozen=True)
class Blocks:
    """What graphs are built of, in models of one opset and one element type.

    Args:
        unary: ops of one input that the library takes.
        binary: likewise of two, with broadcasting.
        clip: does it take Clip?
        foreign: what it leaves to the CPU; None when nothing was found.
        dtype: the element type, one of `TYPES`.
    """

    opset: int
    unary: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()
    clip: bool = False
    foreign: Foreign | None = None
    dtype: str = TYPES[0]

    @property
    def any(self) -> bool:
        return bool(self.unary or self.binary)


def choose(
    claims: Sequence[Mapping[str, Any]],
    newest: int,
    computed: Callable[[Blocks, str], bool] = lambda blocks, op: True,
) -> Blocks:
    """The blocks of a library: in the first element type in which it has any, and in the opset that
    has most of them.

    Args:
        claims: domain, op, since and types of what it takes.
        newest: highest opset of the runtime.
        computed: whether the CPU computes an op of some blocks, too; in float32 it does all.
    """
    opsets = [_USUAL_OPSET, *range(newest, _OLDEST_OPSET - 1, -1)]
    for dtype in TYPES:
        found = [_blocks(claims, opset, dtype) for opset in opsets if opset <= newest]
        best = max(found, key=lambda b: (bool(b.binary), bool(b.unary), b.clip))
        if dtype != TYPES[0]:
            best = _limited(best, computed)
        if best.any:
            return best
    return Blocks(next(opset for opset in opsets if opset <= newest))


def _limited(blocks: Blocks, computed: Callable[[Blocks, str], bool]) -> Blocks:
    return replace(
        blocks,
        unary=tuple(op for op in blocks.unary if computed(blocks, op)),
        binary=tuple(op for op in blocks.binary if computed(blocks, op)),
        clip=blocks.clip and computed(blocks, "Clip"),
    )


def _blocks(claims: Sequence[Mapping[str, Any]], opset: int, dtype: str) -> Blocks:
    taken = set(_taken(claims, opset, dtype)) - _LEFT_OUT.get(dtype, frozenset())
    return Blocks(
        opset=opset,
        unary=tuple(op for op in _UNARY if op in taken),
        binary=tuple(op for op in _BINARY if op in taken),
        clip="Clip" in taken,
        dtype=dtype,
    )


def _taken(claims: Sequence[Mapping[str, Any]], opset: int, dtype: str) -> Iterator[str]:
    """Ops of ai.onnx that are claimed for a type in the version that ``opset`` has."""
    for claim in claims:
        types = claim["types"]
        if claim["domain"] or not types or not all(dtype in t for t in types.values()):
            continue
        versions = [v for v in schema.versions("", claim["op"]) if v <= opset]
        if versions and versions[-1] == claim["since"]:
            yield str(claim["op"])
