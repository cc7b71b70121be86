"""`init` on a real terminal: questions, answers that cannot be, people who change their mind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import onnx
import pytest

import epforge
from epforge.blueprint import load
from epforge.resolve import resolve_supported

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
if sys.platform != "win32":
    from conversation import DOWN, END, ENTER, ERASE, Terminal, terminal

Start = Callable[..., AbstractContextManager["Terminal"]]
OURS = [".copier-answers.yml", "blueprint.yaml", "epforge.schema.json"]
#: Questions in their order when a device is simulated and compiled for, each with right keys.
QUESTIONS = [
    ("Name of the project", "\r"),
    ("Vendor", "Contoso\r"),
    ("Device", "\x1b[B\r"),
    ("PCI vendor id", "0xB357\r"),
    ("Memory", "\r"),
    ("Paradigm", "\x1b[B\r"),
    ("Save what was compiled", "\r"),
    ("Element types", "\r"),
    ("Operators to begin with", "\r"),
    ("License", "\r"),
    ("Write it?", "\r"),
]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Runs `epforge init` with these arguments."""
    environment = {**os.environ, "PYTHONPATH": str(Path(epforge.__file__).parents[1])}
    environment |= {"HOME": str(tmp_path / "home"), "COPIER_SETTINGS_PATH": str(tmp_path / "s")}
    (tmp_path / "s").write_text("defaults: {vendor: Somebody, license: MIT}\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()

    def run(*args: str | Path) -> AbstractContextManager[Terminal]:
        command = [sys.executable, "-m", "epforge", "init", *args]
        return terminal(command, environment, tmp_path / "work")

    return run


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_conversation_ends_in_a_right_blueprint(start: Start, tmp_path: Path) -> None:
    with start("my-ep") as seen:
        seen.answer("Name of the project", f"{ERASE}class{ENTER}")
        seen.answer("write class-ep", f"{ERASE}acme-npu{ENTER}")
        seen.answer("Vendor", ENTER)
        seen.answer("printable characters", f"Ünï: 'A' #1{ENTER}")
        seen.answer("Device", f"{DOWN}{ENTER}")
        seen.answer("PCI vendor id", f"0xZZ{ENTER}")
        seen.answer("expected an integer", f"{ERASE}0xB357{ENTER}")
        seen.answer("Memory", f"{DOWN}{ENTER}")
        seen.answer("Paradigm", f"{DOWN}{ENTER}")
        seen.answer("Save what was compiled", "n")
        seen.answer("Element types", f"{ERASE}float33{ENTER}")
        seen.answer("did you mean float32", f"{ERASE}float32, int64{ENTER}")
        seen.answer("Operators to begin with", f"{ERASE}Relu Rel{ENTER}")
        seen.answer("did you mean", f"{ERASE}Relu Add{ENTER}")
        seen.answer("License", ENTER)
        seen.expect("2 operators with a kernel: Add, Relu")
        assert files(tmp_path / "work") == []
        seen.answer("Write it?", ENTER)
        assert seen.end() == 0, seen.text
    assert "epforge scaffold my-ep --build --validate" in seen.text
    assert files(tmp_path / "work/my-ep") == OURS
    blueprint = resolve_supported(load(tmp_path / "work/my-ep/blueprint.yaml"))
    (device,) = blueprint.devices
    assert (blueprint.names.name.kebab, blueprint.vendor.name) == ("acme-npu", "Ünï: 'A' #1")
    assert (device.type, device.match.vendor_id, blueprint.memory.streams) == ("npu", 0xB357, True)
    assert (blueprint.paradigm, blueprint.has_contexts) == ("compiled", False)
    assert (blueprint.license, len(blueprint.types)) == ("Apache-2.0", 2)
    assert files(tmp_path / "home") == []


def test_enter_takes_what_is_proposed_and_what_was_given_is_not_asked(
    start: Start, tmp_path: Path
) -> None:
    with start("my-ep", "--vendor", "Contoso", "--ops", "Relu", "--device", "cpu") as seen:
        for question in ("Name of the project", "Paradigm", "Element types", "License"):
            seen.answer(question, ENTER)
        seen.answer("Write it?", ENTER)
        assert seen.end() == 0, seen.text
    for question in ("Vendor: who", "Device: what", "Operators to begin"):
        assert question not in seen.text
    blueprint = resolve_supported(load(tmp_path / "work/my-ep/blueprint.yaml"))
    assert blueprint.names.name.kebab == "my-ep"
    assert [op.label for op in blueprint.ops] == ["Relu"]


def test_of_a_ready_blueprint_only_its_name_and_vendor_are_asked(
    start: Start, tmp_path: Path
) -> None:
    with start("my-ep", "--from", "cuda") as seen:
        seen.answer("Name of the project", ENTER)
        seen.answer("Vendor", f"Acme{ENTER}")
        seen.answer("Write it?", ENTER)
        assert seen.end() == 0, seen.text
    assert "Device" not in seen.text
    blueprint = resolve_supported(load(tmp_path / "work/my-ep/blueprint.yaml"))
    assert (blueprint.vendor.name, blueprint.runtime) == ("Acme", "cuda")


def test_operators_of_a_model_fit_the_device_that_is_answered(start: Start, tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["": 17]> g (float[3] x) => (float y) {y = Det(x)}'
    model = onnx.parser.parse_model(text.replace("y = Det", "z = Relu(x) y = Det"))
    onnx.save(model, tmp_path / "model.onnx")
    with start("my-ep", "--from-model", tmp_path / "model.onnx", "--vendor", "Acme") as seen:
        seen.answer("Name of the project", ENTER)
        seen.answer("Device", f"{DOWN}{DOWN}{DOWN}{ENTER}")
        seen.answer("License", ENTER)
        seen.expect("Det, 1 node: not supported yet: a CUDA kernel of Det")
        seen.answer("Write it?", ENTER)
        assert seen.end() == 0, seen.text
    assert "Operators to begin" not in seen.text
    blueprint = resolve_supported(load(tmp_path / "work/my-ep/blueprint.yaml"))
    assert [op.label for op in blueprint.ops] == ["Relu"]


@pytest.mark.parametrize("at", [0, 3, 5, 10])
@pytest.mark.parametrize("there", [False, True])
def test_ctrl_c_at_a_question_leaves_nothing(
    start: Start, tmp_path: Path, at: int, there: bool
) -> None:
    if there:
        (tmp_path / "work/my-ep").mkdir()
        (tmp_path / "work/my-ep/notes.txt").write_text("mine")
    with start("my-ep") as seen:
        for question, keys in QUESTIONS[:at]:
            seen.answer(question, keys)
        seen.expect(QUESTIONS[at][0])
        assert seen.interrupt() == 130, seen.text
    assert "nothing was written" in seen.text
    assert "Traceback" not in seen.text
    assert files(tmp_path / "work") == (["my-ep/notes.txt"] if there else [])
    assert (tmp_path / "work/my-ep").exists() == there


@pytest.mark.parametrize(("at", "status"), [(1, 2), (10, 130)])
def test_the_end_of_the_answers_leaves_nothing(
    start: Start, tmp_path: Path, at: int, status: int
) -> None:
    with start("my-ep") as seen:
        for question, keys in QUESTIONS[:at]:
            seen.answer(question, keys)
        seen.answer(QUESTIONS[at][0], END)
        assert seen.end() == status, seen.text
    assert "nothing was written" in seen.text
    assert files(tmp_path / "work") == []


def test_no_is_an_answer(start: Start, tmp_path: Path) -> None:
    with start("my-ep") as seen:
        for question, keys in QUESTIONS[:-1]:
            seen.answer(question, keys)
        seen.answer(QUESTIONS[-1][0], f"n{ENTER}")
        assert seen.end() == 130, seen.text
    assert "nothing was written" in seen.text
    assert files(tmp_path / "work") == []


def test_nobody_is_asked_in_vain(start: Start, tmp_path: Path) -> None:
    (tmp_path / "work/my-ep").mkdir()
    (tmp_path / "work/my-ep/blueprint.yaml").write_text("mine")
    with start("my-ep") as seen:
        assert seen.end() == 2, seen.text
    assert "in the way" in seen.text


@pytest.mark.parametrize("option", ["--defaults", "--json"])
def test_a_terminal_is_not_asked_against_its_will(
    start: Start, tmp_path: Path, option: str
) -> None:
    with start("my-ep", option) as seen:
        assert seen.end() == 2, seen.text
    assert "--vendor is missing" in seen.text
    with start("my-ep", option, "--vendor", "Contoso") as seen:
        assert seen.end() == 0, seen.text
    assert files(tmp_path / "work/my-ep") == OURS
