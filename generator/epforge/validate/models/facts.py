"""What a model says of the nodes that ONNX Runtime alone cannot run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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

    @property
    def label(self) -> str:
        """com.contoso::MyClip, or MyClip."""
        return label(self.domain, self.op)

    def to_json(self) -> dict[str, object]:
        return dict(vars(self))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NodeFact:
        lists = {key: tuple(data[key]) for key in ("inputs", "outputs", "names")}
        pairs = tuple((str(name), str(kind)) for name, kind in data["attributes"])
        return cls(**{**data, **lists, "attributes": pairs})


@dataclass(frozen=True)
class ModelFacts:
    """What a model says.

    Args:
        nodes: those of custom domains, those that ONNX's own domain does not know, and compiled
            ones; in subgraphs and in the functions that are called, too.
        cycle: labels of functions of the model that call each other in a circle.
        untyped: why types could not be inferred; empty if they could.
    """

    nodes: tuple[NodeFact, ...] = ()
    cycle: tuple[str, ...] = ()
    untyped: str = ""

    def to_json(self) -> dict[str, object]:
        return {
            "nodes": [node.to_json() for node in self.nodes],
            "cycle": self.cycle,
            "untyped": self.untyped,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelFacts:
        nodes = tuple(NodeFact.from_json(node) for node in data["nodes"])
        return cls(nodes, tuple(data["cycle"]), str(data["untyped"]))


def label(domain: str, op: str) -> str:
    """com.contoso::MyClip; without the domain if it is ONNX's own."""
    return f"{domain}::{op}" if domain else op
