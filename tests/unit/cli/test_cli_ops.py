"""The verb `ops`: the catalogue, its coverage, and the operators that models need."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from typer.testing import CliRunner

from epforge.blueprint import parse
from epforge.cli.main import app
from epforge.ops import control_flow, families, schemas
from epforge.resolve import analyse

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"


def ops(*args: object) -> Any:
    return CliRunner().invoke(app, ["ops", *map(str, args)])


def listed(*args: str) -> dict[str, dict[str, Any]]:
    result = ops("list", "--json", *args)
    assert result.exit_code == 0, result.output
    return {f"{each['domain']}::{each['op']}": each for each in json.loads(result.stdout)["ops"]}


def test_every_operator_with_a_schema_is_listed_once() -> None:
    found = listed()
    assert set(found) == {
        f"{domain}::{op}" for domain in schemas.domains() for op in schemas.names(domain)
    }


def test_implemented_is_what_has_a_kernel() -> None:
    kernels = {f"{row.domain}::{row.op}" for row in families.rows()}
    kernels |= {f"::{op}" for op in control_flow.CONTROL_FLOW}
    assert set(listed("--status", "implemented")) == kernels


def test_what_is_listed_as_a_stub_resolves_as_one() -> None:
    stubs = [each for each in listed("--status", "stub").values() if not each["domain"]]
    assert stubs
    for each in stubs:
        analysis = analyse(parse(f"{HEAD}ops: [{each['op']}]\n"))
        assert analysis.blueprint is not None, each
        assert not analysis.unsupported, each


def test_what_is_listed_as_impossible_has_a_reason_and_is_refused() -> None:
    for name, each in listed("--status", "impossible").items():
        assert each["reason"]
        if each["op"] in ("Constant", "EPContext"):
            continue
        analysis = analyse(parse(f"{HEAD}ops: ['{name.removeprefix('::')}']\n"))
        assert analysis.errors or analysis.unsupported, name


def test_a_domain_and_a_status_that_do_not_exist() -> None:
    for option, value in (("--domain", "com.contoso"), ("--status", "done")):
        result = ops("list", option, value)
        assert result.exit_code == 2
        assert value in result.stderr
        assert "One of: " in result.stderr


def test_an_operator_in_full() -> None:
    result = ops("show", "Clip")
    assert result.exit_code == 0
    assert "Clip: implemented" in result.stdout
    assert "since 13\n  (input: T, min?: T, max?: T) -> (output: T)\n" in result.stdout
    assert "since 1: no kernel" in result.stdout or "since 1\n" in result.stdout


def test_an_operator_that_does_not_exist_has_a_neighbour() -> None:
    result = ops("show", "Reluu")
    assert result.exit_code == 2
    assert "Did you mean Relu?" in result.stderr


def test_coverage_counts_what_the_list_has() -> None:
    result = ops("coverage", "--json")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    found = listed()
    for domain in data["domains"]:
        names = [op for family in domain["families"] for op in family["ops"]]
        assert len(names) == domain["implemented"]
        assert all(found[f"{domain['domain']}::{op}"]["status"] == "implemented" for op in names)
    assert {each["op"] for each in data["missing"]} == {
        name.removeprefix("::") for name, each in found.items() if each["status"] != "implemented"
    }


def test_the_page_of_the_docs_is_what_the_command_prints() -> None:
    page = Path(__file__).resolve().parents[3] / "docs/operators.md"
    assert ops("coverage", "--markdown").stdout == page.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"conformance": [{"ops": [1]}]}', "\x00"])
def test_what_is_no_report_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    result = ops("coverage", "--report", path)
    assert result.exit_code == 2
    assert str(path) in result.stderr


def save(model: ModelProto, path: Path) -> Path:
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Two versions of inputs, a subgraph, a function, constants, and an op of another domain."""
    text = """
    <ir_version: 8, opset_import: ["" : 17, "com.contoso" : 1, "own" : 1]>
    graph (float[2,3] x, bool which, int64[2] shape) => (y, z, w) {
      one = Constant <value = float {1.0}> ()
      s = Add (x, one)
      n = Add (shape, shape)
      y = If (which) <
        then_branch = yes () => (float[2,3] p) { p = Relu (s) },
        else_branch = no () => (float[2,3] q) { q = Neg (s) }
      >
      z = own.twice (x)
      w = com.contoso.Magic (x)
    }
    <domain: "own", opset_import: ["" : 17]>
    twice (a) => (b) { b = Mul (a, a) }
    """
    return save(onnx.parser.parse_model(text), tmp_path / "model.onnx")


def test_the_block_of_a_model_makes_a_blueprint(model: Path) -> None:
    result = ops("from-model", model)
    assert result.exit_code == 0, result.output
    analysis = analyse(parse(HEAD + result.stdout))
    assert (analysis.errors, analysis.unsupported, analysis.warnings) == ((), (), ())
    assert analysis.blueprint is not None
    found = {op.op: op for op in analysis.blueprint.claimed}
    assert set(found) == {"Add", "If", "Mul", "Neg", "Relu"}
    (newest,) = (v for v in found["Add"].versions if v.schema.since == 14)
    assert [dtype.text for dtype in newest.types["T"]] == ["float32", "int64"]


def test_what_cannot_be_had_is_a_comment_with_the_reason(model: Path) -> None:
    lines = ops("from-model", model).stdout.splitlines()
    (constant,) = (line for line in lines if "Constant" in line)
    (magic,) = (line for line in lines if "Magic" in line)
    assert constant.lstrip().startswith("# Constant, 1 node: ONNX Runtime turns")
    assert magic.lstrip().startswith("# com.contoso::Magic, 1 node: no schema of it is known")


def one_node(op: str, type_: int, opset: int, path: Path) -> Path:
    node = helper.make_node(op, ["x"], ["y"])
    x, y = (helper.make_tensor_value_info(name, type_, [2]) for name in "xy")
    graph = helper.make_graph([node], "g", [x], [y])
    opsets = [helper.make_opsetid("", opset)]
    return save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def test_several_models_are_one_block(tmp_path: Path) -> None:
    old = one_node("Relu", TensorProto.FLOAT, 11, tmp_path / "old.onnx")
    new = one_node("Relu", TensorProto.DOUBLE, 15, tmp_path / "new.onnx")
    result = ops("from-model", old, new)
    assert result.stdout == (
        "ops:\n  - {op: Relu, models: '>=11', types: {T: [float32, float64]}}\n"
    )
    assert "1 operator: 1 implemented" in result.stderr


def test_an_operator_without_a_kernel_is_a_stub_to_write(tmp_path: Path) -> None:
    path = one_node("StringNormalizer", TensorProto.STRING, 15, tmp_path / "text.onnx")
    result = ops("from-model", path)
    assert "kernel: yours}  # no kernel family has it" in result.stdout
    assert "1 stub (StringNormalizer)" in result.stderr
    assert analyse(parse(HEAD + result.stdout)).blueprint is not None


def test_types_that_no_kernel_has_are_left_out_and_said(tmp_path: Path) -> None:
    table = numpy_helper.from_array(np.array(["a", "b"], dtype=object), "t")
    node = helper.make_node("Equal", ["x", "t"], ["y"])
    x = helper.make_tensor_value_info("x", TensorProto.STRING, [2])
    y = helper.make_tensor_value_info("y", TensorProto.BOOL, [2])
    graph = helper.make_graph([node], "g", [x], [y], [table])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    result = ops("from-model", save(made, tmp_path / "text.onnx"))
    assert "types: {T1: [bool]}" in result.stdout
    assert "# no kernel for T of string" in result.stdout
    assert "1 of them in part" in result.stderr


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"ops: [Relu]", b"\x08" * 40])
def test_what_is_no_model_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "not.onnx"
    path.write_bytes(content)
    result = ops("from-model", path)
    assert result.exit_code == 2
    assert f"{path}: not an ONNX model" in result.stderr


def test_json_says_the_same(model: Path) -> None:
    listed = json.loads(ops("from-model", model, "--json").stdout)
    found = {each["op"]: each for each in listed["ops"]}
    assert found["Add"]["opsets"] == [17]
    assert found["Add"]["nodes"] == 2
    assert found["Magic"]["status"] == "impossible"
    assert "twice" not in found
