"""What must hold of memory and semaphores that an application shares with the device.

Like stream_checks: each check runs in a process of its own, and the device is late with everything.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from ctypes import byref, c_size_t, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
from capi import OrtError, Plugin
from interop import MEMORY_FD, SEMAPHORE_FD, Importer, Shared, Timeline
from stream_checks import CHAIN, World
from streams import Tensor, floats

_SHAPE = (4, 8)
_COUNT, _BYTES = 32, 128
_PAGE = 4096
_INVALID_ARGUMENT, _NOT_IMPLEMENTED = 2, 9


class Bench:
    """An importer, a stream, a semaphore of the application's, and memory for two tensors."""

    def __init__(self, world: World) -> None:
        self.world, self.hooks, self.queues = world, world.hooks, world.queues
        self.importer = Importer(world.plugin)
        self.stream, self.other = self.queues.stream(), self.queues.stream()
        self.number = self.hooks.find_stream(self.queues.handle(self.stream))
        self.timeline = Timeline()
        self.semaphore = self.importer.semaphore(self.timeline)
        self.shared = Shared(2 * _PAGE)
        self.memory = self.importer.memory(self.shared)
        # As the application sees them, and as the device does.
        self.seen = [self.shared.floats(_COUNT, offset).reshape(_SHAPE) for offset in (0, _PAGE)]
        self.x, self.y = (self.tensor(offset) for offset in (0, _PAGE))

    def tensor(self, offset: int) -> Tensor:
        return self.importer.tensor(self.memory, _SHAPE, offset)

    def tick(self) -> None:
        """Time for whatever does not wait: a good part of what one queue does, another could do."""
        self.hooks.set_delay(0, self.number)
        spare = self.queues.on_device(_SHAPE)
        for _ in range(10):
            self.queues.copy([(self.queues.view(floats(*_SHAPE)), spare)], self.other)

    def finish(self) -> None:
        """Waits for both streams, and tells of their errors."""
        for stream in (self.stream, self.other):
            back = np.zeros(_SHAPE, np.float32)
            self.queues.copy([(self.y, self.queues.view(back))], stream)


def check_kinds(world: World) -> None:
    """Files of shared memory, and nothing that would need a driver."""
    importer = Importer(world.plugin)
    kinds = (*range(6), 77, -1)
    assert [kind for kind in kinds if importer.takes_memory(kind)] == [MEMORY_FD]
    assert [kind for kind in kinds if importer.takes_semaphore(kind)] == [SEMAPHORE_FD]
    importer.release()


def check_a_session_runs_on_imported_memory(world: World) -> None:
    """What the application writes the session reads, and the other way round: nobody copies."""
    bench = Bench(world)
    session = world.session(CHAIN)
    for turn in range(3):
        bench.seen[0][:] = floats(*_SHAPE, start=turn)
        bench.queues.run(session, {"x": bench.x}, {"y": bench.y})
        assert (bench.seen[1] == 4 * floats(*_SHAPE, start=turn)).all(), turn


def check_offsets(world: World) -> None:
    """Those of the memory and of the tensor add up; the last byte can be had."""
    bench = Bench(world)
    whole = bench.shared.floats(2 * _PAGE // 4)
    whole[:] = np.arange(whole.size)
    memory = bench.importer.memory(bench.shared, _PAGE)
    part = bench.importer.tensor(memory, (_COUNT,), _PAGE - _BYTES)
    assert (bench.queues.read(part) == whole[-_COUNT:]).all()
    assert bench.queues.read(bench.importer.tensor(memory, (), 8)) == _PAGE // 4 + 2
    assert bench.queues.read(bench.importer.tensor(memory, (3, 0), _PAGE)).size == 0


def check_a_queue_waits_for_a_semaphore(world: World) -> None:
    """What is queued behind a wait reads what the application writes before it signals."""
    bench = Bench(world)
    for value in (1, 2, 5):
        bench.importer.wait(bench.semaphore, bench.stream, value)
        bench.queues.copy([(bench.x, bench.y)], bench.stream)
        bench.tick()
        bench.seen[0][:] = floats(*_SHAPE, start=value)
        bench.timeline.value = value
        bench.finish()
        assert (bench.seen[1] == floats(*_SHAPE, start=value)).all()
    for value in (5, 3, 0):  # which have come
        bench.importer.wait(bench.semaphore, bench.stream, value)
    bench.finish()


def check_a_signal_comes_after_its_queue(world: World) -> None:
    """Who sees the value sees what was done before it."""
    bench = Bench(world)
    bench.seen[0][:] = floats(*_SHAPE, start=3)
    with bench.hooks.held(bench.number):
        bench.queues.copy([(bench.x, bench.y)], bench.stream)
        bench.importer.signal(bench.semaphore, bench.stream, 7)
        bench.tick()
        assert bench.timeline.value == 0
        assert (bench.seen[1] == 0).all()
    bench.timeline.wait(7)
    assert bench.timeline.value == 7
    assert (bench.seen[1] == floats(*_SHAPE, start=3)).all()


def check_a_session_between_two_values(world: World) -> None:
    """The whole round: the application writes and signals; the run waits, computes and signals."""
    bench = Bench(world)
    session = world.session(CHAIN)
    for turn in range(3):
        before, after = 2 * turn + 1, 2 * turn + 2
        bench.importer.wait(bench.semaphore, bench.stream, before)
        feeds, fetches = {"x": bench.x}, {"y": bench.y}
        bench.queues.run(session, feeds, fetches, stream=bench.stream, synchronize=False)
        bench.importer.signal(bench.semaphore, bench.stream, after)
        bench.tick()
        bench.seen[0][:] = floats(*_SHAPE, start=turn)
        bench.timeline.value = before
        bench.timeline.wait(after)
        assert (bench.seen[1] == 4 * floats(*_SHAPE, start=turn)).all(), turn


def check_queues_order_by_a_semaphore(world: World) -> None:
    """One queue signals, another waits: two handles on one semaphore."""
    bench = Bench(world)
    again = bench.importer.semaphore(bench.timeline)
    bench.seen[0][:] = floats(*_SHAPE, start=9)
    with bench.hooks.held(bench.number):
        bench.importer.wait(again, bench.other, 1)
        z = bench.queues.on_device(_SHAPE)
        bench.queues.copy([(bench.y, z)], bench.other)
        bench.queues.copy([(bench.x, bench.y)], bench.stream)
        bench.importer.signal(bench.semaphore, bench.stream, 1)
    assert (bench.queues.read(z) == floats(*_SHAPE, start=9)).all()


def check_nothing_is_signalled_after_an_error(world: World) -> None:
    """The work before it has not been done, and who waits must not think so."""
    bench = Bench(world)
    session = world.session(CHAIN)
    world.hooks.fail("work")
    feeds, fetches = {"x": bench.x}, {"y": bench.y}
    bench.queues.run(session, feeds, fetches, stream=bench.stream, synchronize=False)
    bench.importer.signal(bench.semaphore, bench.stream, 1)
    assert "that a test asked for" in str(_error(bench.finish))
    assert bench.timeline.value == 0
    bench.importer.signal(bench.semaphore, bench.stream, 2)
    bench.finish()
    assert bench.timeline.value == 2


def check_failures_of_the_device_are_told(world: World) -> None:
    """Whatever the device says to an import, a wait or a signal."""
    bench = Bench(world)
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("import", lambda: bench.importer.memory(bench.shared)),
        ("import", lambda: bench.importer.semaphore(bench.timeline)),
        ("semaphore_wait", lambda: bench.importer.wait(bench.semaphore, bench.stream, 0)),
        ("semaphore_signal", lambda: bench.importer.signal(bench.semaphore, bench.stream, 0)),
    ]
    for name, call in calls:
        world.hooks.fail(name)
        assert f"a failure of '{name}'" in str(_error(call))
        call()


def check_memory_is_given_back_when_it_is_not_in_use(world: World) -> None:
    """A queue that reads it is waited for; then nothing is left of it in the process."""
    bench = Bench(world)
    shared = Shared(_PAGE, "given-back")
    shared.floats(_COUNT)[:] = floats(_COUNT)
    memory = bench.importer.memory(shared)
    tensor = bench.importer.tensor(memory, _SHAPE)
    assert _mapped("given-back") == 2  # the application's own, and the device's
    thread = threading.Thread(target=bench.importer.release_memory, args=(memory,))
    with bench.hooks.held(bench.number):
        bench.queues.copy([(tensor, bench.y)], bench.stream)
        thread.start()
        bench.tick()
        assert _mapped("given-back") == 2
    thread.join()
    assert (bench.seen[1] == floats(*_SHAPE)).all()
    assert _mapped("given-back") == 1


def check_handles_outlive_what_they_come_from(world: World) -> None:
    """The importer may go first, and so may the application's descriptors."""
    bench = Bench(world)
    open_files = len(os.listdir("/proc/self/fd"))
    another = Importer(world.plugin)
    shared, timeline = Shared(_PAGE), Timeline()
    memory, semaphore = another.memory(shared), another.semaphore(timeline)
    tensor = another.tensor(memory, _SHAPE)
    another.release()
    shared.close()
    timeline.close()
    assert len(os.listdir("/proc/self/fd")) == open_files + 2  # Python's own, behind its mappings
    shared.floats(_COUNT)[:] = floats(_COUNT)
    bench.importer.wait(semaphore, bench.stream, 4)
    bench.queues.copy([(tensor, bench.y)], bench.stream)
    bench.importer.release_semaphore(semaphore)  # the queue has yet to come to it
    timeline.value = 4
    bench.finish()
    assert (bench.seen[1] == floats(*_SHAPE)).all()
    bench.importer.release_memory(memory)


def check_nothing_is_left(world: World) -> None:
    """All that was imported is given back, also what failed half-way."""
    bench = Bench(world)
    assert world.hooks.count("imports") == 2
    in_use = world.hooks.count("bytes_in_use")
    for _ in range(50):
        _error(lambda: bench.importer.memory(bench.shared, size=3 * _PAGE))
        memory = bench.importer.memory(bench.shared)
        _error(lambda handle=memory: bench.importer.tensor(handle, (10**6,)))
        bench.importer.release_memory(memory)
        bench.importer.release_semaphore(bench.importer.semaphore(bench.timeline))
    bench.importer.release_memory(0)
    bench.importer.release_semaphore(0)
    bench.importer.release_memory(bench.memory)
    bench.importer.release_semaphore(bench.semaphore)
    bench.importer.release()
    assert world.hooks.count("imports") == 0
    assert world.hooks.count("bytes_in_use") == in_use
    assert _mapped("timeline") == _mapped("shared") == 1  # the application's


def check_wrong_memory(world: World) -> None:
    """Every field of the descriptor."""
    bench = Bench(world)
    read_only = os.open("/proc/self/exe", os.O_RDONLY)
    pipe, _ = os.pipe()
    size = bench.shared.size
    for wrong, code, text in (
        ({"version": 0}, _INVALID_ARGUMENT, "version is 0; it must be ORT_API_VERSION"),
        ({"version": 23}, _INVALID_ARGUMENT, "version is 23"),
        ({"kind": 0}, _NOT_IMPLEMENTED, "does not import D3D12_RESOURCE"),
        ({"kind": 1}, _NOT_IMPLEMENTED, "does not import D3D12_HEAP"),
        ({"kind": 2}, _NOT_IMPLEMENTED, "does not import VK_MEMORY_WIN32"),
        ({"kind": 4}, _NOT_IMPLEMENTED, "does not import kind 4"),
        ({"kind": -1}, _NOT_IMPLEMENTED, "does not import kind -1"),
        ({"handle": 0}, _INVALID_ARGUMENT, "native_handle is null"),
        ({"handle": 2**64 - 1}, _INVALID_ARGUMENT, "importing -1: not a file descriptor"),
        ({"handle": 2**32 + bench.shared.file}, _INVALID_ARGUMENT, "not a file descriptor"),
        ({"handle": 900}, _INVALID_ARGUMENT, "file descriptor 900: Bad file descriptor"),
        ({"handle": pipe}, _INVALID_ARGUMENT, f"it has 0 bytes, and {size} are asked for"),
        ({"handle": read_only}, _INVALID_ARGUMENT, "mmap: Permission denied"),
        ({"size": 0}, _INVALID_ARGUMENT, "nothing is left of size_bytes 0 after offset_bytes 0"),
        ({"size": size + 1}, _INVALID_ARGUMENT, f"it has {size} bytes, and {size + 1} are asked"),
        ({"size": 2**64 - 1}, _INVALID_ARGUMENT, "are asked for"),
        ({"offset": size}, _INVALID_ARGUMENT, f"after offset_bytes {size}"),
        ({"offset": 2**64 - 8}, _INVALID_ARGUMENT, "nothing is left"),
    ):
        error = _error(lambda wrong=wrong: bench.importer.memory(bench.shared, **wrong))
        assert (error.code, text in str(error)) == (code, True), (wrong, error.code, str(error))
    assert world.hooks.count("imports") == 2


def check_wrong_tensors(world: World) -> None:
    """Every field of the descriptor, and whose memory it is."""
    bench = Bench(world)
    size = bench.shared.size
    for shape, wrong, code, text in (
        (_SHAPE, {"version": 0}, _INVALID_ARGUMENT, "version is 0"),
        (_SHAPE, {"type": 0}, _NOT_IMPLEMENTED, "element type 0"),
        (_SHAPE, {"type": 8}, _NOT_IMPLEMENTED, "element type 8"),
        (_SHAPE, {"type": 77}, _NOT_IMPLEMENTED, "element type 77"),
        (_SHAPE, {"type": -1}, _NOT_IMPLEMENTED, "element type -1"),
        (_SHAPE, {"shape": 0}, _INVALID_ARGUMENT, "shape is null"),
        ((4, -8), {}, _INVALID_ARGUMENT, "dimension 1 is -8"),
        ((0, -8), {}, _INVALID_ARGUMENT, "dimension 1 is -8"),
        ((2**31, 2**31, 4), {}, _INVALID_ARGUMENT, "more bytes than there can be"),
        ((2**62,), {}, _INVALID_ARGUMENT, "more bytes than there can be"),
        ((size // 4 + 1,), {}, _INVALID_ARGUMENT, f"do not fit into the {size} bytes"),
        (_SHAPE, {"offset": size - _BYTES + 4}, _INVALID_ARGUMENT, "do not fit"),
        (_SHAPE, {"offset": size + 4}, _INVALID_ARGUMENT, "do not fit"),
        (_SHAPE, {"offset": 2**64 - 4}, _INVALID_ARGUMENT, "do not fit"),
        (_SHAPE, {"offset": 2}, _INVALID_ARGUMENT, "would not be aligned"),
    ):
        error = _error(lambda s=shape, w=wrong: bench.importer.tensor(bench.memory, s, **w))
        assert (error.code, text in str(error)) == (code, True), (shape, wrong, str(error))
    part = bench.importer.memory(bench.shared, size - _BYTES)
    assert "do not fit into the 128 bytes" in str(
        _error(lambda: bench.importer.tensor(part, _SHAPE, 4))
    )
    crooked = bench.importer.memory(bench.shared, 3)
    assert "aligned" in str(_error(lambda: bench.importer.tensor(crooked, _SHAPE)))
    assert (bench.queues.read(bench.importer.tensor(crooked, _SHAPE, 1)) == 0).all()


def check_wrong_semaphores(world: World) -> None:
    """Every field of the descriptor, and what a wait or a signal is given."""
    bench = Bench(world)
    small = Shared(7, "small")
    for wrong, code, text in (
        ({"version": 0}, _INVALID_ARGUMENT, "version is 0"),
        ({"kind": 0}, _NOT_IMPLEMENTED, "does not import D3D12_FENCE"),
        ({"kind": 1}, _NOT_IMPLEMENTED, "does not import VK_TIMELINE_SEMAPHORE_WIN32"),
        ({"kind": 3}, _NOT_IMPLEMENTED, "does not import kind 3"),
        ({"handle": 0}, _INVALID_ARGUMENT, "native_handle is null"),
        ({"handle": 900}, _INVALID_ARGUMENT, "Bad file descriptor"),
        ({"handle": small.file}, _INVALID_ARGUMENT, "it has 7 bytes, and 8 are asked for"),
    ):
        error = _error(lambda wrong=wrong: bench.importer.semaphore(bench.timeline, **wrong))
        assert (error.code, text in str(error)) == (code, True), (wrong, str(error))


def check_what_is_another_device_s(world: World) -> None:
    """A second registration: its streams, memory and semaphores are not of the first one."""
    bench = Bench(world)
    others = Importer(_second(world))
    stream = world.ort.api.make("CreateSyncStreamForEpDevice", others.plugin.device, 0)
    memory, semaphore = others.memory(bench.shared), others.semaphore(bench.timeline)
    for call, text in (
        (lambda: bench.importer.tensor(memory, _SHAPE), "memory was not imported"),
        (lambda: bench.importer.wait(semaphore, bench.stream, 0), "semaphore was not imported"),
        (lambda: bench.importer.signal(semaphore, bench.stream, 0), "semaphore was not imported"),
        (lambda: bench.importer.wait(bench.semaphore, stream, 0), "WaitSemaphore: the stream"),
        (lambda: bench.importer.signal(bench.semaphore, stream, 0), "SignalSemaphore: the stream"),
    ):
        error = _error(call)
        assert (error.code, text in str(error)) == (_INVALID_ARGUMENT, True), str(error)


def check_the_stamps(world: World) -> None:
    """Handles say which level they follow, and what they were made from."""
    bench = Bench(world)
    ours = min(world.ort.level, 27)
    for handle in (bench.memory, bench.semaphore):
        words = (c_void_p * 2).from_address(handle)
        assert (words[0] or 0) & 0xFFFFFFFF == ours
        assert words[1] == world.plugin.device


def _second(world: World) -> Plugin:
    """The library once more, under another name."""
    again = Plugin(world.ort, sys.argv[1], "again.virtual")
    devices, count = c_void_p(), c_size_t()
    world.ort.api("GetEpDevices", world.ort.env, byref(devices), byref(count))
    every = ctypes.cast(devices, ctypes.POINTER(c_void_p))[: count.value]
    again.device = every[-1] or 0
    assert again.device != world.plugin.device
    return again


def _error(call: Callable[[], Any]) -> OrtError:
    try:
        call()
    except OrtError as error:
        return error
    raise AssertionError("nobody refused")


def _mapped(name: str) -> int:
    """How often a file of that name is mapped into the process."""
    return Path("/proc/self/maps").read_text(encoding="utf-8").count(f"memfd:{name} ")


CHECKS: dict[str, Callable[[World], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}

if __name__ == "__main__":
    CHECKS[sys.argv[2]](World(sys.argv[1]))
