"""The C++ sample, run from everywhere and on every runtime: what it prints and computes."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import models
import numpy as np
import onnx
import pytest
from fresh import every_runtime
from models import node, value
from onnx import TensorProto
from projects import Project
from samples import (
    arrays,
    built_sample,
    fine,
    installed_runtime,
    library_of,
    refused,
    start,
)


@pytest.fixture(scope="module")
def program(minimal: Project) -> Path:
    return built_sample(minimal)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models and arrays in it."""
    place = tmp_path_factory.mktemp("some models")
    for made in (models.mul, models.chain, models.dynamic, models.string_identity):
        onnx.save(made(), place / f"{made.__name__}.onnx")
    return place


@every_runtime
def test_it_runs_a_model_and_says_where_each_node_ran(
    program: Path, minimal: Project, place: Path, tmp_path: Path, version: str | None
) -> None:
    """One program with every runtime. What it computes is what Python computes."""
    inputs = models.feeds(models.chain(), 3)
    chosen = ["--runtime", str(library_of(version))] if version else []
    said = fine(
        start(
            program,
            *(place / "chain.onnx", *arrays(tmp_path, inputs), *chosen),
            *("--output", f"Y={tmp_path / 'Y.npy'}"),
        )
    )
    assert f"ONNX Runtime {version or ''}" in said
    assert f"plugin: {minimal.library}, registered as {minimal.ep}\n" in said
    assert re.search(rf"^device 0: {minimal.ep} \(Contoso\), CPU by .*, vendor 0x", said, re.M)
    assert "using device 0\n" in said
    assert f"nodes on {minimal.ep}: 2 (Mul x 2)\n" in said
    assert "nodes on CPUExecutionProvider: 1 (Sin)\n" in said
    made = np.load(tmp_path / "Y.npy")
    models.close([made], models.reference(models.chain(), inputs))
    (shown,) = re.findall(r"^output Y: float32 \[3, 4\] = (.*), \.\.\.$", said, re.M)
    assert np.array_equal(np.array(shown.split(", "), np.float32), made.ravel()[:8])


def test_inputs_that_nobody_gives_are_a_pattern_of_the_sizes_asked_for(
    program: Path, place: Path
) -> None:
    said = fine(start(program, place / "dynamic.onnx"))
    assert said.count("dimension N: 1 (--dim N=SIZE changes it)") == 1
    assert "input B: float32 [1, 2], a pattern" in said
    more = fine(start(program, place / "dynamic.onnx", "--dim", "N=3"))
    assert "dimension N" not in more
    assert "output C: float32 [3, 2] = " in more
    assert more == fine(start(program, place / "dynamic.onnx", "--dim", "N=3"))
    assert "output C: float32 [0, 2] =\n" in fine(
        start(program, place / "dynamic.onnx", "--dim", "N=0")
    )


def test_an_array_s_sizes_hold_for_the_other_inputs(
    program: Path, place: Path, tmp_path: Path
) -> None:
    given = arrays(tmp_path, {"B": np.ones((5, 2), np.float32)})
    said = fine(start(program, place / "dynamic.onnx", *given))
    assert "input A: float32 [5, 2], a pattern" in said
    line = refused(start(program, place / "dynamic.onnx", *given, "--dim", "N=4"))
    assert "dimension N is 5 there, but 4 by --dim" in line


def test_it_runs_from_everywhere(
    program: Path, minimal: Project, place: Path, tmp_path: Path
) -> None:
    """From /, from its own folder, by relative and absolute paths, and through links (FR 22)."""
    link = tmp_path / "bin/link"
    link.parent.mkdir()
    link.symlink_to(program)
    linked = tmp_path / minimal.library.name
    linked.symlink_to(minimal.library)
    model = place / "mul.onnx"
    ours = f"nodes on {minimal.ep}: 1 (Mul)"
    for folder in (Path("/"), program.parent, tmp_path):
        library = os.path.relpath(minimal.library, folder)
        relative = os.path.relpath(model, folder)
        assert ours in fine(start(program, model, cwd=folder))
        assert ours in fine(start(link, relative, "--library", library, cwd=folder))
        assert ours in fine(start(program, relative, "--library", minimal.library, cwd=folder))
    assert ours in fine(start(program, model, "--library", linked.name, cwd=tmp_path))


def test_a_plugin_beside_the_program_or_in_lib_comes_first(
    program: Path, minimal: Project, place: Path, tmp_path: Path
) -> None:
    """So an application is moved with what belongs to it."""
    application = tmp_path / "application"
    for folder in ("bin", "lib"):
        (application / folder).mkdir(parents=True)
    moved = Path(shutil.copy(program, application / "bin"))
    for folder in ("lib", "bin"):
        copy = Path(shutil.copy(minimal.library, application / folder))
        said = fine(start(moved, place / "mul.onnx", cwd=Path("/")))
        assert f"plugin: {copy}," in said
    link = tmp_path / "link"
    link.symlink_to(moved)
    assert f"plugin: {application / 'bin'}/" in fine(start(link, "--list", cwd=Path("/")))


def test_devices_tell_whether_a_plugin_is_there_and_nothing_else_is_asked(minimal: Project) -> None:
    """FR 23: a plugin is never among the available providers."""
    for source in (minimal.root / "samples/cpp").iterdir():
        text = source.read_text(encoding="utf-8")
        code = "" if source.suffix == ".md" else re.sub(r"//.*", "", text)
        assert "GetAvailableProviders" not in code, source
    assert "`Ort::GetAvailableProviders()`" in (minimal.root / "samples/cpp/README.md").read_text()


def test_without_the_plugin_it_runs_on_the_cpu(program: Path, place: Path) -> None:
    said = fine(start(program, place / "chain.onnx", "--no-ep"))
    assert "nodes on CPUExecutionProvider: 3 (Mul x 2, Sin)" in said
    assert "plugin" not in said


@pytest.fixture(scope="module")
def custom(project_of: Callable[[str], Project], repository: Path) -> Project:
    return project_of((repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8"))


@pytest.mark.lab
@every_runtime
def test_operators_of_the_project_s_own_run_with_the_plugin_and_without(
    custom: Project, tmp_path: Path, version: str | None
) -> None:
    """The plugin brings them; the stand-alone library is found as the plugin is. No warning."""
    program = built_sample(custom)
    own = {"domain": "com.contoso"}
    made = models.model(
        [
            node("Clip", ["X"], ["c"], hi=0.5, **own),
            node("GatedUnit", ["c", "X"], ["Y"], **own),
        ],
        [value("X", ["N", 4])],
        [value("Y", ["N", 4])],
        extra=[("com.contoso", 1)],
    )
    onnx.save(made, tmp_path / "m.onnx")
    inputs = models.feeds(made, 3)
    given = ["m.onnx", "--log", "2", *arrays(tmp_path, inputs)]
    given += ["--runtime", str(library_of(version))] if version else []
    ours = fine(start(program, *given, "--output", "Y=ours.npy", cwd=tmp_path))
    assert f"nodes on {custom.ep}: 2 (com.contoso::Clip, com.contoso::GatedUnit)" in ours
    assert "custom operators" not in ours
    plain = fine(start(program, *given, "--no-ep", "--output", "Y=plain.npy", cwd=tmp_path))
    library = custom.library.parent / "libcontoso_npu_custom_ops.so"
    assert f"custom operators: {library}\n" in plain
    assert "nodes on CPUExecutionProvider: 2 (com" in plain
    (x,) = inputs.values()
    expected = np.clip(x, -1, 0.5) / (1 + np.exp(-x))
    for name in ("ours", "plain"):
        np.testing.assert_allclose(np.load(tmp_path / f"{name}.npy"), expected, atol=1e-6)


# By type of ONNX: how numpy knows it. Those without a name there are raw bytes.
TYPES = {
    TensorProto.FLOAT: "<f4",
    TensorProto.DOUBLE: "<f8",
    TensorProto.FLOAT16: "<f2",
    TensorProto.BFLOAT16: "V2",
    TensorProto.INT8: "|i1",
    TensorProto.INT16: "<i2",
    TensorProto.INT32: "<i4",
    TensorProto.INT64: "<i8",
    TensorProto.UINT8: "|u1",
    TensorProto.UINT16: "<u2",
    TensorProto.UINT32: "<u4",
    TensorProto.UINT64: "<u8",
    TensorProto.BOOL: "|b1",
    TensorProto.FLOAT8E4M3FN: "V1",
    TensorProto.FLOAT8E4M3FNUZ: "V1",
    TensorProto.FLOAT8E5M2: "V1",
    TensorProto.FLOAT8E5M2FNUZ: "V1",
}


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3, 1)], ids=str)
@pytest.mark.parametrize("version", [(1, 0), (2, 0)], ids=["1", "2"])
def test_arrays_of_every_type_come_back_as_they_went_in(
    program: Path, tmp_path: Path, shape: tuple[int, ...], version: tuple[int, int]
) -> None:
    names = {dtype: TensorProto.DataType.Name(dtype) for dtype in TYPES}
    made = models.model(
        [node("Identity", [name], [f"{name}_out"]) for name in names.values()],
        [value(name, shape, dtype) for dtype, name in names.items()],
        [value(f"{name}_out", shape, dtype) for dtype, name in names.items()],
        opset=19,
    )
    onnx.save(made, tmp_path / "m.onnx")
    random = np.random.default_rng(0)
    contents, arguments = {}, ["m.onnx", "--no-ep"]
    for dtype, name in names.items():
        kind = np.dtype(TYPES[dtype])
        content = random.integers(
            0, 2 if kind.kind == "b" else 64, (*shape, kind.itemsize), np.uint8
        )
        contents[name] = np.ascontiguousarray(content).view(kind).reshape(shape)
        with open(tmp_path / f"{name}.npy", "wb") as file:
            np.lib.format.write_array(file, contents[name], version=version)
        arguments += ["--input", f"{name}={name}.npy", "--output", f"{name}_out={name}_out.npy"]
    fine(start(program, *arguments, cwd=tmp_path))
    for name, array in contents.items():
        out = np.load(tmp_path / f"{name}_out.npy")
        assert (out.dtype, out.shape) == (array.dtype, array.shape), name
        assert out.tobytes() == array.tobytes(), name


def test_patterns_are_made_in_every_type(program: Path, tmp_path: Path) -> None:
    names = {dtype: TensorProto.DataType.Name(dtype) for dtype in TYPES}
    made = models.model(
        [node("Identity", [name], [f"{name}_out"]) for name in names.values()],
        [value(name, [4], dtype) for dtype, name in names.items()],
        [value(f"{name}_out", [4], dtype) for dtype, name in names.items()],
        opset=19,
    )
    onnx.save(made, tmp_path / "m.onnx")
    said = fine(start(program, tmp_path / "m.onnx", "--no-ep"))
    shown = dict(re.findall(r"^output (\w+)_out: \w+ \[4\] = (.*)$", said, re.M))
    assert shown.keys() == set(names.values())
    for dtype, name in names.items():
        assert len(set(shown[name].split(", "))) > 1, name
        if TYPES[dtype][0] == "<" and TYPES[dtype][1] == "f":
            assert all(-1 <= float(text) <= 1.5 for text in shown[name].split(", "))


@pytest.mark.lab
def test_a_program_that_is_shipped_needs_nothing_of_this_machine(
    minimal: Project, place: Path, tmp_path: Path
) -> None:
    program = built_sample(minimal, shipped=True)
    assert str(minimal.root).encode() not in program.read_bytes()
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    moved = Path(shutil.copy(program, tmp_path / "bin"))
    wanted = [
        (installed_runtime(), "libonnxruntime.so.1", "--runtime"),
        (minimal.library, minimal.library.name, "--library"),
    ]
    for library, name, option in wanted:
        line = refused(start(moved, place / "mul.onnx", cwd=Path("/")))
        assert f"{tmp_path}/bin/{name}, {tmp_path}/lib/{name}" in line
        assert f"name it with {option}" in line
        shutil.copy(library, tmp_path / "lib" / name)
    assert f"nodes on {minimal.ep}: 1" in fine(start(moved, place / "mul.onnx", cwd=Path("/")))
