"""Element types that C++ has none for: float8, and what is smaller than a byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from projects import Project

from epforge.validate import Outcome, Rung, validate

QUANTIZED = """\
epforge: 1
name: contoso-npu
vendor: Contoso
types: [float32, float8e4m3fn, int4, uint2]
ops: [BitCast, DequantizeLinear, QuantizeLinear]
"""
TESTS = {
    "BitCast": 0,  # they are of types that are not claimed
    "DequantizeLinear": 4,
    "QuantizeLinear": 3,
}


@pytest.fixture(scope="module")
def ops(project_of: Callable[..., Project]) -> Mapping[str, Mapping[str, Any]]:
    """What rung *conformance* says of each operator."""
    report = validate(project_of(QUANTIZED).library, rungs=[Rung.CONFORMANCE])
    assert {c.outcome for c in report.checks} == {Outcome.PASSED}, [c.detail for c in report.checks]
    (found,) = report.conformance
    by_name: dict[str, Mapping[str, Any]] = {each["op"]: each for each in found["ops"]}
    return by_name


@pytest.mark.parametrize("op", sorted(TESTS))
def test_they_are_quantized_as_onnx_s_tests_say(
    ops: Mapping[str, Mapping[str, Any]], op: str
) -> None:
    tests = ops[op]["node_tests"]
    assert tests["failed"] == tests["crashed"] == 0
    assert tests["passed"] >= TESTS[op]
    small = [row for row in ops[op]["rows"] if row["claimed"] and "float8" in row["types"]]
    assert small
    assert all(row["passed"] == row["cases"] for row in small)


@pytest.mark.parametrize("type_", ["float8e4m3fn", "int4", "uint2"])
def test_every_model_in_them_is_run(ops: Mapping[str, Mapping[str, Any]], type_: str) -> None:
    for op in ops.values():
        rows = [row for row in op["rows"] if row["claimed"] and type_ in row["types"]]
        assert rows
        assert sum(row["not_run"] for row in rows) == 0
        assert sum(row["passed"] for row in rows) > 0
