"""Compiling models without a library: where they go, what the runtime is asked and may answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from compiling_code import module
from onnx import helper

outputs = module("_outputs")
compiling = module("compiling")
CompileError = outputs.CompileError


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x3a\x02\x0a\x00")  # a graph with one node that says nothing of itself
    return path


# Where compiled models go


def test_a_compiled_model_lies_beside_its_source(model: Path) -> None:
    assert outputs.plan_outputs([model], None, False) == [model.parent / "model_ctx.onnx"]


def test_an_output_is_a_folder_or_for_one_model_a_file(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.model"
    other.touch()
    out = tmp_path / "out"
    plan = outputs.plan_outputs
    assert plan([model], out, False) == [out / "model_ctx.onnx"]
    assert plan([model, other], out, True) == [out / "model_ctx.onnx", out / "other_ctx.onnx"]
    assert plan([model], tmp_path / "new.ONNX", False) == [tmp_path / "new.ONNX"]
    (tmp_path / "dir.onnx").mkdir()
    assert plan([model], tmp_path / "dir.onnx", False) == [tmp_path / "dir.onnx/model_ctx.onnx"]
    with pytest.raises(CompileError, match="one file for 2 models"):
        plan([model, other], tmp_path / "new.onnx", False)


def test_models_and_outputs_that_do_not_go_together(model: Path, tmp_path: Path) -> None:
    plan = outputs.plan_outputs
    twin = tmp_path / "sub" / "model.onnx"
    twin.parent.mkdir()
    twin.write_bytes(model.read_bytes())
    with pytest.raises(CompileError, match="would both become"):
        plan([model, twin], tmp_path / "out", False)
    with pytest.raises(CompileError, match="would both become"):
        plan([model, model], None, False)
    with pytest.raises(CompileError, match="must lie in one folder"):
        plan([model, twin], None, True)
    assert len(plan([model, twin], None, False)) == 2
    with pytest.raises(CompileError, match="would replace a model"):
        plan([model], model, False)
    with pytest.raises(CompileError, match="does not exist"):
        plan([tmp_path / "none.onnx"], None, False)
    with pytest.raises(CompileError, match="is not a file"):
        plan([tmp_path], None, False)
    with pytest.raises(CompileError, match="no model"):
        plan([], None, False)


def test_files_appear_all_at_once_and_models_last(tmp_path: Path, monkeypatch: Any) -> None:
    moved: list[str] = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (moved.append(Path(b).name), replace(a, b)))
    out = tmp_path / "new" / "out"
    with outputs.Staging(out, ".compiling-x") as staging:
        for name in ("a.onnx", "z.bin", "sub/deep.bin"):
            (staging.path / name).parent.mkdir(exist_ok=True)
            (staging.path / name).write_text(name)
        assert [path.name for path in out.iterdir()] == [".compiling-x"]
        targets = staging.publish(force=False)
    assert moved == ["deep.bin", "z.bin", "a.onnx"]
    assert [target.read_text() for target in targets] == ["sub/deep.bin", "z.bin", "a.onnx"]
    assert sorted(path.name for path in out.iterdir()) == ["a.onnx", "sub", "z.bin"]


def test_nothing_is_left_of_a_failure(tmp_path: Path) -> None:
    with outputs.Staging(tmp_path / "new" / "out", ".compiling-x") as staging:
        (staging.path / "half.onnx").touch()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays_without_force(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_text("old")
    for force in (False, True):
        with outputs.Staging(tmp_path, ".compiling-x") as staging:
            (staging.path / "a.onnx").touch()
            (staging.path / "b.bin").write_text("new")
            if force:
                staging.publish(force)
            else:
                with pytest.raises(CompileError, match=r"b\.bin exists already"):
                    staging.publish(force)
                assert [path.name for path in tmp_path.glob("*.onnx")] == []
                assert (tmp_path / "b.bin").read_text() == "old"
    assert (tmp_path / "b.bin").read_text() == "new"


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").mkdir()
    with pytest.raises(CompileError, match="is a folder"):
        outputs.check_free(tmp_path / "a.onnx", True)


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "sub"):
        with pytest.raises(CompileError, match="cannot write into") as caught:
            outputs.Staging(folder, ".compiling-x").__enter__()
        assert caught.value.status == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# What the runtime is asked, and what it may do


class Runtime(ModuleType):
    """Stands in for onnxruntime: notes what is asked, and writes what it is told to."""

    def __init__(self, *contexts: dict[str, Any], files: tuple[str, ...] = ()) -> None:
        super().__init__("onnxruntime")
        self.said: list[str] = []
        self.asked: list[tuple[str, str, bool]] = []
        nodes = [
            helper.make_node("EPContext", ["x"], ["y"], domain="com.microsoft", **each)
            for each in contexts
        ]
        self.model = helper.make_model(helper.make_graph(nodes, "g", [], [])).SerializeToString()
        self.files = files
        runtime = self

        class SessionOptions:
            def add_provider_for_devices(self, devices: Any, options: dict[str, str]) -> None:
                runtime.said.append(f"device {options}")

            def add_session_config_entry(self, key: str, value: str) -> None:
                runtime.said.append(f"{key}={value}")

        class ModelCompiler:
            def __init__(
                self, options: Any, model: str, *, embed_compiled_data_into_model: bool
            ) -> None:
                self.call = (model, embed_compiled_data_into_model)

            def compile_to_file(self, output: str) -> None:
                runtime.asked.append((self.call[0], output, self.call[1]))
                runtime.write(Path(output))

        self.SessionOptions, self.ModelCompiler = SessionOptions, ModelCompiler

    def write(self, output: Path) -> None:
        output.write_bytes(self.model)
        for name in self.files:
            (output.parent / name).write_text("data")


@pytest.fixture
def compile_with(monkeypatch: pytest.MonkeyPatch, model: Path) -> Callable[..., Any]:
    """Compiles the model, or others, for a device of the runtime that is given."""

    def call(runtime: Runtime, models: list[Path] | None = None, **settings: Any) -> Any:
        monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
        device = SimpleNamespace(ep_name="ContosoExecutionProvider")
        return compiling.compile_models(
            models or [model], [device], settings=compiling.Settings(**settings)
        )

    return call


def external(name: str, notes: str = "compiled from 3 nodes by X 1.0") -> dict[str, Any]:
    return {"embed_mode": 0, "ep_cache_context": name, "notes": notes}


def test_the_device_s_defaults_do_not_overwrite_entries(compile_with: Any) -> None:
    runtime = Runtime({})
    compile_with(runtime, provider_options={"a": "1"}, session_options={"ep.x.a": "2"}, embed=True)
    assert runtime.said == ["device {'a': '1'}", "ep.x.a=2"]
    assert runtime.asked[0][2] is True


def test_models_that_share_are_compiled_in_one_folder(compile_with: Any, model: Path) -> None:
    other = model.with_name("other.onnx")
    other.write_bytes(model.read_bytes())
    runtime = Runtime(external("d"), files=("d",))
    done = compile_with(runtime, [model, other], share_weights=True)
    assert len({Path(output).parent for _, output, _ in runtime.asked}) == 1
    share, stop = "ep.share_ep_contexts=1", "ep.stop_share_ep_contexts=1"
    assert runtime.said == ["device {}", share, "device {}", share, stop]
    assert [[file.name for file in each.files] for each in done] == [
        ["model_ctx.onnx", "d"],
        ["other_ctx.onnx", "d"],
    ]


@pytest.mark.parametrize(
    ("notes", "nodes"),
    [
        (["compiled from 3 nodes by X 1", "compiled from 1 node by X 1"], 4),
        (["compiled from 3 nodes by X 1", ""], None),
        (["made of 3 nodes"], None),
        (["compiled from 99999999999999999999 nodes by X"], None),
    ],
)
def test_the_notes_say_how_many_nodes_were_compiled(
    compile_with: Any, notes: list[str], nodes: int | None
) -> None:
    (done,) = compile_with(Runtime(*({"notes": each} for each in notes)))
    assert (done.nodes, done.contexts, done.others) == (nodes, len(notes), 0)


class Silent(Runtime):
    def write(self, output: Path) -> None:
        """Writes nothing, and says nothing."""


@pytest.mark.parametrize(
    ("runtime", "says"),
    [
        (Silent(), "no compiled model on the disk"),
        (Runtime(), "nothing was compiled: ContosoExecutionProvider takes none of its 0 nodes"),
        (Runtime(external("d.bin")), "names d.bin, which is not on the disk"),
        (Runtime(external("../lib.so")), "not beside it: '../lib.so'"),
        (Runtime(external("/etc/passwd")), "not beside it: '/etc/passwd'"),
        (Runtime(external("a\0b")), r"not beside it: 'a\x00b'"),
        (Runtime(external("x" * 5000)), "not beside it"),
    ],
    ids=["silent", "none", "absent", "above", "absolute", "nul", "long"],
)
def test_what_the_runtime_leaves_is_checked(
    compile_with: Any, model: Path, runtime: Runtime, says: str
) -> None:
    with pytest.raises(CompileError) as caught:
        compile_with(runtime)
    assert says in caught.value.message
    assert caught.value.status == 1
    assert sorted(path.name for path in model.parent.iterdir()) == ["model.onnx"]


@pytest.mark.parametrize("before", ["", "/src/ep.cc:393 virtual int F(const S&) "])
def test_errors_of_the_runtime_are_told_without_their_code(compile_with: Any, before: str) -> None:
    class Failing(Runtime):
        def write(self, output: Path) -> None:
            code = "[ONNXRuntimeError] : 11 : EP_FAIL : "
            raise RuntimeError(f"{code}{before}{code if before else ''}the compiler\n is on strike")

    with pytest.raises(CompileError, match=r"model\.onnx: the compiler is on strike$"):
        compile_with(Failing())


def test_files_of_a_library_s_own_are_moved_too(compile_with: Any, model: Path) -> None:
    compile_with(Runtime({}, files=("model_ctx.log", "weights.bin")))
    assert {path.name for path in model.parent.iterdir()} == {
        "model.onnx",
        "model_ctx.onnx",
        "model_ctx.log",
        "weights.bin",
    }


@pytest.mark.parametrize("content", [b"", b"a text", b"\x08\x07"])
def test_what_is_no_model_is_not_given_to_the_runtime(
    compile_with: Any, model: Path, content: bytes
) -> None:
    model.write_bytes(content)
    runtime = Runtime()
    with pytest.raises(CompileError, match="is not an ONNX model"):
        compile_with(runtime)
    assert runtime.asked == []
