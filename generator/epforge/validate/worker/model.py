"""Reads a model: which nodes of it need a library, and what is known of them."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
from onnx import AttributeProto, TensorProto, defs

from epforge.validate.models.facts import (
    CONTEXT_DOMAIN,
    CONTEXT_OP,
    Context,
    ModelFacts,
    NodeFact,
    label,
    needs_library,
)
from epforge.validate.worker.records import Records

NUMBER = "epforge-node-"  # what a node is called by, and its number
_COMPATIBILITY = "ep_compatibility_info."
_DTYPES = {"float": "float32", "double": "float64"}
_ONNX = ("", "ai.onnx")
# What is kept of a hostile model.
_MOST_KINDS = 10_000  # of nodes
_MOST_NAMES = 20
_MOST_CONTEXTS = 1_000
_MOST_PARAMETERS = 1_000
_LONGEST = 200
_SMALL = 4096  # bytes of an initializer that shapes could depend on

Key = tuple[str, str, str]  # of a function: domain, name, overload
Scope = ChainMap[str, str]  # element types by the names of values


def run(job: Mapping[str, Any], records: Records) -> None:
    """Writes the facts, or an error. They are written twice, the second time with inferred types:
    inference is native code that a hostile model may bring down."""
    with records.step("reading it"):
        try:
            model = onnx.load_model_from_string(Path(job["model"]).read_bytes())
        except Exception as error:
            records.write("broken", why=f"it cannot be parsed: {_line(error)}")
            return
        why = _no_model(model)
        if why:
            records.write("broken", why=why)
            return
        names = numbered(model) if job.get("numbered") else None
        everything = bool(job.get("everything"))
        facts = Reader(model, everything=everything, names=names).facts()
        if len(facts.nodes) > _MOST_KINDS:
            records.write("broken", why=f"more than {_MOST_KINDS} kinds of nodes need a library")
            return
        records.write("facts", **replace(facts, untyped="it ended early").to_json())
    if facts.cycle or not any(node.inputs for node in facts.nodes):
        records.write("facts", **facts.to_json())
        return
    with records.step("inferring types"):
        try:
            facts = Reader(inferred(model), everything=everything, names=names).facts()
        except Exception as error:
            facts = replace(facts, untyped=_line(error))
        records.write("facts", **facts.to_json())


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:_LONGEST] or type(error).__name__


def _no_model(model: Any) -> str:
    """Why a message that could be parsed is no model, or empty. Almost nothing is required."""
    if not model.HasField("graph"):
        return "it has no graph"
    if not model.opset_import:
        return "it imports no opset; is it cut off?"
    return ""


def numbered(model: Any) -> list[str]:
    """Names every node by its number, those of subgraphs and functions, too; returns the names
    that they had."""
    names = []
    for owner in (model.graph, *model.functions):
        for node, _ in _walk(owner.node):
            names.append(_name(node))
            node.name = f"{NUMBER}{len(names) - 1}"
    return names


def inferred(model: Any) -> Any:
    """The model with the types that follow from its inputs. Gives up what types do not need."""
    imports = len(model.opset_import)
    known = {_domain(entry.domain) for entry in model.opset_import}
    for node, _ in _walk(model.graph.node):
        if _domain(node.domain) not in known:  # inference would stop at the first such node
            known.add(_domain(node.domain))
            model.opset_import.add(domain=node.domain, version=1)
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) > _SMALL:
            tensor.ClearField("raw_data")
    try:
        typed = onnx.shape_inference.infer_shapes(model)
    finally:
        del model.opset_import[imports:]
    del typed.opset_import[imports:]
    return typed


def _domain(domain: str) -> str:
    return "" if domain in _ONNX else domain


def _walk(nodes: Sequence[Any], scope: Scope | None = None) -> Iterator[tuple[Any, Scope | None]]:
    """Every node, those of subgraphs included, with the types of the values that it sees."""
    waiting = [(node, scope) for node in reversed(nodes)]
    while waiting:
        node, seen = waiting.pop()
        yield node, seen
        for attribute in node.attribute:
            for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                inner = None if seen is None else seen.new_child(_types(graph))
                waiting += [(below, inner) for below in reversed(graph.node)]


class Reader:
    """Gathers the facts of one model.

    Args:
        everything: of all nodes, not only of those that ONNX Runtime alone cannot run.
        names: the names that the nodes had before `numbered` named them; None if it did not.
    """

    def __init__(
        self, model: Any, *, everything: bool = False, names: Sequence[str] | None = None
    ) -> None:
        self._model = model
        self._everything = everything
        self._names = names
        self._contexts: list[Context] = []
        self._functions = {(_domain(f.domain), f.name, f.overload): f for f in model.functions}
        self._found: dict[NodeFact, tuple[list[str], list[int], int]] = {}
        self._since: dict[str, int] | None = None

    def facts(self) -> ModelFacts:
        """The facts, with the types that the model itself has."""
        graph = self._model.graph
        waiting: list[tuple[Any, Any]] = [(graph, self._model.opset_import)]
        called: set[Key] = set()
        while waiting:
            owner, imports = waiting.pop()
            versions = {_domain(entry.domain): int(entry.version) for entry in imports}
            for key in self._read(owner, versions, owner is not graph):
                if key not in called:  # what is never called may be anything
                    called.add(key)
                    function = self._functions[key]
                    waiting.append((function, function.opset_import))
        nodes = [
            replace(fact, names=tuple(names), count=count, numbers=tuple(numbers))
            for fact, (names, numbers, count) in self._found.items()
        ]
        model = self._model
        return ModelFacts(
            nodes=tuple(nodes[: _MOST_KINDS + 1]),
            cycle=tuple(self._cycle()),
            ir=int(model.ir_version),
            imports=tuple(
                (_domain(entry.domain)[:_LONGEST], int(entry.version))
                for entry in model.opset_import[:_MOST_PARAMETERS]
            ),
            producer=f"{model.producer_name} {model.producer_version}".strip()[:_LONGEST],
            contexts=tuple(self._contexts),
            compatibility=tuple(_compatibility(model)),
        )

    def _read(self, owner: Any, versions: Mapping[str, int], inside: bool) -> Iterator[Key]:
        """Notes the nodes of a graph or a function; yields the functions that they call."""
        for node, scope in _walk(owner.node, ChainMap(_types(owner))):
            key = (_domain(node.domain), node.op_type, node.overload)
            function = key in self._functions
            if function:
                yield key
            version = versions.get(key[0])
            since = self._since_of(node.op_type, version) if not key[0] else 0
            if (
                function
                or self._everything
                or needs_library(key[0], node.op_type, version, since, inside)
            ):
                self._note(node, scope or {}, version, since, function, inside)

    def _since_of(self, op: str, version: int | None) -> int | None:
        """The first version of ONNX with an op; 0 if none has it, None if that cannot be told."""
        if self._since is None:
            self._since = {}
            for schema in defs.get_all_schemas_with_history():
                if schema.domain in _ONNX:
                    known = self._since.get(schema.name, schema.since_version)
                    self._since[schema.name] = min(known, schema.since_version)
        if op in self._since:
            return self._since[op]
        return 0 if version is None or version <= defs.onnx_opset_version() else None

    def _note(
        self,
        node: Any,
        types: Mapping[str, str],
        version: int | None,
        since: int | None,
        function: bool,
        inside: bool,
    ) -> None:
        def typed(names: Sequence[str]) -> tuple[str | None, ...]:
            return tuple(types.get(x, "") if x else None for x in names[:_MOST_PARAMETERS])

        domain = _domain(node.domain)
        context = (domain, node.op_type) == (CONTEXT_DOMAIN, CONTEXT_OP)
        fact = NodeFact(
            domain=domain[:_LONGEST],
            op=node.op_type[:_LONGEST],
            version=version,
            inputs=() if function or context else typed(node.input),
            outputs=() if function or context else typed(node.output),
            attributes=() if function or context else tuple(_attributes(node)),
            function=function,
            inside=inside,
            since=since,
            source=_source(node) if context else "",
        )
        names, numbers, count = self._found.setdefault(fact, ([], [], 0))
        name = _name(node)
        if self._names is not None:
            numbers.append(int(node.name.removeprefix(NUMBER)))
            name = self._names[numbers[-1]]
        if len(names) < _MOST_NAMES:
            names.append(name)
        self._found[fact] = (names, numbers, count + 1)
        if context and len(self._contexts) < _MOST_CONTEXTS:
            self._contexts.append(_context(node, name))

    def _cycle(self) -> list[str]:
        """Functions that call each other in a circle: ONNX forbids them, called or not."""
        calls = {
            key: [
                (_domain(node.domain), node.op_type, node.overload)
                for node, _ in _walk(function.node)
            ]
            for key, function in self._functions.items()
        }
        done: set[Key] = set()
        for start in calls:
            path: list[Key] = []
            waiting: list[tuple[Key, int]] = [(start, 0)]
            while waiting:
                key, depth = waiting.pop()
                done.update(path[depth:])
                del path[depth:]
                if key in path:
                    return [label(k[0], k[1])[:_LONGEST] for k in path[path.index(key) :]]
                if key in calls and key not in done:
                    path.append(key)
                    waiting += [(other, depth + 1) for other in calls[key]]
            done.update(path)
        return []


def _name(node: Any) -> str:
    """The node's name, or what tells it from others without one."""
    if node.name:
        return str(node.name)[:_LONGEST]
    output = next((name for name in node.output if name), "")
    return f"unnamed, makes {output}"[:_LONGEST] if output else "unnamed"


def _source(node: Any) -> str:
    for attribute in node.attribute:
        if attribute.name == "source":
            return _decoded(attribute.s)
    return ""


def _decoded(data: bytes) -> str:
    return data[: 4 * _LONGEST].decode("utf-8", errors="replace")[:_LONGEST]


def _context(node: Any, name: str) -> Context:
    """A compiled node, by its attributes; what it leaves out has the defaults of its schema."""
    given = {attribute.name: attribute for attribute in node.attribute[:_MOST_PARAMETERS]}

    def text(key: str) -> str:
        return _decoded(given[key].s) if key in given else ""

    def number(key: str) -> int:
        return int(given[key].i) if key in given else 1

    data = given["ep_cache_context"].s if "ep_cache_context" in given else b""
    embedded = number("embed_mode") != 0
    return Context(
        name=name,
        source=_source(node),
        partition=text("partition_name"),
        sdk=text("ep_sdk_version"),
        hardware=text("hardware_architecture"),
        main=number("main_context") != 0,
        embedded=embedded,
        file="" if embedded else text("ep_cache_context"),
        size=len(data) if embedded else 0,
    )


def _compatibility(model: Any) -> Iterator[tuple[str, str]]:
    """What compilers have left in the metadata for their own execution providers."""
    found = [each for each in model.metadata_props if each.key.startswith(_COMPATIBILITY)]
    for each in found[:_MOST_NAMES]:
        yield each.key.removeprefix(_COMPATIBILITY)[:_LONGEST], each.value[:_LONGEST]


def _attributes(node: Any) -> Iterator[tuple[str, str]]:
    for attribute in node.attribute[:_MOST_PARAMETERS]:
        known = attribute.type in AttributeProto.AttributeType.values()
        kind = AttributeProto.AttributeType.Name(attribute.type).lower() if known else ""
        yield attribute.name[:_LONGEST], "" if kind == "undefined" else kind


def _types(owner: Any) -> dict[str, str]:
    """The element types that a graph or a function states."""
    types: dict[str, str] = {}
    stated = list(owner.value_info)
    if isinstance(owner, onnx.GraphProto):
        stated += [*owner.input, *owner.output]
        for tensor in owner.initializer:
            types[tensor.name] = _dtype(tensor.data_type)
        for sparse in owner.sparse_initializer:
            types[sparse.values.name] = "sparse tensor"
    for value in stated:
        types[value.name] = _type(value.type) or types.get(value.name, "")
    return types


def _type(of: Any) -> str:
    kind = of.WhichOneof("value")
    if kind == "tensor_type":
        return _dtype(of.tensor_type.elem_type)
    return str(kind).removesuffix("_type").replace("_", " ") if kind else ""


def _dtype(number: int) -> str:
    if number not in TensorProto.DataType.values() or number == TensorProto.UNDEFINED:
        return ""
    name = str(TensorProto.DataType.Name(number)).lower()
    return _DTYPES.get(name, name)
