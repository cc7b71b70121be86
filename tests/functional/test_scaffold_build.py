"""The whole way in one command, and an ejected op that still computes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from projects import Project

import epforge

RELU = "{epforge: 1, name: contoso-npu, vendor: Contoso, ops: [Relu]}\n"


def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epforge", *map(str, args)],
        env={**os.environ, "PYTHONPATH": str(Path(epforge.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )


def test_one_command_ends_with_a_passed_validation(tmp_path: Path) -> None:
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text(RELU)
    out = tmp_path / "out"
    done = run("scaffold", blueprint, out, "--validate", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads(done.stdout)
    assert summary["validation"]["passed"] is True
    assert summary["build"]["warnings"] == 0
    assert Path(summary["build"]["library"]).is_file()
    # The build is no part of the project: expanding again finds nothing to do, and building again
    # compiles nothing.
    again = json.loads(run("scaffold", blueprint, out, "--build", "--json").stdout)
    assert again["written"] == []
    assert again["build"]["compiled"] == 0


def test_an_ejected_op_builds_and_computes(
    tmp_path: Path, project_of: Callable[..., Project]
) -> None:
    root = project_of(RELU).copy(tmp_path / "copy")
    assert run("eject", "op", "Relu", "--project", root).returncode == 0
    assert not list(root.glob("src/gen/kernels/relu.*"))
    built = run("build", root, "--json")
    assert built.returncode == 0, built.stdout + built.stderr
    checked = run("validate", root, "--rung", "ops", "--json")
    assert checked.returncode == 0, checked.stdout
    report = json.loads(checked.stdout)
    assert [check["name"] for check in report["checks"] if check["outcome"] == "passed"]


def test_a_kernel_is_not_called_when_there_is_nothing_to_compute(
    tmp_path: Path, project_of: Callable[..., Project]
) -> None:
    """Zero elements must not reach a device: not every launch or library call takes them."""
    root = project_of(RELU).copy(tmp_path / "copy")
    assert run("eject", "op", "Relu", "--project", root).returncode == 0
    source = root / "src/kernels/relu.cc"
    check = '  if (outputs[0].size() == 0) return Failed("called for nothing");\n'
    text, count = re.subn(
        r"^(Status Compute\([^{]*\{\n)", lambda m: m[1] + check, source.read_text(), flags=re.M
    )
    assert count == 1
    source.write_text(text)
    built = run("build", root, "--json")
    assert built.returncode == 0, built.stdout + built.stderr
    checked = run("validate", root, "--rung", "ops", "--json")
    assert checked.returncode == 0, checked.stdout


def test_the_first_error_of_your_own_kernel_is_named(
    tmp_path: Path, project_of: Callable[..., Project]
) -> None:
    root = project_of(RELU).copy(tmp_path / "copy")
    assert run("eject", "op", "Relu", "--project", root).returncode == 0
    source = root / "src/kernels/relu.cc"
    source.write_text(source.read_text() + "\nint broken = ;\n")
    built = run("build", root)
    assert built.returncode != 0
    assert "src/kernels/relu.cc:" in built.stderr
    assert "yours" in built.stderr
