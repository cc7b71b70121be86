<%= banner %>
"""The cases of the operators, as calls of the package."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx
from onnx import helper, numpy_helper

import <%= package %> as native
from support import OneNode

ROOT = Path(__file__).resolve().parents[2]
MANIFEST: dict[str, Any] = json.loads((ROOT / "src/gen/manifest.json").read_text(encoding="utf-8"))
<% if control_flow %>
#: What the package has, too: ONNX Runtime makes the kernels of nodes that have graphs.
KERNELS = [each for each in MANIFEST["ops"] if each["op"] not in {"If", "Loop", "Scan"}]
<% else %>
#: What the package has, too.
KERNELS = MANIFEST["ops"]
<% endif %>


def computed(one: OneNode, since: int, dtypes: Sequence[Any] = ()) -> list[Any]:
    """What the package computes for a model of one node.

    Args:
        dtypes: the element types of the outputs, for those that the inputs leave open.
    """
    graph = onnx.load_from_string(one.model).graph
    node = graph.node[0]
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    values: Mapping[str, Any] = {**constants, **one.feeds}
    inputs = [values[name] if name else None for name in node.input]
    given: dict[str, Any] = {
        "domain": node.domain,
        "opset": since,
        "outputs": len(node.output),
        "attributes": {each.name: _value(each) for each in node.attribute},
    }
    try:
        made = native.run(node.op_type, *inputs, **given)
    except native.InvalidArgumentError as error:
        if "name it" not in str(error):
            raise
        made = native.run(node.op_type, *inputs, dtypes=dtypes, **given)
    return list(made) if len(node.output) > 1 else [made]


def _value(attribute: onnx.AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    if attribute.type == onnx.AttributeProto.TENSOR:
        return numpy_helper.to_array(value)
    if attribute.type == onnx.AttributeProto.STRING:
        return value.decode()
    if attribute.type == onnx.AttributeProto.STRINGS:
        return [each.decode() for each in value]
    return value
