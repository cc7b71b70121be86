"""Which files the kernel of an expression is made of, and what its templates see."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from custom_ops import RICH, STUB, custom
from jinja2 import Environment
from kernel_project import make_blueprint, make_op

from epforge.assets import assets_dir
from epforge.names import Identifier, Safe
from epforge.plan.custom_ops import library_sources
from epforge.plan.expression_view import ExpressionView
from epforge.plan.kernels import files, kernel_view
from epforge.plan.model import FileSpec, Owner
from epforge.render.environment import make_environment
from epforge.resolve.model import Blueprint

_INCLUDE = re.compile(r'#include "(gen/kernels/[\w./]+)"')


@pytest.fixture(scope="module")
def environment() -> Environment:
    return make_environment(assets_dir("templates"))


def _specs(blueprint: Blueprint) -> dict[str, FileSpec]:
    return {spec.path: spec for spec in files(blueprint)}


def _texts(blueprint: Blueprint, environment: Environment) -> dict[str, str]:
    return {
        path: environment.get_template(spec.template).render(
            **spec.params, banner=Safe("// test"), ns=Identifier("test")
        )
        for path, spec in _specs(blueprint).items()
        if path.startswith(("src/gen/kernels/", "src/kernels/"))
    }


def _view(ops: str, name: str) -> ExpressionView:
    (op,) = (op for op in custom(ops).ops if op.op == name)
    view = kernel_view(op).expression
    assert view is not None
    return view


def test_a_function_and_its_kernel_are_generated() -> None:
    specs = _specs(custom())
    stem = "src/gen/kernels/com_acme_gate"
    assert specs[f"{stem}.h"].template == "kernels/op.h"
    assert specs[f"{stem}.cc"].template == "kernels/expression.cc"
    assert specs[f"{stem}_function.h"].owner is Owner.GENERATED
    assert not [path for path in specs if path.endswith((".cu", "_cuda.h"))]


def test_with_cuda_every_custom_op_has_a_second_kernel() -> None:
    blueprint = custom(RICH + STUB, "cuda")
    specs = _specs(blueprint)
    assert specs["src/gen/kernels/com_acme_gate.cu"].template == "kernels/expression.cu"
    assert specs["src/gen/kernels/com_acme_gate_cuda.h"].owner is Owner.GENERATED
    assert specs["src/kernels/com_acme_stub.cu"].owner is Owner.YOURS
    assert specs["src/kernels/com_acme_stub_cuda.h"].owner is Owner.YOURS
    assert "src/gen/kernels/relu.cu" not in specs
    assert "src/kernels/com_acme_stub.cu" in library_sources(blueprint)[1]


def test_only_a_stub_is_not_ready_for_cuda(environment: Environment) -> None:
    texts = _texts(custom(RICH + STUB, "cuda"), environment)
    assert "kReadyCudaComAcmeGate = true" in texts["src/gen/kernels/com_acme_gate_cuda.h"]
    assert "kReadyCudaComAcmeStub = false" in texts["src/kernels/com_acme_stub_cuda.h"]


def test_an_expression_that_is_yours_begins_as_the_generated_one() -> None:
    ops = (
        "  - {op: com.acme::Double, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]},"
        " compute: x * 2, kernel: yours}\n"
    )
    specs = _specs(custom(ops, "cuda"))
    mine = [path for path, spec in specs.items() if spec.owner is Owner.YOURS]
    stem = "src/kernels/com_acme_double"
    ends = (".cc", ".cu", ".h", "_cuda.h", "_function.h")
    assert sorted(mine) == sorted(f"{stem}{end}" for end in ends)
    view = kernel_view(next(op for op in custom(ops).ops if op.op == "Double"))
    assert view.ready
    assert view.function_header == "kernels/com_acme_double_function.h"


def test_the_kernels_have_all_that_they_include_and_no_more(environment: Environment) -> None:
    for op in custom().ops:
        texts = _texts(make_blueprint([op]), environment)
        reached = _reached(texts, {path for path in texts if "/support/" not in path})
        assert reached == set(texts), op.op


def _reached(texts: Mapping[str, str], paths: set[str]) -> set[str]:
    """With everything that the files include, and the source behind each header."""
    found = set(paths)
    for path in paths:
        assert path in texts, f"{path} is included and not there"
        found |= {f"src/{header}" for header in _INCLUDE.findall(texts[path])}
        found |= {path.removesuffix(".h") + ".cc"} & set(texts)
    return found if found == paths else _reached(texts, found)


def test_kernels_of_onnx_ops_do_not_change_for_custom_ones(environment: Environment) -> None:
    """A structure that is filled at every call stays as small as it was."""
    alone = _texts(make_blueprint([make_op("Add")]), environment)
    beside = _texts(make_blueprint([make_op("Add"), *custom().ops]), environment)
    header = "src/gen/kernels/support/broadcast.h"
    assert alone[header] == beside[header]


def test_each_output_has_a_function_of_what_it_uses() -> None:
    y, positive = _view(RICH, "Middle").functions
    assert (y.name, positive.name) == ("ComAcmeMiddleFunction0", "ComAcmeMiddleFunction1")
    assert [(a.name, a.position, a.optional) for a in y.arguments] == [
        ("x", 0, False),
        ("bias", 1, True),
        ("scale", 2, False),
    ]
    assert [a.name for a in positive.arguments] == ["x", "scale"]
    assert [(m.name, m.value) for m in positive.members] == [("has_bias", "inputs.has(1)")]
    assert positive.type == "ComAcmeMiddleFunction1<T>"
    assert positive.result == "bool"


def test_types_are_dispatched_on_as_far_as_something_is_computed_in_them() -> None:
    many = _view(RICH, "Many")
    assert [group.parameter for group in many.dispatched] == ["T", "U"]
    assert [group.inputs for group in many.groups] == ["0x1", "0xfffffffffffffffe"]
    fixed = _view(RICH, "Fixed")
    assert not fixed.dispatched
    assert [[name for name, _ in group.types] for group in fixed.groups] == [
        ["kUint8"],
        ["kInt64"],
        ["kBool"],
    ]
    chosen = {group.parameter: group.settled for group in _view(RICH, "Chosen").dispatched}
    assert chosen == {"T": True, "U": False}


def test_as_many_inputs_as_an_op_can_have_are_taken() -> None:
    assert _view(RICH, "Gate").operands == 3
    assert _view(RICH, "Total").operands == 16
    names = ", ".join(f"x{i}: T" for i in range(12))
    terms = " + ".join(f"x{i}" for i in range(12))
    ops = (
        f"  - {{op: com.acme::Wide, inputs: {{{names}}}, outputs: {{y: T}},"
        f" types: {{T: [float32]}}, compute: {terms}}}\n"
    )
    assert _view(ops, "Wide").operands == 12


def test_names_that_mean_something_else_in_the_code_are_changed() -> None:
    (function,) = _view(RICH, "Odd").functions
    assert function.variables == ("T",)
    names = [argument.name for argument in function.arguments]
    assert names == ["T_input", "Exp_input", "count_input", "NAN_input", "function_input"]
    assert [(m.name, m.value) for m in function.members] == [
        ("EOF_value", "attrs.EOF_value"),
        ("i_value", "attrs.i"),
        ("has_NAN", "inputs.has(3)"),
    ]


def test_a_comment_shows_the_expression_on_one_line(environment: Environment) -> None:
    ops = (
        "  - op: com.acme::Long\n    inputs: {x: T}\n    outputs: {y: T}\n"
        "    types: {T: [float32]}\n    compute: |\n      x\n      + 1\n"
    )
    text = _texts(custom(ops), environment)["src/gen/kernels/com_acme_long_function.h"]
    assert "// y = x + 1\n" in text


def test_the_defaults_of_attributes_are_literals_of_their_types() -> None:
    view = kernel_view(next(op for op in custom(RICH + STUB).ops if op.op == "Stub"))
    members = {a.key: (a.cpp, a.default) for a in view.attributes}
    assert members["names"] == (
        "std::vector<std::string>",
        '{"a", "\\303\\251\\360\\237\\230\\200\\"\\\\?\\?/\\n"}',
    )
    assert members["flag"] == ("bool", "true")
    assert members["tiny"] == ("float", "0.0f")
    assert members["least"] == ("int64_t", "-9223372036854775807 - 1")
    assert {a.key for a in view.attributes if a.required} == {"value"}
