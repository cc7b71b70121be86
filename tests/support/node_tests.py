"""ONNX's own tests of single nodes, for kernels that are called directly."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from kernel_project import make_op
from kernel_runner import KernelError, Runner, since_version
from onnx import numpy_helper

from epforge.ops.model import SMALL

#: Node tests that expect the random numbers of numpy's generator.
DRAWN = {
    "test_training_dropout",
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
    "test_training_dropout_mask",
}
#: Node tests that a kernel for a device refuses, by design.
REFUSED = {
    **dict.fromkeys(DRAWN, "training"),
    "test_training_dropout_zero_ratio": "training",
    "test_training_dropout_zero_ratio_mask": "training",
}


@functools.cache
def _all_tests() -> Sequence[Any]:
    from onnx.backend.test.case import node as cases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that do not fit, which some of them are about
        for module in pkgutil.iter_modules(cases.__path__):
            importlib.import_module(f"{cases.__name__}.{module.name}")
    return [case for case in cases._NodeTestCases if len(case.model.graph.node) == 1]


def node_tests(op: str) -> list[Any]:
    """The tests of models whose only node is an ``op`` in a version and of types that we have."""
    return [
        case
        for case in _all_tests()
        if case.model.graph.node[0].op_type == op
        and not case.model.graph.node[0].domain
        and _is_offered(case.model)
    ]


def _is_offered(model: onnx.ModelProto) -> bool:
    (node,) = model.graph.node
    values = [*model.graph.input, *model.graph.output]
    types = {value.name: value.type.tensor_type.elem_type for value in values}
    if {dtype.onnx for dtype in SMALL} & set(types.values()):
        return False  # which the runner has no arrays of: rung conformance runs them
    for version in make_op(node.op_type).versions:
        if version.schema.since == since_version(model):
            break
    else:
        return False
    for names, parameters in (
        (node.input, version.schema.inputs),
        (node.output, version.schema.outputs),
    ):
        for index, name in enumerate(names):
            able = version.types.get(parameters[min(index, len(parameters) - 1)].type_str)
            if able is not None and name and types[name] not in {dtype.onnx for dtype in able}:
                return False
    return True


def _array(value: Any) -> np.ndarray[Any, Any]:
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def check_node_tests(kernels: Runner, op: str, *, device: bool = False) -> int:
    """Passes the node tests of ``op`` and returns how many data sets that were.

    Args:
        device: are the kernels those for a device?

    Raises:
        AssertionError: a result is not what ONNX says.
    """
    ran = 0
    for case in node_tests(op):
        for data in case.data_sets:
            inputs, outputs = ([_array(value) for value in values] for values in data)
            types = [output.dtype for output in outputs]
            if device and case.name in REFUSED:
                with pytest.raises(KernelError, match=REFUSED[case.name]):
                    kernels.run_node(case.model, inputs, types)
                continue
            found = [y for y in kernels.run_node(case.model, inputs, types) if y is not None]
            for got, want in zip(found, outputs, strict=True):
                assert got.shape == want.shape, case.name
                if case.name in DRAWN:
                    continue
                np.testing.assert_allclose(got, want, 1e-3, 1e-7, err_msg=case.name)
            ran += 1
    return ran
