"""The verb `doctor` on models: custom operators, text, JSON, and files that are no models."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from custom_offers import EP, LIBRARY, PLUGIN, manifest, model, op
from onnx import AttributeProto, GraphProto, helper
from typer.testing import CliRunner

from epforge.cli.main import app
from epforge.validate.binary import Binary
from epforge.validate.models import read
from epforge.validate.process import Limits, WorkerRun, run_worker

RIGHT = "y = com.contoso.MyClip(x)"
BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
custom_ops:
  - op: com.contoso::MyClip
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: min(x, 1.0)
"""


def doctor(*args: object) -> Any:
    """By what the files say: the libraries here are none that could be loaded."""
    return CliRunner().invoke(app, ["doctor", "--no-ask", *map(str, args)])


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of libraries, told by their names; the manifests are as beside built ones."""

    def told(path: Path) -> Binary:
        ep = "_ep_" in path.name
        return Binary(
            "elf", shared=True, exports=("CreateEpFactories" if ep else "RegisterCustomOps",)
        )

    monkeypatch.setattr(read, "read_binary", told)
    for name in (LIBRARY, PLUGIN):
        (tmp_path / name).write_bytes(b"\x7fELF")
        (tmp_path / f"{name}.manifest.json").write_text(json.dumps(manifest()))
    return tmp_path


def saved(tmp_path: Path, made: Any) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def test_a_model_whose_ops_are_all_there(libraries: Path) -> None:
    result = doctor(saved(libraries, model(RIGHT)), "--library", libraries / PLUGIN)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        f"ok: com.contoso version 1, 1 node: {PLUGIN} (plugin EP {EP})",
        f"{libraries / 'model.onnx'}: {EP} claims 1 of 1 node, by {PLUGIN}",
        "  taken: com.contoso::MyClip 1",
    ]


def test_a_model_without_custom_ops(tmp_path: Path) -> None:
    result = doctor(saved(tmp_path, model("y = Relu(x)")))
    assert result.exit_code == 0
    assert "there is nothing to register" in result.stdout


def test_what_is_wrong_is_one_line_and_its_cure(libraries: Path) -> None:
    made = model("z = com.contoso.MyClip(i) y = com.contoso.MyClip(i)")
    result = doctor(saved(libraries, made), "--library", libraries / LIBRARY)
    assert result.exit_code == 1
    reason, cure, *_ = result.stdout.splitlines()
    assert reason.startswith("error: com.contoso::MyClip has int32 as the input x")
    assert reason.endswith("(2 nodes, first: unnamed, makes z)")
    assert cure.startswith("  Put a Cast to float32")


def test_warnings_alone_are_no_failure(libraries: Path) -> None:
    result = doctor(saved(libraries, model(RIGHT, 2)), "--library", libraries / LIBRARY)
    assert result.exit_code == 0
    assert result.stdout.startswith("warning: the model imports version 2 of com.contoso")
    assert "\nok: com.contoso version 2" in result.stdout


def test_the_order_of_libraries_is_that_of_the_session(libraries: Path) -> None:
    path = saved(libraries, model(RIGHT))
    both = ["--library", libraries / LIBRARY, "--library", libraries / PLUGIN]
    assert doctor(path, *both).exit_code == 0
    assert doctor(path, *both[2:], *both[:2]).exit_code == 1


def test_json(libraries: Path) -> None:
    path = saved(libraries, model("y = MyClip(x)"))
    result = doctor(path, "--library", libraries / LIBRARY, "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert (data["format"], data["model"]) == (1, str(path))
    (finding,) = data["findings"]
    assert set(finding) == {
        *("severity", "code", "domain", "op", "nodes", "count", "message", "hint"),
    }
    assert (finding["severity"], finding["code"]) == ("error", "wrong-domain")
    assert (finding["domain"], finding["op"], finding["count"]) == ("", "MyClip", 1)
    assert finding["nodes"] == ["unnamed, makes y"]
    assert data["domains"] == [
        {"domain": "", "version": 17, "nodes": 1, "by": "", "fine": False},
    ]


def test_a_library_without_manifest_is_told_and_not_trusted(libraries: Path) -> None:
    (libraries / f"{LIBRARY}.manifest.json").unlink()
    path = saved(libraries, model(RIGHT))
    result = doctor(path, "--library", libraries / LIBRARY)
    assert result.exit_code == 0
    assert f"note: {LIBRARY} is a custom-op library without a manifest" in result.stdout
    assert "warning: no library that was given offers com.contoso::MyClip" in result.stdout
    assert json.loads(doctor(path, "--library", libraries / LIBRARY, "--json").stdout)[
        "unknown"
    ] == [LIBRARY]


def test_a_project_or_a_blueprint_says_what_could_be_registered(libraries: Path) -> None:
    path = saved(libraries, model(RIGHT))
    gen = libraries / "project/src/gen"
    gen.mkdir(parents=True)
    (gen / "manifest.json").write_text(json.dumps(manifest()))
    blueprint = libraries / "blueprint.yaml"
    blueprint.write_text(BLUEPRINT)
    for place in (libraries / "project", blueprint):
        result = doctor(path, "--project", place)
        assert result.exit_code == 1, result.output
        assert f"com.contoso::MyClip is an op of {LIBRARY}, and it was not" in result.stdout
        assert f"or register {PLUGIN} with" in result.stdout


def test_names_do_not_command_the_terminal(tmp_path: Path) -> None:
    made = model(RIGHT)
    made.graph.node[0].op_type = "\x1b[31mRed"
    result = doctor(saved(tmp_path, made))
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout
    assert "[31mRed" in result.stdout


# What is no model, no library, no project


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is an empty file"),
        (b"epforge: 1\nname: contoso-npu\n" * 99, "it is a text file"),
        (b"\x08\x08\x12\x01\x00", "it has no graph"),
        (b"\x00\x00\x00\x00ORTM\x00\x00", "ONNX Runtime's own format"),
        (b"PK\x03\x04" + b"\xff" * 99, "it is an archive"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff", "it cannot be parsed"),
    ],
)
def test_what_is_no_model_is_called_what_it_is(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    result = doctor(path)
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert f"{path}: not an ONNX model" in result.stderr


@pytest.mark.parametrize("step", [41, pytest.param(7, marks=pytest.mark.lab)])
def test_a_model_that_is_cut_off(step: int, tmp_path: Path) -> None:
    whole = model(RIGHT).SerializeToString()
    path = tmp_path / "model.onnx"
    for end in range(1, len(whole), step):
        path.write_bytes(whole[:end])
        result = doctor(path)
        # A cut between two entries may leave a model, then an import is missing.
        assert result.exit_code in (1, 2), (end, result.output)
        assert result.exit_code == 2 or "does not import" in result.stdout, (end, result.output)


def test_a_file_full_of_zeros(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    result = doctor(path)
    assert result.exit_code == 2
    assert "it cannot be parsed" in result.stderr


def test_a_file_larger_than_any_model(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with path.open("wb") as file:
        file.truncate(1 << 31)
    result = doctor(path)
    assert result.exit_code == 2
    assert "are too many for an ONNX model" in result.stderr


@pytest.mark.parametrize(
    ("name", "says"), [("pipe", "not a regular file"), ("dir", "a directory"), ("no", "no such")]
)
def test_what_is_no_file(name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    os.mkfifo(tmp_path / "pipe")
    result = doctor(tmp_path / name)
    assert result.exit_code == 2
    assert says in result.stderr


def nested(depth: int) -> Any:
    """A model with subgraphs inside each other, a custom op in the innermost."""
    made = model("y = Relu(x)")
    graph = helper.make_graph(
        [helper.make_node("Innermost", [], ["w"], domain="com.deep")], "", [], []
    )
    for level in range(depth):
        node = helper.make_node("If", ["c"], [f"v{level}"])
        node.attribute.append(
            AttributeProto(name="then_branch", type=AttributeProto.GRAPH, g=graph)
        )
        graph = GraphProto(node=[node])
    made.graph.node.extend(graph.node)
    return made


def test_subgraphs_within_subgraphs(tmp_path: Path) -> None:
    result = doctor(saved(tmp_path, nested(20)))
    assert result.exit_code == 1
    assert "com.deep::Innermost" in result.stdout


def test_subgraphs_nested_without_end(tmp_path: Path) -> None:
    # Longer than protobuf writes: each level is put around the last as bytes.
    inner = b""
    for _ in range(20_000):
        node = _field(5, _field(6, _field(1, inner)))  # attribute { g { node } }
        inner = node
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x08\x08" + _field(7, _field(1, inner)) + _field(8, b"\x10\x11"))
    result = doctor(path)
    assert result.exit_code == 2
    assert "it cannot be parsed" in result.stderr


def _field(number: int, content: bytes) -> bytes:
    size, length = len(content), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


def test_functions_in_a_circle(tmp_path: Path) -> None:
    inside = '<domain: "com.own", opset_import: ["": 17, "com.own": 1]>'
    made = model("y = com.own.F(x)", None, f"{inside} F (a) => (b) {{ b = com.own.F(a) }}")
    result = doctor(saved(tmp_path, made))
    assert result.exit_code == 1
    assert "com.own::F -> com.own::F" in result.stdout


def test_more_kinds_of_nodes_than_anyone_has(tmp_path: Path) -> None:
    made = model("y = Relu(x)")
    made.graph.node.extend(
        helper.make_node(f"Op{number}", ["x"], [], domain="com.many") for number in range(10_001)
    )
    result = doctor(saved(tmp_path, made))
    assert result.exit_code == 2
    assert "more than 10000 kinds of nodes" in result.stderr


def test_equal_nodes_by_the_ten_thousand(tmp_path: Path) -> None:
    made = model("y = Relu(x)")
    made.graph.node.extend(
        helper.make_node("Op", ["x"], [], name=f"n{number}", domain="com.many")
        for number in range(20_000)
    )
    made.opset_import.add(domain="com.many", version=1)
    result = doctor(saved(tmp_path, made))
    assert "(20000 nodes, first: n0)" in result.stdout


def test_inference_that_crashes_leaves_what_the_model_states(
    libraries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(job: Mapping[str, object], limits: Limits) -> WorkerRun:
        run = run_worker(job, limits)
        ended = run.records[:3]  # the first step and its facts
        step = {"record": "begin", "step": "inferring types"}
        return replace(
            run, records=(*ended, step), finished=False, returncode=-11, step="inferring types"
        )

    monkeypatch.setattr(read, "run_worker", crash)
    path = saved(libraries, model("z = Cast <to = 6> (x) y = com.contoso.MyClip(z)"))
    result = doctor(path, "--library", libraries / LIBRARY)
    assert result.exit_code == 0, result.output
    assert "note: element types only as the model states them: inferring types: SIGSEGV" in (
        result.stdout
    )
    path = saved(libraries, model("y = com.contoso.MyClip(i)"))
    assert doctor(path, "--library", libraries / LIBRARY).exit_code == 1


def test_weights_beside_the_model_are_not_looked_for(libraries: Path) -> None:
    made = model("y = com.contoso.MyClip(w)")
    weights = made.graph.initializer.add(name="w", data_type=6, dims=[2], data_location=1)
    weights.external_data.add(key="location", value="../../nowhere")
    result = doctor(saved(libraries, made), "--library", libraries / LIBRARY)
    assert result.exit_code == 1
    assert "has int32 as the input x" in result.stdout


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "no such file"), (b"", "an empty file"), (b"hello\n", "a text file")],
)
def test_what_is_no_library_is_called_what_it_is(
    content: bytes | None, says: str, tmp_path: Path
) -> None:
    library = tmp_path / "libx.so"
    if content is not None:
        library.write_bytes(content)
    result = doctor(saved(tmp_path, model(RIGHT)), "--library", library)
    assert result.exit_code == 2
    assert f"{library}: {says}" in result.stderr


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 9}', '{"format": 1}', "[" * 100_000])
def test_a_damaged_manifest_is_named(content: str, libraries: Path) -> None:
    path = libraries / f"{PLUGIN}.manifest.json"
    path.write_text(content)
    result = doctor(saved(libraries, model(RIGHT)), "--library", libraries / PLUGIN)
    assert result.exit_code == 2
    assert f"{path}: " in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("absent", None, "no such file"), ("notes.md", "# Notes\n", "a text file")],
)
def test_what_is_nothing_of_these_is_told_what_there_could_be(
    name: str, content: str | None, says: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    result = doctor(tmp_path / name)
    assert result.exit_code == 2
    assert f"{tmp_path / name}: {says}" in result.stderr
    assert "a project's directory, a blueprint, a library or a model" in result.stderr


def test_a_model_may_have_any_name(tmp_path: Path) -> None:
    saved(tmp_path, model(RIGHT)).rename(tmp_path / "network")
    assert f"{tmp_path / 'network'}: " in doctor(tmp_path / "network").stdout


def test_a_directory_that_is_no_project(tmp_path: Path) -> None:
    result = doctor(saved(tmp_path, model(RIGHT)), "--project", tmp_path)
    assert result.exit_code == 2
    assert "not a project that epforge made" in result.stderr


def test_an_op_with_two_versions_in_a_manifest(libraries: Path) -> None:
    both = json.dumps(manifest(op(), op(version=2, types={"T": ["int32"]})))
    (libraries / f"{LIBRARY}.manifest.json").write_text(both)
    for version, status in ((1, 0), (2, 1)):
        path = saved(libraries, model(RIGHT, version))
        assert doctor(path, "--library", libraries / LIBRARY).exit_code == status
