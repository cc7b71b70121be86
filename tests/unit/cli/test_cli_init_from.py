"""`init` from a blueprint that is there, and from models."""

from __future__ import annotations

import shutil
from pathlib import Path

import onnx
import pytest
from cli_project import BLUEPRINT, asked, call, tree
from wrong_files import archive, directory, empty, noise, text

from epforge.assets import assets_dir
from epforge.blueprint import load, parse
from epforge.resolve import analyse
from epforge.resolve.model import Blueprint

MODEL = """<ir_version: 8, opset_import: ["": 17, "com.x": 1]>
g (float[2] x, bool k) => (float[2] y) {
  a = Relu(x)
  b = com.x.Foo(a)
  c = com.x.Foo(b)
  d = If(k) <then_branch = t () => (float[2] q) {q = Neg(a)},
             else_branch = u () => (float[2] r) {r = Softmax(a)}>
  y = Add(c, d)
}"""
READY = sorted(
    path.relative_to(assets_dir("blueprints")).with_suffix("").as_posix()
    for path in assets_dir("blueprints").rglob("*.yaml")
)


def made(place: Path) -> Blueprint:
    found = analyse(load(place / "blueprint.yaml"))
    assert (found.errors, found.unsupported) == ((), ())
    assert found.blueprint is not None
    return found.blueprint


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model(MODEL), path)
    return path


def test_the_ready_ones_are_listed_with_what_they_are() -> None:
    result = call("init", "--list")
    assert result.exit_code == 0
    rows = asked("init", "--list")["blueprints"]
    assert [row["name"] for row in rows] == READY
    for row in rows:
        assert row["comment"][0].isupper()
        assert f"{row['name']}  " in result.stdout
    assert all(len(line) <= 100 for line in result.stdout.splitlines())


@pytest.mark.parametrize("name", READY)
def test_a_ready_one_gets_a_name_and_a_vendor_and_keeps_the_rest(tmp_path: Path, name: str) -> None:
    vendor = "Müller: \"A\" & 'B' #1"
    result = call("init", tmp_path / "my-ep", "--from", name, "--vendor", vendor)
    assert result.exit_code == 0, result.output
    blueprint = made(tmp_path / "my-ep")
    assert (blueprint.names.name.kebab, blueprint.vendor.name) == ("my-ep", vendor)
    old = (assets_dir("blueprints") / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    new = (tmp_path / "my-ep/blueprint.yaml").read_text(encoding="utf-8").splitlines()
    assert new[0] == "# yaml-language-server: $schema=./epforge.schema.json"
    changed = [(a, b) for a, b in zip(old, new[1:], strict=True) if a != b]
    assert [line.partition(":")[0] for line, _ in changed] == ["name", "vendor"]


def test_a_file_keeps_its_name_and_vendor_unless_others_are_given(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(
        b"\xef\xbb\xbf# yaml-language-server: $schema=/elsewhere.json\r\n"
        + BLUEPRINT.replace("\n", "\r\n").encode()
    )
    source = str(tmp_path / "mine.yaml")
    for args, seen in (
        ([], ("contoso-npu", "Contoso")),
        (["--name", "other", "--vendor", "Acme"], ("other", "Acme")),
    ):
        place = tmp_path / seen[0]
        result = call("init", place, "--from", source, *args)
        assert result.exit_code == 0, result.output
        blueprint = made(place)
        assert (blueprint.names.name.kebab, blueprint.vendor.name) == seen
        content = (place / "blueprint.yaml").read_bytes()
        assert content.count(b"\r\n") == content.count(b"\n")
        assert content.count(b"yaml-language-server") == 1
        assert content.startswith(b"# yaml-language-server: $schema=./epforge.schema.json\r\n")


def test_overlays_beside_a_file_come_along(tmp_path: Path, repository: Path) -> None:
    style = repository / "examples/house-style"
    result = call("init", tmp_path / "my-ep", "--from", style / "blueprint.yaml", "--defaults")
    assert result.exit_code == 0, result.output
    house = {f"house/{path}": content for path, content in tree(style / "house").items()}
    assert house.items() <= tree(tmp_path / "my-ep").items()
    assert call("scaffold", tmp_path / "my-ep").exit_code == 0
    assert call("status", tmp_path / "my-ep").exit_code == 0


def test_an_overlay_that_is_not_there_is_an_error(tmp_path: Path, repository: Path) -> None:
    shutil.copy(repository / "examples/house-style/blueprint.yaml", tmp_path / "b.yaml")
    result = call("init", tmp_path / "my-ep", "--from", tmp_path / "b.yaml")
    assert result.exit_code == 2
    assert "house" in result.stderr
    assert not (tmp_path / "my-ep").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cudo", "Did you mean cuda?"),
        ("../blueprints/cuda", "neither a ready blueprint nor a file"),
        ("a\x1b[31m", "neither"),
        ("{0}/broken.yaml", "broken.yaml:2:1: error: unknown key"),
        ("{0}/alias.yaml", "alias.yaml"),
    ],
)
def test_a_blueprint_that_cannot_be_taken_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "broken.yaml").write_text("epforge: 1\nnope: 1\nname: a\nvendor: b\n")
    (tmp_path / "alias.yaml").write_text(
        "epforge: 1\nlicense: &l MIT\nname: &n a-b\nvendor: *n\nops: [Relu]\n"
    )
    args = ["--from", name.format(tmp_path), "--vendor", "Contoso"]
    result = call("init", tmp_path / "my-ep", *args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "\x1b" not in result.stderr
    assert not (tmp_path / "my-ep").exists()


def test_the_operators_of_a_model_are_taken_and_what_stays_on_the_cpu_is_named(
    tmp_path: Path, model: Path
) -> None:
    args = ["init", tmp_path / "my-ep", "--vendor", "Contoso", "--from-model", model]
    result = call(*args)
    assert result.exit_code == 0, result.output
    blueprint = made(tmp_path / "my-ep")
    names = [op.label for op in blueprint.claimed]
    assert names == ["Add", "If", "Neg", "Relu", "Softmax"]
    data = asked(*args)
    assert data["kernels"] == names
    assert [(row["op"], row["nodes"]) for row in data["cpu"]] == [("com.x::Foo", 2)]
    reason = data["cpu"][0]["reason"]
    assert f"com.x::Foo, 2 nodes: {reason}" in result.stdout
    written = (tmp_path / "my-ep/blueprint.yaml").read_text(encoding="utf-8")
    assert f"# com.x::Foo, 2 nodes, on the CPU: {reason}" in written
    assert not analyse(load(tmp_path / "my-ep/blueprint.yaml")).warnings


def test_what_these_answers_cannot_have_stays_on_the_cpu_too(tmp_path: Path, model: Path) -> None:
    args = ["init", tmp_path / "my-ep", "--vendor", "Contoso", "--from-model", model]
    data = asked(*args, "--device", "cuda")
    assert {row["op"] for row in data["cpu"]} == {"If", "com.x::Foo"}
    assert all(row["reason"] for row in data["cpu"])
    assert data["kernels"] == ["Add", "Neg", "Relu", "Softmax"]
    assert [op.label for op in made(tmp_path / "my-ep").claimed] == data["kernels"]


def test_several_models_make_one_blueprint(tmp_path: Path, model: Path) -> None:
    other = tmp_path / "other.onnx"
    made_of = '<ir_version: 8, opset_import: ["": 13]> g (float[2] x) => (float[2] y) {y = Sin(x)}'
    onnx.save(onnx.parser.parse_model(made_of), other)
    args = ["--from-model", model, "--from-model", other, "--vendor", "Contoso"]
    assert call("init", tmp_path / "my-ep", *args).exit_code == 0
    assert {"Relu", "Sin"} <= {op.label for op in made(tmp_path / "my-ep").claimed}


def test_a_model_with_nothing_to_take_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    content = (
        '<ir_version: 8, opset_import: ["com.x": 1]> g (float x) => (float y) {y = com.x.A(x)}'
    )
    onnx.save(onnx.parser.parse_model(content), path)
    result = call("init", tmp_path / "my-ep", "--vendor", "Contoso", "--from-model", path)
    assert result.exit_code == 2
    assert "com.x::A: no schema of it is known" in result.stderr
    assert not (tmp_path / "my-ep").exists()


@pytest.mark.parametrize("name", ["Ev\nil: [1]", "a\u2028b", "\x1b[2J", "#{{ 7 * 7 }}", '"\\'])
def test_names_in_a_model_stay_in_their_line(tmp_path: Path, model: Path, name: str) -> None:
    hostile = onnx.load(model)
    hostile.graph.node[1].op_type = name
    hostile.graph.node[2].domain = name
    onnx.save(hostile, model)
    args = ["init", tmp_path / "my-ep", "--vendor", "Contoso", "--from-model", model]
    result = call(*args)
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert [op.label for op in made(tmp_path / "my-ep").claimed] == [
        *("Add", "If", "Neg", "Relu", "Softmax")
    ]
    assert len(asked(*args)["cpu"]) == 2
    block = call("ops", "from-model", model)
    assert block.exit_code == 0
    text = f"epforge: 1\nname: a-b\nvendor: c\n{block.stdout}"
    assert [entry.op for entry in parse(text).shape.ops] == ["Add", "If", "Neg", "Relu", "Softmax"]
    assert parse(text).errors == ()


@pytest.mark.parametrize("wrong", [archive, directory, empty, noise, text])
def test_what_is_no_model_is_refused(tmp_path: Path, wrong: object) -> None:
    assert callable(wrong)
    path = wrong(tmp_path / "model.onnx")
    result = call("init", tmp_path / "my-ep", "--vendor", "Contoso", "--from-model", path)
    assert result.exit_code == 2
    assert str(path) in result.stderr
    assert not (tmp_path / "my-ep").exists()
