"""The allocators of a plugin's devices by the C API: statistics, options, what they hand out.

For processes under test, like `capi`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import byref, c_size_t, c_void_p

from capi import Ort, Plugin, Table

DEFAULT, HOST_ACCESSIBLE = 0, 5  # OrtDeviceMemoryType
DEVICE, ARENA, READ_ONLY = 0, 1, 2  # OrtAllocatorType


class Device:
    """A device of a registered plugin, and its memory."""

    def __init__(self, plugin: Plugin, device: int | None = None) -> None:
        self.plugin, self.ort = plugin, plugin.ort
        self.device = device or plugin.device

    def info(self, kind: int = DEFAULT) -> int:
        """The device's memory info."""
        return self.ort.api.get("EpDevice_MemoryInfo", self.device, kind)

    def number(self, kind: int = DEFAULT) -> int:
        """The device id of its memory info."""
        number = ctypes.c_int(-1)
        self.ort.api("MemoryInfoGetId", self.info(kind), byref(number))
        return number.value

    def shared(self, kind: int = DEFAULT) -> Table:
        """The allocator that all sessions may share."""
        found = self.ort.api.make("GetSharedAllocator", self.ort.env, self.info(kind))
        return Table(self.ort, "OrtAllocator", found)

    def configure(self, kind: int, options: Mapping[str, str], type: int = DEVICE) -> Table:
        """Replaces the shared allocator by one with options."""
        pairs = self.ort.pairs(options)
        arguments = (self.ort.env, self.device, kind, type, pairs)
        made = self.ort.api.make("CreateSharedAllocator", *arguments)
        return Table(self.ort, "OrtAllocator", made)

    def of_session(self, session: int, kind: int = DEFAULT) -> Table:
        """The allocator that a session has for itself."""
        made = self.ort.api.make("CreateAllocator", session, self.info(kind))
        return Table(self.ort, "OrtAllocator", made)


def statistics(allocator: Table) -> dict[str, int]:
    """What an allocator says of itself."""
    ort = allocator.ort
    pairs = ort.api.make("AllocatorGetStats", allocator.address)
    found = ort.read_pairs(pairs)
    ort.api.get("ReleaseKeyValuePairs", pairs)
    return {key: int(value) for key, value in found.items()}


def allocate(allocator: Table, size: int) -> int:
    """The address of so many bytes; 0 where there are none."""
    return allocator.get("Alloc", allocator.address, size)


def free(allocator: Table, address: int) -> None:
    """Gives memory back."""
    allocator.get("Free", allocator.address, address)


def devices(ort: Ort, ep: str) -> list[int]:
    """All devices that an execution provider offers."""
    found, count = c_void_p(), c_size_t()
    ort.api("GetEpDevices", ort.env, byref(found), byref(count))
    every = ctypes.cast(found, ctypes.POINTER(c_void_p))[: count.value]
    names = (ort.api.get("EpDevice_EpName", each) for each in every)
    return [
        each
        for each, name in zip(every, names, strict=True)
        if ctypes.string_at(name) == ep.encode()
    ]


def options(ort: Ort, chosen: list[int]) -> int:
    """Session options for several devices, in that order, and for nothing else."""
    made = ort.api.make("CreateSessionOptions")
    array = (c_void_p * len(chosen))(*chosen)
    ort.api("SessionOptionsAppendExecutionProvider_V2", made, ort.env, array, len(chosen), 0, 0, 0)
    ort.api("AddSessionConfigEntry", made, "session.disable_cpu_ep_fallback", "1")
    return made
