"""Job that asks a library's entry points and factories directly, without registering it: what it
asks the runtime for, who it says it is, which callbacks it has, what it offers on which hardware.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Mapping
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from typing import Any

from epforge.validate.worker.capi import Copy, Ort, StatusError, Struct, call, text_at
from epforge.validate.worker.records import Records

_FACTORIES = 4  # room for them, as in ONNX Runtime
_DEVICES = 8  # of a factory, as in ONNX Runtime
_ENTRIES_SINCE = 24
_VERBOSE = 0  # what the logger is said to let through
_VIRTUAL = ".virtual"  # a registration name that ends so allows virtual devices
_MEMORY = {0: "device", 1: "host accessible"}


def run(job: Mapping[str, Any], records: Records) -> None:
    """Asks the library.

    Args:
        job: ``layouts`` (see `capi.Layouts`), ``pretend`` (the newest level that is given out; 0
            for all), ``hardware`` (made-up devices; None for the machine's own), ``skip`` (places
            in that list), ``name`` (of the registration).
    """
    ort = Ort(job["layouts"])
    records.write("runtime", version=ort.version, level=ort.level)
    name = str(job["name"])
    entries = {"allow_virtual_devices": "1"} if name.endswith(_VIRTUAL) else {}
    host = _Host(ort, int(job.get("pretend") or 0), entries, records)
    try:
        with records.step("loading it"):
            code = ctypes.CDLL(str(job["library"]))
    except OSError as error:  # what the loader says
        records.write("unloadable", text=str(error))
        return
    with records.step("CreateEpFactories"):
        factories = _create(host, code, name, records)
    if factories is None:
        return
    for index, factory in enumerate(factories):
        asked = _Factory(host, factory, index, records)
        if job.get("pretend"):
            continue
        asked.identity()
        if job.get("hardware") is None:
            asked.at_work()
        else:
            asked.made_up(job["hardware"], set(job.get("skip") or ()))
    release = ctypes.cast(code.ReleaseEpFactory, c_void_p).value or 0
    for index, factory in enumerate(factories):
        with records.step(f"ReleaseEpFactory of factory {index + 1}"):
            ort.check(call(release, factory.address))


class _Host:
    """What the library sees of the runtime.

    Args:
        pretend: the newest level that is given out; 0 for all.
        entries: the configuration of the environment.
    """

    def __init__(
        self, ort: Ort, pretend: int, entries: Mapping[str, str], records: Records
    ) -> None:
        self.ort = ort
        self._records = records
        self._pretend = pretend
        self._api = Copy(ort.api)
        arguments = (c_void_p, c_int, c_char_p, c_void_p, c_int, c_char_p)
        self._api.replace("Logger_LogMessage", c_void_p, arguments, self._log)
        severity = (c_void_p, ctypes.POINTER(c_int))
        self._api.replace("Logger_GetLoggingSeverityLevel", c_void_p, severity, self._severity)
        self._ep = Copy(ort.ep)
        if ort.level >= _ENTRIES_SINCE:
            pointer = (ctypes.POINTER(c_void_p),)
            self._ep.replace("GetEnvConfigEntries", c_void_p, pointer, self._give_entries)
        self._api.replace("GetEpApi", c_void_p, (), lambda: self._ep.address)
        self._entries = entries
        self.logger = ctypes.create_string_buffer(256)  # an address; nobody looks into it
        # Older than plugin EPs: nothing the library could use.
        self._version = f"1.{pretend}.0".encode() if pretend else ort.version.encode()
        get_api = ctypes.CFUNCTYPE(c_void_p, c_uint32)(self._get_api)
        get_version = ctypes.CFUNCTYPE(c_char_p)(lambda: self._version)
        self._kept = (get_api, get_version)
        self._base = (c_void_p * 2)(*(ctypes.cast(each, c_void_p).value for each in self._kept))
        self.base = ctypes.addressof(self._base)

    def _get_api(self, level: int) -> int:
        newest = self._pretend or self.ort.level
        given = 0 < level <= newest
        self._records.write("asked", level=level, given=given)
        return self._api.address if given else 0

    def _log(self, _logger: int, severity: int, text: bytes, *_: object) -> None:
        said = (text or b"").decode("utf-8", "replace")
        self._records.write("log", severity=severity, text=said[:400])

    def _give_entries(self, made: Any) -> None:
        made[0] = self.ort.pairs(self._entries)

    def _severity(self, _logger: int, severity: Any) -> None:
        severity[0] = _VERBOSE


def _create(host: _Host, code: Any, name: str, records: Records) -> list[Struct] | None:
    """The factories; None when the library refuses."""
    made, count = (c_void_p * _FACTORIES)(), c_size_t(0)
    create = ctypes.cast(code.CreateEpFactories, c_void_p).value or 0
    logger = ctypes.addressof(host.logger)
    try:
        host.ort.check(call(create, name, host.base, logger, made, _FACTORIES, byref(count)))
    except StatusError as error:
        records.write("refused", text=str(error))
        return None
    found = [address or 0 for address in made[: min(count.value, _FACTORIES)]]
    records.write("factories", count=count.value, null=found.count(0))
    return [Struct(host.ort, "OrtEpFactory", address) for address in found if address]


class _Factory:
    """One factory of the library."""

    def __init__(self, host: _Host, factory: Struct, index: int, records: Records) -> None:
        self._host, self._ort = host, host.ort
        self._factory, self._index, self._records = factory, index, records

    @contextlib.contextmanager
    def _step(self, what: str) -> Iterator[None]:
        """A step; a status that says no is a record."""
        with self._records.step(f"{what} of factory {self._index + 1}"):
            try:
                yield
            except StatusError as error:
                self._records.write("error", factory=self._index, where=what, text=str(error))

    def _struct(self, struct: Struct, of: str = "") -> None:
        self._records.write(
            "struct",
            factory=self._index,
            struct=struct.name,
            of=of,
            stamp=struct.stamp,
            members=struct.members(),
        )

    def identity(self) -> None:
        """Name, vendor, versions; callbacks."""
        factory = self._factory
        self._struct(factory)
        said: dict[str, object] = {}
        for key, getter in (
            ("name", "GetName"),
            ("vendor", "GetVendor"),
            ("version", "GetVersion"),
        ):
            if factory.has(getter):
                with self._step(getter):
                    said[key] = text_at(factory.get(getter, factory.address))
        if factory.has("GetVendorId"):
            with self._step("GetVendorId"):
                said["vendor_id"] = factory.get("GetVendorId", factory.address) & 0xFFFFFFFF
        if factory.has("IsStreamAware"):
            with self._step("IsStreamAware"):
                said["stream_aware"] = bool(factory.get("IsStreamAware", factory.address) & 0xFF)
        if factory.has("GetNumCustomOpDomains"):
            with self._step("GetNumCustomOpDomains"):
                domains = c_size_t()
                factory("GetNumCustomOpDomains", factory.address, byref(domains))
                said["custom_op_domains"] = domains.value
        self._records.write("factory", index=self._index, **said)

    def at_work(self) -> None:
        """Devices on this machine's hardware, an EP for the first, what comes with it."""
        hardware = self._ort.hardware()
        with self._step("GetSupportedDevices"):
            devices = self._offered(hardware)
            kinds = [self._memory(device) for device in devices]
            self._records.write("offered", factory=self._index, memory=kinds)
            if devices:
                self._data_transfer()
                self._allocators(devices[0])
                self._ep(devices[0])
            self._release(devices)

    def made_up(self, hardware: list[dict[str, Any]], skip: set[int]) -> None:
        """What is offered on each of some made-up devices alone."""
        for place, each in enumerate(hardware):
            if place in skip:
                continue
            with self._step(f"GetSupportedDevices on {each['text']}"):
                made = self._hardware(each)
                devices = self._offered([made])
                self._records.write(
                    "made up",
                    factory=self._index,
                    place=place,
                    devices=[self._describe(device, made) for device in devices],
                )
                self._release(devices)
                self._ort.ep.get("ReleaseHardwareDevice", made)

    def _hardware(self, each: Mapping[str, Any]) -> int:
        pairs = self._ort.pairs(each["metadata"])
        kind = {"cpu": 0, "gpu": 1, "npu": 2}[each["type"]]
        ids = each["vendor_id"], each["device_id"]
        made = self._ort.ep.make("CreateHardwareDevice", kind, *ids, each["vendor"], pairs)
        self._ort.api.get("ReleaseKeyValuePairs", pairs)
        return made

    def _offered(self, hardware: list[int]) -> list[int]:
        listed = (c_void_p * max(len(hardware), 1))(*hardware)
        devices, count = (c_void_p * _DEVICES)(), c_size_t(0)
        self._factory(
            "GetSupportedDevices",
            self._factory.address,
            *(listed, len(hardware), devices, _DEVICES, byref(count)),
        )
        return [each for each in devices[: min(count.value, _DEVICES)] if each]

    def _describe(self, device: int, made: int) -> dict[str, object]:
        api = self._ort.api
        hardware = api.get("EpDevice_Device", device)
        return {
            "ep": text_at(api.get("EpDevice_EpName", device)),
            "metadata": self._ort.read_pairs(api.get("EpDevice_EpMetadata", device)),
            "own": hardware != made,  # of hardware that the library made up itself
        }

    def _memory(self, device: int) -> dict[str, str]:
        found = {}
        for number, kind in _MEMORY.items():
            info = self._memory_info(device, number)
            if info:
                found[kind] = self._memory_name(info)
        return found

    def _memory_info(self, device: int, kind: int) -> int:
        if self._ort.level < 23:
            return 0
        return self._ort.api.get("EpDevice_MemoryInfo", device, kind)

    def _memory_name(self, info: int) -> str:
        name = c_char_p()
        self._ort.api("MemoryInfoGetName", info, byref(name))
        return (name.value or b"").decode("utf-8", "replace")

    def _data_transfer(self) -> None:
        if not self._factory.has("CreateDataTransfer"):
            return
        with self._step("CreateDataTransfer"):
            made = self._factory.make("CreateDataTransfer", self._factory.address)
            if made:
                transfer = Struct(self._ort, "OrtDataTransferImpl", made)
                self._struct(transfer)
                if transfer.has("Release"):
                    transfer.get("Release", made)

    def _allocators(self, device: int) -> None:
        if not self._factory.has("CreateAllocator") or not self._factory.has("ReleaseAllocator"):
            return
        for number, kind in _MEMORY.items():
            info = self._memory_info(device, number)
            if not info:
                continue
            with self._step(f"CreateAllocator for {kind} memory"):
                address = self._factory.address
                made = self._factory.make("CreateAllocator", address, info, None)
                if made:
                    self._struct(Struct(self._ort, "OrtAllocator", made), f"{kind} memory")
                    self._factory.get("ReleaseAllocator", address, made)

    def _ep(self, device: int) -> None:
        """An EP as ONNX Runtime makes it for a session."""
        api, factory = self._ort.api, self._factory
        hardware = (c_void_p * 1)(api.get("EpDevice_Device", device))
        metadata = (c_void_p * 1)(api.get("EpDevice_EpMetadata", device))
        with self._step("CreateEp"):
            options = api.make("CreateSessionOptions")
            logger = ctypes.addressof(self._host.logger)
            made = factory.make("CreateEp", factory.address, hardware, metadata, 1, options, logger)
            if made:
                ep = Struct(self._ort, "OrtEp", made)
                self._struct(ep)
                name = text_at(ep.get("GetName", made)) if ep.has("GetName") else ""
                self._records.write("ep", factory=self._index, name=name)
                with self._records.step(f"ReleaseEp of factory {self._index + 1}"):
                    factory.get("ReleaseEp", factory.address, made)
            else:
                self._records.write(
                    "error", factory=self._index, where="CreateEp", text="success, but no EP"
                )
            api.get("ReleaseSessionOptions", options)

    def _release(self, devices: list[int]) -> None:
        for device in devices:
            self._ort.ep.get("ReleaseEpDevice", device)
