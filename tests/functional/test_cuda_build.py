"""Projects of CUDA devices on a machine without one: they build with nvcc alone, load, offer no
device, and say why. What their code does on a device is in `tests/device`; FR 53 is read here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from compilers import needed, needed_nvcc
from cpp_tests import assert_clean, instrumented, run
from cuda_scan import faults
from projects import Project, built, expanded, sdk
from runtimes import SUPPORTED, runtime

from epforge.build import BuildError, build
from epforge.build.toolchain import find_toolchain
from epforge.errors import MissingError
from epforge.ops import families
from epforge.workspace import publish

BLUEPRINT = "blueprints/cuda.yaml"
NO_DEVICE = {"CONTOSO_CUDA_ALLOW_NO_DEVICE": "1"}
REGISTERS = """
    import sys
    import onnxruntime as ort
    ort.register_execution_provider_library(sys.argv[2], sys.argv[1])
    print([each.ep_name for each in ort.get_ep_devices()])
    ort.unregister_execution_provider_library(sys.argv[2])
    print(any(sys.argv[1] in line for line in open("/proc/self/maps")))
"""


@pytest.fixture(scope="module")
def text(repository: Path) -> str:
    return (repository / BLUEPRINT).read_text(encoding="utf-8")


@pytest.fixture
def sources(text: str, tmp_path: Path) -> Path:
    """The project, not built."""
    root = tmp_path / "contoso-cuda"
    expansion = expanded(text)
    publish(root, expansion.files, tool=_tool(), blueprint=text.encode())
    return root


def _tool() -> object:
    from epforge.verbs.change.project import tool

    return tool()


def test_the_library_needs_nothing_of_cuda(cuda: Project) -> None:
    """The runtime of CUDA is in it; the driver is looked for when a device is."""
    read = ["readelf", "-d", str(cuda.library)]
    dynamic = subprocess.run(read, capture_output=True, text=True, check=True).stdout
    wanted = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic))
    assert {
        name for name in wanted if not re.match(r"lib(stdc\+\+|m|c|gcc_s)\.|ld-", name)
    } == set()
    assert "RPATH" not in dynamic
    assert "RUNPATH" not in dynamic
    assert "RUNPATH" not in dynamic
    names = ["nm", "-D", "--defined-only", str(cuda.library)]
    defined = subprocess.run(names, capture_output=True, text=True, check=True).stdout
    assert {line.split()[-1] for line in defined.splitlines()} == {
        "CreateEpFactories",
        "ReleaseEpFactory",
    }


def test_every_device_of_the_blueprint_has_code_in_it(cuda: Project) -> None:
    """Machine code for each, and what the driver of a newer one translates."""
    build_file = (cuda.library.parent / "build.ninja").read_text(encoding="utf-8")
    for code in ("code=[sm_80]", "code=[sm_90]", "code=[compute_90]"):
        assert code in build_file
    assert "code=[compute_80" not in build_file


@pytest.mark.parametrize(
    ("version", "name"),
    [(SUPPORTED[0], "gpu"), (SUPPORTED[-1], "gpu"), (SUPPORTED[-1], "gpu.virtual")],
)
def test_without_a_device_it_loads_and_says_why_it_offers_none(
    cuda: Project, version: str, name: str
) -> None:
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(REGISTERS), str(cuda.library), name],
        env={**cuda.environment(runtime(version)), "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    devices, mapped = result.stdout.splitlines()
    assert cuda.ep not in devices
    if version == SUPPORTED[-1]:  # the oldest keeps every library mapped
        assert mapped == "False"  # it can be unloaded, with all that CUDA's runtime made
    assert re.search(r"offers no device: cudaGetDeviceCount\b.*\(cudaError\w+\)", result.stderr)


@pytest.mark.lab
def test_its_own_tests_are_skipped_where_no_device_is_allowed(cuda: Project) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environment = {**cuda.environment(), "CUDA_VISIBLE_DEVICES": ""}
    strict = subprocess.run(
        command, cwd=cuda.root, env=environment, capture_output=True, text=True, check=False
    )
    assert strict.returncode == 1
    assert "offers no device on this machine" in strict.stdout
    allowed = subprocess.run(
        command,
        cwd=cuda.root,
        env={**environment, **NO_DEVICE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert allowed.returncode == 0, allowed.stdout[-4000:]
    assert "skipped" in allowed.stdout


@pytest.mark.lab
@pytest.mark.parametrize("test", ["kernels_test", "entry_test", "arena_test"])
def test_its_c_plus_plus_tests_pass_without_a_device(text: str, test: str) -> None:
    """Kernels among them: the host stands in for the device."""
    needed_nvcc()
    assert_clean(run(instrumented(text, "debug"), test))


@pytest.mark.lab
def test_clang_compiles_the_host_s_part(text: str) -> None:
    needed_nvcc()
    assert built(text, compiler=needed("clang++")).library.is_file()


# What is missing, or broken.


def test_without_nvcc_a_build_says_how_to_get_it(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDACXX", "nvcc-of-nobody")
    with pytest.raises(MissingError, match=r"'nvcc-of-nobody' \(from CUDACXX\)") as caught:
        build(sources, sdk=sdk().include)
    assert int(caught.value.exit_status) == 4


def test_cmake_alone_says_how_to_get_nvcc(sources: Path) -> None:
    tools = find_toolchain()
    command = [
        *(str(tools.cmake), "--preset", "release", f"-DCMAKE_MAKE_PROGRAM={tools.ninja}"),
        *(f"-DCONTOSO_CUDA_ORT_INCLUDE_DIR={sdk().include}", "-DCONTOSO_CUDA_NVCC="),
    ]
    environment = {key: value for key, value in os.environ.items() if key != "CUDACXX"}
    result = subprocess.run(
        command, cwd=sources, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    said = " ".join(result.stderr.split())
    assert "nvcc, NVIDIA's compiler, was not found" in said
    assert "pip install nvidia-cuda-nvcc" in said


@pytest.mark.parametrize("answers", [False, True])
def test_an_nvcc_that_makes_no_programs_is_named(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: bool
) -> None:
    """Not the C++ compiler; and CMake does not remember it."""
    broken = tmp_path / "broken/nvcc"
    broken.parent.mkdir()
    working = (
        f'case "$*" in *-o*) exit 3;; esac; exec {needed_nvcc()} "$@"' if answers else "exit 3"
    )
    broken.write_text(f"#!/bin/sh\n{working}\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CUDACXX", str(broken))
    with pytest.raises(MissingError, match=f"^{re.escape(str(broken))} cannot make a program"):
        build(sources, sdk=sdk().include)
    assert not (sources / "build/release/CMakeCache.txt").exists()


def test_an_error_in_device_code_is_located(sources: Path) -> None:
    needed_nvcc()
    for unit in ("src/device/cuda_runtime.cc", "src/gen/kernels/relu.cu"):
        source = sources / unit
        source.write_text(f"{source.read_text(encoding='utf-8')}\nvoid f() {{ nobody(); }}\n")
    with pytest.raises(BuildError) as caught:
        build(sources, sdk=sdk().include, jobs=1)
    assert caught.value.file in ("src/device/cuda_runtime.cc", "src/gen/kernels/relu.cu")
    assert "nobody" in caught.value.message
    assert caught.value.owner in ("yours", "generated")


# FR 53: a kernel on the default stream reads inputs that are not there yet.


@pytest.fixture(scope="module")
def code(text: str) -> dict[str, str]:
    """Everything that is compiled in a project of every operator that has device code."""
    ops = {row.op for row in families.rows() if row.device and not row.domain}
    listed = ", ".join((*sorted(ops), "{op: LSTM, kernel: yours}"))
    head = text[: text.index("\nops:")]
    kinds = (".cu", ".cc", ".h", ".cmake", "CMakeLists.txt", "CMakePresets.json")
    return {
        file.path: file.content.decode()
        for file in expanded(f"{head}\nops: [{listed}]\n").files
        if file.path.endswith(kinds) and not file.path.startswith("tests/")
    }


@pytest.fixture(scope="module")
def custom_code(repository: Path) -> dict[str, str]:
    """The CUDA kernels of custom operators, which ONNX Runtime's own execution provider calls."""
    text = (repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8")
    wanted = re.sub(r"custom_op_library: \w+", "custom_op_library: cuda", text)
    if "custom_op_library: cuda" not in wanted:
        wanted += "\nfeatures: {custom_op_library: cuda}\n"
    return {
        file.path: file.content.decode()
        for file in expanded(wanted).files
        if file.path.endswith((".cu", "_cuda.h")) or "/support/" in file.path
    }


def test_fr_53_all_cuda_code_names_its_stream(
    code: dict[str, str], custom_code: dict[str, str]
) -> None:
    assert sum(path.endswith(".cu") for path in code) > 60
    assert any(path.endswith(".cu") for path in custom_code)
    assert faults(code) == []
    assert faults(custom_code) == []


LAUNCH = "src/gen/kernels/support/launch.h"
RUNTIME = "src/device/cuda_runtime.cc"
RELU = "src/gen/kernels/relu.cu"


def _swap(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def _add(statement: str) -> Callable[[str], str]:
    return lambda text: f"{text}\nvoid Added(void* p, cudaStream_t stream) {{ {statement}; }}\n"


@pytest.mark.parametrize(
    ("path", "change", "word"),
    [
        (LAUNCH, _swap("static_cast<cudaStream_t>(exec.Stream())>>>", "0>>>"), "launched"),
        (LAUNCH, _swap(", 0, static_cast<cudaStream_t>(exec.Stream())>>>", ">>>"), "launched"),
        (LAUNCH, _swap("exec.Stream())>>>", "cudaStreamPerThread)>>>"), "cudaStreamPerThread"),
        (RUNTIME, _swap("cudaMemcpyDefault, queue)", "cudaMemcpyDefault)"), "cudaMemcpyAsync"),
        (RUNTIME, _swap("cudaMemcpyDefault, queue)", "cudaMemcpyDefault, nullptr)"), "no stream"),
        (RUNTIME, _swap("cudaMemcpyAsync(to, from", "cudaMemcpy(to, from"), "not of one stream"),
        (RUNTIME, _swap("cudaMemsetAsync(device", "cudaMemset(device"), "not of one stream"),
        (RUNTIME, _swap("bytes, pool_, stream_)", "bytes, pool_, 0)"), "cudaMallocFromPoolAsync"),
        (RUNTIME, _swap("cudaFreeAsync(memory, stream_)", "cudaFreeAsync(memory, 0)"), "FreeAsync"),
        (RUNTIME, _swap("cudaStreamNonBlocking", "cudaStreamDefault"), "default stream"),
        (RUNTIME, _swap("cudaStreamSynchronize(taken_)", "cudaDeviceSynchronize()"), "one stream"),
        (RUNTIME, _add("cudaEventRecord(nullptr)"), "cudaEventRecord"),
        (RUNTIME, _add("cudaStreamWaitEvent(0, nullptr, 0)"), "cudaStreamWaitEvent"),
        (RELU, _add("cudaDeviceSynchronize()"), "not of one stream"),
        (RELU, _add("cudaStreamSynchronize(stream)"), "not for kernels"),
        (RELU, _add("cudaMalloc(&p, 5)"), "not for kernels"),
        (RELU, _add("Kernel<<<1, 1>>>(p)"), "launched"),
        (RELU, _add("cublasSgemm(p)"), "no stream"),
        ("src/device/cuda_blas.cc", _swap("->get(), stream)", "->get(), nullptr)"), "cublas"),
        ("src/device/cuda_dnn.cc", _swap("->get(), stream)", "->get(), nullptr)"), "cudnn"),
        ("src/device/cuda_dnn.cc", _swap('"cudnnSetStream"', '"cudnnGetStream"'), "cudnn"),
        ("cmake/gen/cuda.cmake", lambda text: text + "--default-stream per-thread", "default"),
    ],
)
def test_fr_53_the_scan_finds(
    code: dict[str, str], path: str, change: Callable[[str], str], word: str
) -> None:
    changed = change(code[path])
    assert changed != code[path]
    found = faults({**code, path: changed})
    assert found
    assert all(fault.startswith(f"{path}: ") for fault in found)
    assert any(word in fault for fault in found), found


# The checks for machines with a GPU.


def _device_run(repository: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(repository / "tests/device/run.py"), *flags],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "LD_LIBRARY_PATH": ""},
    )


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there is a GPU to check")
def test_without_a_gpu_the_device_checks_say_so(repository: Path) -> None:
    done = _device_run(repository)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"nothing is checked: .*NVIDIA driver.*\n", done.stdout)
    assert _device_run(repository, "--require-gpu").returncode == 4


def _simulated(text: str) -> str:
    """The blueprint for a simulated device, which promises the same."""
    head = text[: text.index("\ndevices:")].replace("0x10DE", "0xB357")
    ops = text[text.index("\nmemory:") :]
    device = "{name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}"
    return f"{head}\ndevices: [{device}]\n{ops}"


def _checked(repository: Path, project: Project) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(repository / "tests/device/checks.py"), str(project.root)],
        env=project.environment(),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.mark.lab
def test_the_device_checks_pass_on_a_simulated_device(repository: Path, text: str) -> None:
    done = _checked(repository, built(_simulated(text)))
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert "7 of 7 checks passed" in done.stdout


@pytest.mark.lab
def test_the_device_checks_fail_with_a_wrong_kernel(repository: Path, text: str) -> None:
    simulated = _simulated(text)
    relu = "src/gen/kernels/relu.cc"
    content = next(f.content.decode() for f in expanded(simulated).files if f.path == relu)
    wrong = re.sub(r"return ([^;]*\bx\b[^;]*);", r"return -(\1);", content, count=1)
    assert wrong != content
    done = _checked(repository, built(simulated, changes={relu: wrong}))
    assert done.returncode == 1
    assert "FAILED every_op" in done.stdout
