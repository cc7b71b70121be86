"""CUDA: the driver, nvcc, cuBLAS and cuDNN, and whether all that is built for CUDA suits them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from epforge.build.toolchain import find_nvcc
from epforge.doctor.machine.tools import install
from epforge.doctor.model import Finding, error, note, ok, pip, warning
from epforge.doctor.running import ask
from epforge.errors import MissingError
from epforge.validate.binary import host_machine
from epforge.validate.loader import here, resolve
from epforge.validate.survey import Driver, driver

Version = tuple[int, ...]
NVCC = ("nvidia-cuda-nvcc", "nvidia-cuda-runtime", "nvidia-cuda-cccl")
_LIBRARIES = {
    "win32": {"cuBLAS": "cublas64_{}.dll", "cuDNN": "cudnn64_{}.dll"},
    "": {"cuBLAS": "libcublas.so.{}", "cuDNN": "libcudnn.so.{}"},
}
_MAJORS = {"cuBLAS": (14, 13, 12, 11), "cuDNN": (10, 9, 8)}


@dataclass(frozen=True)
class Cuda:
    """What there is of CUDA.

    Args:
        nvcc: the program; empty if there is none.
        release: of nvcc, (13, 0).
        problem: why nvcc is not there, or does not run.
        libraries: cuBLAS and cuDNN that the loader finds: name to path.
        torch: the CUDA that torch is built for; empty without one.
        runtime: the CUDA that onnxruntime is built for; empty without one.
        provider: onnxruntime offers its CUDA provider.
        system: as `sys.platform` spells it.
    """

    driver: Driver = field(default_factory=Driver)
    nvcc: str = ""
    release: Version = ()
    problem: str = ""
    libraries: tuple[tuple[str, str], ...] = ()
    torch: str = ""
    runtime: str = ""
    provider: bool = False
    system: str = "linux"

    @property
    def any(self) -> bool:
        """Is there anything that has to do with CUDA?"""
        return bool(self.driver.there or self.nvcc or self.torch or self.runtime)


def gather(torch: str = "", runtime: str = "", provider: bool = False) -> Cuda:
    """What this machine has.

    Args:
        torch: the CUDA that torch is built for, as its files say.
        runtime: the CUDA that onnxruntime is built for, as its files say.
        provider: onnxruntime offers its CUDA provider.
    """
    nvcc, problem = "", ""
    release: Version = ()
    try:
        program = find_nvcc()
    except MissingError as missing:
        problem = missing.message
    else:
        nvcc, answer = str(program), ask([str(program), "--version"])
        release = version_of(answer.text, r"release (\d+)\.(\d+)")
        problem = "" if release else answer.line or "it says nothing"
    found = tuple(_libraries())
    return Cuda(driver(), nvcc, release, problem, found, torch, runtime, provider, sys.platform)


def version_of(text: str, pattern: str = r"(\d+)\.(\d+)") -> Version:
    """The numbers that a pattern finds; empty if it finds none."""
    match = re.search(pattern, text)
    return tuple(map(int, match.groups())) if match else ()


def _libraries() -> Iterator[tuple[str, str]]:
    places = here(host_machine())
    for name, pattern in _LIBRARIES.get(sys.platform, _LIBRARIES[""]).items():
        files = (pattern.format(major) for major in _MAJORS[name])
        found = (resolve(file, Path(sys.executable), (), places) for file in files)
        place = next(filter(None, found), "")
        if place:
            yield name, place


def judge(found: Cuda) -> Iterator[Finding]:
    """What does not go together."""
    if not found.any:
        yield ok("cuda", "no CUDA, which only `runtime: cuda` needs")
        return
    yield from _driver(found)
    yield from _nvcc(found)
    for what, text, cure in (
        ("torch", found.torch, pip("install", "--upgrade", "torch")),
        ("onnxruntime", found.runtime, pip("install", "--upgrade", "onnxruntime-gpu")),
    ):
        yield from _built_for(found, what, version_of(text), cure)
    torch, runtime = version_of(found.torch), version_of(found.runtime)
    if torch and runtime and torch[0] != runtime[0]:
        yield warning(
            "cuda-mixed",
            f"torch is built for CUDA {found.torch}, onnxruntime for CUDA {found.runtime}",
            "In one process each loads its own cuBLAS and cuDNN; the CUDA provider may find none.",
            pip("install", "--upgrade", "torch", "onnxruntime-gpu"),
        )
    for name, place in found.libraries:
        yield ok(name.lower(), f"{name}: {place}")
    yield from _lacking(found)


def _driver(found: Cuda) -> Iterator[Finding]:
    it = found.driver
    if not it.there:
        yield note(
            "cuda-driver",
            "no NVIDIA driver",
            "Libraries with `runtime: cuda` are built here, and offer no device.",
            install(found.system, "nvidia-driver", "Nvidia.CUDA"),
        )
    elif it.problem or not it.devices:
        yield warning(
            "cuda-driver",
            f"the NVIDIA driver for CUDA {_text(it.cuda)} offers no device: {it.problem}",
            "Libraries with `runtime: cuda` offer none either.",
            "nvidia-smi",
        )
    else:
        devices = ", ".join(f"{name} ({capability})" for name, capability in it.devices)
        yield ok("cuda-driver", f"NVIDIA driver for CUDA {_text(it.cuda)}: {devices}")


def _nvcc(found: Cuda) -> Iterator[Finding]:
    if found.nvcc and not found.release:
        yield error(
            "nvcc",
            f"{found.nvcc} does not say its release: {found.problem}",
            "Projects with `runtime: cuda` are not built.",
            pip("install", *NVCC),
        )
    elif not found.nvcc:
        yield note(
            "nvcc",
            "no nvcc, NVIDIA's compiler",
            "Projects with `runtime: cuda` are not built without it.",
            pip("install", *NVCC),
        )
    elif found.driver.devices and found.release[0] > found.driver.cuda[0]:
        newest = found.driver.cuda[0]
        yield error(
            "nvcc",
            f"nvcc {_text(found.release)} is newer than the driver, which runs CUDA "
            f"{_text(found.driver.cuda)}",
            "What it compiles does not start on this machine's devices.",
            pip("install", *(f"{name}=={newest}.*" for name in NVCC)),
        )
    else:
        yield ok("nvcc", f"nvcc {_text(found.release)}, {found.nvcc}")


def _built_for(found: Cuda, what: str, built: Version, cure: str) -> Iterator[Finding]:
    """Is a package's CUDA newer than the driver's?"""
    if built and found.driver.devices and built[0] > found.driver.cuda[0]:
        yield error(
            "cuda-newer",
            f"{what} is built for CUDA {_text(built)}, the driver runs {_text(found.driver.cuda)}",
            f"{what} finds no device.",
            cure,
        )


def _lacking(found: Cuda) -> Iterator[Finding]:
    names = {name for name, _ in found.libraries}
    lacking = [name for name in ("cuBLAS", "cuDNN") if name not in names]
    if not lacking or not found.driver.devices:
        return
    major = found.driver.cuda[0]
    packages = {"cuBLAS": f"nvidia-cublas-cu{major}", "cuDNN": f"nvidia-cudnn-cu{major}"}
    if major >= 13:
        packages["cuBLAS"] = "nvidia-cublas"
    yield note(
        "cuda-libraries",
        f"the loader finds no {' and no '.join(lacking)}",
        "Kernels of MatMul, Gemm and Conv for CUDA open them, and are not offered without.",
        pip("install", *(packages[name] for name in lacking)),
    )


def _text(version: Version) -> str:
    return ".".join(map(str, version))
