"""What a model says of the nodes that ONNX Runtime alone cannot run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

_LISTS = ("inputs", "outputs", "names", "numbers")
CONTEXT_DOMAIN, CONTEXT_OP = "com.microsoft", "EPContext"
# In ONNX's own domain, though no ONNX version has them: ONNX Runtime does.
RUNTIME_OPS = frozenset(
    (
        *("Affine", "Crop", "DynamicSlice", "GivenTensorFill", "ImageScaler"),
        *("LayerNormalization", "MemcpyFromHost", "MemcpyToHost", "ParametricSoftplus"),
        *("Scale", "ScaledTanh", "SimplifiedLayerNormalization"),
    )
)


def is_custom(domain: str) -> bool:
    """Is it the domain of others than ONNX and ONNX Runtime?"""
    return not (
        domain in ("", "ai.onnx", "com.microsoft")
        or domain.startswith(("ai.onnx.", "com.microsoft.", "com.ms."))
    )


def needs_library(
    domain: str, op: str, version: int | None, since: int | None, inside: bool
) -> bool:
    """Is it a node that ONNX Runtime alone cannot run?

    Args:
        version: of the domain, as imported where the node is.
        since: in ONNX's own domain, the first version with this op.
        inside: the node is in a function of the model.
    """
    if domain:
        return is_custom(domain) or (domain, op) == (CONTEXT_DOMAIN, CONTEXT_OP)
    if version is None:
        # Where it is not imported, the newest counts; in a function it has to be.
        return inside or (op not in RUNTIME_OPS and not since)
    return op not in RUNTIME_OPS and (not since or since > version)


@dataclass(frozen=True)
class NodeFact:
    """Nodes that are alike but for their names.

    Args:
        domain: "" is ai.onnx.
        version: of the domain, as imported where the nodes are; None: it is not imported.
        inputs: element types; "" is unknown, None is an input left out.
        outputs: the same.
        attributes: (name, kind); kind "" is unknown.
        function: the op is a function of the model.
        inside: the nodes are in such a function.
        since: in ONNX's own domain, the first version with this op; 0: none has it, None: the
            model imports a version that is too new to tell.
        source: of an EPContext node, the execution provider that compiled it; "" if it is not said.
        names: of the first of the nodes.
        count: of the nodes.
        numbers: of all of them, counted through the model; only where they are asked for.
    """

    domain: str
    op: str
    version: int | None
    inputs: tuple[str | None, ...] = ()
    outputs: tuple[str | None, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    function: bool = False
    inside: bool = False
    since: int | None = 0
    source: str = ""
    names: tuple[str, ...] = ()
    count: int = 1
    numbers: tuple[int, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Are they nodes that ONNX Runtime alone cannot run?"""
        return self.function or needs_library(
            self.domain, self.op, self.version, self.since, self.inside
        )

    @property
    def label(self) -> str:
        """com.contoso::MyClip, or MyClip."""
        return label(self.domain, self.op)

    def to_json(self) -> dict[str, object]:
        return dict(vars(self))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NodeFact:
        lists = {key: tuple(data[key]) for key in _LISTS if key in data}
        pairs = tuple((str(name), str(kind)) for name, kind in data["attributes"])
        return cls(**{**data, **lists, "attributes": pairs})


@dataclass(frozen=True)
class Context:
    """A compiled node (EPContext).

    Args:
        name: of the node.
        source: the execution provider that compiled it; empty if it is not said.
        partition: what that provider calls it.
        sdk: the version of what compiled it.
        hardware: what it was compiled for.
        main: it has the compiled data itself, rather than sharing another node's.
        embedded: the data are in the model, rather than in a file beside it.
        file: the name of that file, or what stands in its place.
        size: bytes of the data in the model.
    """

    name: str
    source: str = ""
    partition: str = ""
    sdk: str = ""
    hardware: str = ""
    main: bool = True
    embedded: bool = True
    file: str = ""
    size: int = 0


@dataclass(frozen=True)
class ModelFacts:
    """What a model says.

    Args:
        nodes: those of custom domains, those that ONNX's own domain does not know, and compiled
            ones; in subgraphs and in the functions that are called, too.
        cycle: labels of functions of the model that call each other in a circle.
        untyped: why types could not be inferred; empty if they could.
        ir: the IR version.
        imports: (domain, version) as the model imports them; "" is ai.onnx.
        producer: what made it, with its version.
        contexts: the compiled nodes, one by one.
        compatibility: (execution provider, text) as compilers leave it in the metadata.
    """

    nodes: tuple[NodeFact, ...] = ()
    cycle: tuple[str, ...] = ()
    untyped: str = ""
    ir: int = 0
    imports: tuple[tuple[str, int], ...] = ()
    producer: str = ""
    contexts: tuple[Context, ...] = ()
    compatibility: tuple[tuple[str, str], ...] = ()

    @property
    def foreign(self) -> ModelFacts:
        """The same, of the nodes that ONNX Runtime alone cannot run."""
        return replace(self, nodes=tuple(node for node in self.nodes if node.is_foreign))

    def to_json(self) -> dict[str, object]:
        nodes = [node.to_json() for node in self.nodes]
        contexts = [dict(vars(context)) for context in self.contexts]
        return {**vars(self), "nodes": nodes, "contexts": contexts}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelFacts:
        nodes = tuple(NodeFact.from_json(node) for node in data["nodes"])
        return cls(
            nodes,
            tuple(data["cycle"]),
            str(data["untyped"]),
            int(data["ir"]),
            tuple((str(domain), int(version)) for domain, version in data["imports"]),
            str(data["producer"]),
            tuple(Context(**each) for each in data["contexts"]),
            tuple((str(ep), str(text)) for ep, text in data["compatibility"]),
        )


def label(domain: str, op: str) -> str:
    """com.contoso::MyClip; without the domain if it is ONNX's own."""
    return f"{domain}::{op}" if domain else op
