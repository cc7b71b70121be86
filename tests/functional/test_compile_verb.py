"""Compiling with a library of ours: by the verb and by the package, which are the same code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import models
import onnx
import pytest
from compiling_projects import SINGLE
from onnx import ModelProto
from projects import Project, built
from typer.testing import CliRunner, Result

from epforge.cli.main import app


def sin() -> ModelProto:
    nodes = [models.node("Sin", ["X"], ["Y"], name="s0")]
    return models.model(nodes, [models.value("X", [2])], [models.value("Y", [2])])


SOURCES = {"chain": models.chain, "sum": models.add_mul_add, "sin": sin}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with models."""
    for name, made in SOURCES.items():
        onnx.save(made(), tmp_path / f"{name}.onnx")
    return tmp_path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compile", *map(str, arguments)])


def by_package(project: Project, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", project.package, *map(str, arguments)],
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def computes_as(project: Project, path: Path, source: str, *, fallback: bool = False) -> None:
    """The compiled model, in a fresh process, computes what the CPU does with its source."""
    switch = "0" if fallback else "1"
    result = project.python(
        f"""
        made = models.{source}()
        settings = ort.SessionOptions()
        settings.log_severity_level = 3
        settings.add_session_config_entry("session.disable_cpu_ep_fallback", "{switch}")
        settings.add_provider_for_devices([device], {{}})
        session = ort.InferenceSession({str(path)!r}, settings, enable_fallback=0)
        assert plugin.get_ep_name() in session.get_providers()
        feeds = models.feeds(made)
        results = zip(session.run(None, feeds), models.reference(made, feeds), strict=True)
        for got, wanted in results:
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
        """
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("embed", [False, True])
def test_a_model_there_and_back(compiled: Project, place: Path, embed: bool) -> None:
    flags = ["--embed"] if embed else []
    result = call(compiled.root, place / "chain.onnx", place / "sum.onnx", *flags)
    assert result.exit_code == 0, result.stderr
    assert "chain.onnx: 2 nodes compiled into 2 EPContext nodes, 1 node left" in result.stdout
    assert "sum.onnx: 3 nodes compiled into 1 EPContext node, 0 nodes left" in result.stdout
    blobs = (
        set() if embed else {f"{name}_ctx.{compiled.ep.lower()}.bin" for name in ("chain", "sum")}
    )
    sources = {f"{name}.onnx" for name in SOURCES}
    assert set(names(place)) == sources | {"chain_ctx.onnx", "sum_ctx.onnx"} | blobs
    computes_as(compiled, place / "sum_ctx.onnx", "add_mul_add")
    computes_as(compiled, place / "chain_ctx.onnx", "chain", fallback=True)


def test_models_that_share_one_file(compiled: Project, place: Path) -> None:
    out = place / "out"
    models_ = [place / "sum.onnx", place / "chain.onnx"]
    result = call(compiled.root, *models_, "--share-weights", "-o", out)
    assert result.exit_code == 0, result.stderr
    blob = f"sum_ctx.{compiled.ep.lower()}.bin"
    assert names(out) == sorted(["chain_ctx.onnx", "sum_ctx.onnx", blob])
    moved = out.rename(place / "moved")
    computes_as(compiled, moved / "sum_ctx.onnx", "add_mul_add")
    computes_as(compiled, moved / "chain_ctx.onnx", "chain", fallback=True)


def test_nothing_tells_where_it_was_compiled(compiled: Project, place: Path) -> None:
    for flags in ([], ["--embed", "--force"]):
        assert call(compiled.root, place / "sum.onnx", *flags).exit_code == 0
        for path in place.glob("sum_ctx.*"):
            content = path.read_bytes()
            assert b".compiling-" not in content
            assert str(place).encode() not in content


def test_the_same_model_gives_the_same_bytes(compiled: Project, place: Path) -> None:
    """By the verb and by the package, in any folder, over an old one or not."""
    contents = []
    for folder in ("one", "two"):
        result = call(compiled.root, place / "sum.onnx", "-o", place / folder)
        assert result.exit_code == 0, result.stderr
    done = by_package(compiled, "compile", place / "sum.onnx", "-o", place / "three", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)["models"][0]
    assert (told["compiled_nodes"], told["ep_context_nodes"], told["other_nodes"]) == (3, 1, 0)
    assert call(compiled.root, place / "sum.onnx", "-o", place / "one", "--force").exit_code == 0
    for folder in ("one", "two", "three"):
        contents.append({path.name: path.read_bytes() for path in (place / folder).iterdir()})
    assert contents[0] == contents[1] == contents[2]


# Public bug reports


def both(project: Project, *arguments: object) -> list[tuple[int, str]]:
    """Exit status and stderr of the verb and of the package."""
    verb = call(project.root, *arguments)
    package = by_package(project, "compile", *arguments)
    assert "Traceback" not in verb.output + package.stderr
    return [(verb.exit_code, verb.stderr), (package.returncode, package.stderr)]


def test_fr_60_nothing_compiled_is_a_failure_that_says_so(compiled: Project, place: Path) -> None:
    before = names(place)
    for status, said in both(compiled, place / "sin.onnx"):
        assert status == 1
        assert f"sin.onnx: nothing was compiled: {compiled.ep} takes none of its 1 node" in said
    assert names(place) == before
    result = call(compiled.root, place / "sin.onnx", "--allow-none")
    assert result.exit_code == 0
    assert "nothing compiled, 1 node left to others" in result.stdout


def test_fr_60_a_compiled_model_is_not_compiled_again(compiled: Project, place: Path) -> None:
    assert call(compiled.root, place / "chain.onnx").exit_code == 0
    before = names(place)
    for status, said in both(compiled, place / "chain_ctx.onnx"):
        assert status == 1
        assert f"is compiled already: it has 2 EPContext nodes of {compiled.ep}" in said
    assert names(place) == before


def test_fr_60_a_folder_that_cannot_be_written(compiled: Project, place: Path) -> None:
    (place / "file").touch()
    before = names(place)
    for out in (place / "file", place / "file" / "sub", Path("/proc/no"), Path("/dev/null")):
        for status, said in both(compiled, place / "chain.onnx", "-o", out):
            assert status == 1
            assert f"cannot write into {out}" in said
    assert names(place) == before


def test_fr_59_what_is_there_is_refused_first(compiled: Project, place: Path) -> None:
    (place / "sum_ctx.onnx").write_text("precious")
    (place / f"chain_ctx.{compiled.ep.lower()}.bin").write_text("precious")
    (place / "sin_ctx.onnx").mkdir()
    before = names(place)
    for name, says in (("sum", "exists already"), ("chain", "exists already"), ("sin", "is a fol")):
        for status, said in both(compiled, place / f"{name}.onnx"):
            assert status == 1
            assert says in said
    assert call(compiled.root, place / "sin.onnx", "--force", "--allow-none").exit_code == 1
    assert names(place) == before
    assert (place / "sum_ctx.onnx").read_text() == "precious"
    result = call(compiled.root, place / "chain.onnx", place / "sum.onnx", "--force")
    assert result.exit_code == 0, result.stderr
    computes_as(compiled, place / "sum_ctx.onnx", "add_mul_add")


def test_fr_58_compiled_nodes_that_feed_each_other(place: Path) -> None:
    single = built(SINGLE)
    result = call(single.root, place / "sum.onnx")
    assert result.exit_code == 0, result.stderr
    assert "sum.onnx: 3 nodes compiled into 3 EPContext nodes, 0 nodes left" in result.stdout
    made = onnx.load(place / "sum_ctx.onnx")
    onnx.checker.check_model(made)
    known = {each.name: each.type.tensor_type for each in made.graph.value_info}
    for name in (each for node in made.graph.node for each in node.output if each != "Y"):
        assert known[name].elem_type == onnx.TensorProto.FLOAT
        assert [each.dim_value for each in known[name].shape.dim] == [3, 2]
    computes_as(single, place / "sum_ctx.onnx", "add_mul_add")


# What else may be asked


def test_an_option_that_is_not_there(compiled: Project, place: Path) -> None:
    before = names(place)
    for status, said in both(compiled, place / "sum.onnx", "-i", "no_such_option|1"):
        assert status == 1
        assert "sum.onnx: unknown option 'no_such_option'" in said
    assert names(place) == before


def test_the_project_s_own_configuration(compiled: Project, place: Path) -> None:
    content: dict[str, Any] = json.loads(
        (compiled.root / "packaging/plugin_ep.json").read_text(encoding="utf-8")
    )
    assert content["selected_ep_name"] == compiled.ep
    path = compiled.root / "packaging/plugin_ep.json"
    result = call("-p", path, place / "sum.onnx", "--virtual")
    assert result.exit_code == 0, result.stderr
    assert f"{path} wins" in result.stderr
    assert "3 nodes compiled into 1" in result.stdout


def test_a_virtual_device_is_taken_when_no_other_is_there(
    compiled_virtual: Project, place: Path
) -> None:
    result = call(compiled_virtual.root, place / "sum.onnx")
    assert result.exit_code == 0, result.stderr
    assert "for virtual NPU" in result.stdout
    assert "(no real one is there)" in result.stdout
    computes_as(compiled_virtual, place / "sum_ctx.onnx", "add_mul_add")
    for status, said in both(compiled_virtual, place / "sum.onnx", "--no-virtual", "--force"):
        assert status == 4
        assert "offers no real device" in said
    path = compiled_virtual.root / "packaging/plugin_ep.json"
    assert call("-p", path, place / "sum.onnx", "--force").exit_code == 0


def test_a_package_without_a_command_reports_as_before(compiled: Project) -> None:
    plain, wrong = by_package(compiled), by_package(compiled, "nope")
    assert plain.returncode == 0
    assert f"library: {compiled.library}" in plain.stdout
    assert wrong.returncode == 2
    assert "unrecognized arguments: nope" in wrong.stderr
    assert f"python -m {compiled.package} compile -h" in " ".join(
        by_package(compiled, "--help").stdout.split()
    )
    assert "--share-weights" in by_package(compiled, "compile", "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "MODEL"),
        (["x.onnx", "--nope"], "unrecognized arguments: --nope"),
        (["x.onnx", "--device", "one"], "invalid int value"),
        (["x.onnx"], "x.onnx does not exist"),
    ],
)
def test_a_wrong_call_of_the_package(compiled: Project, arguments: list[str], says: str) -> None:
    result = by_package(compiled, "compile", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert says in result.stderr
    result = by_package(compiled, "compile", *arguments, "--json")
    error = json.loads(result.stdout)["error"]
    assert (result.returncode, result.stderr, error["exit_status"]) == (2, "", 2)
    assert says in error["message"]


def test_a_package_that_compiles_nothing_has_no_such_command(minimal: Project) -> None:
    result = by_package(minimal, "compile", "x.onnx")
    assert (result.returncode, result.stdout) == (2, "")
    assert "unrecognized arguments: compile x.onnx" in result.stderr
    assert "compile" not in by_package(minimal, "--help").stdout
    assert not list((minimal.root / "python").rglob("*compil*"))
    result = call(minimal.root, "x.onnx")
    assert result.exit_code == 2
    assert "x.onnx does not exist" in result.stderr


def test_a_package_without_its_library(compiled: Project, place: Path, tmp_path: Path) -> None:
    copy = compiled.copy(tmp_path / "copy")
    result = subprocess.run(
        [sys.executable, "-m", compiled.package, "compile", str(place / "sum.onnx"), "--json"],
        env={"PYTHONPATH": str(copy / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    error = json.loads(result.stdout)["error"]
    assert (result.returncode, error["exit_status"]) == (4, 4)
    assert "is not there" in error["message"]
