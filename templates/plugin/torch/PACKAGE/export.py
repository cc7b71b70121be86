<%= banner %>
"""Exports models that use the operators to ONNX, and checks what comes out.

As a command it is `python -m <%= package %> MODULE:FUNCTION OUT.onnx`.
"""

import inspect
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, get_args

import onnx
import torch
from onnx import helper, numpy_helper

from . import onnx_dynamo, onnx_legacy
from ._library import Operator, OperatorTypeError
from .ops import DOMAINS, OPERATORS

Exporter = Literal["dynamo", "legacy"]
Dynamic = Mapping[str, Mapping[int, str]]

# The opset that each exporter is asked for: they do not speak the same ones. None: say which.
OPSETS: Final[dict[str, int | None]] = {
    "dynamo": <%= dynamo | py_value %>,
    "legacy": <%= legacy | py_value %>,
}

_export: Any = torch.onnx.export  # its types know no file objects
_BY_NAME: Final = {(operator.domain, operator.name): operator for operator in OPERATORS}


class ExportError(RuntimeError):
    """The model cannot be exported, or what came out is not what was asked for."""


def export(
    model: torch.nn.Module,
    args: Sequence[Any],
    path: str | os.PathLike[str],
    *,
    exporter: Exporter = "dynamo",
    opset: int | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    dynamic: Dynamic | None = None,
    external_data: bool = False,
) -> onnx.ModelProto:
    """Exports a model in evaluation mode.

    Args:
        model: the model.
        args: what its forward function is called with: tensors, None.
        path: the file to write.
        exporter: "dynamo" or "legacy".
        opset: of the default domain; by default that of `OPSETS`.
        input_names: of the tensors among ``args``; by default those of the parameters.
        output_names: of the outputs.
        dynamic: of inputs whose sizes are open: name -> axis -> name of the size.
        external_data: keep weights in a file beside the model.

    Returns:
        The model in the file.

    Raises:
        TypeError: an operator was called with a type that it has not.
        NotImplementedError: a part of an operator is not written yet.
        ExportError: opsets, nodes, types or ranks are not what they should be.
        Exception: the exporter's own errors.
    """
    if exporter not in get_args(Exporter):
        raise ExportError(f"there is no exporter {exporter!r}: dynamo or legacy")
    opset = opset if opset is not None else OPSETS[exporter]
    if opset is None:
        raise ExportError(f"there is no default opset for the {exporter} exporter: pass opset")
    names = list(input_names) if input_names is not None else _input_names(model, args)
    given = sum(argument is not None for argument in args)
    if len(names) != given:
        raise ExportError(f"there are {given} tensors in args, and {len(names)} input names")
    unknown = sorted(set(dynamic or {}) - set(names))
    if unknown:
        raise ExportError(f"dynamic: there is no input {', '.join(unknown)}: {', '.join(names)}")
    run = _dynamo if exporter == "dynamo" else _legacy
    try:
        with _evaluating(model):
            proto = run(model, tuple(args), opset, names, output_names, dynamic or {})
    except Exception as error:
        cause = _own_error(error)
        if cause is None:
            raise
        raise cause from error
    for node in list(_nodes(proto.graph)):
        operator = _BY_NAME.get((node.domain, node.op_type))
        if operator is not None and operator.tensor_attributes:
            _move_tensors(proto.graph, node, operator)
    check(proto, opset)
    onnx.save(proto, path, save_as_external_data=external_data)
    return proto


def check(model: onnx.ModelProto, opset: int | None = None) -> None:
    """Checks a model that uses the operators.

    Args:
        model: the model.
        opset: that it should import of the default domain; None: any.

    Raises:
        ExportError: what is wrong first.
    """
    imports = {entry.domain: entry.version for entry in model.opset_import}
    if opset is not None and imports.get("") != opset:
        raise ExportError(
            f"the model imports opset {imports.get('')}, and not {opset}: "
            "the exporter could not write what was asked for"
        )
    for node in _nodes(model.graph):
        operator = _BY_NAME.get((node.domain, node.op_type))
        if operator is None:
            continue
        version = imports.get(node.domain)
        if version != DOMAINS[node.domain]:
            raise ExportError(
                f"the model imports version {version} of {node.domain}, "
                f"and not {DOMAINS[node.domain]}"
            )
        for name in node.output:
            value = _value_info(model.graph, name)
            tensor = value.type.tensor_type if value is not None else None
            if tensor is None or not tensor.elem_type or not tensor.HasField("shape"):
                raise ExportError(
                    f"{operator.label}: output {name!r} has no type or no rank in the model"
                )


def _dynamo(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    opset: int,
    input_names: list[str],
    output_names: Sequence[str] | None,
    dynamic: Dynamic,
) -> onnx.ModelProto:
    names = iter(input_names)
    shapes: tuple[Any, ...] = tuple(
        None if each is None else dict(dynamic.get(next(names), {})) for each in args
    )
    parameters = list(inspect.signature(model.forward).parameters.values())
    fixed = sum(each.kind is not each.VAR_POSITIONAL for each in parameters)
    if fixed < len(parameters):  # what goes into *args is one argument here
        shapes = (*shapes[:fixed], shapes[fixed:])
    program = _export(
        model,
        args,
        dynamo=True,
        opset_version=opset,
        input_names=input_names,
        output_names=output_names,
        dynamic_shapes=shapes if dynamic else None,
        custom_translation_table=onnx_dynamo.translation_table(),
        verbose=False,
    )
    proto: onnx.ModelProto = program.model_proto
    _name_sizes(proto.graph, dynamic)
    return proto


def _legacy(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    opset: int,
    input_names: list[str],
    output_names: Sequence[str] | None,
    dynamic: Dynamic,
) -> onnx.ModelProto:
    onnx_legacy.register_symbolics()
    file = io.BytesIO()
    _export(
        model,
        args,
        file,
        dynamo=False,
        opset_version=opset,
        input_names=input_names,
        output_names=output_names,
        dynamic_axes={name: dict(axes) for name, axes in dynamic.items()},
        custom_opsets=DOMAINS,
    )
    return onnx.load_from_string(file.getvalue())


@contextmanager
def _evaluating(model: torch.nn.Module) -> Iterator[None]:
    """The model in evaluation mode; each part in its own mode again afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


def _input_names(model: torch.nn.Module, args: Sequence[Any]) -> list[str]:
    parameters = list(inspect.signature(model.forward).parameters.values())
    names = [each.name for each in parameters if each.kind is not each.VAR_POSITIONAL]
    names = names[: len(args)] + [f"input_{index}" for index in range(len(names), len(args))]
    return [name for name, value in zip(names, args, strict=True) if value is not None]


def _own_error(error: BaseException | None) -> Exception | None:
    """The operator's own error, wherever the exporter has put it."""
    while error is not None and not isinstance(error, OperatorTypeError | NotImplementedError):
        error = error.__cause__ or error.__context__
    return error


def _name_sizes(graph: onnx.GraphProto, dynamic: Dynamic) -> None:
    """Gives open sizes the names asked for: with None among the arguments the exporter forgets."""
    names = {}
    for value in graph.input:
        for axis, name in dynamic.get(value.name, {}).items():
            names[value.type.tensor_type.shape.dim[axis].dim_param] = name
    names.pop("", None)  # a size that the model has fixed
    for value in (*graph.input, *graph.value_info, *graph.output):
        for size in value.type.tensor_type.shape.dim:
            if size.dim_param in names:
                size.dim_param = names[size.dim_param]


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes(inner)


def _value_info(graph: onnx.GraphProto, name: str) -> onnx.ValueInfoProto | None:
    for value in (*graph.value_info, *graph.output):
        if value.name == name:
            return value
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                found = _value_info(inner, name)
                if found is not None:
                    return found
    return None


def _move_tensors(graph: onnx.GraphProto, node: onnx.NodeProto, operator: Operator) -> None:
    """Makes attributes of the tensors that stand behind the inputs."""
    count = len(operator.tensor_attributes)
    names = list(node.input)[-count:]
    del node.input[-count:]
    for attribute, name in zip(operator.tensor_attributes, names, strict=True):
        tensor = _constant(graph, name)
        if tensor is None:
            raise ExportError(
                f"{operator.label}: the attribute {attribute.name} is not constant in the model"
            )
        node.attribute.append(helper.make_attribute(attribute.name, tensor))
        _drop(graph, name)
    while node.input and not node.input[-1]:
        del node.input[-1]


def _constant(graph: onnx.GraphProto, name: str) -> onnx.TensorProto | None:
    for initializer in graph.initializer:
        if initializer.name == name:
            return numpy_helper.from_array(numpy_helper.to_array(initializer))
    for node in graph.node:
        if node.op_type == "Constant" and name in node.output:
            return node.attribute[0].t
        if node.op_type == "Identity" and name in node.output:
            return _constant(graph, node.input[0])
    return None


def _drop(graph: onnx.GraphProto, name: str) -> None:
    """Removes a constant that nothing uses any more."""
    if any(name in node.input for node in _nodes(graph)):
        return
    for values in (graph.initializer, graph.value_info, graph.input):
        for value in [each for each in values if each.name == name]:
            values.remove(value)
    for node in [each for each in graph.node if list(each.output) == [name]]:
        graph.node.remove(node)
