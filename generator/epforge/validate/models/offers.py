"""What libraries offer a model: the ops of their own domains, by their manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from epforge.errors import UsageError
from epforge.validate.models.facts import label
from epforge.validate.static import Kind

ELSEWHERE = "elsewhere"
_CALLS = {
    Kind.PLUGIN_EP: "onnxruntime.register_execution_provider_library(name, path), and add its "
    "devices to the session's options",
    Kind.CUSTOM_OPS: "SessionOptions.register_custom_ops_library(path)",
}


@dataclass(frozen=True)
class Parameter:
    """An input or output of an op: `type` is a type variable or an element type."""

    name: str
    type: str
    option: str = "single"  # "single", "optional", "variadic"


@dataclass(frozen=True)
class Attribute:
    """An attribute of an op; `kind` as models spell it: int, float, string, ints, tensor, ..."""

    name: str
    kind: str
    required: bool


@dataclass(frozen=True)
class OpOffer:
    """One version of an op.

    Args:
        version: the version of the domain that it begins with.
        types: the element types of each type variable.
        elsewhere: the library has the schema alone; another one computes it.
    """

    domain: str
    op: str
    version: int = 1
    inputs: tuple[Parameter, ...] = ()
    outputs: tuple[Parameter, ...] = ()
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: tuple[Attribute, ...] = ()
    elsewhere: bool = False

    @property
    def label(self) -> str:
        return label(self.domain, self.op)

    def accepts(self, parameter: Parameter) -> tuple[str, ...]:
        """The element types that a parameter takes."""
        return self.types.get(parameter.type, (parameter.type,))


@dataclass(frozen=True)
class Offer:
    """A library: one that the application registers, or one that it could.

    Args:
        file: what it is called.
        kind: PLUGIN_EP or CUSTOM_OPS.
        ep: name of its execution provider; empty when it is not known or it has none.
        given: does the application register it?
        known: is there a manifest? Without one it may offer anything.
    """

    file: str
    kind: Kind
    ep: str = ""
    ops: tuple[OpOffer, ...] = ()
    given: bool = True
    known: bool = True

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(op.domain for op in self.ops))

    def versions(self, domain: str, op: str) -> tuple[OpOffer, ...]:
        """The versions of an op, the oldest first; none if it is not offered."""
        found = [each for each in self.ops if (each.domain, each.op) == (domain, op)]
        return tuple(sorted(found, key=lambda each: each.version))

    def computes(self, domain: str, op: str) -> bool:
        """Has it a kernel of an op, and not only the schema?"""
        return any(not each.elsewhere for each in self.versions(domain, op))

    @property
    def cure(self) -> str:
        """How an application registers it."""
        return f"register {self.file} with {_CALLS[self.kind]}"

    @property
    def what(self) -> str:
        """Its kind, in words."""
        return f"plugin EP {self.ep}".rstrip() if self.kind is Kind.PLUGIN_EP else str(self.kind)


def offer(data: Mapping[str, Any], kind: Kind, file: str, place: str, *, given: bool) -> Offer:
    """What the library of a manifest offers.

    Args:
        data: the manifest.
        kind: which of its libraries: PLUGIN_EP or CUSTOM_OPS.
        file: what the library is called.
        place: of the manifest, for errors.

    Raises UsageError for a manifest that is malformed.
    """
    try:
        ops = tuple(_op(item) for item in data.get("custom_ops", ()))
        ep = str(data["ep"]) if kind is Kind.PLUGIN_EP else ""
    except KeyError as error:
        raise UsageError(f"{place}: the manifest lacks the key {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{place}: the manifest is malformed: {error}") from error
    return Offer(file, kind, ep, ops, given)


def _op(item: Mapping[str, Any]) -> OpOffer:
    return OpOffer(
        domain=str(item["domain"]),
        op=str(item["op"]),
        version=int(item["version"]),
        inputs=tuple(_parameter(each) for each in item["inputs"]),
        outputs=tuple(_parameter(each) for each in item["outputs"]),
        types={str(name): tuple(map(str, types)) for name, types in item["types"].items()},
        attributes=tuple(_attribute(each) for each in item["attributes"]),
        elsewhere=item["kernel"] == ELSEWHERE,
    )


def _parameter(item: Mapping[str, Any]) -> Parameter:
    return Parameter(str(item["name"]), str(item["type"]), str(item.get("option", "single")))


def _attribute(item: Mapping[str, Any]) -> Attribute:
    kind = "int" if item["type"] == "bool" else str(item["type"])
    return Attribute(str(item["name"]), kind, bool(item["required"]))
