"""The generated PyTorch package, in a Python that has PyTorch: its own tests pass, its types hold.

Field reports 73 to 77 are tests of the package itself, in its `tests` folder.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from custom_ops import RICH
from pair_sum import written_project
from projects import expanded
from torch_blueprints import EDGES, PAIR_SUM, WRITTEN, torch_project
from torch_venv import torch_python

pytestmark = pytest.mark.lab


def run_suite(folder: Path, *arguments: str, **variables: str) -> str:
    """The outcome of the package's tests, which all pass; without what is skipped on purpose."""
    done = subprocess.run(
        [torch_python(), "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


def written(text: str, root: Path) -> Path:
    """The package of a blueprint, on disk, with stubs that are written."""
    for file in expanded(text).files:
        if file.path.startswith("torch/"):
            path = root / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
    for name, content in WRITTEN.items():
        for path in (root / "torch").glob(f"*/yours/{name}.py"):
            path.write_text(_filled(path.read_text(encoding="utf-8"), content), encoding="utf-8")
    return root / "torch"


def _filled(text: str, bodies: dict[str, str]) -> str:
    """The stubs with bodies in place of their errors."""
    lines = text.splitlines(keepends=True)
    functions = [each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    assert bodies.keys() <= {each.name for each in functions}
    for function in reversed(functions):
        error = function.body[-1]
        assert isinstance(error, ast.Raise)
        assert error.end_lineno is not None
        if function.name in bodies:
            lines[error.lineno - 1 : error.end_lineno] = [bodies[function.name]]
    return "".join(lines)


@pytest.mark.parametrize("text", [RICH, EDGES], ids=["rich", "edges"])
def test_fr_73_74_75_76_its_tests_pass(text: str, tmp_path: Path) -> None:
    output = run_suite(written(torch_project(text), tmp_path))
    stubs = set(re.findall(r"(\S+): \w+ is yours to write", output))
    assert stubs == ({"com.acme::Many"} if text is RICH else set())


def test_stubs_say_what_is_to_be_written(repository: Path, tmp_path: Path) -> None:
    text = (repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8")
    folder = tmp_path / "as-it-comes"
    for file in expanded(text).files:
        if file.path.startswith("torch/"):
            (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / file.path).write_bytes(file.content)
    output = run_suite(folder / "torch")
    assert "com.contoso::PairSum: output_shape is yours to write, in yours/pair_sum.py" in output
    assert "CONTOSO_NPU_CUSTOM_OPS_LIBRARY" in output


def test_fr_73_the_library_computes_what_pytorch_does(repository: Path, tmp_path: Path) -> None:
    project = written_project(repository)  # the stub too, in C++ and in Python
    assert project.custom_ops_library is not None
    folder = tmp_path / "torch"
    shutil.copytree(project.root / "torch", folder)
    stub = folder / "contoso_npu_torch/yours/pair_sum.py"
    text = _filled(stub.read_text(encoding="utf-8"), PAIR_SUM)
    stub.write_text(text.replace("    (2, 3),\n", "    (2, 4),\n"), encoding="utf-8")
    variables = {"CONTOSO_NPU_CUSTOM_OPS_LIBRARY": str(project.custom_ops_library)}
    output = run_suite(folder, **variables)
    assert "CONTOSO_NPU_CUSTOM_OPS_LIBRARY" not in output
    assert "is yours to write" not in output


def test_a_gradient_that_is_wrong_is_found(tmp_path: Path) -> None:
    folder = written(torch_project(RICH), tmp_path)
    (file,) = folder.glob("*/ops/_gate.py")
    text = file.read_text(encoding="utf-8")
    assert "return grad * " in text
    file.write_text(text.replace("return grad * ", "return 1.01 * grad * "), encoding="utf-8")
    done = subprocess.run(
        [torch_python(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "gate"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    failed = re.findall(r"^FAILED tests/(\w+)\.py::(\w+)", done.stdout, re.M)
    assert failed == [("test_gradients", "test_the_gradient_is_that_of_the_function")], done.stdout


@pytest.mark.parametrize("text", [RICH, EDGES], ids=["rich", "edges"])
def test_its_python_is_typed(text: str, tmp_path: Path) -> None:
    folder = written(torch_project(text), tmp_path)
    (package,) = (path.parent.name for path in folder.glob("*/_library.py"))
    for what in ([], [package, "tests"]):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir=/dev/null",
             f"--python-executable={torch_python()}", *what],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
