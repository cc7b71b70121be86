"""The table of cases: every case is a valid model that the reference computes."""

from __future__ import annotations

import numpy as np
import pytest

from epforge.validate.cases import TABLE, Ask, Case, cases
from epforge.validate.cases.model import ints
from epforge.validate.worker import compare, schema, session
from epforge.validate.worker.ops import combinations, widened

# Neither ORT's CPU provider nor onnx computes these. Scatter 11 and Upsample 10 say that there is
# no such operator.
NO_REFERENCE = {
    ("GlobalLpPool", 22),
    ("MaxRoiPool", 22),
    ("Multinomial", 22),
    ("Scatter", 11),
    ("Upsample", 10),
}
PREFERRED = ("float32", "int64", "bool", "uint8")


def asks(domain: str, op: str) -> list[tuple[Ask, int]]:
    """The op's versions that ORT cares for, in usual types, each with an opset."""
    found = []
    for since in schema.versions(domain, op) or [1]:
        opsets = schema.opsets(domain, op, since, session.newest_opset())
        if not opsets or (not domain and opsets[0] < schema.ORT_LOWEST):
            continue
        known = schema.find(domain, op, since)
        allowed = schema.constraints(known) if known is not None else {"T": ("float32",)}
        types = {
            name: next((t for t in PREFERRED if t in choices), choices[0])
            for name, choices in allowed.items()
        }
        found.append((Ask(domain, op, since, types), opsets[0]))
    return found


@pytest.mark.parametrize(("domain", "op"), sorted(TABLE), ids=lambda text: text or "onnx")
def test_every_case_can_be_computed(domain: str, op: str) -> None:
    wanted = asks(domain, op)
    assert wanted
    for ask, opset in wanted:
        made = list(cases(ask))
        assert made, ask
        assert made[0].basic, "the first case decides whether an op is taken"
        assert len({case.label for case in made}) == len(made), "labels tell cases apart"
        for case in made:
            result = session.reference(session.build(ask, case, opset))
            assert result.by or (op, ask.since) in NO_REFERENCE, (ask, case.label, result.why)


def test_cases_are_the_same_every_time() -> None:
    ask = Ask("", "Add", 14, {"T": "float32"})
    first, second = list(cases(ask)), list(cases(ask))
    assert [case.label for case in first] == [case.label for case in second]
    for one, other in zip(first, second, strict=True):
        for a, b in zip(one.inputs, other.inputs, strict=True):
            assert a is not None
            assert b is not None
            np.testing.assert_array_equal(a.array, b.array)


@pytest.mark.parametrize("op", ["Relu", "Add", "Mul", "MatMul", "ReduceSum", "Cast", "Where"])
def test_empty_and_rank_0_are_covered(op: str) -> None:
    ask, _ = asks("", op)[-1]
    arrays = [feed.array for case in cases(ask) for feed in case.inputs if feed is not None]
    assert any(array.size == 0 for array in arrays)
    if op != "MatMul":
        assert any(array.ndim == 0 for array in arrays)


def test_an_op_outside_the_table_is_called_by_its_schema_or_not_at_all() -> None:
    generic = list(cases(Ask("", "Hardmax2", 1, {"T": "float32"})))
    assert generic == []
    by_schema = list(cases(Ask("", "StringConcat", 20, {"T": "string"})))
    assert by_schema
    assert all(not case.basic for case in by_schema)
    needs_attribute = list(cases(Ask("", "Upsample", 9, {"T": "float32"})))
    assert all(case.inputs for case in needs_attribute)


@pytest.mark.parametrize(
    ("since", "newest", "expected"),
    [(6, 25, [7, 12]), (13, 25, [13]), (14, 25, [14, 25]), (14, 13, []), (1, 25, [5])],
)
def test_opsets_of_a_since_version(since: int, newest: int, expected: list[int]) -> None:
    assert schema.opsets("", "Relu", since, newest) == expected


def test_type_combinations_are_all_or_one_at_a_time() -> None:
    few = list(combinations({"A": ["x", "y"], "B": ["u", "v"]}))
    assert len(few) == 4
    many = list(combinations({"A": [str(i) for i in range(20)], "B": [str(i) for i in range(20)]}))
    assert len(many) == 39 + 19
    assert {"A": "7", "B": "7"} in many
    others = list(combinations({"A": [str(i) for i in range(20)], "B": ["x"] * 20}))
    assert len(others) == 39


def test_the_same_call_in_float32_has_the_same_numbers() -> None:
    ask = Ask("", "Cast", 25, {"T1": "bfloat16", "T2": "float64"})
    case = next(iter(cases(ask)))
    wide, same = widened(ask, case)
    assert wide.types == {"T1": "float32", "T2": "float32"}
    assert same.attributes == {"to": "float32"}
    (feed,), (wider,) = case.inputs, same.inputs
    assert feed is not None
    assert wider is not None
    assert wider.value.dtype == np.float32
    np.testing.assert_array_equal(wider.value, feed.value.astype(np.float32))


@pytest.mark.parametrize(
    ("source", "target", "goes"),
    [("float32", "int32", True), ("int4", "float4e2m1", True), ("uint8", "uint4", False)],
)
def test_bits_are_those_of_a_type_of_the_same_size(source: str, target: str, goes: bool) -> None:
    assert bool(list(cases(Ask("", "BitCast", 26, {"T1": source, "T2": target})))) is goes


@pytest.mark.parametrize("type_", ["int4", "uint4", "int2", "uint2", "float8e8m0"])
def test_small_types_get_numbers_that_they_have(type_: str) -> None:
    ask = Ask("", "Identity", 25, {"V": type_})
    values = ask.array((50,), type_, low=-100, high=100).astype(np.float64)
    assert np.isfinite(values).all()
    assert len(set(values.tolist())) > 2
    least, most = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}.get(
        type_, (0.25, 128)
    )
    assert values.min() >= least
    assert values.max() <= most


def test_a_constraint_counts_only_where_the_node_settles_it() -> None:
    layer = schema.find("", "LayerNormalization", 17)
    assert schema.binds(layer, "T", [0, 1], 1)
    assert not schema.binds(layer, "U", [0, 1], 1)
    assert schema.binds(layer, "U", [0, 1], 2)


@pytest.mark.parametrize(
    ("got", "expected", "says"),
    [
        ([1.0, 2.0], [1.0, 2.0], ""),
        ([1.0, 2.0], [1.0, 2.00001], ""),
        ([1.0, 2.0], [1.0, 2.1], "output[1] is 2, expected 2.1"),
        ([np.nan], [np.nan], ""),
        ([np.nan], [1.0], "is nan"),
        ([np.inf], [np.inf], ""),
        ([[1.0]], [1.0], "shape [1, 1], expected [1]"),
    ],
)
def test_differences_are_told(got: list[float], expected: list[float], says: str) -> None:
    one = compare.difference([np.asarray(got, np.float32)], [np.asarray(expected, np.float32)])
    assert (says in one) if says else one == ""


def test_type_and_whole_numbers_must_be_equal() -> None:
    whole = [np.asarray([1, 2], np.int64)]
    assert "is int32, expected int64" in compare.difference([whole[0].astype(np.int32)], whole)
    assert "expected 2" in compare.difference([np.asarray([1, 3], np.int64)], whole)
    assert compare.difference([np.asarray([1, 3], np.int64)], whole, values=False) == ""
    scalar = [np.asarray(1, np.int64)]
    assert "output[0] is 0" in compare.difference([np.asarray(0, np.int64)], scalar)


def test_an_input_left_out_keeps_its_place() -> None:
    case = next(c for c in cases(Ask("", "Clip", 13, {"T": "float32"})) if "lower" in c.label)
    model = session.build(Ask("", "Clip", 13, {"T": "float32"}), case, 13)
    assert list(model.proto.graph.node[0].input) == ["i0", "", "i2"]


def test_constants_are_not_fed() -> None:
    case = Case("x", (ints([1], constant=False), ints([2])))
    model = session.build(Ask("", "Add", 14, {"T": "int64"}), case, 14)
    assert list(model.feeds) == ["i0"]
    assert [tensor.name for tensor in model.proto.graph.initializer] == ["i1"]
