"""What must hold of streams on the command queue of a graphics API.

Like stream_checks: each check runs in a process of its own, and the device is late with everything.
A stream of the device, which the application makes beforehand, plays the command queue.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import byref, c_int32, c_uint32, c_void_p
from typing import Any

import numpy as np
from capi import OrtError
from stream_checks import CHAIN, World
from streams import floats

_SHAPE = (4, 8)
NONE, D3D12, VULKAN = 0, 1, 2
_INVALID_ARGUMENT, _NOT_IMPLEMENTED = 2, 9


class Config(ctypes.Structure):
    """OrtGraphicsInteropConfig."""

    _fields_ = (
        ("version", c_uint32),
        ("api", c_int32),
        ("queue", c_void_p),
        ("options", c_void_p),
    )


def _open(world: World, api: int = D3D12, queue: int = 0, **wrong: Any) -> None:
    fields = {"version": world.ort.level, "api": api, "queue": queue, **wrong}
    world.ort.interop(
        "InitGraphicsInteropForEpDevice", world.plugin.device, byref(Config(**fields))
    )


def _close(world: World) -> None:
    world.ort.interop("DeinitGraphicsInteropForEpDevice", world.plugin.device)


def check_streams_are_on_the_command_queue(world: World) -> None:
    """Those of applications and of sessions, from then on, and no longer than that."""
    queues, api = world.queues, world.ort.api
    graphics, before = queues.stream(), queues.stream()
    handle = queues.handle(graphics)
    number = world.hooks.find_stream(handle)
    _open(world, queue=handle)
    made = world.hooks.stream_count
    streams = [queues.stream() for _ in range(2)]
    assert [queues.handle(stream) for stream in streams] == [handle, handle]
    session = world.session(CHAIN)
    x = floats(*_SHAPE)
    assert (world.fetched(session, x) == 4 * x).all()
    assert world.hooks.count("launches", number) == 2
    assert world.hooks.stream_count == made, "a queue of its own"
    assert queues.handle(before) != handle
    api.get("ReleaseSession", session)
    for stream in streams:
        queues.release(stream)
    _close(world)
    after = queues.stream()
    assert queues.handle(after) not in (handle, queues.handle(before))
    # The command queue is as it was.
    data = world.put(floats(*_SHAPE, start=5))
    copy = queues.on_device(_SHAPE)
    queues.copy([(data, copy)], graphics)
    assert (queues.read(copy) == floats(*_SHAPE, start=5)).all()


def check_work_is_in_one_order(world: World) -> None:
    """A run comes after what the graphics API has put into its queue, and before what follows."""
    queues = world.queues
    graphics = queues.stream()
    _open(world, queue=queues.handle(graphics))
    session = world.session(CHAIN)
    source = world.put(floats(*_SHAPE, start=1))
    x, y, z = (world.put(np.zeros(_SHAPE, np.float32)) for _ in range(3))
    queues.copy([(source, x)], graphics)
    queues.run(session, {"x": x}, {"y": y}, synchronize=False)
    queues.copy([(y, z)], graphics)
    assert (queues.read(z) == 4 * floats(*_SHAPE, start=1)).all()


def check_without_a_command_queue(world: World) -> None:
    """Streams are like any others."""
    for graphics in (D3D12, VULKAN):
        _open(world, graphics)
        first, second = world.queues.stream(), world.queues.stream()
        assert world.queues.handle(first) != world.queues.handle(second)
        session = world.session(CHAIN)
        assert (world.fetched(session, floats(*_SHAPE)) == 4 * floats(*_SHAPE)).all()
        world.ort.api.get("ReleaseSession", session)
        world.queues.release(first)
        world.queues.release(second)
        _close(world)


def check_open_and_close_are_a_pair(world: World) -> None:
    """And there is no closing while streams are in use."""
    assert "nothing has been set up" in str(_refusal(lambda: _close(world)))
    _open(world)
    assert "has been done for this device already" in str(_refusal(lambda: _open(world)))
    session = world.session(CHAIN)
    world.fetched(session, floats(*_SHAPE))
    stream = world.queues.stream()
    assert "streams are in use" in str(_refusal(lambda: _close(world)))
    world.queues.release(stream)
    assert "streams are in use" in str(_refusal(lambda: _close(world)))
    world.ort.api.get("ReleaseSession", session)
    _close(world)
    assert "nothing has been set up" in str(_refusal(lambda: _close(world)))
    _open(world)


def check_wrong_configurations(world: World) -> None:
    """Every field."""
    options = world.ort.pairs({"fence": "shared"})
    for wrong, code, text in (
        ({"version": 0}, _INVALID_ARGUMENT, "version is 0; it must be ORT_API_VERSION"),
        ({"version": 24}, _INVALID_ARGUMENT, "version is 24"),
        ({"api": NONE}, _INVALID_ARGUMENT, "graphics_api is NONE"),
        ({"api": 3}, _NOT_IMPLEMENTED, "graphics API 3"),
        ({"api": -1}, _NOT_IMPLEMENTED, "graphics API -1"),
        ({"queue": 4096}, _INVALID_ARGUMENT, "not a stream of this device"),
        ({"options": options}, _INVALID_ARGUMENT, "unknown option: fence"),
    ):
        error = _refusal(lambda wrong=wrong: _open(world, **wrong))
        assert (error.code, text in str(error)) == (code, True), (wrong, str(error))
    _open(world, options=world.ort.pairs({}))


def _refusal(call: Callable[[], None]) -> OrtError:
    try:
        call()
    except OrtError as error:
        return error
    raise AssertionError("nobody refused")


CHECKS: dict[str, Callable[[World], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}

if __name__ == "__main__":
    CHECKS[sys.argv[2]](World(sys.argv[1]))
