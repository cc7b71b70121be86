"""Kernels for CUDA, run on the host, with stand-ins for NVIDIA's libraries.

The kernels and the code that opens cuBLAS and cuDNN are the project's own. The libraries that it
finds are `fake_cublas.cc` and `fake_cudnn.cc`.
"""

from __future__ import annotations

import atexit
import ctypes
import dataclasses
import functools
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from compiled import link
from device_kernels import EMULATED, cuda_blueprint, write_device_kernels
from kernel_runner import FLAGS, SOURCE, Runner, own_source

from epforge.plan import memory
from epforge.plan.make import collect
from epforge.render import render
from epforge.resolve.model import Op

#: The environment variable that says where the libraries are.
FOLDERS = "ACME_NPU_CUDA_LIBRARIES"
_NAMESPACE = "acme_npu"
_HERE = Path(__file__).parent


def write_project(directory: Path, ops: Iterable[Op]) -> list[Path]:
    """Renders the kernels of ``ops`` and the code that opens the libraries.

    Returns the sources that open libraries.
    """
    blueprint = cuda_blueprint(ops)
    write_device_kernels(directory, blueprint.ops)
    shared = {"ns": blueprint.names.namespace}
    plan = collect(
        dataclasses.replace(spec, params={**shared, **spec.params})
        for spec in memory.files(blueprint)
        if "/device/" in spec.path and "runtime" not in spec.path
    )
    written = []
    for path, rendered in render(plan).items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(rendered.content)
        written.append(target)
    return [path for path in written if path.suffix == ".cc"]


class Kernels(Runner):
    """The kernels, and the libraries that they call."""

    def __init__(self, library: Path) -> None:
        super().__init__(library)
        pointer, flag = ctypes.c_void_p, ctypes.c_bool
        for name, result, arguments in (
            ("Open", None, ()),
            ("Close", None, ()),
            ("HasBlas", flag, ()),
            ("HasDnn", flag, ()),
            ("Forget", None, (pointer,)),
            ("UseStream", None, (pointer,)),
            ("LargestScratch", ctypes.c_size_t, ()),
        ):
            function = getattr(self._lib, f"Libraries{name}")
            function.restype, function.argtypes = result, arguments
        self.use_stream(1)

    def open(self) -> None:
        """From now on kernels may call libraries; they are looked for when one does."""
        self._lib.LibrariesOpen()

    def close(self) -> None:
        """From now on kernels do without."""
        self._lib.LibrariesClose()

    def has_blas(self) -> bool:
        """Whether there is a cuBLAS."""
        return bool(self._lib.LibrariesHasBlas())

    def has_dnn(self) -> bool:
        """Whether there is a cuDNN."""
        return bool(self._lib.LibrariesHasDnn())

    def forget(self, stream: int) -> None:
        """Says that a stream is about to be destroyed."""
        self._lib.LibrariesForget(stream)

    def use_stream(self, stream: int) -> None:
        """The stream of the calls that follow; 0 is none."""
        self._lib.LibrariesUseStream(stream)

    def largest_scratch(self) -> int:
        """The bytes of scratch memory that a call took at most since this was asked last."""
        return int(self._lib.LibrariesLargestScratch())


def build(directory: Path, ops: Iterable[Op]) -> Kernels:
    """The kernels of ``ops``, on this machine."""
    write_project(directory, ops)
    runner = own_source(directory, _NAMESPACE, _HERE / "library_runner.cc")
    runner.write_text(runner.read_text() + SOURCE.read_text())
    device = sorted((directory / "src").rglob("*.cu"))
    flags = [*FLAGS, EMULATED]
    return Kernels(link(directory, [*device, runner], "g++", flags, ["-shared", "-ldl"]))


class Fake:
    """A stand-in for a library."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lib = lib = ctypes.CDLL(str(path))
        lib.FakeLog.restype = ctypes.c_char_p
        lib.FakeFail.argtypes = (ctypes.c_char_p, ctypes.c_int)

    def log(self) -> list[str]:
        """What was called since this was asked last."""
        return str(self._lib.FakeLog().decode()).splitlines()

    def live(self) -> int:
        """Handles and descriptions that nobody has given back."""
        return int(self._lib.FakeLive())

    def fail(self, call: str, status: int) -> None:
        """From now on a call gives that status; 0: it works again."""
        self._lib.FakeFail(call.encode(), status)

    def meet(self, calls: int) -> None:
        """The next calls that compute wait until so many are there."""
        self._lib.FakeMeet(calls)


def fake(component: str, path: Path, *flags: str) -> Fake:
    """Puts the stand-in for a library, ``cublas`` or ``cudnn``, into a file of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(_compiled(component, flags), path)
    return Fake(path)


@functools.cache
def _compiled(component: str, flags: Sequence[str]) -> Path:
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    library = Path(folder.name) / f"{component}.so"
    command = ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", *flags]
    subprocess.run([*command, str(_HERE / f"fake_{component}.cc"), "-o", str(library)], check=True)
    return library
