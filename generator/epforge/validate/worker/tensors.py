"""Tensors in files, as the host program of another machine reads and writes them.

The format is described in ``cross/host/tensors.h``.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from epforge.validate.cases.model import Array

_STRING = 8  # TensorProto.STRING


class DamagedError(Exception):
    """A file of tensors is not whole."""


def write(path: Path, tensors: Mapping[str, Array]) -> None:
    """Writes named tensors."""
    path.write_bytes(struct.pack("<I", len(tensors)) + b"".join(_packed(tensors)))


def _packed(tensors: Mapping[str, Array]) -> Iterator[bytes]:
    for name, array in tensors.items():
        yield _text(name)
        yield struct.pack("<II", _number(array), array.ndim)
        yield struct.pack(f"<{array.ndim}q", *array.shape)
        if array.dtype == np.object_:
            yield struct.pack("<Q", array.size)
            yield b"".join(map(_text, array.ravel().tolist()))
        else:
            content = np.ascontiguousarray(array).tobytes()
            yield struct.pack("<Q", len(content)) + content


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8")
    return struct.pack("<I", len(encoded)) + encoded


def _number(array: Array) -> int:
    from onnx import helper

    if array.dtype == np.object_:
        return _STRING
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def read(path: Path) -> dict[str, Array]:
    """The tensors of a file, by name. Raises DamagedError."""
    rest = _Rest(path.read_bytes())
    found = {}
    for _ in range(rest.number("I")):
        name = rest.text()
        found[name] = _tensor(rest)
    return found


def _tensor(rest: _Rest) -> Array:
    from onnx import helper

    number, rank = rest.number("I"), rest.number("I")
    shape = [rest.number("q") for _ in range(rank)]
    size = rest.number("Q")
    if number == _STRING:
        if size != math.prod(shape):
            raise DamagedError(f"{size} strings for the shape {shape}")
        flat = np.empty(size, dtype=np.object_)
        flat[:] = [rest.text() for _ in range(size)]
        return flat.reshape(shape)
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(number))
    content = rest.take(size)
    if size != math.prod(shape) * dtype.itemsize:
        raise DamagedError(f"{size} bytes for {dtype} of the shape {shape}")
    return np.frombuffer(content, dtype=dtype).reshape(shape)


class _Rest:
    """What is not yet read of a file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, size: int) -> bytes:
        found = self._content[self._at : self._at + size]
        if len(found) != size:
            raise DamagedError("it ends too early")
        self._at += size
        return found

    def number(self, kind: str) -> int:
        return int(struct.unpack(f"<{kind}", self.take(struct.calcsize(f"<{kind}")))[0])

    def text(self) -> str:
        return self.take(self.number("I")).decode("utf-8", "replace")
