"""Counts what a library makes and gives back: in the runtime's own tables, where every library that
is registered calls. For processes under test, like `capi`, which it builds on.
"""

from __future__ import annotations

import ctypes
import mmap
from collections import Counter
from collections.abc import Callable
from ctypes import c_void_p
from typing import Any

from capi import Ort, Table

from epforge.ort.levels import known_levels, load_level

#: What can be made: with which functions, of how many arguments, the object's address the last.
_MADE = {
    "KeyValuePairs": {
        "CreateKeyValuePairs": 1,
        "GetSessionOptionsConfigEntries": 2,
        "GetEnvConfigEntries": 1,
    },
    "MemoryInfo": {"CreateMemoryInfo_V2": 8, "CreateMemoryInfo": 5, "CreateCpuMemoryInfo": 3},
    "TensorTypeAndShapeInfo": {"GetTensorTypeAndShape": 2},
    "HardwareDevice": {"CreateHardwareDevice": 6},
    "KernelRegistry": {"CreateKernelRegistry": 1},
    "KernelDefBuilder": {"CreateKernelDefBuilder": 1},
    "KernelDef": {"KernelDefBuilder_Build": 2},
}
_NEWEST = load_level(known_levels()[-1])
_POINTER = ctypes.sizeof(c_void_p)
_KEPT: list[Any] = []  # the tables are the process's: what is in them stays


class ApiCounter:
    """Counts from now on, whoever calls.

    Args:
        ort: the runtime. Its functions do what they did.
    """

    def __init__(self, ort: Ort) -> None:
        self.made: Counter[str] = Counter()
        self.released: Counter[str] = Counter()
        for kind, makers in _MADE.items():
            for maker, arguments in makers.items():
                _replace(_table(ort, maker), maker, arguments, self._maker(kind))
            release = f"Release{kind}"
            _replace(_table(ort, release), release, 1, self._releaser(kind))

    @property
    def alive(self) -> dict[str, int]:
        """How many there are that nobody has given back, of each kind that has any."""
        counts = {kind: self.made[kind] - self.released[kind] for kind in _MADE}
        return {kind: count for kind, count in counts.items() if count}

    def _maker(self, kind: str) -> Callable[..., Any]:
        def make(original: Callable[..., Any], *arguments: Any) -> Any:
            status = original(*arguments)
            self.made[kind] += c_void_p.from_address(arguments[-1]).value is not None
            return status

        return make

    def _releaser(self, kind: str) -> Callable[..., Any]:
        def release(original: Callable[..., Any], handle: int | None) -> Any:
            self.released[kind] += handle is not None
            return original(handle)

        return release


class CallCounter:
    """Counts the calls of one function from now on, whoever makes them.

    Args:
        ort: the runtime.
        name: the function, which does what it did.
        arguments: how many it has.
    """

    def __init__(self, ort: Ort, name: str, arguments: int) -> None:
        self.count = 0
        _replace(_table(ort, name), name, arguments, self._call)

    def _call(self, original: Callable[..., Any], *arguments: Any) -> Any:
        self.count += 1
        return original(*arguments)


def _replace(table: Table, name: str, arguments: int, by: Callable[..., Any]) -> None:
    prototype = ctypes.CFUNCTYPE(c_void_p, *[c_void_p] * arguments)
    address = table.function(name)
    assert address, name
    original = prototype(address)
    function = prototype(lambda *given: by(original, *given))
    _KEPT.extend((original, function))
    slot = _NEWEST.struct(table.struct).slot(name)
    place = table.address + slot * _POINTER
    _make_writable(place)
    c_void_p.from_address(place).value = ctypes.cast(function, c_void_p).value


def _table(ort: Ort, name: str) -> Table:
    """Which of them has a function of that name."""
    names = {each.name for each in _NEWEST.struct("OrtApi").members}
    return ort.api if name in names else ort.ep


def _make_writable(place: int) -> None:
    """The tables are constants; their pages can be written once that was asked for."""
    begin = place & ~(mmap.PAGESIZE - 1)
    size = place + _POINTER - begin
    libc = ctypes.CDLL(None, use_errno=True)
    rights = mmap.PROT_READ | mmap.PROT_WRITE
    if libc.mprotect(c_void_p(begin), ctypes.c_size_t(size), rights) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
