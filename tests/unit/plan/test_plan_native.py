"""The files of the native module, and the functions that its package has."""

from __future__ import annotations

import ast
import dataclasses

import pytest
from blueprints import MINIMAL, example

from epforge.assets import assets_dir
from epforge.plan import Owner, make_plan
from epforge.plan import native as native_plan
from epforge.plan.make import collect
from epforge.plan.native_ops import functions
from epforge.render import render

SEPARATE = "python: {native: separate}\n"
RICH = """\
epforge: 1
name: acme-npu
vendor: Acme
ort: {min: "1.25.0"}
ops:
  - {op: QuantizeLinear, kernel: yours}
  - Relu
  - And
  - Not
  - Cast
  - ConstantOfShape
  - Concat
  - Dropout
  - Max
custom_ops:
  - op: com.acme::Relu
    inputs: {x: T, bias: "T?", scale: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: x * scale + default(bias, 0)
  - op: com.acme::Mix
    inputs: {str: T, out: "T?", rest: "T*"}
    outputs: {y: T, z: bool}
    types: {T: [float32]}
    attributes:
      copy: {type: int, default: 2}
      dtypes: {type: floats, default: [1.0]}
      words: {type: strings, default: ["a\\"b"]}
      needed: {type: float}
"""


def signatures(text: str) -> dict[str, str]:
    """Each function's parameters and result."""
    found = {}
    for function in functions(example(text)):
        (tree,) = ast.parse("\n".join(function.lines)).body
        assert isinstance(tree, ast.FunctionDef)
        assert tree.returns is not None
        found[tree.name] = f"({ast.unparse(tree.args)}) -> {ast.unparse(tree.returns)}"
    return found


def rendered(text: str) -> dict[str, str]:
    blueprint = example(text)
    shared = {"ns": blueprint.names.namespace}
    files = [
        dataclasses.replace(spec, params={**shared, **spec.params})
        for spec in native_plan.files(blueprint)
    ]
    return {path: file.content.decode() for path, file in render(collect(files)).items()}


def test_it_is_there_where_the_blueprint_asks_and_costs_nothing_elsewhere() -> None:
    plain = {spec.path for spec in make_plan(example(MINIMAL)).files}
    asked = {spec.path for spec in make_plan(example(MINIMAL + SEPARATE)).files}
    assert plain <= asked
    assert not [path for path in plain if path.startswith("native/")]
    more = {path for path in asked - plain if not path.startswith("native/")}
    assert more == {"src/gen/api/signature.cc", "src/gen/api/signature.h"}
    package = "native/python/onnxruntime_ep_contoso_npu_native"
    assert {f"{package}/__init__.py", f"{package}/ops.py", "native/pyproject.toml"} <= asked


def test_every_template_is_used_and_nothing_but_the_licence_is_the_owner_s() -> None:
    root = assets_dir("templates")
    there = {
        path.relative_to(root).as_posix()
        for path in (root / "plugin/native").rglob("*.*")
        if "__pycache__" not in path.parts
    }
    specs = native_plan.files(example(MINIMAL + SEPARATE))
    assert there <= {spec.template for spec in specs}
    owners = {spec.path for spec in specs if spec.owner is not Owner.GENERATED}
    assert owners == {"native/LICENSE"}


def test_nothing_in_it_knows_onnx_runtime() -> None:
    for path, text in rendered(MINIMAL + SEPARATE).items():
        if path.endswith((".cc", ".h")):
            assert "onnxruntime_" not in text.replace("onnxruntime_ep_", ""), path
            assert '#include "abi/' not in text, path


def test_inputs_and_attributes_are_parameters() -> None:
    found = signatures(RICH + SEPARATE)
    end = "out: Out=None, copy: bool=True"
    assert found["max"] == f"(*data_0: Tensor, {end}) -> Array"
    assert found["concat"] == f"(*inputs: Tensor, axis: int, {end}) -> Array"
    assert "to: int | type" in found["cast"]
    assert "value: Tensor | None=None" in found["constant_of_shape"]
    assert "outputs: int=1" in found["dropout"]
    assert found["dropout"].endswith("-> Array | tuple[Array, ...]")
    assert "ratio: Tensor | None=None" in found["dropout"]


def test_names_that_python_or_the_file_has_taken_get_others() -> None:
    found = signatures(RICH + SEPARATE)
    assert {"and_", "not_", "relu", "com_acme_relu"} <= found.keys()
    # An optional input before a required one has no default.
    assert found["com_acme_relu"].startswith("(x: Tensor, bias: Tensor | None, scale: Tensor, *,")
    mix = found["mix"]
    assert mix.startswith("(str_: Tensor, out_: Tensor | None=None, *rest: Tensor, needed: float")
    for part in ("copy_: int=2", "dtypes_: Sequence[float]=(1.0,)", "words: Sequence[str]="):
        assert part in mix
    assert mix.endswith("-> tuple[Array, Array]")


def test_a_call_gives_onnx_s_own_names() -> None:
    (mix,) = (each for each in functions(example(RICH + SEPARATE)) if each.name == "mix")
    call = " ".join(line.strip() for line in mix.lines)
    for part in ('"copy": copy_', '"dtypes": dtypes_', '"words": words', "out_, *rest", "out=out"):
        assert part in call


@pytest.mark.parametrize("text", [MINIMAL, RICH], ids=["minimal", "rich"])
def test_schemas_have_every_version_and_say_what_types_the_output(text: str) -> None:
    files = rendered(text + SEPARATE)
    (path,) = (path for path in files if path.endswith("/_schemas.py"))
    names: dict[str, object] = {"__name__": "builtins"}
    exec(compile(files[path], path, "exec"), names)
    table = names["SCHEMAS"]
    assert isinstance(table, dict)
    blueprint = example(text + SEPARATE)
    wanted = {
        (op.domain, op.op): {version.schema.since for version in op.versions}
        for op in blueprint.ops
    }
    assert {key: set(versions) for key, versions in table.items()} == wanted
    if text is RICH:
        newest = {op: versions[max(versions)] for (_, op), versions in table.items()}
        assert (newest["Cast"].typed_by, newest["Cast"].typed_by_default) == ("to", 0)
        zeros = newest["ConstantOfShape"]
        assert (zeros.typed_by, zeros.typed_by_default) == ("value", 1)
        assert newest["Max"].typed_by is None
        assert newest["QuantizeLinear"].typed_by == "output_dtype"
        assert newest["Mix"].attributes["needed"].required


def test_the_wheel_s_file_name_is_spelled_as_pip_spells_it() -> None:
    text = f"{MINIMAL}names: {{distribution: Acme.ep}}\npython: {{native: separate}}\n"
    assert "pip install dist/acme_ep_native-*.whl" in "".join(rendered(text).values())
