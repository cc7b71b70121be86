"""test_external_resource_importer.cc: memory and semaphores of other APIs.

ORT's example takes any number for a handle of D3D12 and copies nothing. Ours imports files of
shared memory, and what the application writes is what the device reads.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_int32, c_void_p

from interop import FLOAT, MEMORY_FD, SEMAPHORE_FD, Importer, Shared, Timeline
from streams import floats

from ort_examples.harness import Example, Place, example, mul, of, same, shape_of, text_of


@contextmanager
def importer(place: Place) -> Iterator[tuple[Example, Importer]]:
    """An importer of a device of the example's own."""
    with example(place, virtual=True) as it:
        made = Importer(it.plugin)
        yield it, made
        made.release()


@of("CreateExternalResourceImporter")
def there_is_an_importer(place: Place) -> None:
    with importer(place) as (_, made):
        assert made.address


@of("CanImportMemory")
def it_takes_memory(place: Place) -> None:
    with importer(place) as (_, made):
        assert made.takes_memory(MEMORY_FD)


@of("CanImportSemaphore")
def it_takes_semaphores(place: Place) -> None:
    with importer(place) as (_, made):
        assert made.takes_semaphore(SEMAPHORE_FD)


@of("ImportMemory")
def memory_is_imported(place: Place) -> None:
    with importer(place) as (_, made):
        memory = made.memory(Shared(4096))
        assert memory
        made.release_memory(memory)


@of("CreateTensorFromMemory")
def a_tensor_in_imported_memory(place: Place) -> None:
    shape = (1, 3, 32, 32)
    with importer(place) as (it, made):
        shared = Shared(4 * 3 * 32 * 32)
        memory = made.memory(shared)
        tensor = made.tensor(memory, shape)
        assert shape_of(it.ort, tensor.value) == shape
        types = it.api.make("GetTensorTypeAndShape", tensor.value)
        kind = c_int32()
        it.api("GetTensorElementType", types, ctypes.byref(kind))
        it.api.get("ReleaseTensorTypeAndShapeInfo", types)
        assert kind.value == FLOAT
        shared.floats(3 * 32 * 32)[:] = floats(3 * 32 * 32)
        same(it.queues.read(tensor), floats(*shape))
        it.api.get("ReleaseValue", tensor.value)
        made.release_memory(memory)


@of("ImportSemaphore")
def a_semaphore_is_imported(place: Place) -> None:
    with importer(place) as (_, made):
        semaphore = made.semaphore(Timeline())
        assert semaphore
        made.release_semaphore(semaphore)


@of("WaitAndSignalSemaphore")
def signals_and_waits(place: Place) -> None:
    with importer(place) as (it, made):
        stream, timeline = it.queues.stream(), Timeline()
        semaphore = made.semaphore(timeline)
        made.signal(semaphore, stream, 1)
        made.wait(semaphore, stream, 1)
        made.signal(semaphore, stream, 5)
        made.wait(semaphore, stream, 3)
        timeline.wait(5)
        assert timeline.value == 5
        it.queues.release(stream)
        made.release_semaphore(semaphore)


@of("MultipleMemoryImports")
def memory_is_imported_five_times(place: Place) -> None:
    with importer(place) as (_, made):
        handles = [made.memory(Shared(1024 * (number + 1))) for number in range(5)]
        assert len(set(handles)) == 5
        for each in handles:
            made.release_memory(each)


@of("AccessModeVariations")
def memory_is_read_and_written(place: Place) -> None:
    """No release has access modes in the descriptor: imported memory is for both."""
    with importer(place) as (it, made):
        shared = Shared(4096)
        memory = made.memory(shared)
        tensor = made.tensor(memory, (6,))
        shared.floats(6)[:] = floats(6)
        same(it.queues.read(tensor), floats(6))
        it.queues.copy([(it.queues.view(floats(6, start=9)), tensor)])
        same(shared.floats(6), floats(6, start=9))
        it.api.get("ReleaseValue", tensor.value)
        made.release_memory(memory)


@of("SessionGetEpDeviceForOutputs")
def where_outputs_are(place: Place) -> None:
    with example(place) as it:
        session = it.session(mul())
        devices = (c_void_p * 1)()
        it.api("SessionGetEpDeviceForOutputs", session, devices, 1)
        assert devices[0] == it.device
        assert text_of(it.api.get("EpDevice_EpName", devices[0])) == it.ep
