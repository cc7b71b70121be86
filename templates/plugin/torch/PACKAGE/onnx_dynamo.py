<%= banner %>
"""The operators for PyTorch's exporter to ONNX that is built on `torch.export`.

`translation_table()` is for `torch.onnx.export(..., dynamo=True, custom_translation_table=...)`;
`export` gives it, and sets the opset and checks the result. Attributes that are tensors come out
as inputs there: only `export` puts them where they belong.
"""

from collections.abc import Callable
from typing import Any

import onnx
import onnxscript

from ._attributes import onnx_attributes
from ._library import Operator
from .ops import DOMAINS, OPERATORS

_Schema = onnx.defs.OpSchema
_KINDS = {
    "int": _Schema.AttrType.INT,
    "bool": _Schema.AttrType.INT,
    "float": _Schema.AttrType.FLOAT,
    "string": _Schema.AttrType.STRING,
    "ints": _Schema.AttrType.INTS,
    "floats": _Schema.AttrType.FLOATS,
    "strings": _Schema.AttrType.STRINGS,
}
_TYPES = [
    f"tensor({name})"
    for name in (
        *("float", "double", "float16", "bfloat16", "bool"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    )
]


def translation_table() -> dict[Any, Callable[..., Any]]:
    """What makes a node of each operator."""
    return {operator.overload: _translation(operator) for operator in OPERATORS}


def _translation(operator: Operator) -> Callable[..., Any]:
    # The version of the node, which becomes that of the domain, is the schema's.
    opset = onnxscript.values.Opset(operator.domain, DOMAINS[operator.domain])

    def translate(*arguments: Any, **attributes: Any) -> Any:
        values: list[Any] = []
        for argument in arguments:
            if isinstance(argument, list | tuple):
                values += argument
            else:
                values.append(argument)
        while values and values[-1] is None:
            values.pop()
        # A schema for just these inputs: the exporter takes all inputs for those of a variadic one.
        make = onnxscript.values.Op(opset, operator.name, _schema(operator, len(values)))
        return make(*values, **onnx_attributes(operator, attributes))

    return translate


def _schema(operator: Operator, inputs: int) -> Any:
    """The operator as the exporter has to see it: any type will do, PyTorch has checked them."""
    optional = _Schema.FormalParameterOption.Optional
    formals = [
        _Schema.FormalParameter(f"in_{index}", f"T{index}", param_option=optional)
        for index in range(inputs)
    ]
    outputs = [
        _Schema.FormalParameter(formal.name, f"R{index}")
        for index, formal in enumerate(operator.outputs)
    ]
    return _Schema(
        operator.name,
        operator.domain,
        DOMAINS[operator.domain],
        inputs=formals,
        outputs=outputs,
        type_constraints=[(each.type_str, _TYPES, "") for each in (*formals, *outputs)],
        attributes=[
            _Schema.Attribute(attribute.name, _KINDS[attribute.type], "")
            for attribute in operator.plain_attributes
        ],
    )
