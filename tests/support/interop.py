"""Memory and semaphores that an application shares with a plugin's device, by the C API.

For processes under test, like `capi`. The other API is the application itself here: memory is a
file of shared memory, and a semaphore eight bytes of one.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from ctypes import byref, c_bool, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np
from capi import Plugin
from streams import Tensor

#: OrtExternalMemoryHandleType and OrtExternalSemaphoreType: descriptors of files.
MEMORY_FD, SEMAPHORE_FD = 3, 2
FLOAT = 1


class MemoryDescriptor(ctypes.Structure):
    """OrtExternalMemoryDescriptor."""

    _fields_ = (
        ("version", c_uint32),
        ("kind", c_int32),
        ("handle", c_void_p),
        ("size", c_size_t),
        ("offset", c_size_t),
    )


class SemaphoreDescriptor(ctypes.Structure):
    """OrtExternalSemaphoreDescriptor."""

    _fields_ = (("version", c_uint32), ("kind", c_int32), ("handle", c_void_p))


class TensorDescriptor(ctypes.Structure):
    """OrtExternalTensorDescriptor."""

    _fields_ = (
        ("version", c_uint32),
        ("type", c_int32),
        ("shape", c_void_p),
        ("rank", c_size_t),
        ("offset", c_size_t),
    )


class Shared:
    """A file of shared memory, and the application's view of it."""

    def __init__(self, size: int, name: str = "shared") -> None:
        self.name, self.size = name, size
        self.file = os.memfd_create(name)
        os.ftruncate(self.file, size)
        self._mapped = mmap.mmap(self.file, size)

    def floats(self, count: int, offset: int = 0) -> np.ndarray:
        """A part of it, to be read and written."""
        return np.frombuffer(self._mapped, np.float32, count, offset)

    def close(self) -> None:
        """Closes the descriptor; what is mapped stays."""
        os.close(self.file)


class Timeline(Shared):
    """A semaphore of the application's."""

    def __init__(self) -> None:
        super().__init__(8, "timeline")
        self._value = np.frombuffer(self._mapped, np.uint64)

    @property
    def value(self) -> int:
        return int(self._value[0])

    @value.setter
    def value(self, value: int) -> None:
        self._value[0] = value

    def wait(self, value: int) -> None:
        """Returns when it has this value or a greater one."""
        while self.value < value:
            os.sched_yield()


class Importer:
    """An importer of a plugin's device."""

    def __init__(self, plugin: Plugin) -> None:
        self.plugin, self.api = plugin, plugin.ort.interop
        self.level = plugin.ort.level
        self.address = self.api.make("CreateExternalResourceImporterForDevice", plugin.device)

    def takes_memory(self, kind: int) -> bool:
        """Whether it imports memory of that kind."""
        return self._takes("CanImportMemory", kind)

    def takes_semaphore(self, kind: int) -> bool:
        """Whether it imports semaphores of that kind."""
        return self._takes("CanImportSemaphore", kind)

    def _takes(self, name: str, kind: int) -> bool:
        answer = c_bool()
        self.api(name, self.address, kind, byref(answer))
        return answer.value

    def memory(self, shared: Shared, offset: int = 0, **wrong: Any) -> int:
        """Imports memory; what is wrong replaces fields of the descriptor."""
        right = {"version": self.level, "kind": MEMORY_FD, "handle": shared.file}
        fields = {**right, "size": shared.size, "offset": offset, **wrong}
        return self.api.make("ImportMemory", self.address, byref(MemoryDescriptor(**fields)))

    def semaphore(self, timeline: Shared, **wrong: Any) -> int:
        """Imports a semaphore."""
        right = {"version": self.level, "kind": SEMAPHORE_FD, "handle": timeline.file}
        fields = byref(SemaphoreDescriptor(**{**right, **wrong}))
        return self.api.make("ImportSemaphore", self.address, fields)

    def tensor(self, memory: int, dims: tuple[int, ...], offset: int = 0, **wrong: Any) -> Tensor:
        """A tensor in imported memory."""
        shape = (c_int64 * max(len(dims), 1))(*dims)
        right = {"version": self.level, "type": FLOAT, "shape": ctypes.addressof(shape)}
        fields = {**right, "rank": len(dims), "offset": offset, **wrong}
        what = byref(TensorDescriptor(**fields))
        made = self.api.make("CreateTensorFromMemory", self.address, memory, what)
        return Tensor(self.plugin, made, dims, None)

    def wait(self, semaphore: int, stream: int, value: int) -> None:
        """Lets a stream wait for a value."""
        self.api("WaitSemaphore", self.address, semaphore, stream, value)

    def signal(self, semaphore: int, stream: int, value: int) -> None:
        """Lets a stream set the value."""
        self.api("SignalSemaphore", self.address, semaphore, stream, value)

    def release_memory(self, memory: int) -> None:
        """Gives imported memory back."""
        self.api.get("ReleaseExternalMemoryHandle", memory)

    def release_semaphore(self, semaphore: int) -> None:
        """Gives an imported semaphore back."""
        self.api.get("ReleaseExternalSemaphoreHandle", semaphore)

    def release(self) -> None:
        """Gives the importer back."""
        self.api.get("ReleaseExternalResourceImporter", self.address)
