"""ONNX's node tests as the rung `conformance` finds, feeds and judges them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from epforge.validate.cases import Ask, cases
from epforge.validate.conformance.lists import exclusions, tolerance
from epforge.validate.worker import compare, conformance, node_tests, schema, session, values


def identity(type_: int, shape: tuple[int, ...]) -> Any:
    """A session that gives back what it gets."""
    x, y = (helper.make_tensor_value_info(name, type_, shape) for name in "xy")
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [x], [y])
    imports = [helper.make_opsetid("", 25)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=13)
    return onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def numbers(name: str, shape: tuple[int, ...]) -> Any:
    """An array of an element type, by the name of that."""
    dtype = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(name))
    found = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2
    if name == "STRING":
        return np.array([f"text {x}" for x in found.ravel()], dtype=object).reshape(shape)
    return found.astype(dtype)


SHAPES = [(3,), (2, 2), (), (0, 2)]


@pytest.mark.parametrize(
    "name", ["FLOAT", "BOOL", "STRING", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2"]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_values_of_every_type_go_through_a_session(name: str, shape: tuple[int, ...]) -> None:
    sent = numbers(name, shape)
    through = identity(TensorProto.DataType.Value(name), shape)
    for value in (sent, numpy_helper.from_array(sent)):
        (got,) = values.run(through, [value])
        assert (got.dtype, got.shape) == (sent.dtype, shape)
        assert np.array_equal(got, sent)


@pytest.mark.parametrize("name", ["INT4", "UINT4", "FLOAT4E2M1", "INT2", "UINT2", "FLOAT8E8M0"])
@pytest.mark.parametrize("shape", SHAPES)
def test_values_of_less_than_a_byte_are_packed_and_come_back(
    name: str, shape: tuple[int, ...]
) -> None:
    sent = numbers(name, shape)
    got = values.from_value(values.to_value(sent))
    assert (got.dtype, got.shape) == (sent.dtype, shape)
    assert got.tobytes() == sent.tobytes()


@pytest.mark.parametrize(
    ("op", "module"),
    [("Relu", "relu"), ("If", "if_"), ("Range", "rangeop"), ("LabelEncoder", "label_encoder")],
)
def test_the_module_of_an_operator_s_tests_is_found(op: str, module: str) -> None:
    assert module in {name.rpartition(".")[2] for name in node_tests.module_names(op)}


def test_an_operator_without_tests_has_none() -> None:
    assert node_tests.module_names("GlobalLpPool") == []
    assert node_tests.find("", "GlobalLpPool")[0] == []


def test_the_types_and_the_version_of_a_test_are_those_of_its_model() -> None:
    found, left_out = node_tests.find("", "Clip")
    tests = {test.name: test for test in found}
    assert left_out >= len(tests) == 12
    assert tests["test_clip"].since == 13
    assert tests["test_clip"].types == {"T": "float32"}
    assert tests["test_clip_default_int8_min"].types == {"T": "int8"}
    older = node_tests.restamped(tests["test_clip"], 12)
    assert (older.since, older.opset, node_tests.opset_of(older.model)) == (12, 12, 12)
    assert node_tests.opset_of(tests["test_clip"].model) > 12  # the test itself is as it was


def judged(got: Any, expected: Any, op: str = "Relu") -> str:
    judge = conformance._Judge.of(tolerance(op))
    return judge._difference([got], [expected])


def test_what_counts_as_the_same() -> None:
    one = np.ones(2, np.float32)
    assert judged(one * np.float32(1.0005), one) == ""
    assert "expected 1" in judged(one * np.float32(1.01), one)
    assert judged(one * 0 + np.float32(5e-5), one * 0) != ""
    assert judged(one * 0 + np.float32(5e-5), one * 0, op="DFT") == ""
    brain = helper.tensor_dtype_to_np_dtype(TensorProto.BFLOAT16)
    assert judged((one * 1.01).astype(brain), one.astype(brain)) == ""
    assert judged((one * 1.1).astype(brain), one.astype(brain)) != ""
    assert judged(np.array([1000001]), np.array([1000000])) != ""
    assert judged(np.array(["a"], object), np.array(["a"])) == ""
    assert "is float64" in judged(one.astype(np.float64), one)


def test_sequences_and_nothing_are_compared_too() -> None:
    one, two = np.ones(1), np.full(1, 2.0)
    assert judged([one, two], [one, two]) == ""
    assert judged([one, one], [one, two]) != ""
    assert judged([one], [one, two]) == "1 values, expected 2"
    assert judged(None, None) == ""
    assert judged(one, None) == "a tensor, expected nothing"
    assert judged([one], one) == "a sequence, expected a tensor"


def test_every_exclusion_is_of_a_test_that_exists() -> None:
    for op, tests in exclusions().items():
        names = {test.name for test in node_tests.find("", op)[0]}
        assert tests.keys() <= names, op


@pytest.mark.parametrize("op", sorted(session._MISTAKEN))
def test_an_operator_that_onnx_s_reference_computes_wrongly_is_listed_only_while_it_does(
    op: str,
) -> None:
    from onnx.reference import ReferenceEvaluator

    since = schema.versions("", op)[-1]
    ask = Ask("", op, since, {"T": "float32"})
    models = [session.build(ask, case, since) for case in cases(ask)]
    known = [session.reference(model).outputs for model in models]
    told = [ReferenceEvaluator(model.proto).run(None, model.feeds) for model in models]
    assert any(map(compare.difference, told, known)), f"onnx's reference is right about {op}"


def test_a_float64_may_be_computed_as_float32_where_the_operator_may() -> None:
    def float64(op: str, since: int, **types: str) -> tuple[float, float]:
        assert schema.find("", op, since) is not None
        return compare.tolerance_of(Ask("", op, since, types))["float64"]

    close = float64("Relu", 14, T="float64")
    assert float64("LayerNormalization", 17, T="float64", U="float32") > close
    assert float64("Attention", 23, T1="float64", T2="float64") > close
    assert float64("GroupNormalization", 21, T="float64") > close
    assert float64("BatchNormalization", 15, T="float64", T1="float64", T2="float64") == close


def test_onnx_s_reference_may_round_the_other_way_and_no_further() -> None:
    ask = Ask("", "QuantizeLinear", 21, {"T1": "float32", "T2": "int8"})

    def said(by: str, apart: int) -> str:
        one, other = (np.array([value], np.int8) for value in (7, 7 + apart))
        return compare.difference([one], [other], True, compare.tolerance_of(ask, by))

    assert said("cpu", 1)
    assert not said("onnx", 1)
    assert said("onnx", 2)


@pytest.mark.parametrize(
    ("op", "since", "types", "left_out"),
    [
        ("Attention", 23, {"T1": "float32", "T2": "float32", "U": "int32"}, "mask, causal"),
        ("Unique", 11, {"T": "uint8"}, "columns, in their order"),
    ],
)
def test_what_onnx_s_reference_computes_wrongly_is_not_asked_of_those_types(
    op: str, since: int, types: dict[str, str], left_out: str
) -> None:
    """ONNX Runtime, which is right, has no kernel for them."""

    def labels(chosen: dict[str, str]) -> set[str]:
        return {case.label for case in cases(Ask("", op, since, chosen))}

    assert labels(dict.fromkeys(types, "float32")) - labels(types) == {left_out}
