"""ONNX's own tests of one operator, from the installed onnx."""

from __future__ import annotations

import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from epforge.validate.worker import schema, session

_PACKAGE = "onnx.backend.test.case.node"
_DEFAULT = ("", "ai.onnx")  # two names of one domain


@dataclass(frozen=True)
class NodeTest:
    """A model of one node, with what goes in and what has to come out.

    Args:
        since: version of the operator's schema that the model's opset has.
        types: element types of the schema's type constraints, as far as the model settles them.
        data: pairs of inputs and outputs, each by position.
        opset: of the model, where that is not the test's own; 0 for its own.
    """

    name: str
    model: Any  # onnx.ModelProto
    since: int
    types: dict[str, str]
    data: Sequence[tuple[Sequence[Any], Sequence[Any]]]
    opset: int = 0


def module_names(op: str) -> list[str]:
    """The modules of onnx that have the tests of an operator. Found without importing them: all of
    them together compute for ten seconds."""
    paths = _modules()
    like_it = [name for name in paths if _last(name).replace("_", "") == op.lower()]
    return like_it or [name for name, path in paths.items() if _mentions(path, op)]


@cache
def _modules() -> dict[str, Path]:
    package = importlib.import_module(_PACKAGE)
    return {
        each.name: Path(str(getattr(each.module_finder, "path", "")), f"{_last(each.name)}.py")
        for each in pkgutil.walk_packages(package.__path__, f"{_PACKAGE}.")
        if not each.ispkg
    }


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _mentions(path: Path, op: str) -> bool:
    """Does a module make nodes of that operator?"""
    text = path.read_text(encoding="utf-8")
    return (
        re.search(rf"""make_node\(\s*(op_type\s*=\s*)?["']{re.escape(op)}["']""", text) is not None
    )


def find(domain: str, op: str) -> tuple[list[NodeTest], int]:
    """The tests of an operator whose models have no other node, and how many more the same modules
    have: the functions' bodies."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that do not fit, which some tests are about
        for name in module_names(op):
            importlib.import_module(name)
    cases = importlib.import_module(_PACKAGE)._NodeTestCases
    found: dict[str, NodeTest] = {}
    left_out = 0
    for case in cases:
        nodes = case.model.graph.node
        if len(nodes) != 1 or "_expanded" in case.name:
            left_out += 1
        elif nodes[0].op_type == op and _same(nodes[0].domain, domain):
            found[case.name] = _test(case)
    return list(found.values()), left_out


def _same(one: str, other: str) -> bool:
    return one == other or (one in _DEFAULT and other in _DEFAULT)


def _test(case: Any) -> NodeTest:
    import onnx

    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    model.graph.node[0].name = session.NODE
    return _versioned(NodeTest(case.name, model, 0, {}, case.data_sets))


def _versioned(test: NodeTest, opset: int = 0) -> NodeTest:
    """The test with its since-version and types, which its model's opset settles."""
    node = test.model.graph.node[0]
    versions = schema.versions("" if node.domain in _DEFAULT else node.domain, node.op_type)
    own = opset_of(test.model)
    since = max((version for version in versions if version <= own), default=0)
    return NodeTest(test.name, test.model, since, _types(test.model, since), test.data, opset)


def opset_of(model: Any) -> int:
    """The opset of a model that has one node, in that node's domain."""
    return next(
        (entry.version for entry in model.opset_import if _is_of_node(entry.domain, model)), 1
    )


def _is_of_node(domain: str, model: Any) -> bool:
    return _same(domain, model.graph.node[0].domain)


def restamped(test: NodeTest, opset: int) -> NodeTest:
    """The same test as a model of an older opset. Whether that has the node's attributes and types
    is for the runtime to say."""
    import onnx

    model = onnx.ModelProto()
    model.CopyFrom(test.model)
    for entry in model.opset_import:
        if _is_of_node(entry.domain, model):
            entry.version = opset
    return _versioned(NodeTest(test.name, model, 0, {}, test.data), opset)


def _types(model: Any, since: int) -> dict[str, str]:
    node = model.graph.node[0]
    known = schema.find("" if node.domain in _DEFAULT else node.domain, node.op_type, since)
    if known is None:
        return {}
    values = {each.name: each.type for each in (*model.graph.input, *model.graph.output)}
    constraints = {each.type_param_str for each in known.type_constraints}
    return {
        formal.type_str: element_type(values[name])
        for names, formals in ((node.input, known.inputs), (node.output, known.outputs))
        for name, formal in _paired(names, formals)
        if name in values and formal.type_str in constraints
    }


def _paired(names: Sequence[str], formals: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for index, name in enumerate(names):
        if formals:
            yield name, formals[min(index, len(formals) - 1)]


def element_type(type_: Any) -> str:
    """float32; seq(float32) and optional(...) for what is no tensor."""
    import onnx

    kind = type_.WhichOneof("value")
    if kind == "tensor_type":
        name = str(onnx.TensorProto.DataType.Name(type_.tensor_type.elem_type))
        return {"FLOAT": "float32", "DOUBLE": "float64"}.get(name, name.lower())
    if kind == "sequence_type":
        return f"seq({element_type(type_.sequence_type.elem_type)})"
    if kind == "optional_type":
        return f"optional({element_type(type_.optional_type.elem_type)})"
    return str(kind)
