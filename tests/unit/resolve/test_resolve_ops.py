"""Operators: versions, types, kernels; FR 43 to 46 of the field reports."""

from __future__ import annotations

import pytest

from epforge.blueprint import Diagnostic, parse
from epforge.ops import families, schemas
from epforge.ops.model import DType
from epforge.resolve import Analysis, analyse, resolve
from epforge.resolve.model import KernelSource, Op
from epforge.resolve.opsets import OpsetRange, opsets_of, parse_models, runs, used_by

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"


def looked_at(ops: str, more: str = "") -> Analysis:
    return analyse(parse(f"{HEAD}{more}ops:\n" + "".join(f"  - {op}\n" for op in ops.split("\n"))))


def op(text: str, more: str = "") -> Op:
    analysis = looked_at(text, more)
    assert analysis.errors == ()
    assert analysis.blueprint is not None
    (only,) = analysis.blueprint.ops
    return only


def error(text: str) -> Diagnostic:
    (only,) = looked_at(text).errors
    return only


def sinces(found: Op) -> list[int]:
    return [version.schema.since for version in found.versions]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("13", 13, 13), ("13-20", 13, 20), (" 13 - 20 ", 13, 20), (">=13", 13, None),
        (">12", 13, None), ("<20", 1, 19), ("<=20", 1, 20), (">=13,<20", 13, 19),
        ("<20, >=13", 13, 19),
    ],
)  # fmt: skip
def test_the_grammar_of_models(text: str, low: int, high: int | None) -> None:
    assert parse_models(text) == OpsetRange(low, high)


@pytest.mark.parametrize(
    "text", ["", "x", "013", "0", "-1", "1.5", "13-", ">=", ">=13,", ">=1,>=2", "<3,<=2", "20-13",
             ">=13,<13", "13,14", "=13", "99999", "１３"]
)  # fmt: skip
def test_what_is_no_range_of_models(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_models(text)


def test_opsets_mean_the_versions_that_their_models_use() -> None:
    mul = (1, 6, 7, 13, 14)
    assert used_by(mul, OpsetRange(13, None)) == (13, 14)
    assert used_by(mul, OpsetRange(12, 12)) == (7,)
    assert used_by(mul, OpsetRange(8, 13)) == (7, 13)
    assert used_by(mul, OpsetRange(20, 21)) == (14,)
    assert used_by((16,), OpsetRange(1, 15)) == ()
    assert opsets_of(mul, 7) == OpsetRange(7, 12)
    assert opsets_of(mul, 14) == OpsetRange(14, None)
    assert runs(mul, [7, 13, 1]) == [[1], [7, 13]]


def test_by_default_every_version_of_the_family_is_registered() -> None:
    found, row = op("Mul"), families.row("", "Mul")
    assert row is not None
    assert sinces(found) == list(row.since)
    assert (found.kernel, found.row) == (KernelSource.GENERATED, row)


def test_models_choose_versions() -> None:
    assert sinces(op('{op: Mul, models: ">=13"}')) == [13, 14]
    assert sinces(op("{op: Mul, models: 7-13}")) == [7, 13]


def test_an_op_without_a_family_is_a_stub_for_the_versions_with_its_newest_signature() -> None:
    found = op("ImageDecoder")
    assert (found.kernel, found.row, sinces(found)) == (KernelSource.YOURS, None, [20])
    schema = schemas.find("", "OptionalHasElement")
    assert schema is not None
    assert len(schema.versions) == 3
    newest = schema.versions[-1]
    versions = op("OptionalHasElement").versions
    assert len(versions) == 2
    for version in versions:
        assert version.schema.min_inputs == newest.min_inputs


def test_an_op_of_yours_keeps_what_its_family_had() -> None:
    ours, yours = op("Relu"), op("{op: Relu, kernel: yours}")
    assert yours.versions == ours.versions
    assert yours.row == ours.row
    assert yours.kernel is KernelSource.YOURS


def test_the_blueprints_types_narrow_the_main_constraint_alone() -> None:
    assert op("Relu").versions[-1].types == {"T": (DType.FLOAT32,)}
    less = op("Less", "types: [int64, float32]\n").versions[-1]
    assert less.types == {"T": (DType.FLOAT32, DType.INT64), "T1": (DType.BOOL,)}


def test_where_the_types_leave_nothing_all_of_the_family_count() -> None:
    assert op("Not").versions[-1].types == {"T": (DType.BOOL,)}


def test_a_version_that_takes_none_of_the_types_is_left_out() -> None:
    # Relu takes integers from its version 14 on.
    assert sinces(op("Relu", "types: [int32]\n")) == [14]
    assert sinces(op("{op: Relu, types: {T: [int32]}}")) == [14]
    analysis = looked_at('{op: Relu, types: {T: [int32]}, models: ">=6"}')
    assert ["models of opset 6-12" in w.message for w in analysis.warnings] == [True, False]


def test_a_type_for_some_versions_is_registered_for_those() -> None:
    found = op("{op: Relu, types: {T: [float32, int32]}}")
    assert {v.schema.since: v.types["T"] for v in found.versions} == {
        6: (DType.FLOAT32,),
        13: (DType.FLOAT32,),
        14: (DType.FLOAT32, DType.INT32),
    }


def test_default_types_that_no_operator_has_are_a_warning() -> None:
    analysis = looked_at("Not", "types: [bool, float32]\n")
    (warning,) = analysis.warnings
    assert (warning.code, warning.line, warning.column) == ("unused-type", 4, 15)


@pytest.mark.parametrize("name", ["Cast", "Gather", "Where", "QuantizeLinear"])
def test_a_made_up_constraint_is_refused_with_the_valid_names(name: str) -> None:
    """FR 43."""
    found = error(f"{{op: {name}, types: {{TT: [float32]}}}}")
    schema = schemas.find("", name)
    assert schema is not None
    assert found.code == "unknown-constraint"
    assert all(constraint in found.expected for constraint in schema.versions[-1].constraints)


@pytest.mark.parametrize("opset", [7, 12, 13, 14, 17, 21])
def test_models_of_every_opset_have_their_version(opset: int) -> None:
    """FR 44."""
    schema = schemas.find("", "Mul")
    assert schema is not None
    (used,) = used_by([v.since for v in schema.versions], OpsetRange(opset, opset))
    assert used in sinces(op("Mul"))


def test_uncovered_opsets_are_a_warning() -> None:
    """FR 44: registered for version 7 alone, models of opset 13 and newer run elsewhere."""
    analysis = looked_at("{op: Mul, models: 7}")
    assert analysis.blueprint is not None
    assert [warning.code for warning in analysis.warnings] == ["uncovered-opsets"] * 2
    assert "models of opset 13 " in analysis.warnings[0].message
    assert "models of opset 14 and newer" in analysis.warnings[1].message


def test_every_constraint_keeps_its_own_types_per_version() -> None:
    """FR 45."""
    found = op(
        "{op: QuantizeLinear, kernel: yours, types: {T1: [float32], T2: [uint8, int8]}, "
        'models: ">=13"}'
    )
    assert sinces(found)[:3] == [13, 19, 21]
    schema = schemas.find("", "QuantizeLinear")
    assert schema is not None
    for version in found.versions:
        assert set(version.types) == set(version.schema.constraints)
        assert version.types["T1"] == (DType.FLOAT32,)
        third = version.types.get("T3", version.types["T2"])
        assert {DType.UINT8, DType.INT8} <= set(third)


def test_overlapping_entries_are_an_error_with_both_lines() -> None:
    """FR 46."""
    found = error('{op: Mul, models: 7-13}\n{op: Mul, models: ">=13"}')
    assert (found.code, found.line) == ("overlap", 6)
    assert "line 5" in found.message
    assert "version 13" in found.message


def test_a_gap_between_entries_is_a_warning() -> None:
    """FR 46."""
    analysis = looked_at('{op: Mul, models: 7-12}\n{op: Mul, models: ">=14"}')
    assert analysis.blueprint is not None
    assert sinces(analysis.blueprint.ops[0]) == [7, 14]
    (warning,) = analysis.warnings
    assert "models of opset 13 use its version 13" in warning.message


def test_adjacent_entries_are_one_operator() -> None:
    analysis = looked_at(
        "{op: Mul, models: 7-12, types: {T: [float32]}}\n"
        '{op: Mul, models: ">=13", types: {T: [float32, float64]}}'
    )
    assert (analysis.errors, analysis.warnings) == ((), ())
    assert analysis.blueprint is not None
    (mul,) = analysis.blueprint.ops
    assert [len(version.types["T"]) for version in mul.versions] == [1, 2, 2]


def test_unknown_versions_and_duplicates_are_errors() -> None:
    """FR 46."""
    assert error("{op: GreaterOrEqual, models: 5}").code == "no-version"
    assert error("{op: Mul, models: 99}").code == "unknown-opset"
    assert error("Mul\nMul").code == "listed-twice"
    assert error("{op: Mul, types: {T: [float32]}}\n{op: Mul, types: {T: [float32]}}").line == 6


def test_an_unknown_operator_has_a_suggestion() -> None:
    for text, meant in (
        ("Rellu", "Relu"),
        ("relu", "Relu"),
        ("BatchNormalisation", "BatchNormalization"),
        ("BiasGelu", "com.microsoft::BiasGelu"),
        ("com.microsoft::BiasGellu", "com.microsoft::BiasGelu"),
        ("com.microsoft::Relu", "Relu"),
    ):
        fix = error(text).fix
        assert fix is not None
        assert fix.text == meant


def test_a_type_that_the_schema_forbids_is_an_error_naming_the_allowed() -> None:
    found = error("{op: MatMul, types: {T: [int8]}}")
    assert (found.line, found.column, found.code) == (5, 30, "type-not-allowed")
    assert "float32" in found.expected
    assert "int8" not in found.expected.split(", ")


def test_operators_are_sorted_and_ai_onnx_is_the_empty_domain() -> None:
    blueprint = resolve(parse(HEAD + "ops: [Mul, com.microsoft::BiasGelu, ai.onnx::Add]\n"))
    assert [(found.domain, found.op) for found in blueprint.ops] == [
        ("", "Add"),
        ("", "Mul"),
        ("com.microsoft", "BiasGelu"),
    ]


def test_a_blueprint_without_operators_is_a_warning() -> None:
    (warning,) = analyse(parse(HEAD)).warnings
    assert warning.code == "no-ops"


def test_every_operator_of_every_family_resolves_as_it_is() -> None:
    rows = families.rows()
    text = HEAD + "".join(
        ["ops:\n", *(f"  - {row.domain}{'::' if row.domain else ''}{row.op}\n" for row in rows)]
    )
    analysis = analyse(parse(text))
    assert (analysis.errors, analysis.warnings, analysis.unsupported) == ((), (), ())
    assert analysis.blueprint is not None
    assert {found.op for found in analysis.blueprint.ops} == {row.op for row in rows}
    for found in analysis.blueprint.ops:
        assert found.kernel is KernelSource.GENERATED
        assert all(all(version.types.values()) for version in found.versions)


def test_every_operator_of_the_snapshot_resolves_or_is_refused_with_a_reason() -> None:
    for domain in schemas.domains():
        for name in schemas.names(domain):
            spelling = f"{domain}::{name}" if domain else name
            analysis = looked_at(spelling)
            reasons = (*analysis.errors, *analysis.unsupported)
            assert analysis.blueprint is not None or reasons
            for diagnostic in analysis.errors:
                assert diagnostic.code in ("deprecated-op", "no-types"), spelling


def test_default_types_are_those_that_quantization_computes_in() -> None:
    """Not of the integers that it stores."""
    for types in ("[float32]", "[float32, int32]"):
        found = {
            name: looked_at(name, f"types: {types}\n").blueprint
            for name in ("DequantizeLinear", "MatMulInteger", "QLinearMatMul", "QuantizeLinear")
        }
        bytes_ = {DType.UINT8, DType.INT8}
        for name, blueprint in found.items():
            assert blueprint is not None
            for version in blueprint.ops[0].versions:
                integers = [set(version.types[c]) for c in ("T", "T1", "T2", "T3")
                            if c in version.types and set(version.types[c]) & bytes_]  # fmt: skip
                assert integers, (name, version.schema.since)
                assert all(bytes_ <= group for group in integers), (name, version.schema.since)
