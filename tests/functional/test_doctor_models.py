"""`epforge doctor MODEL`: who takes its nodes is what onnxruntime says, and the cures cure."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from cli_project import asked, call
from projects import Project, built
from toys import toy

REPOSITORY = Path(__file__).resolve().parents[2]
BLUEPRINT = REPOSITORY / "blueprints/minimal.yaml"
#: Taken: two of Relu, one of Add; left: an operator, an element type, a node of a function.
MODEL = """
<ir_version: 8, opset_import: ["": 17, "com.own": 1]>
g (float[2] x, double[2] d, bool c) => (float[2] y, double[2] e) {
  k = Constant <value = float[2] {1.0, 2.0}> ()
  a = Relu(x)
  b = Add(a, k)
  h = com.own.F(b)
  y = If(c) <then_branch = t () => (float[2] o) { o = Relu(h) },
             else_branch = u () => (float[2] p) { p = Softmax(h) }>
  e = Relu(d)
}
<domain: "com.own", opset_import: ["": 17]> F (a) => (b) { b = Erf(a) }
"""


def saved(to: Path, text: str = MODEL) -> Path:
    onnx.save(onnx.parser.parse_model(text), to)
    return to


def groups(data: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Nodes per operator, by the code of their fate."""
    found: dict[str, dict[str, int]] = {}
    for group in data["placement"]["groups"]:
        for op in group["ops"]:
            ops = found.setdefault(group["code"], {})
            ops[op["op"]] = ops.get(op["op"], 0) + op["nodes"]
    return found


@pytest.fixture(scope="module")
def project() -> Project:
    return built(BLUEPRINT.read_text(encoding="utf-8"))


def test_the_runtime_is_asked(project: Project, tmp_path: Path) -> None:
    data = asked("doctor", saved(tmp_path / "m.onnx"), "--library", project.library)
    placed = data["placement"]
    assert (placed["how"], placed["eps"]) == ("asked", [project.ep])
    assert groups(data) == {
        "taken": {"Relu": 2, "Add": 1},
        "not-claimed": {"Softmax": 1, "If": 1, "Erf": 1},
        "types": {"Relu": 1},
        "constant": {"Constant": 1},
    }
    assert (placed["taken"], placed["nodes"]) == (3, 7)
    (types,) = [group for group in placed["groups"] if group["code"] == "types"]
    assert types["change"] == "{op: Relu, types: {T: [float32, float64]}}"
    assert types["names"] == ["unnamed, makes e"]
    assert data["exit_status"] == 0


@pytest.mark.lab
def test_claims_say_the_same_without_a_library(project: Project, tmp_path: Path) -> None:
    model = saved(tmp_path / "m.onnx")
    told = groups(asked("doctor", model, "--library", project.library))
    for words in (["--library", project.library, "--no-ask"], ["--project", BLUEPRINT]):
        data = asked("doctor", model, *words)
        assert data["placement"]["how"] == "claims"
        assert groups(data) == told


def test_the_command_of_a_group_cures_it(tmp_path: Path) -> None:
    """What it adds is taken afterwards, by what the blueprint then claims."""
    model = saved(tmp_path / "m.onnx")
    blueprint = Path(shutil.copy(BLUEPRINT, tmp_path / "own.yaml"))
    data = asked("doctor", model, "--project", blueprint)
    commands = [group["command"] for group in data["placement"]["groups"] if group["command"]]
    assert commands
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "epforge"
        assert call(*words).exit_code == 0, command
    after = groups(asked("doctor", model, "--project", blueprint))
    assert after["taken"] == {"Relu": 2, "Add": 1, "Softmax": 1, "If": 1, "Erf": 1}
    assert "not-claimed" not in after


@pytest.mark.parametrize(
    ("body", "opset", "code", "words"),
    [
        ("y = Softmax(d)", 17, "not-claimed", ["Softmax", "--types", "T=float64"]),
        ("y = Relu(x)", 5, "version", ["Relu", "--models", "1-5", "--kernel", "yours"]),
        ("y = StringNormalizer(s)", 17, "stub", ["StringNormalizer"]),
        ("y = SequenceEmpty()", 17, "impossible", None),
        ("y = com.other.Thing(x)", 17, "not-claimed", None),
    ],
)
def test_each_reason_has_its_command(
    body: str, opset: int, code: str, words: list[str] | None, tmp_path: Path
) -> None:
    values = "float[2] x, double[2] d, string[2] s"
    imports = f'"": {opset}, "com.other": 1'
    result = "double[2] y" if "(d)" in body else "float[2] y"
    text = f"<ir_version: 8, opset_import: [{imports}]> g ({values}) => ({result}) {{ {body} }}"
    data = asked("doctor", saved(tmp_path / "m.onnx", text), "--project", BLUEPRINT)
    (group,) = data["placement"]["groups"]
    assert group["code"] == code
    command = shlex.split(group["command"])
    assert command == (["epforge", "add", "op", *words, "--file", str(BLUEPRINT)] if words else [])


def test_without_a_library_epforge_s_own_kernels_count(tmp_path: Path) -> None:
    text = """
    <ir_version: 8, opset_import: ["": 17]> g (float[2] x, string[2] s) => (float[2] y, string[2] t)
    { y = Relu(x) t = StringNormalizer(s) }
    """
    data = asked("doctor", saved(tmp_path / "m.onnx", text))
    assert data["placement"]["how"] == "catalogue"
    assert groups(data) == {"taken": {"Relu": 1}, "stub": {"StringNormalizer": 1}}


def test_a_library_of_others_says_itself_what_it_leaves(tmp_path: Path) -> None:
    text = """
    <ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y)
    { a = Relu(x) y = Erf(a) }
    """
    library = Path(shutil.copy(toy(), tmp_path / "libtoy.so"))
    data = asked("doctor", saved(tmp_path / "m.onnx", text), "--library", library)
    assert groups(data) == {"taken": {"Relu": 1}, "refused": {"Erf": 1}}
    left = data["placement"]["groups"][1]
    assert (left["by"], left["command"]) == ("CPUExecutionProvider", "")


def test_a_library_that_crashes_is_an_error_and_no_crash(tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text(
        "void* CreateEpFactories(void) { __builtin_trap(); }"
        "void* ReleaseEpFactory(void) { return 0; }"
    )
    library = tmp_path / "libbad_ep.so"
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    data = asked("doctor", saved(tmp_path / "m.onnx"), "--library", library)
    assert data["exit_status"] == 1
    assert "SIG" in data["placement"]["refused"]


def test_a_model_that_is_too_new_for_the_runtime(tmp_path: Path) -> None:
    model = onnx.parser.parse_model(MODEL)
    model.ir_version = 99
    model.opset_import[0].version = 99
    onnx.save(model, tmp_path / "m.onnx")
    data = asked("doctor", tmp_path / "m.onnx")
    assert data["exit_status"] == 1
    codes = [each["code"] for each in data["findings"]]
    assert {"ir-too-new", "opset-too-new"} <= set(codes)
    assert all("pip install --upgrade onnxruntime" in each["hint"] for each in data["findings"][:2])


# Compiled models


@pytest.fixture(scope="module")
def compiler() -> Project:
    return built((REPOSITORY / "blueprints/compiled.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def compiled(compiler: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a compiled model, whose data are in a file beside it."""
    folder = tmp_path_factory.mktemp("compiled")
    text = """
    <ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y)
    { a = Relu(x) b = Softmax(a) y = Mul(b, a) }
    """
    source = saved(folder / "source.onnx", text)
    result = call("compile", "--library", compiler.library, source, "-o", folder / "to/m.onnx")
    assert result.exit_code == 0, result.output
    return folder / "to"


def test_whose_work_a_compiled_model_is(compiler: Project, compiled: Path) -> None:
    data = asked("doctor", compiled / "m.onnx", "--library", compiler.library)
    assert data["exit_status"] == 0, data["findings"]
    (made,) = data["compiled"]
    assert (made["ep"], made["nodes"], made["main"]) == (compiler.ep, 2, 1)
    assert made["by"] == [compiler.library.name]
    assert made["verdict"] == "OPTIMAL"
    (file,) = made["files"]
    assert (compiled / file["name"]).stat().st_size == file["bytes"]
    assert made["compatibility"].startswith(compiler.ep)
    assert groups(data)["taken"] == {"com.microsoft::EPContext": 2}


def rewritten(name: bytes) -> Callable[[Path], None]:
    """Lets the nodes of a compiled model name another file."""

    def change(folder: Path) -> None:
        model = onnx.load(folder / "m.onnx", load_external_data=False)
        for node in model.graph.node:
            for attribute in node.attribute:
                if attribute.name == "ep_cache_context":
                    attribute.s = name
        onnx.save(model, folder / "m.onnx")

    return change


def without_data(folder: Path) -> None:
    next(folder.glob("*.bin")).unlink()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without_data, "there is no such file beside the model"),
        (rewritten(b"../../../etc/passwd"), "no name of a file beside the model"),
        (rewritten(b"\x1b[31m\xff\n\x00"), "no such file"),
        *(
            pytest.param(rewritten(name), says, marks=pytest.mark.lab)
            for name, says in (
                (b"/etc/passwd", "no name of a file beside the model"),
                (b"x" * 100_000, "no such file"),
                (b".", "it is no file"),
            )
        ),
    ],
)
def test_compiled_data_that_is_not_there(
    change: Callable[[Path], None], says: str, compiler: Project, compiled: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(compiled, tmp_path / "copy"))
    change(folder)
    words = ["doctor", folder / "m.onnx", "--library", compiler.library, "--no-ask"]
    data = asked(*words)
    assert data["exit_status"] == 1
    texts = [each["message"] for each in data["findings"] if each["code"] == "compiled-data"]
    assert texts
    assert all(says in text for text in texts), texts
    assert call(*words).stdout.replace("\n", "").isprintable()


def test_nobody_here_runs_it(compiled: Path) -> None:
    data = asked("doctor", compiled / "m.onnx")
    assert data["exit_status"] == 1
    assert data["compiled"][0]["by"] == []
    assert [each["code"] for each in data["findings"]] == ["missing-ep"]


def test_an_installed_package_can_run_it(
    compiler: Project, compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages/onnxruntime_ep_contoso_compiler"
    package.mkdir(parents=True)
    library = Path(shutil.copy(compiler.library, package))
    shutil.copy(f"{compiler.library}.manifest.json", package)
    monkeypatch.setattr(sys, "path", [*sys.path, str(package.parent)])
    data = asked("doctor", compiled / "m.onnx")
    assert data["compiled"][0]["by"] == [str(library)]
