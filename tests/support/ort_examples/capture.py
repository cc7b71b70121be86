"""test_graph_capture.cc, and what test_webgpu_concurrency.cc has of it: runs that are replayed.

If, Loop and Scan cannot be captured, so these run on a blueprint of their own, with the hooks of
the simulated device, which counts replays.
"""

from __future__ import annotations

import numpy as np
from allocators import Device
from capi import Table
from device_hooks import DeviceHooks
from streams import Tensor

from ort_examples.concurrency import at_once
from ort_examples.harness import NO_FALLBACK, Example, Place, X, example, mul, of, same
from ort_examples.memory import on

_THREADS, _TURNS = 4, 20


class Captured:
    """A session that captures its first run, and tensors on the device that stay where they are."""

    def __init__(self, it: Example, allocator: Table) -> None:
        self.it = it
        self.session = it.session(mul(), it.options(NO_FALLBACK, {"enable_graph_capture": "1"}))
        self.x, self.y = (on(it, allocator, X.shape) for _ in range(2))

    def check(self, data: np.ndarray) -> None:
        """Other numbers in the same place."""
        queues = self.it.queues
        queues.copy([(queues.view(data), self.x)])
        queues.run(self.session, {"X": self.x}, {"Y": self.y})
        same(queues.read(self.y), data * X)

    def release(self) -> None:
        tensors: tuple[Tensor, ...] = (self.x, self.y)
        self.it.close(self.session)
        for each in tensors:
            self.it.api.get("ReleaseValue", each.value)


@of("WebGpuGraphCaptureAndReplay")
def a_replay_sees_what_is_there_then(place: Place) -> None:
    with example(place, "capture", virtual=True) as it:
        hooks = DeviceHooks(place.libraries["capture"])
        bench = Captured(it, Device(it.plugin).shared())
        bench.check(X)
        bench.check(X + 1)
        assert (hooks.count("captures"), hooks.count("replays")) == (1, 2)
        bench.release()


@of("DifferentSessionsGraphCaptureAndReplayConcurrently")
def sessions_replay_at_once(place: Place) -> None:
    with example(place, "capture", virtual=True) as it:
        hooks = DeviceHooks(place.libraries["capture"])
        before = hooks.count("replays")
        allocator = Device(it.plugin).shared()
        every = [Captured(it, allocator) for _ in range(_THREADS)]

        def work(number: int) -> None:
            for turn in range(_TURNS):
                every[number].check(np.full(X.shape, number * _TURNS + turn + 1, np.float32))

        at_once(work)
        assert hooks.count("replays") - before >= _THREADS * (_TURNS - 1)
        for each in every:
            each.release()
