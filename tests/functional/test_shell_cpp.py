"""The generated C++ tests: clean under the sanitizers, on every runtime, and able to fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cpp_tests import NEWEST, assert_clean, instrumented, ort_library, run
from runtimes import SUPPORTED, TOO_OLD

OPTIONS = """
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu, Add, ConstantOfShape]
options:
  - {name: effort, type: int, range: [0, 3], default: 0, excludes: [auto], doc: Effort.}
  - {name: auto, type: bool, default: false, doc: Let the compiler choose.}
  - {name: scale, type: float, default: 1.0, doc: A factor.}
  - {name: mode, type: enum, choices: [fast, exact], default: fast, doc: A choice.}
  - {name: dump, type: string, default: "", doc: A folder.}
"""


@pytest.fixture(scope="module", params=["options", "device-memory"])
def project_text(request: pytest.FixtureRequest, repository: Path) -> str:
    if request.param == "options":
        return OPTIONS
    return (repository / "blueprints/virtual-memory.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("test", ["entry_test", "kernels_test"])
def test_no_errors_of_memory_without_a_runtime(project_text: str, test: str) -> None:
    assert_clean(run(instrumented(project_text, "asan"), test))


@pytest.mark.parametrize("version", SUPPORTED)
def test_no_errors_of_memory_and_no_leaks_in_a_runtime(project_text: str, version: str) -> None:
    project = instrumented(project_text, "asan")
    assert_clean(run(project, "host_test", ort_library(version), project.library))


def test_no_data_races(project_text: str) -> None:
    project = instrumented(project_text, "tsan")
    assert_clean(run(project, "entry_test"))
    assert_clean(run(project, "host_test", ort_library(NEWEST), project.library))


def test_ctest_runs_all_of_them(project_text: str) -> None:
    project = instrumented(project_text, "asan")
    from epforge.build.toolchain import find_toolchain

    ctest = find_toolchain(None).cmake.with_name("ctest")
    result = subprocess.run(
        [ctest, "--preset", "asan"], cwd=project.root, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout
    for name in ("entry", "kernels", "host"):
        assert f"{name} ." in result.stdout


def test_a_runtime_that_is_too_old_fails_without_a_crash() -> None:
    project = instrumented(OPTIONS, "asan")
    result = run(project, "host_test", ort_library(TOO_OLD), project.library)
    assert result.returncode == 1, result.stderr[-3000:]
    assert "needs ONNX Runtime 1.24.4" in result.stderr
    assert TOO_OLD in result.stderr


@pytest.mark.lab
def test_a_leak_in_the_shell_is_found(tmp_path: Path) -> None:
    """Shows that the clean runs above mean something."""
    project = instrumented(OPTIONS, "asan")
    source = project.root / "src/abi/ep.cc"
    text = source.read_text(encoding="utf-8")
    mark = "Status Ep::Init(const OrtSessionOptions* session) {\n"
    leaking = tmp_path / "ep.cc"
    leak = "  volatile int* lost = new int[7];\n  lost[0] = 1;\n"
    leaking.write_text(text.replace(mark, mark + leak), encoding="utf-8")
    assert leaking.read_text(encoding="utf-8") != text
    binary = project.library.parent
    objects = sorted((binary / "CMakeFiles/plugin_objects.dir/src").rglob("*.o"))
    headers = next(
        line.split("=", 1)[1]
        for line in (binary / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith("CONTOSO_NPU_ORT_INCLUDE_DIR:")
    )
    flags = ["-g", "-O1", "-std=c++17", "-fPIC", "-fsanitize=address,undefined"]
    flags += ["-fvisibility=hidden", f"-I{project.root / 'src'}", f"-I{headers}"]
    library = tmp_path / project.library.name
    subprocess.run(
        [
            *("c++", "-shared", "-Wl,-z,nodelete", *flags, "-o", str(library), str(leaking)),
            *(str(path) for path in objects if path.name != "ep.cc.o"),
        ],
        check=True,
    )
    result = run(project, "host_test", ort_library(NEWEST), library)
    assert result.returncode != 0
    assert "LeakSanitizer" in result.stderr
    assert "ep.cc" in result.stderr
