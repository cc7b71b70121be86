"""What `layout: NHWC` means for the operators, and what is said of it."""

from __future__ import annotations

import pytest

from epforge.blueprint import parse
from epforge.plan.layout import converted
from epforge.resolve import analyse, resolve
from epforge.resolve.model import Blueprint

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"


def _resolved(text: str, layout: str = "NHWC") -> Blueprint:
    return resolve(parse(f"{HEAD}layout: {layout}\n{text}\n", "b.yaml"))


def _sinces(blueprint: Blueprint) -> dict[str, list[int]]:
    return {op.op: [v.schema.since for v in op.versions] for op in blueprint.ops}


def test_versions_that_cannot_be_converted_or_reached_are_not_registered() -> None:
    ops = "ops: [BatchNormalization, LpPool, InstanceNormalization, Relu, Add, Transpose]"
    assert _sinces(_resolved(ops)) == {
        "Add": [7, 13, 14],
        "BatchNormalization": [7, 9, 14, 15],
        "InstanceNormalization": [6, 22],
        "LpPool": [11, 18, 22],
        "Relu": [6, 13, 14],
        "Transpose": [1, 13, 21, 23, 24, 25],
    }
    assert _sinces(_resolved(ops, "NCHW"))["LpPool"] == [2, 11, 18, 22]


@pytest.mark.parametrize(
    ("op", "since"),
    [
        ("Conv", [1, 11, 22]),
        ("{op: Conv, models: '>=22'}", [11, 22]),
        ("{op: MaxPool, models: '>=12'}", [12, 22]),
        ("{op: AveragePool, models: '>=20'}", [19, 22]),
        ("GlobalMaxPool", [1, 22]),
    ],
)
def test_converted_nodes_have_the_newest_version_that_the_runtime_has(
    op: str, since: list[int]
) -> None:
    (found,) = converted(_resolved(f"ops: [{op}, Transpose]"))
    assert [version.schema.since for version in found.versions] == since


def test_a_version_of_several_has_the_types_of_all() -> None:
    ops = (
        "[{op: Conv, models: 11-21}, {op: Conv, models: '>=22', types: {T: [float64]}}, Transpose]"
    )
    (found,) = converted(_resolved(f"ops: {ops}"))
    assert {v.schema.since: [t.text for t in v.types["T"]] for v in found.versions} == {
        11: ["float32", "float64"],
        22: ["float64"],
    }


def test_only_generated_kernels_with_a_body_for_it_are_converted() -> None:
    assert converted(_resolved("ops: [{op: Conv, kernel: yours}, Relu, MaxPool]", "NCHW")) == ()
    ops = "ops: [{op: Conv, kernel: yours}, Relu, MaxPool, Transpose]"
    assert [op.op for op in converted(_resolved(ops))] == ["MaxPool"]


@pytest.mark.parametrize(
    ("ops", "codes"),
    [
        ("[Conv, Transpose]", []),
        ("[Conv, Relu]", ["no-transpose"]),
        ("[Relu]", ["layout-unused"]),
        ("[{op: LpPool, models: '>=2'}, Transpose]", ["not-convertible"]),
    ],
)
def test_what_helps_little_is_warned_of(ops: str, codes: list[str]) -> None:
    source = parse(f"{HEAD}layout: NHWC\nops: {ops}\n", "b.yaml")
    assert [warning.code for warning in analyse(source).warnings] == codes
