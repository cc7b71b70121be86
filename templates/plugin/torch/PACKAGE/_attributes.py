<%= banner %>
"""Attributes on their way from PyTorch to ONNX."""

import json
from collections.abc import Mapping
from typing import Any

from ._library import Attribute, Operator


def onnx_attributes(operator: Operator, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all attributes but tensors, by their names in ONNX.

    Args:
        given: by their names in Python; defaults stand for those that are missing.
    """
    found = {}
    for attribute in operator.plain_attributes:
        if attribute.python in given:
            found[attribute.name] = _value(attribute, given[attribute.python])
        else:
            found[attribute.name] = _value(attribute, _encoded(attribute))
    return found


def _encoded(attribute: Attribute) -> Any:
    """The default, as PyTorch would pass it."""
    if attribute.type == "strings":
        return json.dumps(attribute.default)
    return attribute.default


def _value(attribute: Attribute, value: Any) -> Any:
    match attribute.type:
        case "int" | "bool":
            return int(value)
        case "float":
            return float(value)
        case "ints":
            return [int(each) for each in value]
        case "floats":
            return [float(each) for each in value]
        case "strings":
            return list(json.loads(value))
        case _:
            return str(value)
