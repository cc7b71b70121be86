"""The cases of custom operators in the generated Python tests: legal, and where things go wrong."""

from __future__ import annotations

from typing import Any

from custom_ops import RICH, STUB, custom

from epforge.plan.cases import op_cases


def _rows(op: str, ops: str = RICH + STUB) -> list[dict[str, Any]]:
    return [row for row in op_cases(custom(ops)) if row["op"] == op]


def _shapes(row: dict[str, Any]) -> list[list[int] | None]:
    return [None if each is None else each["shape"] for each in row["inputs"]]


def test_shapes_are_equal_odd_and_broadcast() -> None:
    shapes = [_shapes(row) for row in _rows("Gate")]
    assert shapes == [
        [[2, 3, 4], [2, 3, 4]],
        [[], []],
        [[0, 4], [0, 4]],
        [[1], [1]],
        [[2, 1, 4], [3, 1]],
    ]


def test_optional_inputs_are_left_out_in_the_middle_and_at_the_end() -> None:
    assert [[2, 3, 4], None, [2, 3, 4]] in [_shapes(row) for row in _rows("Middle")]
    assert [[2, 3, 4]] in [_shapes(row) for row in _rows("Fixed")]
    assert [None, [2, 3, 4]] in [_shapes(row) for row in _rows("Leading")]


def test_a_variadic_input_has_one_to_three_tensors() -> None:
    assert {len(row["inputs"]) for row in _rows("Total")} == {1, 2, 3}


def test_types_versions_and_outputs_are_the_operators() -> None:
    for row in _rows("Many"):
        assert row["since"] == [3]
        assert row["outputs"] == 2
        assert [each["type"] for each in row["inputs"]] == ["T"] + ["U"] * (len(row["inputs"]) - 1)
    assert [each["type"] for each in _rows("Fixed")[0]["inputs"]] == [
        "tensor(uint8)",
        "tensor(int64)",
        "tensor(bool)",
    ]


def test_required_attributes_are_given() -> None:
    assert {str(row.get("attributes")) for row in _rows("Bounded")} == {"{'high': 2}"}
    assert "attributes" not in _rows("Gate")[0]


def test_a_stub_has_equal_shapes_only_and_its_tensor() -> None:
    rows = _rows("Stub")
    assert all(len({str(shape) for shape in _shapes(row)}) == 1 for row in rows)
    assert rows[0]["attributes"] == {"value": {"type_of": "T", "values": [1]}}


def test_an_op_that_no_case_describes_has_none() -> None:
    ops = (
        "  - {op: com.acme::Odd, inputs: {x: float32}, outputs: {y: float32},"
        " attributes: {value: {type: tensor}}}\n"
    )
    assert not _rows("Odd", ops)


def test_an_op_without_inputs_has_one_case() -> None:
    assert [_shapes(row) for row in _rows("Pi")] == [[]]
