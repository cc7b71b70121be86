"""Operators to build graphs of: some that the library takes, and one that it leaves to the CPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epforge.validate.worker import schema

# In the order in which they are liked: small numbers stay small, and nothing is undefined.
_BINARY = ("Mul", "Add", "Sub", "Max", "Min", "Sum", "Mean")
_UNARY = (
    "Relu", "Neg", "Abs", "Sigmoid", "Tanh", "Softsign", "Erf", "Sin", "Cos", "Atan", "Elu",
    "LeakyRelu", "HardSigmoid", "Selu", "Softplus", "Floor", "Ceil", "Identity",
)  # fmt: skip
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
    """What graphs are built of, in models of one opset.

    Args:
        unary: ops of one float32 input that the library takes.
        binary: likewise of two, with broadcasting.
        clip: does it take Clip?
        foreign: what it leaves to the CPU; None when nothing was found.
    """

    opset: int
    unary: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()
    clip: bool = False
    foreign: Foreign | None = None

    @property
    def any(self) -> bool:
        return bool(self.unary or self.binary)


def choose(claims: Sequence[Mapping[str, Any]], newest: int) -> Blocks:
    """The blocks of a library, in the opset that has most of them.

    Args:
        claims: domain, op, since and types of what it takes.
        newest: highest opset of the runtime.
    """
    opsets = [_USUAL_OPSET, *range(newest, _OLDEST_OPSET - 1, -1)]
    found = [_blocks(claims, opset) for opset in opsets if opset <= newest]
    return max(found, key=lambda b: (bool(b.binary), bool(b.unary), b.clip))


def _blocks(claims: Sequence[Mapping[str, Any]], opset: int) -> Blocks:
    taken = set(_taken(claims, opset))
    return Blocks(
        opset=opset,
        unary=tuple(op for op in _UNARY if op in taken),
        binary=tuple(op for op in _BINARY if op in taken),
        clip="Clip" in taken,
    )


def _taken(claims: Sequence[Mapping[str, Any]], opset: int) -> Iterator[str]:
    """Ops of ai.onnx that are claimed for float32 in the version that ``opset`` has."""
    for claim in claims:
        types = claim["types"]
        if claim["domain"] or not types or not all("float32" in t for t in types.values()):
            continue
        versions = [v for v in schema.versions("", claim["op"]) if v <= opset]
        if versions and versions[-1] == claim["since"]:
            yield str(claim["op"])
