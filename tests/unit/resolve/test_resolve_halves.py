"""16-bit floats: operators have them where the blueprint names them, and only there."""

from __future__ import annotations

import pytest

from epforge.blueprint import parse
from epforge.ops.model import DType
from epforge.plan import make_plan
from epforge.plan.kernel_view import kernel_view
from epforge.resolve import resolve
from epforge.resolve.model import Blueprint, Op

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"
OPS = "ops: [Pow, ConstantOfShape, LayerNormalization, Gather, Relu]\n"
HALVES = {DType.FLOAT16, DType.BFLOAT16}


def _resolved(text: str) -> Blueprint:
    return resolve(parse(HEAD + text))


def _types(op: Op) -> set[DType]:
    return {d for version in op.versions for group in version.types.values() for d in group}


@pytest.mark.parametrize("types", ["", "types: [int8]\n", "types: [float32, float64]\n"])
def test_without_their_names_no_operator_has_them(types: str) -> None:
    blueprint = _resolved(types + OPS)
    assert not any(_types(op) & HALVES for op in blueprint.ops)
    assert not blueprint.has_halves


def test_with_their_names_every_operator_has_them() -> None:
    blueprint = _resolved("types: [float32, float16, bfloat16]\n" + OPS)
    assert all(_types(op) >= HALVES for op in blueprint.ops)


def test_named_for_one_operator_the_others_do_not_have_them() -> None:
    blueprint = _resolved("ops: [Relu, {op: Pow, types: {T: [float16]}}]\n")
    power, relu = blueprint.ops
    assert power.versions[-1].types["T"] == (DType.FLOAT16,)
    assert DType.FLOAT16 in power.versions[-1].types["T1"]
    assert DType.BFLOAT16 not in _types(power)
    assert not _types(relu) & HALVES


def test_a_kernel_that_computes_sees_float32_and_one_that_moves_sees_them() -> None:
    for op in _resolved("types: [bfloat16]\nops: [Gather, Relu]\n").ops:
        seen = [view.enumerator for view in kernel_view(op).t]
        assert seen == (["kBfloat16"] if op.op == "Gather" else ["kFloat32"])


@pytest.mark.parametrize("kernel", ["generated", "yours"])
def test_the_conversions_come_with_kernels_that_compute(kernel: str) -> None:
    def support(text: str) -> set[str]:
        files = make_plan(_resolved(text)).files
        return {spec.path for spec in files if "/support/" in spec.path}

    wanted = "src/gen/kernels/support/widened.cc"
    entry = f"{{op: Relu, kernel: {kernel}}}"
    assert wanted in support(f"types: [float16]\nops: [{entry}]\n")
    assert wanted not in support(f"ops: [{entry}]\n")
    assert wanted not in support("types: [float16]\nops: [Gather]\n")
