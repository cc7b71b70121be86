"""The runtime of CUDA devices against a made-up CUDA: which device, which stream, which errors."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from compilers import needed_nvcc
from projects import expanded

SUPPORT = Path(__file__).resolve().parents[1] / "support"
RUNTIME = "src/device/cuda_runtime.cc"
OWN = ("fake_cuda.cc", "cuda_runtime_test.cc")
WARNINGS = "-Wall,-Wextra,-Wshadow,-Wconversion,-Werror"
SANITIZE = "-fsanitize=address\\,undefined,-fno-sanitize-recover=all"

#: In place of the project's: all that the runtime knows of NVIDIA's libraries.
LIBRARIES = """\
#pragma once
namespace contoso_cuda {
class CudaLibraries {
 public:
  virtual ~CudaLibraries() = default;
  virtual void Forget(void* stream) noexcept = 0;
};
}  // namespace contoso_cuda
"""


def outcome(
    repository: Path, directory: Path, changes: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Compiles and runs the test.

    Args:
        repository: where the blueprint is.
        directory: to work in.
        changes: in the text of the runtime, what stands for what.
    """
    text = (repository / "blueprints/cuda.yaml").read_text(encoding="utf-8")
    # The made-up CUDA records no graphs.
    text = text.replace("features: {graph_capture: true}\n", "")
    for file in expanded(text).files:
        if file.path.startswith("src/") or file.path == "tests/cpp/check.h":
            content = file.content.decode()
            if file.path == RUNTIME:
                for old, new in changes.items():
                    assert old in content, old
                    content = content.replace(old, new)
            path = directory / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    (directory / "src/gen/api/cuda_libraries.h").write_text(LIBRARIES, encoding="utf-8")
    program = directory / "runtime_test"
    command = [
        *(needed_nvcc(), "-std=c++17", "--cudart", "none", "-DEP_CUDA_OLDEST=80", "-g"),
        *("-Xcompiler", "-w" if changes else WARNINGS, "-Xcompiler", SANITIZE),
        *(f"-I{SUPPORT}", "-Isrc", "-Itests/cpp"),
        *(RUNTIME, "src/gen/api/status.cc", *(str(SUPPORT / name) for name in OWN)),
        *("-o", str(program)),
    ]
    made = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-6000:]
    return subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.lab
def test_the_runtime_keeps_its_promises(repository: Path, tmp_path: Path) -> None:
    done = outcome(repository, tmp_path, {})
    assert done.returncode == 0, done.stderr[-6000:]
    assert ", 0 failed" in done.stdout


@pytest.mark.lab
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (changed_) static_cast<void>(cudaSetDevice(before_));", ""),
        ("    error_ = cudaSetDevice(device);\n", ""),
        ("    if (device_ >= count)", "    if (device_ > count)"),
        ("static_cast<void>(cudaGetLastError());  // else", "// else"),
        ("      static_cast<void>(cudaGetLastError());  // what", "      // what"),
        ("    if (stream_ != nullptr) return Status();\n", ""),
        ("EP_RETURN_IF_ERROR(own_.Take(&taken_));", ""),
        ("    return turn.End();", "    return Status();"),
        ("    own_.GiveBack(taken_);", ""),
        ("cudaStreamNonBlocking", "cudaStreamDefault"),
        ("cudaEventDisableTiming", "cudaEventDefault"),
        ("pool_ != nullptr ? cudaFreeAsync(memory, stream_) :", "true ? cudaFree(memory) :"),
        ("if (pool_ == nullptr && !scratch_.empty())", "if (scratch_.empty())"),
        ("    libraries_->Forget(stream);\n", ""),
        ("    if (stream != nullptr) return Status();\n    return Inv", "    return Status();\n//"),
        ("case cudaErrorIllegalAddress:", ""),
        ("if (pool_ != nullptr) static_cast<void>(cudaMemPoolDestroy(pool_));", ""),
        ("if (found < EP_CUDA_OLDEST)", "if (found > 1000)"),
    ],
)  # fmt: skip
def test_a_runtime_that_breaks_them_is_found(
    repository: Path, tmp_path: Path, old: str, new: str
) -> None:
    assert outcome(repository, tmp_path, {old: new}).returncode != 0
