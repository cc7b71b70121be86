<%= banner %>
"""ONNX Runtime computes what PyTorch does: exported models, with the library of the operators."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import support
import test_export


@support.cases()
@test_export.exporters
@pytest.mark.parametrize("optional", [True, False], ids=["all", "required"])
def test_results_are_those_of_pytorch(
    case: dict[str, Any], exporter: str, optional: bool, library: str, tmp_path: Path
) -> None:
    support.require(case)
    if optional not in support.presences(case):
        pytest.skip("the operator has no optional inputs")
    test_export.exported(case, exporter, tmp_path / "m.onnx", optional=optional)
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(library)
    session = onnxruntime.InferenceSession(
        tmp_path / "m.onnx", options, providers=["CPUExecutionProvider"]
    )
    example = support.inputs(case, support.shapes(case, optional=optional))
    wanted = support.Wrapped(case, example)(*support.flat(example))
    feeds = {
        each.name: tensor.numpy()
        for each, tensor in zip(session.get_inputs(), support.flat(example), strict=True)
    }
    for result, tensor in zip(session.run(None, feeds), wanted, strict=True):
        np.testing.assert_allclose(result, tensor.numpy(), rtol=1e-6, atol=1e-6)
