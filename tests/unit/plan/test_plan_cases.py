"""The cases of the generated Python tests: each op of each family has some, all legal."""

from __future__ import annotations

import pytest

from epforge.blueprint import parse
from epforge.ops import families
from epforge.ops.model import SchemaVersion
from epforge.plan.cases import Json, op_cases
from epforge.resolve import resolve_supported
from epforge.resolve.model import Blueprint

OPS = sorted({row.op for row in families.rows() if not row.domain})
UNREACHABLE = {"Constant"}  # an initializer before anyone can take it


def blueprint(*ops: str) -> Blueprint:
    text = f"epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [{', '.join(ops)}]\n"
    return resolve_supported(parse(text, "blueprint.yaml"))


@pytest.fixture(scope="module")
def everything() -> Blueprint:
    return blueprint(*OPS)


@pytest.fixture(scope="module")
def versions(everything: Blueprint) -> dict[tuple[str, int], SchemaVersion]:
    return {(op.op, v.schema.since): v.schema for op in everything.ops for v in op.versions}


@pytest.fixture(scope="module")
def rows(everything: Blueprint) -> list[dict[str, Json]]:
    return op_cases(everything)


def test_every_op_of_a_family_has_a_case(rows: list[dict[str, Json]]) -> None:
    assert set(OPS) - {str(row["op"]) for row in rows} <= UNREACHABLE


def test_the_nodes_are_legal(
    rows: list[dict[str, Json]], versions: dict[tuple[str, int], SchemaVersion]
) -> None:
    """Between the least and the most inputs; no required input or attribute missing."""
    for row in rows:
        inputs, since, given = row["inputs"], row["since"], row.get("attributes", {})
        assert isinstance(inputs, list)
        assert isinstance(since, list)
        assert isinstance(given, dict)
        assert since
        for version in since:
            assert isinstance(version, int)
            schema = versions[str(row["op"]), version]
            assert schema.min_inputs <= len(inputs) <= schema.max_inputs, row
            required = {each.name for each in schema.attributes if each.required}
            assert required <= set(given) <= {each.name for each in schema.attributes}, row
            left_out = [i for i, each in enumerate(inputs) if each is None]
            assert all(schema.inputs[i].option == "optional" for i in left_out), row


def test_the_types_of_the_inputs_are_those_of_the_schema(
    rows: list[dict[str, Json]], versions: dict[tuple[str, int], SchemaVersion]
) -> None:
    for row in rows:
        inputs, since = row["inputs"], row["since"]
        assert isinstance(inputs, list)
        assert isinstance(since, list)
        for version in since:
            assert isinstance(version, int)
            formal = [each.type_str for each in versions[str(row["op"]), version].inputs]
            for index, each in enumerate(inputs):
                if isinstance(each, dict):
                    assert each["type"] == formal[min(index, len(formal) - 1)], row


def test_an_op_element_by_element_meets_the_odd_shapes() -> None:
    shapes = [row["inputs"] for row in op_cases(blueprint("Relu"))]
    assert shapes[1:3] == [[{"shape": [], "type": "T"}], [{"shape": [0, 4], "type": "T"}]]


def test_an_op_without_a_family_gets_inputs_of_equal_shapes() -> None:
    text = (
        "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"
        "ops: [{op: com.microsoft::ComplexMul, kernel: yours}]\n"
    )
    rows = op_cases(resolve_supported(parse(text, "blueprint.yaml")))
    assert {row["domain"] for row in rows} == {"com.microsoft"}
    assert {"shape": [2, 3, 4], "type": "T"} in rows[0]["inputs"]  # type: ignore[operator]
