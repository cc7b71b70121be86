"""The tests that come with a project that has operators of its own: they pass as they come."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from own_blueprints import COMPILED, MEMORY, RICH
from pair_sum import written_project
from projects import Project, built
from runtimes import SUPPORTED, runtime
from selection import plain

NO_LIBRARY = """\
epforge: 1
name: acme-npu
vendor: Acme
features: {custom_op_library: none}
custom_ops:
  - op: com.acme::Total
    inputs: {xs: "T*"}
    outputs: {y: T}
    types: {T: [float32, int32]}
    compute: sum(xs)
"""


@pytest.fixture(scope="module")
def rich() -> Project:
    return built(RICH)


@pytest.fixture(scope="module")
def compiling() -> Project:
    return built(COMPILED)


@pytest.fixture(scope="module")
def in_memory() -> Project:
    return built(MEMORY)


@pytest.fixture(scope="module")
def no_library() -> Project:
    """Nothing but an operator of its own, and no library beside the plugin."""
    return built(NO_LIBRARY)


@pytest.fixture(scope="module")
def stub_written(repository: Path) -> Project:
    return written_project(repository)


def run(project: Project, *command: str, host: Path | None = None) -> str:
    result = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project.root,
        env=project.environment(host),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-6000:]
    return result.stdout


def own_tests(project: Project, host: Path | None = None) -> str:
    return run(project, "pytest", "-q", "-rs", "-p", "no:cacheprovider", host=host)


@pytest.mark.parametrize(
    "name",
    plain("custom_ops", of=["custom_ops", "rich", "no_library", "compiling", "in_memory"]),
)
def test_its_tests_pass(name: str, request: pytest.FixtureRequest) -> None:
    own_tests(request.getfixturevalue(name))


@pytest.mark.lab
@pytest.mark.parametrize(
    ("name", "version"),
    [
        *(("custom_ops", version) for version in SUPPORTED),
        *(("rich", version) for version in SUPPORTED[1:]),  # texts in lists want the second
    ],
)
def test_its_tests_pass_on_every_runtime(
    name: str, version: str, request: pytest.FixtureRequest
) -> None:
    own_tests(request.getfixturevalue(name), runtime(version))


@pytest.mark.parametrize("name", plain("custom_ops", of=["custom_ops", "rich", "no_library"]))
def test_its_python_is_typed_and_clean(name: str, request: pytest.FixtureRequest) -> None:
    project: Project = request.getfixturevalue(name)
    run(project, "mypy", "--cache-dir=/dev/null", "python", "tests/python")
    run(project, "ruff", "check", "--no-cache", ".")
    run(project, "ruff", "format", "--no-cache", "--check", "python", "tests")


@pytest.mark.lab
def test_a_stub_is_skipped_until_it_is_written(custom_ops: Project, stub_written: Project) -> None:
    said = own_tests(custom_ops)
    reasons = re.findall(r"SKIPPED \[\d+\] tests/python/test_(?:custom_)?ops.py:\d+: (.*)", said)
    assert set(reasons) == {"its kernel is a stub: see kReady in src/kernels/"}
    said = own_tests(stub_written)
    assert "see kReady" not in said
    assert "inputs of these shapes do not fit it" in said  # a scalar has no pairs
    assert "it has no expression" in said


@pytest.mark.lab
def test_a_wrong_kernel_fails_its_tests(custom_ops: Project, repository: Path) -> None:
    """The reference comes from the expression, not from the kernel."""
    text = (repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8")
    name = "src/gen/kernels/com_contoso_gated_unit_function.h"
    right = (custom_ops.root / name).read_text(encoding="utf-8")
    assert right.count("return x * ") == 1
    wrong = built(text, changes={name: right.replace("return x * ", "return x + ")})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "custom_ops"],
        cwd=wrong.root,
        env=wrong.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    failed = re.findall(r"FAILED \S+::(\w+)\[(\w+)", done.stdout)
    assert {test for test, _ in failed} >= {
        "test_on_the_execution_provider",
        "test_from_the_library_on_the_cpu",
    }
    assert {op for _, op in failed if op != "case"} == {"GatedUnit"}
