"""`epforge compile` with libraries of others: what arrives there, and how badly it may end."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import models
import onnx
import pytest
from compiling_code import module
from onnx import ModelProto
from runtimes import SUPPORTED, runtime
from toys import toy
from typer.testing import CliRunner, Result

from epforge.cli.main import app

EP = "ToyCompilerExecutionProvider"
compiler = functools.partial(toy, source="compile_ep.c")


def sin() -> ModelProto:
    nodes = [models.node("Sin", ["X"], ["Y"], name="s0")]
    return models.model(nodes, [models.value("X", [2])], [models.value("Y", [2])])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with models: two of their nodes are taken, three, none."""
    for name, made in (("chain", models.chain()), ("sum", models.add_mul_add()), ("sin", sin())):
        onnx.save(made, tmp_path / f"{name}.onnx")
    return tmp_path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compile", *map(str, arguments)])


def answer(result: Result) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def contexts(path: Path) -> list[dict[str, Any]]:
    """The attributes of the EPContext nodes of a model."""
    return [
        {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        for node in onnx.load(path).graph.node
        if node.op_type == "EPContext"
    ]


def config_of(path: Path) -> dict[str, str]:
    """The configuration of the session that compiled, which the toy writes down."""
    text: str = contexts(path)[0]["notes"].decode()
    return dict(line.split("=", 1) for line in text.splitlines())


def test_it_says_what_became_of_every_model(place: Path) -> None:
    library = compiler()
    result = call("--library", library, place / "chain.onnx", place / "sum.onnx")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{EP} 0.1.0, for CPU")
    assert lines[1].endswith("chain.onnx: compiled into 2 EPContext nodes, 1 node left to others")
    size = (place / "chain_ctx.onnx").stat().st_size
    assert lines[2].split() == [str(place / "chain_ctx.onnx"), f"{size:,}", "bytes"]
    assert lines[3].split()[0] == str(place / "chain_ctx.onnx.blob")
    assert "3 EPContext nodes, 0 nodes left" in lines[4]
    made = {"chain_ctx.onnx", "chain_ctx.onnx.blob", "sum_ctx.onnx", "sum_ctx.onnx.blob"}
    assert set(names(place)) == made | {"chain.onnx", "sum.onnx", "sin.onnx"}


def test_a_program_is_told_the_same(place: Path) -> None:
    result = call("--library", compiler(), place / "chain.onnx", "--embed", "--json")
    assert result.exit_code == 0, result.stderr
    told = answer(result)
    output = place / "chain_ctx.onnx"
    assert told["ok"] is True
    assert told["models"] == [
        {
            "model": str(place / "chain.onnx"),
            "output": str(output),
            "compiled_nodes": None,
            "ep_context_nodes": 2,
            "other_nodes": 1,
            "files": [{"path": str(output), "bytes": output.stat().st_size}],
        }
    ]
    assert [node["embed_mode"] for node in contexts(output)] == [1, 1]


@pytest.mark.parametrize("embed", [False, True])
def test_options_and_entries_arrive(place: Path, embed: bool) -> None:
    flags = ["--embed"] if embed else []
    result = call(
        *("--library", compiler(), place / "sum.onnx", *flags),
        *("-i", "effort|2 mode|a|b", "-i", "empty|"),
        *("-C", "ep.context_node_name_prefix|p_", "-C", f"ep.context_embed_mode|{int(embed)}"),
    )
    assert result.exit_code == 0, result.stderr
    got = config_of(place / "sum_ctx.onnx")
    prefix = f"ep.{EP.lower()}."
    assert {key.removeprefix(prefix): got[key] for key in got if key.startswith(prefix)} == {
        "effort": "2",
        "mode": "a|b",
        "empty": "",
    }
    assert got["ep.context_node_name_prefix"] == "p_"
    assert got["ep.context_enable"] == "1"
    assert got["ep.context_embed_mode"] == str(int(embed))
    assert "ep.share_ep_contexts" not in got


def test_models_share_one_file(place: Path) -> None:
    out = place / "new" / "out"
    inputs = [place / "chain.onnx", place / "sum.onnx"]
    result = call("--library", compiler(), *inputs, "--share-weights", "-o", out)
    assert result.exit_code == 0, result.stderr
    assert names(out) == ["chain_ctx.onnx", "chain_ctx.onnx.blob", "sum_ctx.onnx"]
    first, last = config_of(out / "chain_ctx.onnx"), config_of(out / "sum_ctx.onnx")
    assert first["ep.share_ep_contexts"] == last["ep.share_ep_contexts"] == "1"
    assert "ep.stop_share_ep_contexts" not in first
    assert last["ep.stop_share_ep_contexts"] == "1"
    assert result.stdout.count("chain_ctx.onnx.blob") == 1


@pytest.mark.parametrize("fault", ["FAULT_ERROR_STOP", "FAULT_NO_BLOB"])
def test_of_models_that_share_all_are_there_or_none(place: Path, fault: str) -> None:
    before = names(place)
    inputs = [place / "chain.onnx", place / "sum.onnx"]
    result = call("--library", compiler(fault), *inputs, "--share-weights", "-o", place / "out")
    assert result.exit_code == 1
    assert names(place) == before


def test_a_model_that_fails_does_not_stop_the_others(place: Path) -> None:
    inputs = [place / "sin.onnx", place / "sum.onnx"]
    result = call("--library", compiler(), *inputs)
    assert result.exit_code == 1
    assert "sin.onnx: nothing was compiled" in result.stderr
    assert "takes none of its 1 node" in result.stderr
    assert "sum.onnx: compiled into 3" in result.stdout
    assert "sin_ctx.onnx" not in names(place)
    told = answer(call("--library", compiler(), *inputs, "--force", "--json"))
    assert told["ok"] is False
    assert [each["model"] for each in told["models"]] == [str(place / "sum.onnx")]
    assert told["failed"][0]["models"] == [str(place / "sin.onnx")]


def test_nothing_compiled_can_be_allowed(place: Path) -> None:
    result = call("--library", compiler(), place / "sin.onnx", "--allow-none")
    assert result.exit_code == 0, result.stderr
    assert "nothing compiled, 1 node left to others" in result.stdout
    onnx.checker.check_model(onnx.load(place / "sin_ctx.onnx"))


def test_a_library_that_compiles_nothing_at_all(place: Path) -> None:
    result = call("--library", toy("FAULT_CONTEXT_IGNORED"), place / "sum.onnx")
    assert result.exit_code == 1
    assert "nothing was compiled: ToyExecutionProvider takes none of its 3 nodes" in result.stderr
    result = call("--library", toy(), place / "sum.onnx")  # this one says so itself
    assert result.exit_code == 1
    assert "sum.onnx: toy compiles no models" in result.stderr


@pytest.mark.parametrize(
    ("library", "says"),
    [
        (lambda: compiler("FAULT_CRASH_COMPILE"), "chain.onnx: SIGSEGV"),
        (lambda: compiler("FAULT_ERROR_COMPILE"), "chain.onnx: the compiler is on strike"),
        (lambda: compiler("FAULT_NO_BLOB"), "names chain_ctx.onnx.blob, which is not on the disk"),
        (lambda: toy("FAULT_CRASH_REGISTER"), "SIGABRT"),
        (lambda: toy("FAULT_OTHER_ERROR"), "cannot be registered: the driver is asleep"),
    ],
    ids=["crash", "error", "no-blob", "crash-register", "error-register"],
)
def test_what_goes_wrong_in_the_library_is_a_result(place: Path, library: Any, says: str) -> None:
    before = names(place)
    result = call("--library", library(), place / "chain.onnx")
    assert result.exit_code == 1
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert names(place) == before


def test_a_library_that_hangs_is_ended(place: Path) -> None:
    before = names(place)
    library, out = compiler("FAULT_HANG_COMPILE"), place / "new" / "out"
    result = call("--library", library, place / "chain.onnx", "-o", out, "--time-limit", 2)
    assert result.exit_code == 1
    assert "chain.onnx: no progress for too long" in result.stderr
    assert "--time-limit" in result.stderr
    assert names(place) == before


def test_what_was_done_before_a_crash_is_told(place: Path) -> None:
    library = toy("FAULT_EXIT_CRASH", "FAULT_CONTEXT_IGNORED")
    result = call("--library", library, place / "sum.onnx", "--allow-none")
    assert result.exit_code == 1
    assert "sum.onnx: nothing compiled" in result.stdout
    assert f"unregister {library}: SIGABRT" in result.stderr
    result = call("--library", library, place / "sum.onnx", "--allow-none", "--force", "--json")
    error = answer(result)["error"]
    assert "SIGABRT" in error["message"]
    assert error["before"]["models"][0]["output"] == str(place / "sum_ctx.onnx")


def test_a_real_device_comes_before_a_virtual_one(place: Path) -> None:
    model, library = place / "sum.onnx", compiler()
    result = call("--library", library, model)
    assert f"{EP} 0.1.0, for CPU" in result.stdout
    result = call("--library", library, model, "--virtual", "--force")
    assert f"{EP} 0.1.0, for virtual NPU by Toy\n" in result.stdout
    absent = compiler("NO_REAL_DEVICE")
    result = call("--library", absent, model, "--force")
    assert "for virtual NPU by Toy (no real one is there)" in result.stdout
    result = call("--library", absent, model, "--force", "--no-virtual")
    assert result.exit_code == 4
    assert f"{absent} offers no real device on this machine" in result.stderr


def test_a_device_that_is_not_there(place: Path) -> None:
    result = call("--library", compiler(), place / "sum.onnx", "--device", 1)
    assert result.exit_code == 1
    assert "there is no device 1" in result.stderr
    assert f"0: {EP}, CPU" in result.stderr
    assert call("--library", compiler(), place / "sum.onnx", "--device", -1).exit_code == 1
    assert call("--library", compiler(), place / "sum.onnx", "--device", 0).exit_code == 0


def test_an_execution_provider_that_is_not_there(place: Path) -> None:
    result = call("--library", compiler(), place / "sum.onnx", "--ep", "OtherExecutionProvider")
    assert result.exit_code == 1
    assert f"has no OtherExecutionProvider, only {EP}" in result.stderr


def configuration(place: Path, **changes: object) -> Path:
    library = compiler()
    content = {
        "ep_library_registration_name": "toy",
        "ep_library_path": os.path.relpath(library, place),
        "selected_ep_name": EP,
        "default_ep_options": {"effort": "3"},
        **changes,
    }
    path = place / "toy.json"
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path


def test_a_configuration_says_it_all_and_wins(place: Path) -> None:
    model = place / "sum.onnx"
    result = call("-p", configuration(place), model)
    assert result.exit_code == 0, result.stderr
    assert "for CPU" in result.stdout
    assert config_of(place / "sum_ctx.onnx")[f"ep.{EP.lower()}.effort"] == "3"
    path = configuration(place, ep_library_registration_name="toy.virtual")
    more = ["--device", 7, "-i", "effort|9", "--no-virtual", "--library", "none.so", "--ep", "x"]
    result = call("-p", path, model, "--force", *more)
    assert result.exit_code == 0, result.stderr
    assert "virtual NPU by Toy" in result.stdout
    assert f"{path} wins: PROJECT or --library, --ep, -i, --device, --virtual" in result.stderr
    assert config_of(place / "sum_ctx.onnx")[f"ep.{EP.lower()}.effort"] == "3"
    told = answer(call("-p", path, model, "--force", "--device", 7, "--json"))
    assert "--device has no effect" in told["notes"][0]


def test_a_configuration_counts_all_devices_of_the_runtime(place: Path) -> None:
    model = place / "sum.onnx"
    result = call("-p", configuration(place, selected_ep_name=None, selected_ep_device_indices=[9]),
                  model)  # fmt: skip
    assert result.exit_code == 1
    assert "there is no device 9" in result.stderr
    listed = dict(
        entry.strip().split(": ", 1) for entry in result.stderr.split("There are ")[1].split(";")
    )
    assert any("CPUExecutionProvider" in device for device in listed.values())
    index = next(int(number) for number, device in listed.items() if EP in device)
    path = configuration(place, selected_ep_name=None, selected_ep_device_indices=[index])
    assert call("-p", path, model).exit_code == 0
    every = list(range(len(listed)))
    path = configuration(place, selected_ep_name=None, selected_ep_device_indices=every)
    result = call("-p", path, model, "--force")
    assert result.exit_code == 1
    assert "more than one execution provider" in result.stderr


def test_a_configuration_for_another_execution_provider(place: Path) -> None:
    path = configuration(place, selected_ep_name="OtherExecutionProvider")
    result = call("-p", path, place / "sum.onnx")
    assert result.exit_code == 1
    assert "no device of OtherExecutionProvider, only of " in result.stderr
    assert EP in result.stderr


def test_the_log_is_shown_on_request(place: Path) -> None:
    quiet = call("--library", compiler(), place / "sum.onnx")
    assert "onnxruntime:" not in quiet.stderr
    loud = call("--library", compiler(), place / "sum.onnx", "--force", "-v")
    assert loud.exit_code == 0
    assert "[V:onnxruntime:" in loud.stderr
    said = call("--library", toy("FAULT_STDERR"), place / "sum.onnx", "--force")
    assert "toy: hello from the library" in said.stderr


@pytest.mark.parametrize("host", SUPPORTED)
@pytest.mark.parametrize("flags", [[], ["--embed"], ["--share-weights"]], ids=str)
def test_it_does_the_same_on_every_runtime(place: Path, host: str, flags: list[str]) -> None:
    command = module("_compile_command")
    folder = Path(str(command.__file__)).parent
    inputs = [str(place / "chain.onnx"), str(place / "sum.onnx")]
    code = (
        f"import sys; from {folder.name} import _compile_command as command\n"
        f"sys.exit(command.main({[*inputs, *flags, '--json']}, 'x', lambda: {str(compiler())!r},"
        f" {EP!r}))"
    )
    path = os.pathsep.join([str(runtime(host)), str(folder.parent)])
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    told = json.loads(result.stdout)["models"]
    assert [each["ep_context_nodes"] for each in told] == [2, 3]
    made = {Path(file["path"]).name for each in told for file in each["files"]}
    blobs = {
        "": {"chain_ctx.onnx.blob", "sum_ctx.onnx.blob"},
        "--embed": set(),
        "--share-weights": {"chain_ctx.onnx.blob"},
    }
    assert made - {"chain_ctx.onnx", "sum_ctx.onnx"} == blobs["".join(flags)]
    assert made <= set(names(place))
