<%= banner %>
"""Which nodes of a model the execution provider takes, and why it leaves the others.

The judgement is the library's own; the model is read with the package ``onnx``. ONNX Runtime may
change a model before it asks: it folds constants and fuses nodes, unless it is told not to.
"""

import os
from collections.abc import Iterator, Mapping
<% if compiled %>
from dataclasses import dataclass, replace
<% else %>
from dataclasses import dataclass
<% endif %>
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from . import _native
from ._schemas import SCHEMAS

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

Types: TypeAlias = dict[str, int]

# Kinds of attributes that kernels read, by the number of onnx.AttributeProto.AttributeType.
_KINDS: Final = {
    1: ("float", "f"),
    2: ("int", "i"),
    3: ("string", "s"),
    6: ("floats", "floats"),
    7: ("ints", "ints"),
    8: ("strings", "strings"),
}
_TENSOR: Final = 4
_GRAPHS: Final = (5, 10)
<% if contexts %>
_EPS: Final = frozenset(_native.build_info()["eps"])
_OTHERS: Final = "another execution provider has made it"
<% endif %>


@dataclass(frozen=True)
class NodePreview:
    """What becomes of a node.

    Args:
        graph: the names of the nodes that the node is within, outermost first.
        since: the version of the operator that it follows; 0 where nobody knows the operator.
        taken: whether the execution provider takes it.
        reason: why not; empty for a node that is taken.
        group: the number of the group that it is compiled in; None for a node of its own.
        patterns: the blueprint's patterns that it belongs to.
    """

    graph: tuple[str, ...]
    name: str
    domain: str
    op: str
    since: int
    taken: bool
    reason: str = ""
    group: int | None = None
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preview:
    """The nodes of a model, in the order that they are computed in; those of inner graphs come
    before the node that has the graph."""

    nodes: tuple[NodePreview, ...]

    @property
    def taken(self) -> tuple[NodePreview, ...]:
        """The nodes that the execution provider takes."""
        return tuple(node for node in self.nodes if node.taken)

    @property
    def left(self) -> tuple[NodePreview, ...]:
        """The nodes that it leaves to others."""
        return tuple(node for node in self.nodes if not node.taken)

    def __str__(self) -> str:
        lines = [f"{len(self.taken)} of {len(self.nodes)} nodes"]
        lines += [f"  {node.op} {node.name!r}: {node.reason}" for node in self.left]
        return "\n".join(lines)


def preview(model: "ModelProto | str | os.PathLike[str] | bytes") -> Preview:
    """Judges the nodes of a model.

    Args:
        model: the model, its file, or the bytes of one. Weights in other files are not read.

    Returns:
        What becomes of each node, Constant nodes left out: ONNX Runtime makes initializers of them.

    Raises:
        ImportError: the package ``onnx`` is not there; it is the extra ``preview``.
        OSError: the file cannot be read.
        ValueError: it is no model, or one of a newer ONNX.
    """
    import onnx
    import onnx.inliner
    import onnx.shape_inference
    from google.protobuf.message import DecodeError

    try:
        if isinstance(model, bytes):
            model = onnx.load_from_string(model)
        elif not isinstance(model, onnx.ModelProto):
            model = onnx.load(os.fspath(model), load_external_data=False)
    except DecodeError as error:
        raise ValueError(f"it is no ONNX model: {error}") from None
    if not model.graph.node and not model.opset_import:
        raise ValueError("it is no ONNX model: it has neither nodes nor opsets")
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    try:
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        raise ValueError(f"it is no valid model: {error}") from None
    opsets = {_domain(each.domain): each.version for each in model.opset_import}
    return Preview(tuple(_Graph(model.graph, opsets, {}, ()).nodes()))


def _domain(text: str) -> str:
    return "" if text == "ai.onnx" else text


class _Graph:
    """One graph: the types of its values, and the verdicts on its nodes."""

    def __init__(
        self,
        graph: "GraphProto",
        opsets: Mapping[str, int],
        outer: Mapping[str, int],
        place: tuple[str, ...],
    ) -> None:
        self.place = place
        self.opsets = opsets
        self.types: Types = {**outer, **_types_of(graph)}
        self.all = [
            node for node in graph.node if (_domain(node.domain), node.op_type) != ("", "Constant")
        ]
        self.leaving = {each.name for each in graph.output}

    def nodes(self) -> Iterator[NodePreview]:
        """The verdicts, in the order of the nodes."""
        found: list[NodePreview] = []
        inner: dict[int, list[NodePreview]] = {}
        for index, node in enumerate(self.all):
            inner[index] = [
                each
                for graph in _graphs(node)
                for each in _Graph(graph, self.opsets, self.types, (*self.place, node.name)).nodes()
            ]
            found.append(self._judge(node))
<% if compiled %>
        found = self._divided(found)
<% endif %>
        for index, verdict in enumerate(found):
            yield from inner[index]
            yield verdict

    def _judge(self, node: "NodeProto") -> NodePreview:
        domain = _domain(node.domain)
        since = self._since(domain, node.op_type)
<% if contexts %>
        if (domain, node.op_type) == ("com.microsoft", "EPContext"):
            source = next((each.s for each in node.attribute if each.name == "source"), b"")
            reason = "" if source.decode(errors="replace") in _EPS else _OTHERS
            return self._verdict(node, domain, since, reason)
<% endif %>
        inputs = [self.types.get(name, 0) if name else 0 for name in node.input]
        outputs = [self.types.get(name, 0) if name else 0 for name in node.output]
        # Operators that ONNX does not know: their kernels' rules tell the types.
        known = _native.output_types(domain, node.op_type, since, inputs, outputs)
        for index, name in enumerate(node.output):
            if name and not outputs[index]:
                outputs[index] = known[index]
                self.types[name] = known[index]
        graphs = any(each.type in _GRAPHS for each in node.attribute)
        reason, _ = _native.judge(
            domain, node.op_type, since, inputs, outputs, _attributes(node), graphs
        )
        return self._verdict(node, domain, since, reason)

    def _verdict(self, node: "NodeProto", domain: str, since: int, reason: str) -> NodePreview:
        taken = not reason
        return NodePreview(self.place, node.name, domain, node.op_type, since, taken, reason)

    def _since(self, domain: str, op: str) -> int:
        """The version of the operator that a model with these opsets follows."""
        from onnx import defs

        opset = self.opsets.get(domain, 1)
        try:
            return int(defs.get_schema(op, opset, domain).since_version)
        except defs.SchemaError:
            versions = SCHEMAS.get((domain, op), {})
            return max((since for since in versions if since <= opset), default=0)
<% if compiled %>

    def _divided(self, verdicts: list[NodePreview]) -> list[NodePreview]:
        """The verdicts with the groups that the nodes are compiled in."""
        edges, following = self._links()
        taken = [
            (each.domain, each.op, each.since)
            if each.taken and (each.domain, each.op) in SCHEMAS
            else None
            for each in verdicts
        ]
        groups, patterns = _native.divide(taken, edges, following)
        group_of: dict[int, int] = {}
        for number, members in enumerate(nodes for nodes, compiled in groups if compiled):
            group_of.update(dict.fromkeys(members, number))
        named: dict[int, list[str]] = {}
        for name, members in patterns:
            for member in members:
                named.setdefault(member, []).append(name)
        return [
            replace(each, group=group_of.get(index), patterns=tuple(named.get(index, ())))
            for index, each in enumerate(verdicts)
        ]

    def _links(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Which nodes read what which others make, and the only reader of each first output."""
        makers = {
            name: (index, position)
            for index, node in enumerate(self.all)
            for position, name in enumerate(node.output)
            if name
        }
        edges: list[tuple[int, int]] = []
        readers: dict[int, list[int]] = {}
        for index, node in enumerate(self.all):
            read = [*node.input, *(name for graph in _graphs(node) for name in _free(graph))]
            for name in read:
                if name not in makers:
                    continue
                maker, position = makers[name]
                edges.append((maker, index))
                if position == 0:
                    readers.setdefault(maker, []).append(index)
        following = []
        for index, node in enumerate(self.all):
            mine = readers.get(index, [])
            inside = bool(node.output) and node.output[0] not in self.leaving
            following.append(mine[0] if len(mine) == 1 and inside else -1)
        return edges, following
<% endif %>


def _types_of(graph: "GraphProto") -> Types:
    """The element types of a graph's values, as far as they are known."""
    types = {each.name: each.data_type for each in graph.initializer}
    for value in (*graph.input, *graph.output, *graph.value_info):
        number = value.type.tensor_type.elem_type if value.type.HasField("tensor_type") else 0
        if number:
            types[value.name] = number
    return types


def _graphs(node: "NodeProto") -> "Iterator[GraphProto]":
    for attribute in node.attribute:
        if attribute.type == _GRAPHS[0]:
            yield attribute.g
        elif attribute.type == _GRAPHS[1]:
            yield from attribute.graphs
<% if compiled %>


def _free(graph: "GraphProto") -> set[str]:
    """The names that a graph reads from around it."""
    made = {each.name for each in (*graph.input, *graph.initializer)}
    read: set[str] = set()
    for node in graph.node:
        read.update(name for name in node.input if name)
        for inner in _graphs(node):
            read |= _free(inner)
        made.update(node.output)
    return {*read, *(each.name for each in graph.output)} - made
<% endif %>


def _attributes(node: "NodeProto") -> list[tuple[str, str, Any]]:
    """The attributes of the kinds that kernels read."""
    from onnx import numpy_helper

    made: list[tuple[str, str, Any]] = []
    for attribute in node.attribute:
        if attribute.type == _TENSOR:
            array = numpy_helper.to_array(attribute.t)
            if array.dtype.kind in "biuf" and array.dtype.isnative:
                made.append((attribute.name, "tensor", array))
        elif attribute.type in _KINDS:
            kind, member = _KINDS[attribute.type]
            value = getattr(attribute, member)
            made.append((attribute.name, kind, value if kind[-1] != "s" else list(value)))
    return made
