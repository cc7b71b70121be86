"""A host that is made up where it matters: what hardware it lists, its environment, its log.

The rest is a real runtime: its tables are copied, and a few entries replaced. For processes under
test, like `capi`, which it builds on.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass, field
from typing import Any

from capi import Ort, Table, call

from epforge.ort.levels import known_levels, load_level

CPU, GPU, NPU = 0, 1, 2
INFO, WARNING = 1, 2
ROOM = 8  # for devices of one factory, and what ONNX Runtime gives
_NEWEST = known_levels()[-1]


@dataclass(frozen=True)
class Hardware:
    """An entry of the host's list."""

    type: int
    vendor: int = 0
    id: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Offered:
    """A device that a library offers."""

    ep: str
    hardware: int  # its place in the host's list; -1 for a device that the library made
    metadata: Mapping[str, str]


class FakeHost:
    """Loads a library, and says what it likes about the machine.

    Args:
        ort: the real runtime.
        library: the plugin library.
        entries: the configuration of the environment.
        room: for factories.
    """

    def __init__(
        self, ort: Ort, library: str, entries: Mapping[str, str] | None = None, room: int = 4
    ) -> None:
        self.ort = ort
        self.log: list[tuple[int, str]] = []
        self._entries = dict(entries or {})
        self._kept: list[Any] = []
        self._api, api = self._copy(ort.api)
        self._ep, ep = self._copy(ort.ep)
        self._replace(api, "GetEpApi", c_void_p, (), lambda: ctypes.addressof(self._ep))
        arguments = (c_void_p, c_int, c_char_p, c_void_p, c_int, c_char_p)
        self._replace(api, "Logger_LogMessage", c_void_p, arguments, self._note)
        pointer = ctypes.POINTER(c_void_p)
        self._replace(ep, "GetEnvConfigEntries", c_void_p, (pointer,), self._give_entries)
        get_api = ctypes.CFUNCTYPE(c_void_p, c_uint32)(lambda _: ctypes.addressof(self._api))
        version = ctypes.cast(ort.base, ctypes.POINTER(c_void_p * 2)).contents[1]
        self._base = (c_void_p * 2)(ctypes.cast(get_api, c_void_p).value, version)
        self._kept.append(get_api)
        self.code = ctypes.CDLL(library)
        factories, count = (c_void_p * max(room, 1))(), c_size_t(99)
        create = ctypes.cast(self.code.CreateEpFactories, c_void_p).value or 0
        logger = 1  # never looked into
        arguments_ = ("host", ctypes.addressof(self._base), logger, factories, room, byref(count))
        ort.check(call(create, *arguments_))
        self.factories = [Table(ort, "OrtEpFactory", factories[i]) for i in range(count.value)]

    def warnings(self) -> list[str]:
        """What has been logged since the last time, warnings or worse."""
        said = [text for severity, text in self.log if severity >= WARNING]
        self.log.clear()
        return said

    def offered(
        self, machine: Sequence[Hardware], room: int = ROOM, factory: int = 0
    ) -> list[Offered]:
        """What the library offers on a machine with that hardware."""
        ort, table = self.ort, self.factories[factory]
        hardware = [self.hardware(each) for each in machine]
        listed = (c_void_p * max(len(hardware), 1))(*hardware)
        devices, count = (c_void_p * (room + 1))(), c_size_t(99)
        arguments = (listed, len(hardware), devices, room, byref(count))
        table("GetSupportedDevices", table.address, *arguments)
        assert all(devices[: count.value])
        assert not any(devices[count.value :])
        return [
            Offered(
                ep=ctypes.string_at(ort.api.get("EpDevice_EpName", each)).decode(),
                hardware=hardware.index(of) if of in hardware else -1,
                metadata=ort.read_pairs(ort.api.get("EpDevice_EpMetadata", each)),
            )
            for each in devices[: count.value]
            for of in [ort.api.get("EpDevice_Device", each)]
        ]

    def hardware(self, each: Hardware) -> int:
        """Makes an entry."""
        made = c_void_p()
        pairs = self.ort.pairs(each.metadata)
        arguments = (each.type, each.vendor, each.id, "maker", pairs, byref(made))
        self.ort.ep("CreateHardwareDevice", *arguments)
        return made.value or 0

    def release(self) -> None:
        """Gives the factories back."""
        release = ctypes.cast(self.code.ReleaseEpFactory, c_void_p).value or 0
        for factory in self.factories:
            self.ort.check(call(release, factory.address))
        self.factories.clear()

    def _copy(self, table: Table) -> tuple[Any, Table]:
        level = load_level(min(self.ort.level, _NEWEST))
        size = len(level.struct(table.struct).members) * ctypes.sizeof(c_void_p)
        copy = ctypes.create_string_buffer(ctypes.string_at(table.address, size), size)
        return copy, Table(self.ort, table.struct, ctypes.addressof(copy))

    def _replace(
        self, table: Table, name: str, result: Any, arguments: Sequence[Any], by: Callable[..., Any]
    ) -> None:
        function = ctypes.CFUNCTYPE(result, *arguments)(by)
        self._kept.append(function)
        slot = load_level(_NEWEST).struct(table.struct).slot(name)
        place = c_void_p.from_address(table.address + slot * ctypes.sizeof(c_void_p))
        place.value = ctypes.cast(function, c_void_p).value

    def _note(self, _logger: int, severity: int, text: bytes, *_: object) -> None:
        self.log.append((severity, text.decode()))

    def _give_entries(self, made: Any) -> None:
        made[0] = self.ort.pairs(self._entries)


def drop_privileges() -> None:
    """From here on the process is nobody's, so that modes of files count."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
