"""The files of the PyTorch package, and the code in them that needs no PyTorch to judge."""

from __future__ import annotations

import ast
import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from blueprints import example
from custom_ops import RICH
from torch_blueprints import EDGES, torch_project

from epforge.assets import assets_dir
from epforge.plan import FileSpec, Owner, make_plan
from epforge.plan import torch as torch_plan
from epforge.plan.make import collect
from epforge.render import render
from epforge.resolve.model import Blueprint


def specs(text: str) -> dict[str, FileSpec]:
    return {spec.path: spec for spec in torch_plan.files(example(torch_project(text)))}


def rendered(text: str) -> dict[str, str]:
    blueprint: Blueprint = example(torch_project(text))
    shared = {"ns": blueprint.names.namespace}
    files = [
        dataclasses.replace(spec, params={**shared, **spec.params})
        for spec in torch_plan.files(blueprint)
    ]
    return {path: file.content.decode() for path, file in render(collect(files)).items()}


@pytest.fixture(scope="module")
def edges() -> dict[str, str]:
    return rendered(EDGES)


def test_without_torch_there_is_no_package() -> None:
    text = torch_project(EDGES).replace("torch: {legacy: 17, dynamo: 18}\n", "")
    assert not torch_plan.files(example(text))


def test_it_is_part_of_the_project() -> None:
    paths = {spec.path for spec in make_plan(example(torch_project(EDGES))).files}
    assert set(specs(EDGES)) <= paths


def test_every_template_is_used() -> None:
    root = assets_dir("templates")
    there = {path.relative_to(root).as_posix() for path in (root / "plugin/torch").rglob("*.*")}
    used = {spec.template for spec in specs(EDGES).values()}
    assert {path for path in there if "__pycache__" not in path} == used


def test_stubs_and_gradients_that_are_yours_are_yours() -> None:
    yours = {path for path, spec in specs(EDGES).items() if spec.owner is Owner.YOURS}
    folder = "torch/acme_npu_torch/yours"
    assert yours == {f"{folder}/{name}.py" for name in ("com_acme_least", "table", "pair_sum")}
    # A gradient that cannot be derived is a stub by itself.
    assert [path for path in specs(RICH) if "/yours/" in path and "__" not in path] == [
        f"{folder}/many.py"
    ]


def test_names_are_told_apart(edges: dict[str, str]) -> None:
    package = edges["torch/acme_npu_torch/__init__.py"]
    for name in ("com_acme_least", "com_other_least", "ComOtherLeast", "whole_op"):
        assert f'"{name}"' in package
    # What ONNX calls `self` and `names` has another name in Python, and only there.
    assert 'Formal("self", "float32", "single")' in edges["torch/acme_npu_torch/ops/_narrow.py"]
    assert "    self_: Tensor," in edges["torch/acme_npu_torch/ops/_narrow.py"]


def test_a_domain_has_one_version(edges: dict[str, str]) -> None:
    """That of its newest operator: a model can import only one."""
    for name, version in {"blend": 3, "narrow": 3, "constant": 1}.items():
        assert f"version={version}," in edges[f"torch/acme_npu_torch/ops/_{name}.py"]


def test_what_pytorch_cannot_have_is_left_out_and_said(edges: dict[str, str]) -> None:
    assert "`com.acme::Words` is not here" in edges["torch/README.md"]
    assert not [path for path in edges if "words" in path]
    assert "uint16" not in edges["torch/acme_npu_torch/ops/_whole_op.py"]


def test_opsets_are_those_of_the_blueprint() -> None:
    text = torch_project(EDGES).replace("{legacy: 17, dynamo: 18}", "{dynamo: 20}")
    shared = next(iter(torch_plan.files(example(text)))).params
    assert (shared["legacy"], shared["dynamo"]) == (example(text).torch.legacy, 20)  # type: ignore[union-attr]


def test_only_what_a_gradient_asks_for_is_kept(edges: dict[str, str]) -> None:
    text = rendered(RICH)["torch/acme_npu_torch/ops/_middle.py"]
    assert "ctx.save_for_backward(x, scale)" in text
    assert "ctx.save_for_backward" not in edges["torch/acme_npu_torch/ops/_constant.py"]


def test_cases_come_from_the_expressions(edges: dict[str, str]) -> None:
    cases: list[dict[str, Any]] = json.loads(edges["torch/tests/cases.json"])
    by_name = {case["function"]: case for case in cases}
    sample = by_name["whole_op"]["samples"][0]
    for a, b, y in zip(*sample["inputs"], *sample["outputs"], strict=True):
        assert y == max(a * 2, b + 3) - (a == b)
    assert not by_name["narrow"]["double"]
    assert by_name["blend"]["double"]
    assert len(by_name["blend"]["samples"]) == 4  # two types, with and without the optional input
    assert by_name["table"]["samples"] == []


def test_the_same_blueprint_gives_the_same_cases() -> None:
    assert torch_plan.files(example(torch_project(RICH))) == torch_plan.files(
        example(torch_project(RICH))
    )


@pytest.mark.parametrize("text", [RICH, EDGES], ids=["rich", "edges"])
def test_its_python_is_clean(text: str, tmp_path: Path) -> None:
    for path, content in rendered(text).items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        if path.endswith(".py"):
            ast.parse(content)
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--no-cache", "."],
            cwd=tmp_path / "torch",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


def test_an_optional_input_at_the_end_may_be_left_out() -> None:
    ops = (
        '  - {op: com.acme::End, inputs: {x: T, bias: "T?"}, outputs: {y: T},'
        " types: {T: [float32]}, compute: 'x + default(bias, 0)'}\n"
        '  - {op: com.acme::Mid, inputs: {x: T, bias: "T?", z: T}, outputs: {y: T},'
        " types: {T: [float32]}, compute: 'x * z + default(bias, 0)'}\n"
    )
    package = rendered(ops)
    assert "bias: Tensor | None = None,\n" in package["torch/acme_npu_torch/ops/_end.py"]
    assert "bias: Tensor | None,\n" in package["torch/acme_npu_torch/ops/_mid.py"]
    assert "= None,\n" not in package["torch/acme_npu_torch/ops/_mid.py"]
    # What the derivative by the optional input comes down to where that is there.
    assert "return grad\n" in package["torch/acme_npu_torch/ops/_end.py"]
