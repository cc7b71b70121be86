"""What the generated Python tests feed to each op is legal, and the kernels agree with the CPU.

Here without a plugin library: the kernels are called directly.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import onnx
import pytest
from device_kernels import emulated
from kernel_project import make_op, write_kernels
from kernel_runner import Runner, build
from onnx import helper
from projects import expanded

from epforge.ops import families
from epforge.ops.families._common import ANY

#: Domain and name.
_OPS = [(row.domain, row.op) for row in families.rows()]
_BLUEPRINT = f"""
epforge: 1
name: acme-npu
vendor: Acme
types: [{", ".join(dtype.text for dtype in ANY)}]
ops: [{", ".join("::".join(filter(None, op)) for op in _OPS)}]
"""
#: Versions that no runtime computes, so that the tests would have nothing to compare with.
_WITHOUT = {
    ("", "BatchNormalization", 1),
    ("", "BatchNormalization", 6),
    ("", "GRU", 1),
    ("", "GRU", 3),
    ("", "GlobalLpPool", 1),
    ("", "GlobalLpPool", 22),
    ("", "InstanceNormalization", 1),
    ("", "LSTM", 1),
    ("", "MaxRoiPool", 22),
    ("", "Multinomial", 22),
    ("", "RNN", 1),
    ("", "Upsample", 1),
}
#: Whose function ONNX cannot infer types of: it has a float32 among numbers of any type.
_UNCHECKED = {("", "MeanVarianceNormalization")}


@pytest.fixture(scope="session", params=["host", pytest.param("device", marks=pytest.mark.lab)])
def place(request: pytest.FixtureRequest) -> str:
    """Whose kernels are tested."""
    return str(request.param)


@pytest.fixture(scope="session")
def kernels(place: str, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    project = tmp_path_factory.mktemp("kernels")
    types = ANY if place == "host" else None
    ops = [make_op(op, types, domain=domain) for domain, op in _OPS]
    if place == "device":
        return emulated(project, ops)
    write_kernels(project, ops)
    return build(project, "acme_npu")


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The generated module that makes models of the cases, and `trials`, all of them by op."""
    place: Path = tmp_path_factory.mktemp("generated")
    files = {file.path: file.content for file in expanded(_BLUEPRINT).files}
    for name in ("support.py", "op_cases.json"):
        (place / name).write_bytes(files[f"tests/python/{name}"])
    spec = importlib.util.spec_from_file_location("generated_support", place / "support.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["generated_support"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    by_op: dict[tuple[str, str], list[Any]] = defaultdict(list)
    manifest = json.loads(files["src/gen/manifest.json"])
    for trial in module.trials(manifest):
        by_op[trial.case["domain"], trial.case["op"]].append(trial)
    module.by_op = by_op  # type: ignore[attr-defined]
    module.versions = {  # type: ignore[attr-defined]
        (e["domain"], e["op"], e["since"]) for e in manifest["ops"]
    }
    return module


def test_every_version_has_a_case(generated: ModuleType) -> None:
    tried = {(*op, trial.since) for op, trials in generated.by_op.items() for trial in trials}
    assert generated.versions - tried == _WITHOUT


@pytest.mark.parametrize("op", _OPS, ids=lambda op: "::".join(filter(None, op)))
def test_cases_are_legal_and_computed_as_on_the_cpu(
    kernels: Runner, place: str, generated: ModuleType, op: tuple[str, str]
) -> None:
    trials = generated.by_op[op]
    if place == "device":
        row = families.row(*op)
        assert row is not None
        if not row.device:
            pytest.skip("no device code")
        halves = {"float16", "bfloat16"}
        trials = [trial for trial in trials if not halves & set(trial.types.values())]
    assert trials
    for trial in trials:
        one = trial.build()
        model = onnx.load_from_string(one.model)
        wanted = generated.expected(one)
        for output, array in zip(model.graph.output, wanted, strict=True):
            number = helper.np_dtype_to_tensor_dtype(array.dtype)
            output.CopyFrom(helper.make_tensor_value_info(output.name, number, array.shape))
        try:
            if onnx.defs.has(op[1], op[0]) and op not in _UNCHECKED:
                onnx.checker.check_model(model, full_check=True)
            types = [array.dtype for array in wanted]
            actual = kernels.run_node(model, list(one.feeds.values()), types)
            generated.assert_same(actual, wanted)
        except Exception as error:
            error.add_note(str(trial))
            raise
