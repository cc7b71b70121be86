"""Memory and semaphores of other APIs on CUDA devices, against a made-up CUDA."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from compilers import needed_nvcc
from projects import expanded
from test_cuda_runtime import LIBRARIES, RUNTIME, SANITIZE, SUPPORT, WARNINGS

BLUEPRINT = """\
epforge: 1
name: contoso-cuda
vendor: {name: Contoso, pci_id: 0x10DE}
devices: [{name: gpu, type: gpu, match: {vendor_id: 0x10DE}, virtual: allowed}]
runtime: cuda
memory: {default: arena, host_accessible: arena, streams: true}
ops: [Relu]
features: {external_memory: true}
"""
EXTERNAL = "src/device/cuda_external.cc"
OWN = ("fake_cuda.cc", "fake_cuda_external.cc", "cuda_external_test.cc")


def outcome(directory: Path, changes: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Compiles and runs the test.

    Args:
        directory: to work in.
        changes: in the text of cuda_external.cc, what stands for what.
    """
    for file in expanded(BLUEPRINT).files:
        if file.path.startswith("src/") or file.path == "tests/cpp/check.h":
            content = file.content.decode()
            if file.path == EXTERNAL:
                for old, new in changes.items():
                    assert content.count(old) == 1, old
                    content = content.replace(old, new)
            path = directory / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    (directory / "src/gen/api/cuda_libraries.h").write_text(LIBRARIES, encoding="utf-8")
    program = directory / "external_test"
    command = [
        *(needed_nvcc(), "-std=c++17", "--cudart", "none", "-DEP_CUDA_OLDEST=80", "-g"),
        *("-Xcompiler", "-w" if changes else WARNINGS, "-Xcompiler", SANITIZE),
        *(f"-I{SUPPORT}", "-Isrc", "-Itests/cpp"),
        *(RUNTIME, EXTERNAL, "src/gen/api/status.cc", *(str(SUPPORT / name) for name in OWN)),
        *("-o", str(program)),
    ]
    made = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-6000:]
    return subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.lab
def test_it_keeps_its_promises(tmp_path: Path) -> None:
    done = outcome(tmp_path, {})
    assert done.returncode == 0, done.stderr[-6000:]
    assert ", 0 failed" in done.stdout


@pytest.mark.lab
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0)", "static_cast<int>(number)"),
        ("    if (descriptor_ >= 0) close(descriptor_);\n", ""),
        ("  void Release() noexcept { descriptor_ = -1; }", "  void Release() noexcept {}"),
        ("  if (!mapped.ok()) Forget(cudaDestroyExternalMemory(memory));\n", ""),
        ("  Forget(cudaDestroyExternalMemory(memory));\n}", "}"),
        ("    Forget(cudaEventSynchronize(event));\n", ""),
        ("    Forget(cudaEventDestroy(event));\n", ""),
        ('return check_("cudaEventRecord", cudaEventRecord(event, stream));', "return Status();"),
        ("HandleTypeTimelineSemaphoreFd", "HandleTypeOpaqueFd"),
    ],
)  # fmt: skip
def test_what_breaks_them_is_found(tmp_path: Path, old: str, new: str) -> None:
    assert outcome(tmp_path, {old: new}).returncode != 0
