"""What must hold of a device's queues, whatever a session or an application does.

Each check runs in a process of its own that has registered the test variant of a library, whose
device is late with everything. What is not waited for is read too early then, and is wrong.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import models
import numpy as np
from allocators import HOST_ACCESSIBLE
from capi import Ort, OrtError, Plugin
from device_hooks import DeviceHooks
from streams import Queues, Tensor, floats

_LATE = 3000  # microseconds, for each item of a queue
_SHAPE = (4, 8)
_DISABLE_ALL = 0  # GraphOptimizationLevel


class World:
    """A registered library, its device, and the handle on it."""

    def __init__(self, library: str) -> None:
        self.ort = Ort()
        self.plugin = Plugin(self.ort, library, "plugin.virtual")
        self.hooks = DeviceHooks(library)
        self.queues = Queues(self.plugin)
        self.hooks.set_delay(_LATE)

    def session(self, nodes: list[Any], config: dict[str, str] | None = None, **more: Any) -> int:
        """A session of a model from x to y, all of it on the device."""
        model = models.model(
            nodes,
            [models.value("x", list(_SHAPE))],
            [models.value("y", list(_SHAPE))],
            [
                models.constant("K", np.full(_SHAPE[1], 2, np.float32)),
                models.constant("L", np.full(_SHAPE[1], 3, np.float32)),
                *more.pop("constants", []),
            ],
        )
        assert not more
        options = self.plugin.options(config)
        self.ort.api("SetSessionGraphOptimizationLevel", options, _DISABLE_ALL)
        return self.plugin.open(model.SerializeToString(), options)

    def fetched(self, session: int, x: np.ndarray) -> np.ndarray:
        """The result of a run from the host to the host."""
        return self.plugin.run(session, {"x": x}, "y")

    def put(self, array: np.ndarray) -> Tensor:
        """A tensor on the device with that data."""
        made = self.queues.on_device(array.shape)
        self.queues.copy([(self.queues.view(array), made)])
        return made


#: y = 4 x
CHAIN = [
    models.node("Mul", ["x", "K"], ["a"], name="first"),
    models.node("Mul", ["a", "K"], ["y"], name="second"),
]


def check_copies_without_a_stream_are_complete(world: World) -> None:
    """FR 51: one at a time and several at once; each comes after all that was asked for before."""
    queues = world.queues
    for turn in range(200):
        first, second = floats(*_SHAPE, start=turn), floats(*_SHAPE, start=-turn)
        device = [queues.on_device(_SHAPE) for _ in range(4)]
        back = [np.full(_SHAPE, np.nan, np.float32) for _ in range(2)]
        queues.copy([(queues.view(first), device[0])])
        queues.copy([(queues.view(second), device[1]), (queues.view(first), device[2])])
        queues.copy([(device[1], device[3]), (device[0], device[2])])
        queues.copy([(device[2], queues.view(back[0])), (device[3], queues.view(back[1]))])
        assert (back[0] == first).all(), turn
        assert (back[1] == second).all(), turn


def check_copies_on_a_stream_keep_its_order(world: World) -> None:
    """FR 51: an upload does not overtake the clearing that is queued before it."""
    queues = world.queues
    stream = queues.stream()
    zeros = world.put(np.zeros(_SHAPE, np.float32))
    for turn in range(50):
        data, back = floats(*_SHAPE, start=turn + 1), np.full(_SHAPE, np.nan, np.float32)
        target, other = queues.on_device(_SHAPE), queues.on_device(_SHAPE)
        queues.copy([(zeros, target)], stream)
        queues.copy([(queues.view(data), target)], stream)
        queues.copy([(target, other), (zeros, target)], stream)
        queues.copy([(other, queues.view(back))], stream)
        assert (back == data).all(), turn
    queues.release(stream)


def check_an_upload_leaves_the_host_s_memory(world: World) -> None:
    """What was uploaded may be overwritten as soon as the call has returned."""
    queues = world.queues
    stream = queues.stream()
    data = floats(*_SHAPE, start=5)
    expected = data.copy()
    device = queues.on_device(_SHAPE)
    queues.copy([(queues.view(data), device)], stream)
    data[:] = -1
    assert (queues.read(device) == expected).all()
    queues.release(stream)


def check_a_download_is_there_on_return(world: World) -> None:
    """Ordinary memory of the host holds the data when the call has returned, stream or not."""
    queues = world.queues
    stream = queues.stream()
    data = floats(*_SHAPE, start=7)
    device, back = world.put(data), np.full(_SHAPE, np.nan, np.float32)
    queues.copy([(device, queues.view(back))], stream)
    assert (back == data).all()
    queues.release(stream)


def check_a_copy_without_a_stream_waits_for_all(world: World) -> None:
    """A copy without a stream finds what is queued on another one done."""
    queues = world.queues
    stream = queues.stream()
    data = floats(*_SHAPE, start=9)
    source, target = world.put(data), world.put(np.zeros(_SHAPE, np.float32))
    queues.copy([(source, target)], stream)
    assert (queues.read(target) == data).all()
    queues.release(stream)


def check_memory_that_both_reach(world: World) -> None:
    """Pinned memory: copied to and from, on a stream and without."""
    queues = world.queues
    stream = queues.stream()
    data = floats(*_SHAPE, start=11)
    device, pinned = world.put(data), queues.on_device(_SHAPE, HOST_ACCESSIBLE)
    back = np.full(_SHAPE, np.nan, np.float32)
    queues.copy([(device, pinned)], stream)  # nobody waits for it ...
    queues.copy([(pinned, queues.view(back))], stream)  # ... but the host, before it reads
    assert (back == data).all()
    queues.copy([(device, pinned)], stream)
    assert (queues.read(pinned) == data).all()
    other = queues.on_device(_SHAPE)
    queues.copy([(queues.view(data + 1), pinned)])
    queues.copy([(pinned, other)], stream)
    queues.copy([(queues.view(np.zeros(_SHAPE, np.float32)), pinned)], stream)
    assert (queues.read(other) == data + 1).all()
    assert (queues.read(pinned) == 0).all()
    queues.release(stream)


def check_kernels_follow_their_queue(world: World) -> None:
    """A session's kernels, one after the other, and its results on the host."""
    session = world.session(CHAIN)
    for turn in range(5):
        x = floats(*_SHAPE, start=turn)
        assert (world.fetched(session, x) == 4 * x).all(), turn


def check_queues_wait_for_each_other(world: World) -> None:
    """Two queues in one session: what one makes, the other waits for."""
    values = ["x", "c0", "c1", "c2", "c3"]  # the other queue has more to do
    nodes = [
        models.node("Mul", ["x", "K"], ["a"], name="first"),
        *(
            models.node("Mul", [values[i], "L"], [values[i + 1]], name=f"other{i}")
            for i in range(4)
        ),
        models.node("Add", ["a", "c3"], ["y"], name="last"),
    ]
    places = {
        "type": "DeviceBasedPartitioner",
        "streams": [["first", "last"], [f"other{i}" for i in range(4)]],
        "devices": ["1", "1"],  # GPUs
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "places.json"
        file.write_text(json.dumps(places), encoding="utf-8")
        session = world.session(nodes, {"session.node_partition_config_file": str(file)})
    waits = world.hooks.count("device_waits")
    for turn in range(5):
        x = floats(*_SHAPE, start=turn)
        assert (world.fetched(session, x) == (2 + 81) * x).all(), turn
    assert world.hooks.count("device_waits") > waits, "the session has one queue only"


def check_the_host_waits_for_the_device(world: World) -> None:
    """A node of the CPU's in the middle: it waits for the device, and the device for its result."""
    nodes = [
        models.node("Mul", ["x", "K"], ["a"]),
        models.node("Neg", ["a"], ["b"]),
        models.node("Mul", ["b", "K"], ["y"]),
    ]
    session = world.session(nodes, {"session.disable_cpu_ep_fallback": "0"})
    for turn in range(5):
        x = floats(*_SHAPE, start=turn)
        assert (world.fetched(session, x) == -4 * x).all(), turn


def check_a_run_has_ended_when_it_returns(world: World) -> None:
    """Results that stay on the device have been made, unless the application will wait itself."""
    session = world.session(CHAIN)
    x, y = world.put(floats(*_SHAPE)), world.put(np.zeros(_SHAPE, np.float32))
    world.queues.run(session, {"x": x}, {"y": y})
    assert world.hooks.count("begun") == world.hooks.count("queued")
    world.queues.run(session, {"x": x}, {"y": y}, synchronize=False)
    assert (world.queues.read(y) == 4 * floats(*_SHAPE)).all()


def check_inputs_and_results_are_waited_for(world: World) -> None:
    """An application that binds tensors of the device waits for them by the session."""
    api, session = world.ort.api, world.session(CHAIN)
    x, y = world.put(floats(*_SHAPE)), world.queues.on_device(_SHAPE)
    world.queues.run(session, {"x": x}, {"y": y}, synchronize=False)
    binding = api.make("CreateIoBinding", session)
    api("SynchronizeBoundOutputs", binding)
    assert world.hooks.count("begun") == world.hooks.count("queued")
    api.get("ReleaseIoBinding", binding)


def check_an_option_s_stream_is_used(world: World) -> None:
    """`user_compute_stream`: the session works on the application's stream, and leaves it alive."""
    queues = world.queues
    stream = queues.stream()
    handle = queues.handle(stream)
    number = world.hooks.find_stream(handle)
    key = f"ep.{world.plugin.ep.lower()}.user_compute_stream"
    session = world.session(CHAIN, {key: str(handle)})
    source = world.put(floats(*_SHAPE, start=1))
    x, y = queues.on_device(_SHAPE), queues.on_device(_SHAPE)
    before = world.hooks.count("launches", number)
    queues.copy([(source, x)], stream)  # the run comes after it, though nobody waits
    queues.run(session, {"x": x}, {"y": y}, synchronize=False)
    z, back = queues.on_device(_SHAPE), np.full(_SHAPE, np.nan, np.float32)
    queues.copy([(y, z)], stream)  # and this after the run
    queues.copy([(z, queues.view(back))], stream)
    assert (back == 4 * floats(*_SHAPE, start=1)).all()
    queues.run(session, {"x": x}, {"y": y}, synchronize=False)
    world.ort.api.get("ReleaseSession", session)
    assert world.hooks.count("launches", number) > before
    assert (queues.read(y) == 4 * floats(*_SHAPE, start=1)).all()
    queues.release(stream)


def check_a_run_s_stream_is_used(world: World) -> None:
    """A stream that is handed to a run: two runs of one session on two streams, in turns."""
    queues = world.queues
    session = world.session(CHAIN)
    streams = [queues.stream() for _ in range(2)]
    numbers = [world.hooks.find_stream(queues.handle(stream)) for stream in streams]
    data = [floats(*_SHAPE, start=start) for start in (1, 1000)]
    x = [world.put(array) for array in data]
    for _ in range(5):
        y = [queues.on_device(_SHAPE) for _ in range(2)]
        for turn in (0, 1):
            feeds, fetches = {"x": x[turn]}, {"y": y[turn]}
            queues.run(session, feeds, fetches, stream=streams[turn], synchronize=False)
        for turn in (1, 0):
            assert (queues.read(y[turn]) == 4 * data[turn]).all()
    for number in numbers:
        assert world.hooks.count("launches", number) > 0
    for stream in streams:
        queues.release(stream)


def check_an_error_in_a_queue_reaches_the_run(world: World) -> None:
    """It has the node's name; the runs after it are right."""
    nodes = [
        models.node("Gather", ["x", "places"], ["a"], name="picks"),
        models.node("Mul", ["a", "K"], ["y"], name="after"),
    ]
    wrong, right = (
        world.session(nodes, constants=[models.constant("places", np.arange(start, start + 4))])
        for start in (100, 0)
    )
    x = floats(*_SHAPE)
    assert "picks" in _refusal(world, wrong, x)
    world.hooks.fail("work", 2)
    assert "that a test asked for" in _refusal(world, world.session(CHAIN), x)
    assert (world.fetched(right, x) == 2 * x).all()


def _refusal(world: World, session: int, x: np.ndarray) -> str:
    """What a run that fails says; empty for one that does not."""
    try:
        world.fetched(session, x)
    except OrtError as error:
        return str(error)
    return ""


def check_a_shape_s_data_lives_until_it_is_read(world: World) -> None:
    """What a kernel reads of the host's memory is its own when its turn comes."""
    nodes = [
        models.node("Shape", ["x"], ["s"]),
        models.node("Mul", ["x", "K"], ["a"]),
        models.node("Tile", ["a", "s"], ["t"]),
        models.node("Slice", ["t", "zero", "s"], ["y"]),
    ]
    session = world.session(nodes, constants=[models.constant("zero", np.zeros(2, np.int64))])
    for turn in range(5):
        x = floats(*_SHAPE, start=turn)
        assert (world.fetched(session, x) == 2 * x).all(), turn


def check_values_that_cross_inside_a_group(world: World) -> None:
    """Compiled groups: values that kernels of the host read, and those that they make."""
    turned = np.array([_SHAPE[1] - _SHAPE[0], _SHAPE[0] - _SHAPE[1]])  # makes (8, 4) of (4, 8)
    nodes = [
        models.node("Shape", ["x"], ["s"]),
        models.node("Add", ["s", "turned"], ["u"]),
        models.node("Reshape", ["x", "u"], ["r"]),
        models.node("Mul", ["r", "two"], ["a"]),
        models.node("Shape", ["a"], ["v"]),
        models.node("Add", ["v", "back"], ["w"]),
        models.node("Reshape", ["a", "w"], ["y"]),
    ]
    constants = [
        models.constant("turned", turned),
        models.constant("back", -turned),
        models.constant("two", np.float32(2)),
    ]
    session = world.session(nodes, constants=constants)
    for turn in range(5):
        x = floats(*_SHAPE, start=turn)
        assert (world.fetched(session, x) == 2 * x).all(), turn


def check_two_sessions_at_once(world: World) -> None:
    """FR 54: two sessions, eight threads each; others are made and released meanwhile."""
    world.hooks.set_delay(0)
    sessions = [world.session(CHAIN) for _ in range(2)]
    _at_once(world, [sessions[number % 2] for number in range(16)], 200, churn=True)


def check_one_session_at_once(world: World) -> None:
    """FR 54: one session on eight threads."""
    world.hooks.set_delay(20)
    _at_once(world, [world.session(CHAIN)] * 8, 50, churn=False)


def check_sessions_out_of_a_pool(world: World) -> None:
    """FR 55: made in turns, used and copied for by other threads, released in another order."""
    sessions = [world.session(CHAIN) for _ in range(4)]
    world.hooks.set_delay(50)
    _at_once(world, [sessions[each] for each in (2, 0, 3, 1)], 20, churn=False)
    for each in (1, 3, 0, 2):
        world.ort.api.get("ReleaseSession", sessions[each])
    again = world.session(CHAIN)
    x = floats(*_SHAPE)
    assert (world.fetched(again, x) == 4 * x).all()


def _at_once(world: World, sessions: list[int], runs: int, *, churn: bool) -> None:
    wrong: list[str] = []
    over = threading.Event()

    def work(number: int, session: int) -> None:
        try:
            for turn in range(runs):
                x = floats(*_SHAPE, start=1000 * number + turn)
                assert (world.fetched(session, x) == 4 * x).all(), (number, turn)
        except Exception as error:  # every thread's fault is this one's to tell
            wrong.append(repr(error))

    def make_and_release() -> None:
        while not over.is_set():
            world.ort.api.get("ReleaseSession", world.session(CHAIN))

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(sessions)]
    other = threading.Thread(target=make_and_release) if churn else None
    for thread in (*threads, *([other] if other else [])):
        thread.start()
    for thread in threads:
        thread.join()
    over.set()
    if other:
        other.join()
    assert not wrong, wrong


CHECKS: dict[str, Callable[[World], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}

if __name__ == "__main__":
    CHECKS[sys.argv[2]](World(sys.argv[1]))
