<%= banner %>
"""What comes out of both exporters: imports, nodes, attributes, types and ranks."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch

import support
from <%= package %>.export import OPSETS, ExportError, check, export
from <%= package %>.ops import DOMAINS

EXPORTERS = [name for name, opset in OPSETS.items() if opset is not None]
exporters = pytest.mark.parametrize("exporter", EXPORTERS)

pytestmark = pytest.mark.skipif(not EXPORTERS, reason="the blueprint has no opset for an exporter")


def exported(case: dict[str, Any], exporter: Any, path: Path, **options: Any) -> onnx.ModelProto:
    """The operator and a multiplication behind it."""
    example = support.inputs(case, support.shapes(case, **options))
    model = support.Wrapped(case, example)
    tensors = tuple(support.flat(example))
    names = [f"in_{index}" for index in range(len(tensors))]
    open_ = {names[i]: {0: "batch"} for i, each in enumerate(tensors) if each.dim() == 2}
    return export(model, tensors, path, exporter=exporter, input_names=names, dynamic=open_ or None)


def own_node(model: onnx.ModelProto, case: dict[str, Any]) -> onnx.NodeProto:
    """The operator's node."""
    operator = support.operator(case)
    (found,) = [
        each
        for each in model.graph.node
        if (each.domain, each.op_type) == (operator.domain, operator.name)
    ]
    return found


@support.cases()
@exporters
def test_domain_version_and_opset_are_those_of_the_blueprint(
    case: dict[str, Any], exporter: str, tmp_path: Path
) -> None:
    support.require(case)
    model = exported(case, exporter, tmp_path / "m.onnx")
    operator = support.operator(case)
    imports = {each.domain: each.version for each in model.opset_import}
    assert imports[""] == OPSETS[exporter]
    assert imports[operator.domain] == DOMAINS[operator.domain]
    assert operator.domain
    own_node(model, case)
    assert onnx.load(tmp_path / "m.onnx") == model


@support.cases()
def test_both_exporters_make_the_same_node(case: dict[str, Any], tmp_path: Path) -> None:
    support.require(case)
    nodes = [
        own_node(exported(case, exporter, tmp_path / f"{exporter}.onnx"), case)
        for exporter in EXPORTERS
    ]
    for node in nodes:
        given = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        assert {name: _plain(value) for name, value in given.items()} == _wanted(case)
        assert len(node.input) == len(nodes[0].input)
        assert len(node.output) == len(support.operator(case).outputs)


@support.cases()
@exporters
def test_what_follows_the_node_has_type_and_rank(
    case: dict[str, Any], exporter: str, tmp_path: Path
) -> None:
    support.require(case)
    model = exported(case, exporter, tmp_path / "m.onnx")
    example = support.inputs(case, support.shapes(case))
    results = support.several(support.function(case)(*example))
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=False)
    known = {each.name: each.type.tensor_type for each in inferred.graph.value_info}
    known |= {each.name: each.type.tensor_type for each in inferred.graph.output}
    for name, result in zip(own_node(model, case).output, results, strict=True):
        assert known[name].elem_type == _onnx_type(result.dtype)
        assert len(known[name].shape.dim) == result.dim()
        for node in inferred.graph.node:
            if node.op_type == "Mul" and name in node.input:
                assert known[node.output[0]].elem_type == _onnx_type(result.dtype)
                assert len(known[node.output[0]].shape.dim) == result.dim()


@support.cases()
@exporters
def test_an_optional_input_can_be_left_out(
    case: dict[str, Any], exporter: str, tmp_path: Path
) -> None:
    support.require(case)
    if len(support.presences(case)) == 1:
        pytest.skip("the operator has no optional inputs")
    node = own_node(exported(case, exporter, tmp_path / "m.onnx", optional=False), case)
    shapes = support.shapes(case, optional=False)
    while shapes[-1] is None:
        shapes.pop()
    names = list(node.input)[: len(shapes)]
    assert [not name for name in names] == [shape is None for shape in shapes]


@support.cases()
@exporters
def test_an_argument_can_be_none(case: dict[str, Any], exporter: str, tmp_path: Path) -> None:
    support.require(case)
    options = [each.option for each in support.operator(case).inputs]
    if len(support.presences(case)) == 1 or "variadic" in options:
        pytest.skip("the operator has no optional inputs, or takes a list")
    values = support.inputs(case, support.shapes(case, optional=False))
    names = [f"in_{index}" for index, each in enumerate(values) if each is not None]
    model = export(
        support.module(case),
        values,
        tmp_path / "m.onnx",
        exporter=exporter,  # type: ignore[arg-type]
        input_names=names,
        dynamic={name: {0: "batch"} for name in names},
    )
    node = own_node(model, case)
    while values[-1] is None:
        values.pop()
    assert list(node.input) == ["" if v is None else f"in_{i}" for i, v in enumerate(values)]
    for value in model.graph.input:
        assert value.type.tensor_type.shape.dim[0].dim_param == "batch"


@support.cases()
@exporters
def test_a_wrong_type_is_named(case: dict[str, Any], exporter: str, tmp_path: Path) -> None:
    support.require(case)
    example = support.inputs(case, support.shapes(case))
    model = support.Wrapped(case, example)
    tensors = [each.to(torch.complex64) for each in support.flat(example)]
    with pytest.raises(TypeError, match=support.operator(case).label):
        export(
            model,
            tensors,
            tmp_path / "m.onnx",
            exporter=exporter,  # type: ignore[arg-type]
            input_names=[f"in_{index}" for index in range(len(tensors))],
        )
    assert not (tmp_path / "m.onnx").exists()


@support.cases()
def test_a_node_without_type_or_version_is_refused(case: dict[str, Any], tmp_path: Path) -> None:
    support.require(case)
    model = exported(case, EXPORTERS[0], tmp_path / "m.onnx")
    check(model)
    other = onnx.ModelProto()
    other.CopyFrom(model)
    for each in other.opset_import:
        if each.domain:
            each.version += 1
    with pytest.raises(ExportError, match="imports version"):
        check(other)
    with pytest.raises(ExportError, match="imports opset"):
        check(model, 1)
    name = own_node(model, case).output[0]
    for each in [*model.graph.value_info, *model.graph.output]:
        if each.name == name:
            each.type.tensor_type.ClearField("shape")
    with pytest.raises(ExportError, match="no rank"):
        check(model)


def test_the_command_exports(tmp_path: Path) -> None:
    code = """
        import torch

        class Model(torch.nn.Module):
            def forward(self, x):
                return x + x

        def make():
            return Model(), (torch.ones(2, 3),), {"x": {0: "batch"}}
    """
    lines = code.strip("\n").splitlines()
    (tmp_path / "sample.py").write_text("\n".join(line[8:] for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", <%= package | py_string %>, "sample:make", "out.onnx"]
    folder = Path(__file__).resolve().parents[1]
    result = subprocess.run(
        [*command, "--exporter", EXPORTERS[0]],
        cwd=tmp_path,
        env=_environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    model = onnx.load(tmp_path / "out.onnx")
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"


def _environment(folder: Path) -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(folder)}


def _wanted(case: dict[str, Any]) -> dict[str, Any]:
    operator = support.operator(case)
    given = support.attributes(case)
    return {each.name: _plain(given[each.python]) for each in operator.attributes}


def _plain(value: Any) -> Any:
    """A value of an attribute, comparable."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value).tolist()
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return round(value, 6) if isinstance(value, float) else value


def _onnx_type(dtype: torch.dtype) -> int:
    name = {"float32": "FLOAT", "float64": "DOUBLE"}.get(str(dtype).removeprefix("torch."))
    number: int = onnx.TensorProto.DataType.Value(name or str(dtype)[6:].upper())
    return number
