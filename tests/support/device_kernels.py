"""The kernels as a project for CUDA has them: run on the host, or compiled by nvcc.

What a kernel launches is emulated: g++ compiles the device code with ``EP_EMULATE_DEVICE``, and
every launch is a loop. `emulated` and `emulated_program` stand for what `kernel_runner.build` and
`compiled.link` do with the kernels of the host; `to_ptx` asks nvcc.
"""

from __future__ import annotations

import dataclasses
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from compiled import WARNINGS, link, remembered
from kernel_project import make_blueprint, write_kernels_of
from kernel_runner import FLAGS, Runner, own_source

from epforge.resolve.model import Blueprint, Memory, MemoryKind, Op, Runtime
from epforge.resolve.services import Cuda

ARCHITECTURES = (80, 90)
#: Makes a compiler for the host take device code.
EMULATED = "-DEP_EMULATE_DEVICE"
#: What nvcc makes for the host does not hold with -Wpedantic.
_HOST_WARNINGS = ",".join(flag for flag in WARNINGS if flag != "-Wpedantic")


def cuda_blueprint(ops: Iterable[Op]) -> Blueprint:
    """A blueprint of nothing but ``ops``, for CUDA."""
    plain, none = MemoryKind.PLAIN, MemoryKind.NONE
    return dataclasses.replace(
        make_blueprint(ops),
        runtime=Runtime.CUDA,
        cuda=Cuda(ARCHITECTURES),
        memory=Memory(plain, none, none, streams=True),
    )


def write_device_kernels(directory: Path, ops: Iterable[Op]) -> Mapping[str, Path]:
    """Renders the kernels of those of ``ops`` that have device code, for CUDA; returns the files by
    their paths."""
    able = [op for op in ops if op.row is not None and op.row.device]
    return write_kernels_of(directory, cuda_blueprint(able))


def emulated(directory: Path, ops: Iterable[Op]) -> Runner:
    """The device code of ``ops``, written into ``directory``, as a library for this machine."""
    write_device_kernels(directory, ops)
    own = [own_source(directory, "acme_npu")]
    return Runner(_link(directory, own, "g++", FLAGS, ["-shared"]))


def emulated_program(
    directory: Path, ops: Iterable[Op], sources: Sequence[str], compiler: str, flags: Sequence[str]
) -> Path:
    """A program of the device code of ``ops`` and of ``sources``.

    Args:
        directory: where all is written to.
        ops: whose kernels.
        sources: files of `tests/cpp` in the project, or of `tests/support`.
        compiler: its name.
        flags: for it.
    """
    write_device_kernels(directory, ops)
    support = Path(__file__).parent
    own = [
        own_source(directory, "acme_npu", support / name)
        if (support / name).is_file()
        else directory / "tests/cpp" / name
        for name in sources
    ]
    return _link(directory, own, compiler, flags)


def _link(
    directory: Path,
    own: Sequence[Path],
    compiler: str,
    flags: Sequence[str],
    link_flags: Sequence[str] = (),
) -> Path:
    device = sorted((directory / "src").rglob("*.cu"))
    return link(directory, [*device, *own], compiler, [*flags, EMULATED], link_flags)


def to_ptx(project: Path, source: str) -> list[str]:
    """What nvcc makes of a file for each of `ARCHITECTURES`, with the code for the host besides.

    Args:
        project: a folder with ``src``.
        source: the file's path in it.

    Raises:
        AssertionError: with what nvcc said, be it a warning.
    """
    command = ["nvcc", "-std=c++17", "-Isrc", "-Werror", "all-warnings"]
    command += ["-Xcompiler", _HOST_WARNINGS]
    for number in ARCHITECTURES:
        command += ["-gencode", f"arch=compute_{number},code=[compute_{number},sm_{number}]"]
    command += ["-c", source]
    return remembered(project, project / source, command, lambda: _ptx(project, source, command))


def _ptx(project: Path, source: str, command: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as kept:
        keep = ["--keep", "--keep-dir", kept, "-o", str(Path(kept) / "kernel.o")]
        done = subprocess.run(
            [*command, *keep], cwd=project, capture_output=True, text=True, check=False
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"{source}\n{said[:4000]}"
        assert not said, f"{source}\n{said[:4000]}"
        found = sorted(Path(kept).glob("*.ptx"))
        assert len(found) == len(ARCHITECTURES), f"{source}: {found}"
        return [ptx.read_text() for ptx in found]
