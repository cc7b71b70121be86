"""The generated project's own tests, lint and types: they pass as they come."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project, built
from runtimes import runtime
from selection import plain
from test_layout_nhwc import NHWC

from epforge.ops import families

OPTIONS = """\
epforge: 1
name: fabrikam-gpu
vendor: Fabrikam
version: 1.2.3-rc.1
ops: [Relu]
options:
  - name: effort
    type: int
    range: [0, 3]
    default: 0
    excludes: [auto]
    dynamic: true
    doc: "Effort | of `it`."
  - {name: auto, type: bool, default: false, doc: Let it choose.}
  - {name: scale, type: float, range: [0.5, 2.0], default: 1.0, doc: A factor.}
  - {name: mode, type: enum, choices: [fast, exact], default: fast, dynamic: true, doc: A mode.}
  - {name: label, type: string, default: none, doc: A text.}
"""


@pytest.fixture(scope="module")
def options() -> Project:
    return built(OPTIONS)


@pytest.fixture(scope="module")
def nhwc() -> Project:
    return built(NHWC)


def run(project: Project, *command: str, host: Path | None = None) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project.root,
        env=project.environment(host),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-6000:]


PROJECTS = [
    *("minimal", "full", "device_memory", "strict_gpu"),
    *("options", "compiled", "compiled_virtual"),
]


@pytest.mark.parametrize("project", plain("minimal", of=PROJECTS))
def test_its_tests_pass(project: str, request: pytest.FixtureRequest) -> None:
    built_project: Project = request.getfixturevalue(project)
    run(built_project, "pytest", "-q", "-p", "no:cacheprovider")


@pytest.mark.lab
@pytest.mark.parametrize("host", ["1.24.4", "1.32.0"])
def test_the_tests_of_every_op_of_every_family_pass(host: str) -> None:
    ops = ", ".join(sorted({row.op for row in families.rows() if not row.domain}))
    text = f"types: [float32, float64, int32, int64, bool]\nops: [{ops}]\n"
    project = built(f"epforge: 1\nname: contoso-npu\nvendor: Contoso\n{text}")
    run(project, "pytest", "-q", "-p", "no:cacheprovider", host=runtime(host))


@pytest.mark.lab
@pytest.mark.parametrize("project", [*PROJECTS, "nhwc"])
def test_its_tests_pass_on_the_oldest_runtime(project: str, request: pytest.FixtureRequest) -> None:
    built_project: Project = request.getfixturevalue(project)
    run(built_project, "pytest", "-q", "-p", "no:cacheprovider", host=runtime("1.24.4"))


@pytest.mark.parametrize("project", plain("minimal", "compiled", of=[*PROJECTS, "cuda"]))
def test_its_python_is_typed_and_clean(project: str, request: pytest.FixtureRequest) -> None:
    built_project: Project = request.getfixturevalue(project)
    run(built_project, "mypy", "--cache-dir=/dev/null")
    run(built_project, "mypy", "--cache-dir=/dev/null", "python", "tests/python")
    run(built_project, "ruff", "check", "--no-cache", ".")
    run(built_project, "ruff", "format", "--no-cache", "--check", ".")


def test_the_package_imports_nothing_but_the_standard_library(minimal: Project) -> None:
    allowed = sys.stdlib_module_names
    for file in (minimal.root / "python").rglob("*.py"):
        for item in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(item, ast.Import):
                assert {alias.name.split(".")[0] for alias in item.names} <= allowed, file
            elif isinstance(item, ast.ImportFrom) and not item.level:
                assert str(item.module).split(".")[0] in allowed, file


def test_installing_the_project_brings_no_runtime(minimal: Project, tmp_path: Path) -> None:
    import tomllib

    metadata = tomllib.loads((minimal.root / "pyproject.toml").read_text(encoding="utf-8"))
    assert metadata["project"]["dependencies"] == []
    assert "onnxruntime" not in str(metadata["build-system"])


def test_the_package_finds_the_library_of_its_source_tree(minimal: Project) -> None:
    environment = minimal.environment()
    del environment["CONTOSO_NPU_LIBRARY"]
    result = subprocess.run(
        [sys.executable, "-c", f"import {minimal.package} as p; print(p.get_library_path())"],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(result.stdout.strip()) == minimal.library


def test_a_library_in_two_places_is_ambiguous(minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy")
    release = copy / "build/release"
    release.mkdir(parents=True)
    for place in (release, copy / "python" / minimal.package):
        (place / minimal.library.name).write_bytes(minimal.library.read_bytes())
    result = subprocess.run(
        [sys.executable, "-c", f"import {minimal.package} as p; p.get_library_path()"],
        env={"PYTHONPATH": str(copy / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "more than one library" in result.stderr
    assert "CONTOSO_NPU_LIBRARY" in result.stderr


@pytest.mark.parametrize("place", [".venv/lib/python3.11/site-packages", "site"])
def test_a_package_that_is_installed_inside_the_project_has_its_own_library(
    minimal: Project, tmp_path: Path, place: str
) -> None:
    copy = minimal.copy(tmp_path / "copy")
    site = copy / place
    shutil.copytree(copy / "python" / minimal.package, site / minimal.package)
    for folder in (copy / "build/release", site / minimal.package):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(minimal.library, folder)
    result = subprocess.run(
        [sys.executable, "-c", f"import {minimal.package} as p; print(p.get_library_path())"],
        env={"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == str(site / minimal.package / minimal.library.name)


def test_without_a_library_the_error_names_the_places(minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy")
    result = subprocess.run(
        [sys.executable, "-c", f"import {minimal.package} as p; p.get_library_path()"],
        env={"PYTHONPATH": str(copy / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "FileNotFoundError" in result.stderr
    assert str(copy / "build/release") in result.stderr
    assert str(copy / "python") in result.stderr
