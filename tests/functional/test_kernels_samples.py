"""The samples that the kernels' own tests go by are what ONNX Runtime's CPU provider computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from kernel_project import make_op
from onnx import helper

from epforge.ops import families, schemas
from epforge.ops.model import DType, FamilyRow, Sample, Value
from epforge.plan.kernel_samples import applies, types_of
from epforge.resolve.model import OpVersion

#: Where the CPU provider is not the judge.
_EXCEPTIONS = {
    ("", "Bernoulli"): "it computes ONNX's function, which draws a one with the chance of a zero",
    ("", "LRN"): "it takes tensors of rank 4 only and odd sizes only",
    ("", "GroupNormalization"): "its function body at opset 21 fails on small inputs",
    ("", "ReduceLogSumExp"): "it overflows where the sum of exponentials does",
    ("", "SwiGLU"): "it has no kernel of it",
}
_OLDEST_OPSET = 7  # the oldest that onnxruntime still has kernels for
_OPSET = 17  # of ONNX's own domain, in a model of another one


def _array(value: Value, types: Mapping[str, DType]) -> tuple[np.ndarray[Any, Any], DType]:
    dtype = value.type if isinstance(value.type, DType) else types[value.type]
    return np.array(value.data).astype(dtype.text).reshape(value.shape), dtype


def _attribute(value: object, types: Mapping[str, DType]) -> Any:
    if isinstance(value, Value):
        return onnx.numpy_helper.from_array(_array(value, types)[0])
    if isinstance(value, DType):
        return value.onnx
    if isinstance(value, str) and value.startswith("type of "):
        return types[value.removeprefix("type of ")].onnx
    return list(value) if isinstance(value, tuple) else value


def _model(
    domain: str, op: str, opset: int, sample: Sample, types: Mapping[str, DType]
) -> tuple[bytes, dict[str, Any], list[Any]]:
    inputs = [None if v is None else _array(v, types) for v in sample.inputs]
    outputs = [_array(v, types) for v in sample.outputs]
    node = helper.make_node(
        op,
        ["" if given is None else f"i{i}" for i, given in enumerate(inputs)],
        [f"o{i}" for i in range(len(outputs))],
        domain=domain,
        **{name: _attribute(value, types) for name, value in sample.attributes.items()},
    )
    given = {f"i{i}": pair for i, pair in enumerate(inputs) if pair is not None}
    graph = helper.make_graph(
        [node],
        "sample",
        [helper.make_tensor_value_info(n, d.onnx, a.shape) for n, (a, d) in given.items()],
        [helper.make_tensor_value_info(f"o{i}", d.onnx, None) for i, (_, d) in enumerate(outputs)],
    )
    opsets = {"": _OPSET, domain: opset}.items()
    imports = [helper.make_opsetid(name, version) for name, version in opsets]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10 if opset < 24 else 13)
    feeds = {name: array for name, (array, _) in given.items()}
    return model.SerializeToString(), feeds, [array for array, _ in outputs]


def _opset(row: FamilyRow, version: OpVersion) -> int:
    """An opset with that version of the op, not older than onnxruntime can run."""
    schema = schemas.find(row.domain, row.op)
    assert schema is not None
    if row.domain:
        return version.schema.since
    later = [v.since for v in schema.versions if v.since > version.schema.since]
    recent = max(version.schema.since, _OLDEST_OPSET)
    return recent if not later or recent < min(later) else version.schema.since


def _session(model: bytes) -> onnxruntime.InferenceSession | None:
    """None when the CPU provider has no kernel for the node."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        if "NOT_IMPLEMENTED" in str(error):
            return None
        raise


_ROWS = [row for row in families.rows() if (row.domain, row.op) not in _EXCEPTIONS]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{row.domain}::{row.op}".lstrip(":"))
def test_samples_are_what_onnxruntime_computes(row: FamilyRow) -> None:
    compared = 0
    for version in make_op(row.op, domain=row.domain).versions:
        if version.schema.since == 1 and row.op == "BatchNormalization":
            continue  # `consumed_inputs`, which no runtime takes any more
        for sample in filter(lambda s: applies(s, version), row.samples):
            options = types_of(sample, version.types)
            if not all(options.values()):
                continue
            types = {name: group[0] for name, group in options.items()}
            model, feeds, expected = _model(row.domain, row.op, _opset(row, version), sample, types)
            session = _session(model)
            if session is None:
                continue
            for got, want in zip(session.run(None, feeds), expected, strict=True):
                assert got.shape == want.shape
                np.testing.assert_allclose(
                    got.astype("float64"), want.astype("float64"), rtol=1e-5, atol=1e-6
                )
                compared += 1
    assert compared
