"""test_data_transfer.cc, test_allocators.cc and test_webgpu_allocators.cc: memory of the device."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_int, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np
from allocators import DEFAULT, Device, allocate, free, statistics
from capi import Ort, Plugin, Table
from streams import Tensor, floats

from ort_examples.harness import (
    CPU,
    Example,
    Place,
    devices_of,
    example,
    mul,
    of,
    runtime,
    same,
    text_of,
)

_ALLOCATE = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_size_t)
_FREE = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
_INFO = ctypes.CFUNCTYPE(c_void_p, c_void_p)
_GPU_MEMORY = 1  # OrtMemoryInfoDeviceType


class UserAllocator(ctypes.Structure):
    """An OrtAllocator of the application's; it counts."""

    _fields_ = (
        ("version", c_uint32),
        ("alloc", _ALLOCATE),
        ("free", _FREE),
        ("info", _INFO),
        ("reserve", _ALLOCATE),
        ("rest", c_void_p * 3),  # statistics, streams and shrinking: not there
    )

    def __init__(self, ort: Ort, info: int) -> None:
        self.allocated = self.freed = 0
        self._memory: dict[int, Any] = {}

        def alloc(_self: int, size: int) -> int:
            self.allocated += 1
            block = ctypes.create_string_buffer(size)
            self._memory[ctypes.addressof(block)] = block
            return ctypes.addressof(block)

        def release(_self: int, address: int) -> None:
            self.freed += 1
            del self._memory[address]

        function = _ALLOCATE(alloc)
        super().__init__(ort.level, function, _FREE(release), _INFO(lambda _: info), function)

    @property
    def address(self) -> int:
        return ctypes.addressof(self)


@contextmanager
def registered(ort: Ort, info: int) -> Iterator[UserAllocator]:
    """Gives the environment an allocator, and takes it back."""
    made = UserAllocator(ort, info)
    ort.api("RegisterAllocator", ort.env, made.address)
    try:
        yield made
    finally:
        ort.api("UnregisterAllocator", ort.env, info)


def own_info(ort: Ort, kind: int, vendor: int) -> int:
    """A memory info with a name that nobody else has."""
    arguments = (kind, vendor, 0, DEFAULT, 0, 0)
    return ort.api.make("CreateMemoryInfo_V2", "dummy", *arguments)


@of("DataTransfer")
def to_the_device(place: Place) -> None:
    """The host cannot look at the device's memory: what is there is copied back."""
    with example(place) as it:
        data = floats(2, 3, 4)
        host, device = it.queues.view(data), it.queues.on_device((2, 3, 4))
        it.queues.copy([(host, device)])
        addresses = {it.api.make("GetTensorMutableData", each.value) for each in (host, device)}
        assert len(addresses) == 2
        same(it.queues.read(device), data)
        _release(it, host, device)


@of("AddArenaToSharedAllocator")
def an_arena_in_place_of_the_shared_allocator(place: Place) -> None:
    """Releases of today keep the type OrtArenaAllocator to themselves: the options ask for it."""
    with example(place) as it:
        memory = Device(it.plugin)
        assert memory.shared().address
        options = {"arena.initial_chunk_size_bytes": "25600"}
        arena = memory.configure(DEFAULT, options)
        free(arena, allocate(arena, 16))
        found = statistics(arena)
        wanted = {"NumAllocs": 1, "NumArenaExtensions": 1, "TotalAllocated": 25600}
        assert {key: found[key] for key in wanted} == wanted
        it.api("ReleaseSharedAllocator", it.ort.env, it.device, DEFAULT)


@of("GetSharedAllocator")
def an_allocator_is_found_whatever_its_name(place: Place) -> None:
    with runtime() as ort:
        info = own_info(ort, CPU, 0)

        def name() -> str:
            found = ort.api.make("GetSharedAllocator", ort.env, info)
            return text_of(
                ort.api.make("MemoryInfoGetName", ort.api.make("AllocatorGetInfo", found))
            )

        assert name() == "Cpu"
        with registered(ort, info):
            assert name() == "dummy"
        assert name() == "Cpu"


@of("UserAllocatorRegisteredBeforePluginRemainsAvailable")
def an_allocator_of_the_application_s_stays(place: Place) -> None:
    """One for the memory that the library's device has."""
    ep, library = place.eps["compiled"], place.libraries["compiled"]
    with example(place) as it:
        device = Device(it.plugin).info()
        vendor = it.api.get("MemoryInfoGetVendorId", device) & 0xFFFFFFFF
    with runtime({f"ep_factory.{ep}.allow_software": "1"}) as ort:
        info = own_info(ort, _GPU_MEMORY, vendor)
        with registered(ort, info) as own:
            before = ort.api.make("GetSharedAllocator", ort.env, info)
            plugin = Plugin(ort, library, "example_ep")
            after = ort.api.make("GetSharedAllocator", ort.env, info)
            assert before == after == own.address
            allocator = Table(ort, "OrtAllocator", after)
            free(allocator, allocate(allocator, 256))
            assert (own.allocated, own.freed) == (1, 1)
            assert devices_of(ort, ep)
            plugin.unregister()


@of("SharedAllocatorCreatedOnPluginRegistration")
def a_shared_allocator_is_there(place: Place) -> None:
    with example(place) as it:
        memory = Device(it.plugin)
        found = it.api.make("AllocatorGetInfo", memory.shared().address)
        differs = c_int(-1)
        it.api("CompareMemoryInfo", found, memory.info(), ctypes.byref(differs))
        assert differs.value == 0


@of("SharedAllocatorAllocAndFree")
def nothing_is_allocated_and_freed(place: Place) -> None:
    with example(place) as it:
        shared = Device(it.plugin).shared()
        assert allocate(shared, 0) == 0
        free(shared, 0)
        address = allocate(shared, 256)
        assert address
        free(shared, address)


@of("DISABLED_SharedAllocatorsAreDistinctPerDevice")
def each_device_has_its_own(place: Place) -> None:
    """The virtual GPU and the machine's CPU in its place; ORT has switched its test off."""
    ep = place.eps["compiled"]
    with runtime({f"ep_factory.{ep}.allow_software": "1"}) as ort:
        plugin = Plugin(ort, place.libraries["compiled"], "example_ep.virtual")
        places = [Device(plugin, each) for each in devices_of(ort, ep)]
        assert len(places) == len({each.number() for each in places}) == 2
        assert len({each.shared().address for each in places}) == 2
        for each in places:
            address = allocate(each.shared(), 256)
            assert address
            free(each.shared(), address)
        plugin.unregister()


@of("CreateSharedAllocatorIsReturnedByGet")
def what_is_made_is_found(place: Place) -> None:
    with example(place) as it:
        memory = Device(it.plugin)
        assert memory.configure(DEFAULT, {}).address == memory.shared().address


@of("DeviceTensorDataRoundTripsWithSharedAndSessionAllocators")
def there_and_back(place: Place) -> None:
    data = np.array([1, -2, 3.5, 4, -5.25, 6, 7.75, -8], np.float32)
    with example(place) as it:
        memory = Device(it.plugin)
        memory.configure(DEFAULT, {})
        session = it.session(mul())
        own = memory.of_session(session)
        for allocator in (memory.shared(), own):
            tensor = on(it, allocator, data.shape)
            it.queues.copy([(it.queues.view(data), tensor)])
            same(it.queues.read(tensor), data)
            _release(it, tensor)
        it.api.get("ReleaseAllocator", own.address)


def on(it: Example, allocator: Table, shape: tuple[int, ...]) -> Tensor:
    """A float tensor in an allocator's memory."""
    dims = (ctypes.c_int64 * len(shape))(*shape)
    made = it.api.make("CreateTensorAsOrtValue", allocator.address, dims, len(shape), 1)
    return Tensor(it.plugin, made, shape, None)


def _release(it: Example, *tensors: Tensor) -> None:
    for each in tensors:
        it.api.get("ReleaseValue", each.value)
