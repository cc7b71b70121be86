"""The hooks of a plugin's test variant: holds, delays, counts and fails what its device does.

For processes under test. A project that was built with `-D<MACRO>_TEST_VARIANT=ON` has the variant
beside the library, and every use of the project's package takes it when `<MACRO>_LIBRARY` says so:

    project = with_hooks(text)                       # in the test
    project.python("hooks = DeviceHooks(plugin.get_library_path()) ...")   # in the process

All of it is of the whole process. While a queue is held, who waits for it waits: call such a
thing on another thread, or in `with hooks.held():` only what waits for nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_char_p, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from pathlib import Path

#: Instead of the number of a queue.
EVERY_STREAM = -1
NO_STREAM = -2


class _Table(ctypes.Structure):
    _fields_ = (
        ("version", c_uint32),
        ("stream_count", ctypes.CFUNCTYPE(c_int64)),
        ("find_stream", ctypes.CFUNCTYPE(c_int64, c_void_p)),
        ("set_delay_us", ctypes.CFUNCTYPE(None, c_int64, c_uint64)),
        ("set_hold", ctypes.CFUNCTYPE(None, c_int64, c_int32)),
        ("counter", ctypes.CFUNCTYPE(c_int64, c_int64, c_char_p)),
        ("fail", ctypes.CFUNCTYPE(c_int32, c_char_p, c_uint64)),
        ("reset", ctypes.CFUNCTYPE(None)),
    )


class DeviceHooks:
    """The hooks of a library.

    Args:
        library: the test variant; the same file that ONNX Runtime is given.
    """

    def __init__(self, library: str | Path) -> None:
        self._library = ctypes.CDLL(str(library))
        entry = self._library.EpTestHooks
        entry.argtypes, entry.restype = (c_uint32,), ctypes.POINTER(_Table)
        table = entry(1)
        assert table, f"{library} has no hooks of version 1"
        self._table = table.contents

    @property
    def stream_count(self) -> int:
        """How many queues the process has made; the newest has the number before this one."""
        return int(self._table.stream_count())

    def find_stream(self, handle: int) -> int:
        """The number of a queue that is alive, by the device's handle; -3 if there is none."""
        return int(self._table.find_stream(handle))

    def set_delay(self, microseconds: int, stream: int = EVERY_STREAM) -> None:
        """Each item of the queue waits for so long before it is done."""
        self._table.set_delay_us(stream, microseconds)

    def hold(self, stream: int = EVERY_STREAM) -> None:
        """The queue does not move from now on."""
        self._table.set_hold(stream, 1)

    def release(self, stream: int = EVERY_STREAM) -> None:
        """The queue moves again."""
        self._table.set_hold(stream, 0)

    @contextmanager
    def held(self, stream: int = EVERY_STREAM) -> Iterator[None]:
        """The queue does not move inside."""
        self.hold(stream)
        try:
            yield
        finally:
            self.release(stream)

    def count(self, name: str, stream: int = EVERY_STREAM) -> int:
        """A counter of the project's tests/cpp/test_hooks.h.

        Raises:
            KeyError: there is no counter of that name.
        """
        value = int(self._table.counter(stream, name.encode()))
        if value < 0:
            raise KeyError(name)
        return value

    def fail(self, call: str, nth: int = 1) -> None:
        """The nth call from now on fails; 0: none does.

        Raises:
            KeyError: there is no call of that name.
        """
        if not self._table.fail(call.encode(), nth):
            raise KeyError(call)

    def reset(self) -> None:
        """Nothing is held, delayed or about to fail; counters begin anew."""
        self._table.reset()
