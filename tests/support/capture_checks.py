"""What must hold of runs that are captured and replayed, whatever a session or an application does.

Like stream_checks: each check runs in a process of its own, and the device is late with everything.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from ctypes import c_int64
from functools import partial
from pathlib import Path
from typing import Any

import models
import numpy as np
from allocators import statistics
from capi import OrtError
from stream_checks import CHAIN, World
from streams import Tensor, floats

_SHAPE = (4, 8)
_INT64 = 7
_MANY = 6000  # tensors: more than the first region of an arena holds
_DISABLE_ALL = 0  # GraphOptimizationLevel
#: A few values between input and result, of which each is the only one of its time: y = 16 x.
LONG = [
    models.node("Mul", ["x", "K"], ["a"], name="first"),
    models.node("Mul", ["a", "K"], ["b"], name="second"),
    models.node("Mul", ["b", "K"], ["c"], name="third"),
    models.node("Mul", ["c", "K"], ["y"], name="fourth"),
]


class Bench:
    """A session that captures, with tensors on the device for it."""

    def __init__(
        self,
        world: World,
        nodes: list[Any] = CHAIN,
        more: Mapping[str, str] | None = None,
        **config: str,
    ) -> None:
        self.world, self.queues, self.hooks = world, world.queues, world.hooks
        prefix = f"ep.{world.plugin.ep.lower()}."
        self.session = world.session(
            nodes,
            {
                f"{prefix}enable_graph_capture": "1",
                **{f"{prefix}{key}": value for key, value in config.items()},
                **(more or {}),
            },
        )
        self.x = world.put(np.zeros(_SHAPE, np.float32))
        self.y = world.put(np.zeros(_SHAPE, np.float32))

    def run(self, x: Tensor | None = None, y: Tensor | None = None, **more: Any) -> None:
        self.queues.run(self.session, {"x": x or self.x}, {"y": y or self.y}, **more)

    def fill(self, x: np.ndarray) -> None:
        """Changes the input where it is."""
        self.queues.copy([(self.queues.view(x), self.x)])

    def check(self, factor: int, turn: int, **more: Any) -> None:
        """Runs on other numbers in the same place."""
        x = floats(*_SHAPE, start=turn)
        self.fill(x)
        self.run(**more)
        assert (self.queues.read(self.y) == factor * x).all(), turn

    def count(self, name: str) -> int:
        return self.hooks.count(name)

    def release(self, graph: int = 0) -> None:
        """Releases a captured graph; an application can from 1.27 on."""
        self.world.ort.api("SessionReleaseCapturedGraph", self.session, graph)

    def fails(self, text: str, **more: Any) -> None:
        assert text in _error(lambda: self.run(**more))


def check_a_replay_calls_no_kernel(world: World) -> None:
    """A warm run, one that is captured; from then on the device replays and nothing is launched."""
    bench = Bench(world)
    bench.check(4, 1)
    assert (bench.count("launches"), bench.count("captures")) == (4, 1)
    assert bench.count("replays") == 1, "what was captured was not done"
    for turn in range(2, 7):
        bench.check(4, turn)
        assert bench.count("replays") == turn
    assert (bench.count("launches"), bench.count("captures")) == (4, 1)
    world.ort.api.get("ReleaseSession", bench.session)
    assert bench.count("graphs") == 0


def check_without_the_option_nothing_is_captured(world: World) -> None:
    """The feature is there; the session does not ask for it."""
    session = world.session(CHAIN)
    x, y = world.put(floats(*_SHAPE)), world.put(np.zeros(_SHAPE, np.float32))
    for _ in range(3):
        world.queues.run(session, {"x": x}, {"y": y})
    assert (world.hooks.count("launches"), world.hooks.count("captures")) == (6, 0)
    assert (world.fetched(session, floats(*_SHAPE, start=3)) == 4 * floats(*_SHAPE, start=3)).all()


def check_graphs_of_their_own(world: World) -> None:
    """Two numbers, two graphs, each with its own tensors; -1 captures and replays nothing."""
    bench = Bench(world)
    tensors = {
        graph: (world.put(floats(*_SHAPE, start=100 * graph)), world.queues.on_device(_SHAPE))
        for graph in (1, 2, -1)
    }
    for turn in range(3):
        for graph, (x, y) in tensors.items():
            world.queues.copy([(world.queues.view(np.zeros(_SHAPE, np.float32)), y)])
            bench.run(x, y, graph=graph)
            assert (world.queues.read(y) == 4 * floats(*_SHAPE, start=100 * graph)).all(), turn
    assert bench.count("captures") == 2
    assert bench.count("replays") == 6
    assert bench.count("launches") == 2 * 4 + 3 * 2


def check_memory_of_a_graph_is_its_own(world: World) -> None:
    """Whatever is allocated meanwhile: a replay overwrites nobody's data, and nobody its."""
    bench = Bench(world, LONG)
    bench.check(16, 1)
    others = [world.put(floats(*_SHAPE, start=number)) for number in range(_MANY)]
    for turn in range(2, 5):
        bench.check(16, turn)
    for number, other in enumerate(others):
        assert (world.queues.read(other) == floats(*_SHAPE, start=number)).all(), number


def check_what_is_bound_is_not_given_away(world: World) -> None:
    """An application drops what it has bound: while there is the graph, nobody else gets it."""
    api = world.ort.api
    bench = Bench(world)
    x, y = world.put(floats(*_SHAPE)), world.put(np.zeros(_SHAPE, np.float32))
    bench.run(x, y)
    dropped = {api.make("GetTensorMutableData", tensor.value) for tensor in (x, y)}
    for tensor in (x, y):
        api.get("ReleaseValue", tensor.value)
    world.queues.read(bench.y)  # waits for all: what is freed is free
    for _ in range(_MANY):
        other = world.queues.on_device(_SHAPE)
        assert api.make("GetTensorMutableData", other.value) not in dropped
    bench.run(bench.x, bench.y)  # a replay, so on the tensors that are gone
    assert (bench.count("captures"), bench.count("replays")) == (1, 2)


def check_release_gives_all_back(world: World) -> None:
    """A released graph leaves no memory behind, and is captured anew when it is wanted."""
    if world.ort.level < 27:
        return
    allocator = world.queues.device.shared()
    bench = Bench(world, LONG)
    bench.run(graph=-1)  # takes what every run takes
    used = statistics(allocator)["InUse"]
    memory = bench.count("bytes_in_use")
    for turn in range(3):
        x, y = world.put(floats(*_SHAPE, start=turn)), world.put(np.zeros(_SHAPE, np.float32))
        bench.run(x, y, graph=1)
        assert (world.queues.read(y) == 16 * floats(*_SHAPE, start=turn)).all()
        for tensor in (x, y):
            world.ort.api.get("ReleaseValue", tensor.value)
        assert bench.count("graphs") == 1
        assert bench.count("bytes_in_use") > memory
        bench.release(1)
        assert bench.count("graphs") == 0
        assert bench.count("bytes_in_use") == memory
        assert statistics(allocator)["InUse"] == used
    bench.release(1)  # what there is not
    bench.release(77)
    assert bench.count("captures") == 3


def check_release_while_it_runs(world: World) -> None:
    """A graph is released while runs of it go on: each of them is right."""
    if world.ort.level < 27:
        return
    world.hooks.set_delay(20)
    bench = Bench(world)
    over = threading.Event()
    x = floats(*_SHAPE, start=3)
    bench.fill(x)

    def release() -> None:
        while not over.is_set():
            bench.release(1)

    thread = threading.Thread(target=release)
    thread.start()
    zeros = np.zeros(_SHAPE, np.float32)
    try:
        turn = 0
        # However seldom the other thread has its turn, a release falls among the runs in the end.
        while turn < 60 or bench.count("captures") < 2:
            turn += 1
            world.queues.copy([(world.queues.view(zeros), bench.y)])
            error = _error(lambda: bench.run(graph=1))
            if error:  # between ORT's question and its replay
                assert "it has been released meanwhile" in error
                continue
            assert (world.queues.read(bench.y) == 4 * x).all(), turn
    finally:
        over.set()
        thread.join()


def check_tensors_on_the_host_are_refused(world: World) -> None:
    """A copy from or to the host cannot be replayed; without a graph it can be made."""
    x = floats(*_SHAPE, start=5)
    bench = Bench(world)
    for _ in range(2):
        error = _error(lambda: world.fetched(bench.session, x))
        assert "CopyToDevice with memory of the host" in error
    back = np.zeros(_SHAPE, np.float32)
    bench.fails("CopyToHost with memory of the host", y=world.queues.view(back))
    bench.fill(x)
    bench.run(y=world.queues.view(back), graph=-1)
    assert (back == 4 * x).all()
    assert bench.count("graphs") == 0
    bench.check(4, 6)
    assert bench.count("graphs") == 1


def check_an_error_leaves_no_graph(world: World) -> None:
    """A run that fails, warm or captured, is told of; the next one is right, and captured."""
    for call, nth in (
        *(("launch", nth) for nth in (1, 2, 3, 4)),
        *(("work", nth) for nth in (3, 4)),  # that are captured
        *((call, 1) for call in ("begin_capture", "end_capture", "replay")),
    ):
        bench = Bench(world)
        world.hooks.fail(call, nth)
        bench.fails("a test asked for")
        assert bench.count("graphs") == 0, (call, nth)
        for turn in range(3):
            bench.check(4, turn)
        assert bench.count("graphs") == 1, (call, nth)
        world.hooks.fail("replay")
        bench.fails("a test asked for")
        bench.check(4, 3)
        world.ort.api.get("ReleaseSession", bench.session)


def check_a_run_that_is_ended_is_not_captured(world: World) -> None:
    """The application ends a run: what there was of it is neither warm nor captured."""
    api = world.ort.api
    bench = Bench(world)
    options = api.make("CreateRunOptions")
    api("RunOptionsSetTerminate", options)
    binding = api.make("CreateIoBinding", bench.session)
    api("BindInput", binding, "x", bench.x.value)
    api("BindOutput", binding, "y", bench.y.value)
    for _ in range(3):
        assert _error(lambda: api("RunWithBinding", bench.session, options, binding))
        assert bench.count("graphs") == 0
    launches = bench.count("launches")
    for turn in range(3):
        bench.check(4, turn)
    assert bench.count("launches") == launches + 4, "nothing was warm"
    assert bench.count("captures") == 1


def check_a_run_s_stream_is_refused(world: World) -> None:
    """A stream that is handed to a run: a replay would not be on it."""
    queues = world.queues
    bench = Bench(world)
    stream = queues.stream()
    bench.fails("a run on a stream of its own cannot be captured", stream=stream)
    bench.check(4, 1, stream=stream, graph=-1)
    bench.check(4, 2)
    # At a replay ONNX Runtime does not tell of the stream; what is in it is waited for.
    world.hooks.set_delay(0)
    world.hooks.set_delay(30000, world.hooks.find_stream(queues.handle(stream)))
    for turn in range(3, 6):
        x = floats(*_SHAPE, start=turn)
        queues.copy([(world.put(x), bench.x)], stream)
        bench.run(stream=stream)
        assert (queues.read(bench.y) == 4 * x).all(), turn
    queues.release(stream)


def check_an_option_s_stream_is_captured(world: World) -> None:
    """`user_compute_stream`: what the application has put into it comes before the replay."""
    queues = world.queues
    stream = queues.stream()
    handle = queues.handle(stream)
    number = world.hooks.find_stream(handle)
    bench = Bench(world, user_compute_stream=str(handle))
    for turn in range(4):
        x = floats(*_SHAPE, start=turn)
        queues.copy([(world.put(x), bench.x)], stream)
        bench.run()
        assert (queues.read(bench.y) == 4 * x).all(), turn
    assert world.hooks.count("replays", number) == 4
    world.ort.api.get("ReleaseSession", bench.session)
    assert (queues.read(world.put(floats(*_SHAPE))) == floats(*_SHAPE)).all()
    queues.release(stream)


def check_values_on_the_host_are_the_same_each_time(world: World) -> None:
    """A shape that comes with the run is read once: refused. One made of shapes is captured."""
    api, queues = world.ort.api, world.queues
    key = f"ep.{world.plugin.ep.lower()}.enable_graph_capture"
    for nodes, is_fixed in (
        ([models.node("Reshape", ["x", "s"], ["y"])], False),
        (
            [models.node("Shape", ["x"], ["t"]), models.node("Reshape", ["x", "t"], ["y"])],
            True,
        ),
    ):
        inputs = [models.value("x", list(_SHAPE))]
        if not is_fixed:
            inputs.append(models.value("s", [2], models.INT64))
        model = models.model(nodes, inputs, [models.value("y", ["m", "n"])], [])
        options = world.plugin.options({key: "1"})
        api("SetSessionGraphOptimizationLevel", options, _DISABLE_ALL)
        session = world.plugin.open(model.SerializeToString(), options)
        x, y = world.put(floats(*_SHAPE)), world.put(np.zeros(_SHAPE, np.float32))
        feeds = {"x": x}
        if not is_fixed:
            shape = np.array(_SHAPE, np.int64)
            info = api.make("CreateCpuMemoryInfo", 0, 0)
            dims = (c_int64 * 1)(2)
            arguments = (info, shape.ctypes.data, shape.nbytes, dims, 1, _INT64)
            value = api.make("CreateTensorWithDataAsOrtValue", *arguments)
            feeds["s"] = Tensor(world.plugin, value, (2,), shape)
        run = partial(queues.run, session, feeds, {"y": y})
        if is_fixed:
            run()
            assert (queues.read(y) == floats(*_SHAPE)).all()
        else:
            assert "input 's' is read on the host" in _error(run)
        assert world.hooks.count("graphs") == is_fixed


def check_a_session_of_two_queues(world: World) -> None:
    """ONNX Runtime divides a session among two queues; the device has one for both."""
    nodes = [
        models.node("Mul", ["x", "K"], ["a"], name="a0"),
        models.node("Mul", ["a", "K"], ["b"], name="a1"),
        models.node("Mul", ["x", "L"], ["c"], name="b0"),
        models.node("Mul", ["c", "L"], ["d"], name="b1"),
        models.node("Add", ["b", "d"], ["y"], name="a2"),
    ]
    places = {
        "type": "DeviceBasedPartitioner",
        "streams": [["a0", "a1", "a2"], ["b0", "b1"]],
        "devices": ["1", "1"],  # GPUs
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "places.json"
        file.write_text(json.dumps(places), encoding="utf-8")
        bench = Bench(world, nodes, {"session.node_partition_config_file": str(file)})
    for turn in range(4):
        bench.check(13, turn)
    assert (bench.count("captures"), bench.count("replays")) == (1, 4)


def check_a_node_of_the_cpu_s(world: World) -> None:
    """What a replay would leave out is no part of a session that captures."""
    nodes = [
        models.node("Mul", ["x", "K"], ["a"]),
        models.node("Neg", ["a"], ["b"]),
        models.node("Mul", ["b", "K"], ["y"]),
    ]
    key = f"ep.{world.plugin.ep.lower()}.enable_graph_capture"
    config = {key: "1", "session.disable_cpu_ep_fallback": "0"}
    assert "graph" in _error(lambda: world.session(nodes, config)).lower()


def check_threads_of_one_session(world: World) -> None:
    """Each thread with tensors and a graph of its own; and without, at the same time."""
    world.hooks.set_delay(20)
    bench = Bench(world)
    _at_once([partial(_work, bench, graph) for graph in (1, 2, 3, -1, -1)])
    assert bench.count("captures") == 3


def check_sessions_at_once(world: World) -> None:
    """One session captures while others run, copy without a stream, come and go."""
    world.hooks.set_delay(20)

    over = threading.Event()

    def captures() -> None:
        try:
            for _ in range(20):
                bench = Bench(world, LONG)
                bench.run()
                bench.check(16, 3)
                world.ort.api.get("ReleaseSession", bench.session)
        finally:
            over.set()

    def runs() -> None:
        session = world.session(CHAIN)
        while not over.is_set():
            x = floats(*_SHAPE, start=7)
            assert (world.fetched(session, x) == 4 * x).all()

    def copies() -> None:
        x = floats(*_SHAPE, start=9)
        tensor = world.put(x)
        while not over.is_set():
            assert (world.queues.read(tensor) == x).all()

    _at_once([captures, runs, copies, copies])


def check_older_runtimes_run_as_ever(world: World) -> None:
    """The option is there, and has no effect: the log says so."""
    bench = Bench(world)
    for turn in range(4):
        bench.check(4, turn)
    assert (world.fetched(bench.session, floats(*_SHAPE)) == 4 * floats(*_SHAPE)).all()
    assert bench.count("captures") == 0


def _error(call: Callable[[], object]) -> str:
    """What ONNX Runtime says of a call; nothing where it is fine."""
    try:
        call()
    except OrtError as error:
        return str(error)
    return ""


def _work(bench: Bench, graph: int, turns: int = 30) -> None:
    queues = bench.queues
    x, y = queues.on_device(_SHAPE), queues.on_device(_SHAPE)
    for turn in range(turns):
        data = floats(*_SHAPE, start=1000 * graph + turn)
        queues.copy([(queues.view(data), x)])
        bench.run(x, y, graph=graph)
        assert (queues.read(y) == 4 * data).all(), (graph, turn)


def _at_once(works: list[Callable[[], None]]) -> None:
    wrong: list[str] = []

    def call(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # every thread's fault is this one's to tell
            wrong.append(repr(error))

    threads = [threading.Thread(target=call, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


CHECKS: dict[str, Callable[[World], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}

if __name__ == "__main__":
    CHECKS[sys.argv[2]](World(sys.argv[1]))
