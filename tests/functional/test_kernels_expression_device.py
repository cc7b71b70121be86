"""Kernels of expressions for ONNX Runtime's CUDA execution provider: nvcc takes them without a
warning, and whatever they launch is on the stream that they are given (field report 53)."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from custom_ops import RICH, STUB, custom
from kernel_project import write_kernels_of
from launches import check_launches, code
from random_expressions import random_op

_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc on PATH")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    project = tmp_path_factory.mktemp("cuda")
    return {
        path.relative_to(project).as_posix(): path
        for path in write_kernels_of(project, custom(RICH + STUB, "cuda")).values()
    }


def _root(written: Mapping[str, Path]) -> Path:
    return written["src/gen/kernel_table.h"].parents[2]


def _compile(written: Mapping[str, Path], sources: list[str], *flags: str) -> dict[str, str]:
    """The PTX of each source, or what nvcc says."""
    root = _root(written)

    def compile_one(source: str) -> str:
        ptx = root / f"{Path(source).name}.ptx"
        command = ["nvcc", *flags, "-std=c++17", "--ptx", "-I", "src", source, "-o", str(ptx)]
        result = subprocess.run(command, cwd=root, capture_output=True, text=True)
        assert not result.returncode, result.stderr
        assert not result.stderr, result.stderr
        return ptx.read_text()

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(sources, pool.map(compile_one, sources), strict=True))


@pytest.mark.lab
@_nvcc
def test_every_kernel_for_cuda_compiles_without_a_warning(written: Mapping[str, Path]) -> None:
    sources = [path for path in written if path.endswith(".cu")]
    generated = [path for path in sources if "/gen/" in path]
    assert len(generated) == RICH.count("- op:")
    assert len(sources) == len(generated) + STUB.count("- op:")
    for source, ptx in _compile(written, sources).items():
        assert (".entry" in ptx) == ("/gen/" in source), source


@pytest.mark.lab
@_nvcc
def test_random_expressions_compile_without_a_warning(tmp_path: Path) -> None:
    chance = random.Random(11)
    ops = "".join(random_op(f"Op{i}", chance) for i in range(2))
    found = write_kernels_of(tmp_path, custom(ops, "cuda"))
    sources = [path for path in found if path.endswith(".cu")]
    assert len(sources) == 2
    assert all(".entry" in ptx for ptx in _compile(found, sources).values())


@_nvcc
def test_host_and_device_code_of_an_op_link_into_one_program(written: Mapping[str, Path]) -> None:
    """Both are instances of one function: neither may take the other's place in the linker."""
    root = _root(written)
    objects = []
    for source in ("com_acme_gate.cc", "com_acme_gate.cu"):
        compiler = ["nvcc"] if source.endswith(".cu") else ["g++", "-fPIC"]
        target = root / f"{source}.o"
        command = [*compiler, "-std=c++17", "-Isrc", "-c", f"src/gen/kernels/{source}"]
        subprocess.run([*command, "-o", str(target)], cwd=root, check=True)
        objects.append(target)
    shared = []
    for target in objects:
        listed = subprocess.run(
            ["nm", "-C", "--defined-only", str(target)], capture_output=True, text=True, check=True
        ).stdout
        names = {line.split(" ", 2)[2] for line in listed.splitlines() if " T " in line}
        shared.append({name for name in names if "ComAcmeGate" in name and "Compute" in name})
    assert all(shared)
    assert not shared[0] & shared[1]


def test_the_host_s_file_has_nothing_of_the_device(written: Mapping[str, Path]) -> None:
    hosts = [p for p in written if p.endswith(".cc") and f"{p[:-3]}.cu" in written]
    assert len(hosts) == RICH.count("- op:") + STUB.count("- op:")
    for path in hosts:
        assert "__" not in code(written)[path], path


def test_whatever_is_launched_is_on_the_given_stream(written: Mapping[str, Path]) -> None:
    check_launches(written)


def test_failures_of_launches_are_reported(written: Mapping[str, Path]) -> None:
    for path, text in code(written).items():
        if path.endswith(".cu") and "/gen/" in path:
            assert text.count("EP_RETURN_IF_ERROR(Launch(") == text.count("Launch("), path
