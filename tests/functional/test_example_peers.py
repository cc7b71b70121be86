"""The example that looks at other people's execution providers."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from toys import EP, toy


@pytest.fixture(scope="module")
def script(repository: Path) -> Path:
    return repository / "examples/peers/run.py"


@pytest.fixture(scope="module")
def example(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("peers_example", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run(script: Path, work: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(script), "--work", str(work), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows(markdown: str) -> dict[str, list[str]]:
    """The lines of the first table, by their titles."""
    lines = [line.split(" | ") for line in markdown.splitlines() if line.startswith("| ")]
    return {line[0].lstrip("| "): [each.rstrip(" |") for each in line[1:]] for line in lines}


@pytest.mark.lab
def test_traps_come_out_by_themselves(script: Path, tmp_path: Path) -> None:
    bad = toy("FAULT_SILENT_WHEN_OLD", "FAULT_EXTRA_EXPORT", "FAULT_NO_EMPTY", "FAULT_GAP")
    done = run(script, tmp_path, "--library", f"bad={bad}", "--op", "Relu")
    assert done.returncode == 0, done.stdout + done.stderr
    found = (tmp_path / "peers.md").read_text(encoding="utf-8")
    assert rows(found)["EP names"] == [EP]
    assert rows(found)["exported names"] == ["3"]
    traps = re.findall(r"^\| bad \| ([\w -]+) \| (D\d+)? ?\|", found, re.M)
    assert ("silent-when-old", "D10") in traps
    assert ("exports", "D73") in traps
    assert ("zero size", "D55") in traps
    assert ("versions", "D62") in traps
    assert "output data pointer is null" in found
    again = run(script, tmp_path, "--library", f"bad={bad}", "--again")
    assert again.returncode == 0
    assert (tmp_path / "peers.md").read_text(encoding="utf-8") == found


def test_what_cannot_be_installed_is_said(example: ModuleType, tmp_path: Path) -> None:
    peer = example.Peer("none", "epforge-no-such-package==0", "none", "*.so")
    row = example.Row(peer, missing="No matching distribution found")
    text = example.markdown([row])
    assert "none could not be installed: No matching distribution found" in text


@pytest.mark.parametrize(
    ("label", "outcome", "detail", "kind"),
    [
        ("since 7, T=float32: (0,3)", "failed", "null pointer", "zero size"),
        ("since 7, T=float32: no rows", "crashed", "SIGABRT", "zero size"),
        ("zero size", "crashed", "SIGABRT", "zero size"),
        ("since 7, T=float32: (10,3)", "crashed", "SIGSEGV", "crashed"),
        ("since 7, T=float32: (2,3)", "failed", "output[0] is 1, expected 2", "wrong numbers"),
        ("since 7, T=float64: (2)", "failed", "[0] is 1, expected 2", "wrong numbers"),
        ("T=float64: (2)", "failed", "y[0] is -1.00001, expected -1.0", "float64 in float32"),
        ("since 7, T=float32: (2)", "failed", "not supported", "taken, then refused"),
    ],
)
def test_kinds_of_failures(
    example: ModuleType, label: str, outcome: str, detail: str, kind: str
) -> None:
    assert example.kind_of({"label": label, "outcome": outcome, "detail": detail}) == kind


def test_the_tables_go_between_the_marks(example: ModuleType, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{example.BEGIN}\nold\n{example.END}\nafter\n", encoding="utf-8")
    example.write(readme, "new\n")
    text = readme.read_text(encoding="utf-8")
    assert text == f"before\n{example.BEGIN}\n\nnew\n\n{example.END}\nafter\n"


@pytest.mark.lab
def test_real_packages(script: Path, tmp_path: Path) -> None:
    done = run(script, tmp_path, "--op", "Relu", "--op", "MatMul")
    assert done.returncode == 0, done.stdout + done.stderr
    found = rows((tmp_path / "peers.md").read_text(encoding="utf-8"))
    peers = ["webgpu", "openvino", "qnn", "ggml", "nxrt"]
    for name in peers:
        assert json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))["report"]
    column = dict(zip(peers, range(len(peers)), strict=True))
    assert found["EP names"][column["openvino"]].startswith("OpenVINOExecutionProvider")
    assert found["gone from memory"][column["webgpu"]] == "yes"
    assert "without an error" in found["on a runtime too old"][column["ggml"]]
    assert found["devices here"][column["nxrt"]] == "1 cpu"
