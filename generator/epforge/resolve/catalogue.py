"""The catalogue: what epforge has for each operator that it knows the schema of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from epforge.ops import control_flow, families, schemas
from epforge.ops.model import FamilyRow, OpSchema, SchemaVersion
from epforge.resolve.optypes import (
    Types,
    allowed_types,
    beyond_tensors,
    schema_types,
    versions_of_stub,
)

#: Operators that never reach an execution provider, and why.
_NEVER_REACHED: Mapping[tuple[str, str], str] = {
    ("", "Constant"): "ONNX Runtime turns its nodes into initializers before it asks a provider",
    ("com.microsoft", "EPContext"): "it holds what a provider has compiled, see docs/compiling.md",
}


class Status(StrEnum):
    """What there is for an operator."""

    IMPLEMENTED = "implemented"  # a generated kernel
    STUB = "stub"  # a typed stub, to be written by the project's owner
    IMPOSSIBLE = "impossible"  # nothing, for a reason


@dataclass(frozen=True)
class Version:
    """A since-version of an operator.

    Args:
        since: the opset that brought it.
        done: is there a generated kernel for it?
        types: per constraint, the element types that the kernel takes; of a version without a
            kernel, those of the schema.
        lacking: per constraint, the element types of the schema that the kernel does not take.
    """

    since: int
    done: bool
    types: Types
    lacking: Types


@dataclass(frozen=True)
class Entry:
    """An operator in the catalogue.

    Args:
        domain: "" is ai.onnx.
        family: of its kernel; empty without one.
        device: does the kernel's body compile as device code, too?
        reason: why it is not implemented; empty if it is.
    """

    domain: str
    op: str
    status: Status
    family: str
    device: bool
    versions: tuple[Version, ...]
    reason: str

    @property
    def name(self) -> str:
        """Relu, or com.microsoft::BiasGelu."""
        return f"{self.domain}::{self.op}" if self.domain else self.op

    @property
    def done(self) -> tuple[int, ...]:
        """The since-versions with a kernel."""
        return tuple(version.since for version in self.versions if version.done)

    def version_of(self, opset: int) -> Version | None:
        """The version that models of an opset of the operator's domain use."""
        older = [version for version in self.versions if version.since <= opset]
        return older[-1] if older else None


def entry(domain: str, op: str) -> Entry | None:
    """What there is for an operator; None when no schema of it is known.

    Args:
        domain: "" for ai.onnx, or a domain such as "com.microsoft".
        op: as spelled in a model.
    """
    schema = schemas.find(domain, op)
    return _entry(schema) if schema is not None else None


def entries(domain: str | None = None) -> Iterator[Entry]:
    """All operators of a domain, or of all domains, sorted by domain and name."""
    for each in schemas.domains() if domain is None else (domain,):
        for op in schemas.names(each):
            found = entry(each, op)
            if found is not None:
                yield found


def _entry(schema: OpSchema) -> Entry:
    row = families.row(schema.domain, schema.name) or control_flow.row(schema.domain, schema.name)
    live = [version for version in schema.versions if not version.deprecated]
    reason = "" if row is not None else _impossible(schema, live)
    status = Status.STUB
    if row is not None:
        status = Status.IMPLEMENTED
    elif reason:
        status = Status.IMPOSSIBLE
    else:
        reason = "no kernel family has it"
    return Entry(
        domain=schema.domain,
        op=schema.name,
        status=status,
        family=row.family if row else "",
        device=row.device if row else False,
        versions=tuple(_version(version, row) for version in live),
        reason=reason,
    )


def _impossible(schema: OpSchema, live: list[SchemaVersion]) -> str:
    """Why there cannot even be a stub, or empty."""
    if (schema.domain, schema.name) in _NEVER_REACHED:
        return _NEVER_REACHED[schema.domain, schema.name]
    if not live:
        return f"deprecated since opset {schema.versions[-1].since}"
    what = next(filter(None, map(beyond_tensors, versions_of_stub(live))), None)
    return f"{what} are beyond the kernel interface" if what else ""


def _version(version: SchemaVersion, row: FamilyRow | None) -> Version:
    done = row is not None and version.since in row.since
    types = allowed_types(version, row if done else None)
    lacking = {}
    for constraint in version.constraints:
        rest = [t for t in schema_types(version, constraint) if t not in types.get(constraint, ())]
        if done and rest:
            lacking[constraint] = tuple(rest)
    return Version(version.since, done, types, lacking)
