"""Which operators models need, and what of that a blueprint can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from epforge.ops import schemas
from epforge.ops.model import DType, Parameter, SchemaVersion
from epforge.resolve.catalogue import Entry, Status, entry


@dataclass(frozen=True)
class Use:
    """Nodes of a model that are alike.

    Args:
        domain: "" is ai.onnx.
        version: of the domain, as the model imports it; None if it does not.
        inputs: element types as blueprints spell them; "" is unknown, None an input left out.
        outputs: the same.
        count: of the nodes.
    """

    domain: str
    op: str
    version: int | None
    inputs: tuple[str | None, ...]
    outputs: tuple[str | None, ...]
    count: int


@dataclass(frozen=True)
class Wanted:
    """An operator that models need.

    Args:
        domain: "" is ai.onnx.
        opsets: the domain's versions in the models that have it, sorted.
        types: per type constraint, the element types of the nodes; constraints whose types the
            models do not tell are left out.
        nodes: how many there are, in all models.
        entry: what there is for it; None for an operator that nobody knows the schema of.
        lacking: what of it a generated kernel does not do, in words.
    """

    domain: str
    op: str
    opsets: tuple[int, ...]
    types: Mapping[str, tuple[DType, ...]]
    nodes: int
    entry: Entry | None
    lacking: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Relu, or com.microsoft::BiasGelu."""
        return f"{self.domain}::{self.op}" if self.domain else self.op

    @property
    def status(self) -> Status:
        """Implemented only where a generated kernel does some of it."""
        if self.entry is None:
            return Status.IMPOSSIBLE
        if self.entry.status is Status.IMPLEMENTED and not any(self.usable()):
            return Status.STUB
        return self.entry.status

    @property
    def reason(self) -> str:
        """Why it is not implemented, or not wholly; empty if it is."""
        if self.entry is None:
            return "no schema of it is known: an operator of your own goes into custom_ops"
        return self.entry.reason or "; ".join(self.lacking)

    def usable(self) -> Iterator[int]:
        """The opsets whose version of the operator has a generated kernel."""
        assert self.entry is not None
        for opset in self.opsets:
            version = self.entry.version_of(opset)
            if version is not None and version.done:
                yield opset


@dataclass
class _Gathered:
    opsets: set[int] = field(default_factory=set)
    types: dict[str, set[DType]] = field(default_factory=dict)
    nodes: int = 0


def wanted(uses: Iterable[Use]) -> tuple[Wanted, ...]:
    """The operators of models' nodes, sorted by domain and name."""
    found: dict[tuple[str, str], _Gathered] = {}
    for use in uses:
        _gather(use, found.setdefault((use.domain, use.op), _Gathered()))
    return tuple(_wanted(*key, gathered) for key, gathered in sorted(found.items()))


def _gather(node: Use, into: _Gathered) -> None:
    into.nodes += node.count
    schema = _schema(node)
    if node.version is not None:
        into.opsets.add(node.version)
    if schema is None:
        return
    for names, parameters in ((node.inputs, schema.inputs), (node.outputs, schema.outputs)):
        for index, name in enumerate(names):
            parameter = _parameter(parameters, index)
            if name and parameter is not None and parameter.type_str in schema.constraints:
                dtype = _dtype(name)
                if dtype is not None:
                    into.types.setdefault(parameter.type_str, set()).add(dtype)


def _schema(node: Use) -> SchemaVersion | None:
    schema = schemas.find(node.domain, node.op)
    if schema is None or node.version is None:
        return None
    older = [version for version in schema.versions if version.since <= (node.version or 0)]
    return older[-1] if older else None


def _parameter(parameters: Sequence[Parameter], index: int) -> Parameter | None:
    if index < len(parameters):
        return parameters[index]
    return parameters[-1] if parameters and parameters[-1].option == "variadic" else None


def _dtype(name: str) -> DType | None:
    try:
        return DType.parse(name)
    except KeyError:
        return None  # a sequence, or a type that no tensor here has


def _wanted(domain: str, op: str, gathered: _Gathered) -> Wanted:
    types = {
        constraint: tuple(dtype for dtype in DType if dtype in found)
        for constraint, found in sorted(gathered.types.items())
    }
    there = entry(domain, op)
    opsets = tuple(sorted(gathered.opsets))
    lacking = tuple(_lacking(there, opsets, types)) if there is not None else ()
    return Wanted(domain, op, opsets, types, gathered.nodes, there, lacking)


def _lacking(
    there: Entry, opsets: Sequence[int], types: Mapping[str, tuple[DType, ...]]
) -> Iterator[str]:
    if there.status is not Status.IMPLEMENTED:
        return
    for opset in opsets:
        version = there.version_of(opset)
        if version is None or not version.done:
            yield f"no kernel of its version in opset {opset}"
    used = [version for version in map(there.version_of, opsets) if version and version.done]
    for constraint, asked in types.items():
        able = {dtype for version in used for dtype in version.types.get(constraint, ())}
        rest = [dtype.text for dtype in asked if dtype not in able]
        if used and rest:
            yield f"no kernel for {constraint} of {', '.join(rest)}"
