"""test_webgpu_concurrency.cc: copies and runs of one device, in turns and at once.

ORT's tests are of its WebGPU execution provider; here they are asked of the compiling example,
whose device has memory and queues of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import c_int64, c_void_p
from itertools import pairwise

import numpy as np
from allocators import DEFAULT, Device
from capi import Table
from models import constant, model, node, value
from streams import Tensor

from ort_examples.harness import (
    CPU_EP,
    Example,
    Place,
    X,
    example,
    mul,
    of,
    read,
    same,
    text_of,
    texts,
)
from ort_examples.memory import on

_THREADS, _TURNS, _MIXED_TURNS = 4, 20, 10
_UINT8 = 2
_SHAPE = (3, 2)


class Bench:
    """The device, its shared allocator, and what is done with both."""

    def __init__(self, it: Example) -> None:
        self.it = it
        self.shared = Device(it.plugin).configure(DEFAULT, {})

    def session(self) -> int:
        return self.it.session(mul())

    def allocator_of(self, session: int) -> Table:
        return Device(self.it.plugin).of_session(session)

    def copies(self, allocator: Table, number: float) -> None:
        """From the host to the device, on the device, and back."""
        data = np.full(_SHAPE, number, np.float32)
        first, second = (on(self.it, allocator, _SHAPE) for _ in range(2))
        self.it.queues.copy([(self.it.queues.view(data), first)])
        self.it.queues.copy([(first, second)])
        same(self.it.queues.read(second), data)
        self.release(first, second)

    def runs(self, session: int, number: float) -> None:
        """From the host to the host."""
        data = np.full(_SHAPE, number, np.float32)
        same(self.it.run(session, {"X": data}, "Y")[0], number * X)

    def binds(self, session: int, number: float, *, to_host: bool, from_host: bool) -> None:
        """Input and output where the test wants them."""
        data, result = np.full(_SHAPE, number, np.float32), np.zeros(_SHAPE, np.float32)
        queues = self.it.queues
        x = queues.view(data) if from_host else self.put(data)
        y = queues.view(result) if to_host else on(self.it, self.shared, _SHAPE)
        queues.run(session, {"X": x}, {"Y": y})
        same(result if to_host else queues.read(y), number * X)
        self.release(x, y)

    def put(self, data: np.ndarray) -> Tensor:
        """A tensor on the device with that data."""
        made = on(self.it, self.shared, data.shape)
        self.it.queues.copy([(self.it.queues.view(data), made)])
        return made

    def release(self, *tensors: Tensor) -> None:
        for each in tensors:
            self.it.api.get("ReleaseValue", each.value)


def at_once(work: Callable[[int], None], count: int = _THREADS) -> None:
    """Lets threads begin together; whatever one of them raises is raised here."""
    start, wrong = threading.Barrier(count), []

    def call(number: int) -> None:
        start.wait()
        try:
            work(number)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


@of("EnvironmentCopiesBeforeAndAfterSerialSessionCreation")
def copies_between_sessions(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)
        bench.copies(bench.shared, 1)
        sessions = []
        for _ in range(_THREADS):
            sessions.append(bench.session())
            bench.copies(bench.shared, 2)
            bench.runs(sessions[-1], 3)
        for each in sessions:
            it.close(each)
        bench.copies(bench.shared, 4)
        bench.runs(bench.session(), 5)


@of("DifferentSessionsCreateConcurrently")
def sessions_are_made_at_once(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench, sessions = Bench(it), [0] * _THREADS

        def make(number: int) -> None:
            sessions[number] = bench.session()

        at_once(make)
        for number, session in enumerate(sessions):
            bench.runs(session, number + 1)
        at_once(
            lambda number: [
                bench.runs(sessions[(number + 1) % _THREADS], number * _TURNS + turn + 1)
                for turn in range(_TURNS)
            ]
        )


def _runs_at_once(place: Place, **how: bool) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)
        sessions = [bench.session() for _ in range(_THREADS)]

        def work(number: int) -> None:
            for turn in range(_TURNS):
                if how:
                    bench.binds(sessions[number], number * _TURNS + turn + 1, **how)
                else:
                    bench.runs(sessions[number], number * _TURNS + turn + 1)

        at_once(work)


@of("DifferentSessionsRunConcurrently")
def sessions_run_at_once(place: Place) -> None:
    _runs_at_once(place, from_host=False, to_host=False)


@of("CpuInputAndOutputRun")
def from_the_host_to_the_host(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)
        session = bench.session()
        for turn in range(_TURNS):
            bench.runs(session, turn + 1)


@of("CpuPartitionBetweenGpuKernels")
def a_part_of_the_cpu_s_in_the_middle(place: Place) -> None:
    """The execution provider has no Neg."""
    made = model(
        [
            node("Mul", ["X", "two"], ["a"], name="first"),
            node("Neg", ["a"], ["b"], name="middle"),
            node("Mul", ["b", "two"], ["Y"], name="last"),
        ],
        [value("X", _SHAPE)],
        [value("Y", _SHAPE)],
        [constant("two", np.float32(2))],
    )
    with example(place, virtual=True) as it:
        options = it.options()
        it.api("SetSessionGraphOptimizationLevel", options, 0)
        session = it.session(made, options)
        for ask in ("SessionGetEpDeviceForInputs", "SessionGetEpDeviceForOutputs"):
            devices = (c_void_p * 1)()
            it.api(ask, session, devices, 1)
            assert text_of(it.api.get("EpDevice_EpName", devices[0])) == it.ep
        assert (CPU_EP, ["middle"]) in it.assigned(session)
        for turn in range(_TURNS):
            data = np.full(_SHAPE, turn + 1, np.float32)
            same(it.run(session, {"X": data}, "Y")[0], -4 * data)


@of("CpuInputAndGpuOutputRun")
def from_the_host_to_the_device(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)
        bench.binds(bench.session(), 1, from_host=True, to_host=False)


@of("GpuInputAndCpuOutputRun")
def from_the_device_to_the_host(place: Place) -> None:
    """A tensor of the device's as an input of an ordinary run, and bound to one."""
    with example(place, virtual=True) as it:
        bench = Bench(it)
        session = bench.session()
        bench.binds(session, 1, from_host=False, to_host=True)
        _feed(bench, session, bench.put(np.full(_SHAPE, 7, np.float32)), 7)


def _feed(bench: Bench, session: int, x: Tensor, number: float) -> None:
    """Runs without a binding on a tensor of the device's."""
    api, values, results = bench.it.api, (c_void_p * 1)(x.value), (c_void_p * 1)()
    api("Run", session, 0, texts(["X"]), values, 1, texts(["Y"]), 1, results)
    same(read(bench.it.ort, results[0] or 0), number * X)
    api.get("ReleaseValue", results[0])
    bench.release(x)


@of("DifferentSessionsWithCpuInputAndOutputRunConcurrently")
def sessions_run_on_the_host_s_tensors_at_once(place: Place) -> None:
    _runs_at_once(place)


@of("SessionAllocatorsCreateAndCopyConcurrently")
def allocators_of_sessions_at_once(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)
        sessions = [bench.session() for _ in range(_THREADS)]

        def work(number: int) -> None:
            allocator = bench.allocator_of(sessions[number])
            for turn in range(_TURNS):
                bench.copies(allocator, number * _TURNS + turn + 1)
            it.api.get("ReleaseAllocator", allocator.address)

        at_once(work)


@of("SharedAllocatorCreatesAndCopiesConcurrently")
def the_shared_allocator_at_once(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)

        def work(number: int) -> None:
            for turn in range(_TURNS):
                bench.copies(bench.shared, number * _TURNS + turn + 1)

        at_once(work)


@of("EnvironmentCopiesBatchedEmptyAndUnalignedTensors")
def many_sizes_in_one_copy(place: Place) -> None:
    sizes, room, untouched = (0, 1, 3, 4, 5, 16, 17), 20, 0xCC
    with example(place, virtual=True) as it:
        bench = Bench(it)
        given = [np.arange(room, dtype=np.uint8) + room * number for number in range(len(sizes))]
        back = [np.full(room, untouched, np.uint8) for _ in sizes]
        info = it.api.make("CreateCpuMemoryInfo", 0, 0)

        def view(array: np.ndarray, size: int) -> Tensor:
            arguments = (info, array.ctypes.data, size, (c_int64 * 1)(size), 1, _UINT8)
            made = it.api.make("CreateTensorWithDataAsOrtValue", *arguments)
            return Tensor(it.plugin, made, (size,), array)

        def place_of(size: int) -> Tensor:
            arguments = (bench.shared.address, (c_int64 * 1)(size), 1, _UINT8)
            return Tensor(it.plugin, it.api.make("CreateTensorAsOrtValue", *arguments), (size,), 0)

        rows = [
            [view(*each) for each in zip(given, sizes, strict=True)],
            [place_of(size) for size in sizes],
            [place_of(size) for size in sizes],
            [view(*each) for each in zip(back, sizes, strict=True)],
        ]
        for source, target in pairwise(rows):
            it.queues.copy(list(zip(source, target, strict=True)))
        for size, was, found in zip(sizes, given, back, strict=True):
            assert (found[:size] == was[:size]).all(), size
            assert (found[size:] == untouched).all(), size
        for row in rows:
            bench.release(*row)


@of("SharedGpuCopyCompletesBeforeSessionRun")
def a_run_comes_after_a_copy(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)
        session = bench.session()
        for turn in range(_TURNS):
            source = bench.put(np.full(_SHAPE, turn + 1, np.float32))
            target = on(it, bench.shared, _SHAPE)
            it.queues.copy([(source, target)])
            _feed(bench, session, target, turn + 1)
            bench.release(source)


@of("DifferentSessionsAndEnvironmentCopiesRunConcurrently")
def runs_and_copies_at_once(place: Place) -> None:
    with example(place, virtual=True) as it:
        bench = Bench(it)
        sessions = [bench.session() for _ in range(_THREADS)]

        def work(number: int) -> None:
            for turn in range(_TURNS):
                if number < _THREADS:
                    bench.runs(sessions[number], number * _TURNS + turn + 1)
                else:
                    bench.copies(bench.shared, number * _TURNS + turn + 1)

        at_once(work, 2 * _THREADS)


def _mixed(place: Place, groups: int) -> None:
    """Sessions are made; others run; the environment copies; and allocators of sessions do."""
    with example(place, virtual=True) as it:
        bench = Bench(it)
        sessions = [bench.session() for _ in range(_THREADS)]

        def work(number: int) -> None:
            for turn in range(_MIXED_TURNS):
                group, session = divmod(number, _THREADS)
                given = number * _MIXED_TURNS + turn + 1
                if group == 0:
                    it.close(bench.session())
                elif group == 1:
                    bench.runs(sessions[session], given)
                elif group == 2:
                    bench.copies(bench.shared, given)
                else:
                    allocator = bench.allocator_of(sessions[session])
                    bench.copies(allocator, given)
                    it.api.get("ReleaseAllocator", allocator.address)

        at_once(work, groups * _THREADS)


@of("MixedSessionAndEnvironmentOperationsConcurrently12Threads")
def all_of_it_at_once(place: Place) -> None:
    _mixed(place, 3)


@of("DISABLED_MixedSessionAndAllocatorOperationsConcurrently16Threads")
def all_of_it_and_allocators_of_sessions_at_once(place: Place) -> None:
    """ORT has switched its test off."""
    _mixed(place, 4)


@of("SessionAllocatorClearsReusedBufferOutsideRun")
def memory_that_is_used_again(place: Place) -> None:
    """WebGPU clears it. Here, as with `malloc`, what is in it is open until it is written."""
    with example(place, virtual=True) as it:
        bench = Bench(it)
        allocator = bench.allocator_of(bench.session())
        addresses = set()
        for number in (7, 8):
            tensor = on(it, allocator, _SHAPE)
            addresses.add(it.api.make("GetTensorMutableData", tensor.value))
            data = np.full(_SHAPE, number, np.float32)
            it.queues.copy([(it.queues.view(data), tensor)])
            same(it.queues.read(tensor), data)
            bench.release(tensor)
        assert len(addresses) == 1
        it.api.get("ReleaseAllocator", allocator.address)
