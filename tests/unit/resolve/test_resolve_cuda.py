"""Blueprints of CUDA devices: which operators have device code, and what there is not yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epforge.blueprint import parse
from epforge.ops import families
from epforge.ops.model import FamilyRow
from epforge.plan.make import make_plan
from epforge.plan.model import FileSpec, Owner
from epforge.resolve import Analysis, analyse, resolve_supported
from epforge.resolve.model import Blueprint

HEAD = """\
epforge: 1
name: contoso-gpu
vendor: Contoso
devices: [{name: gpu, type: gpu}]
runtime: cuda
memory: {default: plain, streams: true}
"""


@pytest.fixture
def host_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No operator has device code but Add."""
    known = families.row

    def row(domain: str, op: str) -> FamilyRow | None:
        found = known(domain, op)
        return replace(found, device=op == "Add") if found is not None else None

    monkeypatch.setattr(families, "row", row)


def looked_at(more: str) -> Analysis:
    return analyse(parse(HEAD + more))


def notes(more: str) -> list[str]:
    found = looked_at(more)
    assert found.errors == ()
    return [note.message.removeprefix("not supported yet: ") for note in found.unsupported]


def sources(blueprint: Blueprint) -> dict[str, FileSpec]:
    return {
        spec.path: spec
        for spec in make_plan(blueprint).files
        if spec.path.startswith("src/") and "kernels/" in spec.path
    }


def test_an_operator_without_device_code_is_noted_where_it_stands(host_only: None) -> None:
    found = looked_at("ops:\n  - Add\n  - Mul\n  - {op: Relu, types: {T: [float32]}}\n")
    assert [(note.line, note.message) for note in found.unsupported] == [
        (9, "not supported yet: a CUDA kernel of Mul"),
        (10, "not supported yet: a CUDA kernel of Relu"),
    ]
    assert all("'kernel: yours'" in note.hint for note in found.unsupported)


def test_without_device_code_a_kernel_of_one_s_own_begins_as_a_stub(host_only: None) -> None:
    """Code of the host would follow addresses of the device's."""
    blueprint = resolve_supported(parse(HEAD + "ops: [{op: Add, kernel: yours}, TfIdfVectorizer,\n"
                                        "  {op: Mul, kernel: yours}]\n"))  # fmt: skip
    assert {op.op: op.row is None for op in blueprint.ops} == {
        "Add": False,
        "TfIdfVectorizer": True,
        "Mul": True,
    }
    written = sources(blueprint)
    assert written["src/kernels/add.cu"].template == "kernels/binary.cc"
    for stem in ("mul", "tf_idf_vectorizer"):
        stub = written[f"src/kernels/{stem}.cu"]
        assert (stub.template, stub.owner) == ("kernels/stub.cc", Owner.YOURS)
    assert not [path for path in written if path.endswith((".cc",)) and "support" not in path]


@pytest.mark.parametrize("paradigm", ["compiled", "virtual"])
def test_only_kernels_run_on_cuda(paradigm: str) -> None:
    device = "devices: [{name: gpu, type: gpu}]"
    text = HEAD.replace(device, device.replace("gpu}", "gpu, virtual: allowed}"))
    found = analyse(parse(f"{text}paradigm: {paradigm}\nops: [Add]\n"))
    wanted = f"not supported yet: paradigm {paradigm} with runtime cuda"
    assert [note.message for note in found.unsupported] == [wanted]


def test_custom_operators_have_no_device_code_yet() -> None:
    twice = """\
custom_ops:
  - op: com.acme::Twice
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: 2 * x
"""
    assert notes(twice) == ["custom operators with runtime cuda"]


def test_its_kernels_are_not_offered_to_numpy_yet() -> None:
    wanted = ["kernels for numpy with runtime cuda"]
    assert notes("ops: [Add]\npython: {native: separate}\n") == wanted
    assert notes("ops: [Add]\npython: {native: none}\n") == []


def test_the_build_lists_device_code_and_compiles_it_for_the_blueprint_s_devices() -> None:
    blueprint = resolve_supported(parse(f"{HEAD}cuda: {{architectures: [90, 80]}}\nops: [Add]\n"))
    specs = {spec.path: spec for spec in make_plan(blueprint).files}
    built = specs["cmake/gen/sources.cmake"].params["sources"]
    assert isinstance(built, list)
    assert {"src/gen/kernels/add.cu", "src/device/cuda_runtime.cc"} <= set(built)
    assert specs["cmake/gen/cuda.cmake"].params["architectures"] == [80, 90]


def test_other_projects_know_nothing_of_cuda() -> None:
    plain = HEAD.replace("runtime: cuda\n", "") + "ops: [Add]\n"
    specs = [spec.path for spec in make_plan(resolve_supported(parse(plain))).files]
    assert not [path for path in specs if "cuda" in path or path.endswith(".cu")]
