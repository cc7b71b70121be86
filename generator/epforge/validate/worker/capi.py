"""ONNX Runtime's C API by the numbers of its entries: for what the Python package does not offer.

For worker processes. They load the shared library that the Python package brings along. Which
entry is which comes with the job, so that this room knows no tables.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from ctypes import byref, c_char_p, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

_POINTER = ctypes.sizeof(c_void_p)
_LIBRARIES = ("libonnxruntime.so.*", "libonnxruntime.*dylib", "onnxruntime.dll")

#: Per struct, its members in order: name, and the level that brought it.
Layouts = Mapping[str, Sequence[tuple[str, int]]]


class StatusError(Exception):
    """A status that says no."""


class NoRuntimeError(Exception):
    """The package has no library with a C API."""


def call(function: int, *args: Any) -> int:
    """Calls the function at an address. Arguments are numbers, texts and addresses."""
    prepared = [arg.encode() if isinstance(arg, str) else arg for arg in args]
    prototype = ctypes.CFUNCTYPE(c_void_p, *[c_void_p] * len(prepared))
    return prototype(function)(*prepared) or 0


def text_at(address: int) -> str:
    """The text at an address; empty for none."""
    return ctypes.string_at(address).decode("utf-8", "replace") if address else ""


class Struct:
    """A struct of function pointers: one of ONNX Runtime's, or one that a library has filled."""

    def __init__(self, ort: Ort, name: str, address: int) -> None:
        self.ort, self.name, self.address = ort, name, address
        self._slots = {member: slot for slot, (member, _) in enumerate(ort.layouts[name])}

    @property
    def stamp(self) -> int:
        """The level that a library's struct says it follows."""
        return c_uint32.from_address(self.address).value

    @property
    def level(self) -> int:
        """The newest level whose members may be looked at."""
        return min(max(self.stamp, OLDEST), self.ort.level)

    def members(self) -> list[tuple[str, int, bool]]:
        """Name, level and presence of each callback within the stamp."""
        return [
            (name, since, bool(self._at(slot)))
            for slot, (name, since) in enumerate(self.ort.layouts[self.name])
            if slot and since <= self.level
        ]

    def has(self, name: str) -> bool:
        """Is the callback there, as far as the stamp says?"""
        return any(member == name and there for member, _, there in self.members())

    def _at(self, slot: int) -> int:
        return c_void_p.from_address(self.address + slot * _POINTER).value or 0

    def function(self, name: str) -> int:
        """The address in the entry of that name; 0 for none."""
        slot = self._slots.get(name)
        return 0 if slot is None else self._at(slot)

    def get(self, name: str, *args: Any) -> int:
        """Calls a function that returns a number or an address."""
        function = self.function(name)
        if not function:
            raise StatusError(f"{self.name}::{name} is null")
        return call(function, *args)

    def __call__(self, name: str, *args: Any) -> None:
        """Calls a function that returns a status."""
        self.ort.check(self.get(name, *args))

    def make(self, name: str, *args: Any) -> int:
        """Calls a function that returns a status, and writes an address to its last argument."""
        made = c_void_p()
        self(name, *args, byref(made))
        return made.value or 0


OLDEST = 22  # the first level with plugin EPs


class Ort:
    """The runtime of this process's Python package.

    Raises NoRuntimeError where the package has no library with a C API.
    """

    def __init__(self, layouts: Layouts) -> None:
        self.layouts = layouts
        library = ctypes.CDLL(str(_library()))
        library.OrtGetApiBase.restype = c_void_p
        self.base: int = library.OrtGetApiBase()
        self._get_api, get_version = ctypes.cast(self.base, ctypes.POINTER(c_void_p * 2)).contents
        self.version = text_at(call(get_version or 0))
        self.level = int(self.version.split(".")[1])
        self.api = Struct(self, "OrtApi", self.get_api(self.level))
        self.ep = Struct(self, "OrtEpApi", self.api.get("GetEpApi"))
        self.env = self.api.make("CreateEnv", 4, "inspect")

    def get_api(self, level: int) -> int:
        """The table of a level; 0 where the runtime is older."""
        return call(self._get_api or 0, level)

    def check(self, status: int) -> None:
        """Raises if it is an error."""
        if not status:
            return
        text = text_at(self.api.get("GetErrorMessage", status))
        self.api.get("ReleaseStatus", status)
        raise StatusError(text or "an error without a text")

    def pairs(self, content: Mapping[str, str]) -> int:
        """Makes OrtKeyValuePairs."""
        made = c_void_p()
        self.api.get("CreateKeyValuePairs", byref(made))
        for key, value in content.items():
            self.api.get("AddKeyValuePair", made, key, value)
        return made.value or 0

    def read_pairs(self, pairs: int) -> dict[str, str]:
        """What OrtKeyValuePairs hold."""
        if not pairs:
            return {}
        keys, values, count = c_void_p(), c_void_p(), c_size_t()
        self.api.get("GetKeyValuePairs", pairs, byref(keys), byref(values), byref(count))
        both = (ctypes.cast(each, ctypes.POINTER(c_char_p)) for each in (keys, values))
        texts = [
            [(each[i] or b"").decode("utf-8", "replace") for i in range(count.value)]
            for each in both
        ]
        return dict(zip(*texts, strict=True))

    def hardware(self) -> list[int]:
        """The machine's hardware devices."""
        if self.level < 24:  # older ones name them through their own providers only
            devices, count = c_void_p(), c_size_t()
            self.api("GetEpDevices", self.env, byref(devices), byref(count))
            listed = ctypes.cast(devices, ctypes.POINTER(c_void_p))[: count.value]
            return list(dict.fromkeys(self.api.get("EpDevice_Device", each) for each in listed))
        number = c_size_t()
        self.api("GetNumHardwareDevices", self.env, byref(number))
        made = (c_void_p * number.value)()
        self.api("GetHardwareDevices", self.env, made, number.value)
        return [each or 0 for each in made]


class Copy:
    """A copy of one of the runtime's tables, in which entries can be replaced."""

    def __init__(self, table: Struct) -> None:
        known = [name for name, since in table.ort.layouts[table.name] if since <= table.ort.level]
        size = len(known) * _POINTER
        self._bytes = ctypes.create_string_buffer(ctypes.string_at(table.address, size), size)
        self.address = ctypes.addressof(self._bytes)
        self._slots = {name: slot for slot, name in enumerate(known)}
        self._kept: list[Any] = []

    def replace(
        self, name: str, result: Any, arguments: Sequence[Any], by: Callable[..., Any]
    ) -> None:
        """Puts a function of Python's in the place of an entry."""
        function = ctypes.CFUNCTYPE(result, *arguments)(by)
        self._kept.append(function)
        place = c_void_p.from_address(self.address + self._slots[name] * _POINTER)
        place.value = ctypes.cast(function, c_void_p).value


def _library() -> Path:
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for pattern in _LIBRARIES:
            found = sorted((Path(folder) / "capi").glob(pattern))
            if found:
                return found[0]
    raise NoRuntimeError("this onnxruntime package has no library with a C API of its own")
