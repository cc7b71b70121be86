"""Custom operators: what a blueprint may say of them, and where each error points."""

from __future__ import annotations

import pytest

from epforge.assets import assets_dir
from epforge.blueprint import load, parse
from epforge.blueprint.diagnostic import Diagnostic
from epforge.ops.model import DType
from epforge.resolve import Analysis, analyse, resolve, resolved_yaml
from epforge.resolve.model import Blueprint, KernelSource
from epforge.resolve.services import CustomKernel, CustomLibrary, CustomParameter, Grad

_HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"
_OP = """custom_ops:
  - op: com.contoso::MyOp
    inputs: {x: T, bias: "T?"}
    outputs: {y: T}
    types: {T: [float32]}
    attributes: {lo: {type: float, default: -1.0}, axes: {type: ints, default: []}}
"""


def _resolved(text: str) -> Blueprint:
    return resolve(parse(_HEAD + text))


def _analysed(text: str) -> Analysis:
    return analyse(parse(_HEAD + text))


def _errors(text: str) -> tuple[Diagnostic, ...]:
    return _analysed(text).errors


def _only(text: str) -> Diagnostic:
    errors = _errors(text)
    assert len(errors) == 1, [error.message for error in errors]
    return errors[0]


def test_the_ready_blueprint() -> None:
    blueprint = resolve(load(assets_dir("blueprints") / "custom-ops.yaml"))
    clip, gated, scale, pair = blueprint.custom_ops
    assert [op.grad for op in blueprint.custom_ops] == [Grad.AUTO, Grad.AUTO, Grad.AUTO, Grad.STUB]
    assert clip.kernel is gated.kernel is scale.kernel is CustomKernel.GENERATED
    assert (pair.kernel, pair.compute) == (CustomKernel.YOURS, None)
    assert scale.inputs[1] == CustomParameter("bias", "T", "optional")  # type: ignore[arg-type]
    assert blueprint.features.custom_op_library is CustomLibrary.CPU
    assert blueprint.custom_library == "contoso_npu_custom_ops"


def test_every_custom_op_is_an_op_of_the_project() -> None:
    blueprint = resolve(load(assets_dir("blueprints") / "custom-ops.yaml"))
    ops = {op.label: op for op in blueprint.ops}
    scale = ops["com.contoso::Scale"]
    (version,) = scale.versions
    assert version.schema.since == 1
    assert version.schema.constraints == {"T": ("tensor(float)", "tensor(int64)")}
    assert (version.schema.min_inputs, version.schema.max_inputs) == (3, 3)
    assert version.types == {"T": (DType.FLOAT32, DType.INT64)}
    assert scale.kernel is KernelSource.GENERATED
    assert ops["com.contoso::PairSum"].kernel is KernelSource.YOURS
    assert list(ops) == sorted(ops, key=lambda label: label.rpartition("::"))


def test_an_op_whose_kernel_is_elsewhere_has_a_schema_only() -> None:
    blueprint = _resolved(_OP + "    kernel: elsewhere\n")
    assert blueprint.custom_ops[0].kernel is CustomKernel.ELSEWHERE
    assert blueprint.ops == ()


def test_a_variadic_input_leaves_the_number_open() -> None:
    text = """custom_ops:
  - op: com.contoso::Total
    version: 3
    inputs: {x: T, xs: "T*"}
    outputs: {y: T, n: float32}
    types: {T: [float32]}
    compute: {y: x + sum(xs), n: 2}
"""
    blueprint = _resolved(text)
    schema = blueprint.ops[0].versions[0].schema
    assert (schema.since, schema.min_inputs, schema.max_inputs) == (3, 2, 2**31 - 1)
    assert [parameter.option for parameter in schema.inputs] == ["single", "variadic"]
    assert schema.outputs[1].type_str == "tensor(float)"
    assert list(blueprint.custom_ops[0].compute or {}) == ["y", "n"]


@pytest.mark.parametrize(
    ("line", "marked", "code"),
    [
        ("compute: x + z", "z", "bad-expression"),
        ("compute: 'x + z'", "z", "bad-expression"),
        ("compute: system(x)", "system", "bad-expression"),
        ("compute: x + axes", "axes", "bad-expression"),
        ("compute: x + bias", "bias", "bad-expression"),
        ("compute: x / 0", "0", "bad-expression"),
        ("compute: x < 1", "x < 1", "bad-expression"),
        ("compute: {z: x}", "z", "unknown-output"),
    ],
)
def test_an_error_in_an_expression_points_at_its_part(line: str, marked: str, code: str) -> None:
    text = f"{_OP}    {line}\n"
    found = [error for error in _errors(text) if error.code == code]
    assert len(found) == 1
    shown = (_HEAD + text).splitlines()[found[0].line - 1]
    assert shown[found[0].column - 1 : found[0].end_column - 1] == marked


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.__class__",
        "(" * 400 + "x" + ")" * 400,
        "(" * 10_000 + "x" + ")" * 10_000,
        "lambda: x",
        "x if x else x",
        "[x for x in x]",
        "x @ x",
        "1" * 999,
        "x + 1e999",
        "",
        "\u0430 + x",  # a Cyrillic letter
    ],
)
def test_a_hostile_expression_is_a_located_error(text: str) -> None:
    escaped = text.replace("'", "''")
    error = _only(f"{_OP}    compute: '{escaped}'\n")
    assert (error.line, error.code) == (10, "bad-expression")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("com.contoso::MyOp", "com.microsoft::MyOp"), "reserved-domain"),
        (("com.contoso::MyOp", "ai.onnx::MyOp"), "bad-name"),
        (("com.contoso::MyOp", "MyOp"), "bad-name"),
        (("com.contoso::MyOp", "ai.onnx.ml::MyOp"), "reserved-domain"),
        (('bias: "T?"', 'bias: "T*", z: T'), "bad-option"),
        (("{y: T}", '{y: "T?"}'), "bad-option"),
        (("x: T,", "x: U,"), "unknown-type"),
        (("T: [float32]", "T: [float32], U: [int64]"), "unused-type"),
        (("T: [float32]", "float32: [float32]"), "bad-name"),
        (("type: ints, default: []", "type: tensor, default: 1"), "wrong-kind"),
        (("lo:", "x:"), "name-collision"),
        (("{type: float, default: -1.0}", "{type: graph}"), "unknown-value"),
    ],
)
def test_what_is_refused(change: tuple[str, str], code: str) -> None:
    assert change[0] in _OP
    assert code in {error.code for error in _errors(_OP.replace(*change))}


def test_an_output_whose_type_nobody_knows_is_refused() -> None:
    text = """custom_ops:
  - op: com.contoso::Make
    inputs: {x: "T?"}
    outputs: {y: T}
    types: {T: [float32, int64]}
"""
    error = _only(text)
    assert error.code == "open-type"
    assert "which type T is" in error.message


def test_a_gradient_is_derived_only_where_there_is_one() -> None:
    def grad(compute: str, types: str = "float32", line: str = "") -> Grad:
        text = _OP.replace("[float32]", f"[{types}]") + f"    compute: {compute}\n{line}"
        return _resolved(text).custom_ops[0].grad

    assert grad("x * lo") is Grad.AUTO
    assert grad("x + 1", "int64") is Grad.NONE
    assert grad("x * lo", line="    grad: none\n") is Grad.NONE
    text = _OP.replace('bias: "T?"', 'xs: "T*"') + "    compute: x * max(xs)\n"
    assert _resolved(text).custom_ops[0].grad is Grad.STUB
    error = _only(text + "    grad: auto\n")
    assert (error.line, error.code) == (11, "no-gradient")


def test_lists_of_strings_want_a_runtime_that_reads_them() -> None:
    text = _OP.replace("{type: ints, default: []}", "{type: strings, default: [a]}")
    error = _only(text)
    assert (error.code, error.line) == ("too-new", 9)
    assert "1.25" in error.hint
    assert not _errors(text + 'ort: {min: "1.25.0"}\n')


def test_torch_and_the_library_need_custom_ops() -> None:
    ops = "ops: [Relu]\n"
    assert _only(ops + "torch: {legacy: 17}\n").code == "no-effect"
    assert _only(ops + "features: {custom_op_library: cuda}\n").code == "no-effect"
    own = _OP + "    compute: x\n"
    for opset in ("legacy: 99", "legacy: 6", "dynamo: 17"):
        assert _only(f"{own}torch: {{{opset}}}\n").code == "unknown-opset"
    assert not _errors(own + "torch: {legacy: 17, dynamo: 18}\n")
    (taken,) = analyse(parse(_HEAD.replace("contoso-npu", "prim") + own + "torch: {}\n")).errors
    assert (taken.line, taken.code) == (2, "reserved-name")


def test_patterns_and_kernels_may_name_custom_ops() -> None:
    text = (
        _OP
        + "    compute: x * lo\n"
        + "paradigm: compiled\nops: [Add]\n"
        + "compile: {also_kernels: [com.contoso::MyOp],"
        + " patterns: [{name: P, match: [Add, com.contoso::MyOp]}]}\n"
    )
    blueprint = _resolved(text)
    mine = next(op for op in blueprint.ops if op.custom)
    assert (mine.compiled, mine.registered) == (True, True)
    assert _only(text.replace("Add, com.contoso::MyOp", "Add, com.contoso::MyOpp")).code


def test_the_resolved_blueprint_says_the_same() -> None:
    text = load(assets_dir("blueprints") / "custom-ops.yaml").text.text
    once = resolved_yaml(resolve(parse(text)))
    again = resolve(parse(once))
    assert again.custom_ops == resolve(parse(text)).custom_ops
    assert resolved_yaml(again) == once
