<%= banner %>
"""Reads what a model says of being compiled: its EPContext nodes, and how many others it has.

A reader of protobuf's wire format for the few fields of ONNX that are wanted, so that no further
package is. Sizes are checked before they are used, what is large is skipped, nesting has a limit:
a damaged or hostile file is an error.
"""

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

_DEEPEST = 32  # graphs in attributes of nodes of graphs ...
_LONGEST = 1 << 16  # bytes of a text that is kept
_VARINT = 10  # bytes of the longest number
_NUMBER, _WIDE, _BYTES, _NARROW = 0, 1, 2, 5  # protobuf's wire types

# Numbers of fields in onnx.proto.
_MODEL_GRAPH = 7
_GRAPH_NODE = 1
_NODE_OP_TYPE, _NODE_ATTRIBUTE, _NODE_DOMAIN = 4, 5, 7
_NAME, _INT, _STRING, _GRAPH, _GRAPHS = 1, 3, 4, 6, 11  # of an attribute

Bytes = bytes | mmap.mmap


class ModelFormatError(ValueError):
    """The file is no ONNX model, or a damaged one."""


@dataclass(frozen=True)
class ContextNode:
    """An EPContext node.

    Args:
        source: the execution provider that made it.
        notes: what that says of it.
        embedded: its data are in the model, not in a file of their own.
        file: that file's name, relative to the model.
    """

    source: str = ""
    notes: str = ""
    embedded: bool = True
    file: str = ""


@dataclass
class ModelNodes:
    """The nodes of a model, those of graphs inside nodes included.

    Args:
        others: how many are no EPContext nodes.
    """

    contexts: list[ContextNode] = field(default_factory=list)
    others: int = 0


def read_model(path: str | os.PathLike[str]) -> ModelNodes:
    """The nodes of the model in a file.

    Raises:
        OSError: the file cannot be read.
        ModelFormatError: it is no ONNX model.
    """
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise ModelFormatError("the file is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return parse_model(data)


def parse_model(data: Bytes) -> ModelNodes:
    """The nodes of a serialized model.

    Raises:
        ModelFormatError: it is no ONNX model.
    """
    found = ModelNodes()
    graphs = [span for number, span in _spans(data, 0, len(data)) if number == _MODEL_GRAPH]
    if not graphs:
        raise ModelFormatError("it has no graph")
    for begin, end in graphs:
        _read_graph(data, begin, end, _DEEPEST, found)
    return found


def _read_graph(data: Bytes, begin: int, end: int, depth: int, found: ModelNodes) -> None:
    if not depth:
        raise ModelFormatError(f"graphs are nested more than {_DEEPEST} deep")
    for number, (start, stop) in _spans(data, begin, end):
        if number == _GRAPH_NODE:
            _read_node(data, start, stop, depth, found)


def _read_node(data: Bytes, begin: int, end: int, depth: int, found: ModelNodes) -> None:
    op_type = domain = ""
    attributes = []
    for number, (start, stop) in _spans(data, begin, end):
        if number == _NODE_OP_TYPE:
            op_type = _text(data, start, stop)
        elif number == _NODE_DOMAIN:
            domain = _text(data, start, stop)
        elif number == _NODE_ATTRIBUTE:
            attributes.append((start, stop))
    if (domain, op_type) == ("com.microsoft", "EPContext"):
        found.contexts.append(_context(data, attributes))
        return
    found.others += 1
    for start, stop in attributes:
        for number, (inner, last) in _spans(data, start, stop):
            if number in (_GRAPH, _GRAPHS):
                _read_graph(data, inner, last, depth - 1, found)


def _context(data: Bytes, attributes: list[tuple[int, int]]) -> ContextNode:
    texts: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for begin, end in attributes:
        name, text, value = "", "", 0
        for number, kind, start, stop in _fields(data, begin, end):
            if number == _NAME and kind == _BYTES:
                name = _text(data, start, stop)
            elif number == _STRING and kind == _BYTES:
                text = _text(data, start, stop)
            elif number == _INT and kind == _NUMBER:
                value = start
        texts[name], numbers[name] = text, value
    embedded = numbers.get("embed_mode", 1) != 0
    return ContextNode(
        source=texts.get("source", ""),
        notes=texts.get("notes", ""),
        embedded=embedded,
        file="" if embedded else texts.get("ep_cache_context", ""),
    )


def _text(data: Bytes, begin: int, end: int) -> str:
    """A text; an empty one for what is too long to be of interest."""
    return data[begin:end].decode("utf-8", "replace") if end - begin <= _LONGEST else ""


def _spans(data: Bytes, begin: int, end: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Of each field that consists of bytes: its number, where they begin and end."""
    for number, kind, start, stop in _fields(data, begin, end):
        if kind == _BYTES:
            yield number, (start, stop)


def _fields(data: Bytes, begin: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message: number, wire type, and where the bytes begin and end; of a number
    its value in place of the beginning."""
    at = begin
    while at < end:
        key, at = _varint(data, at, end)
        number, kind = key >> 3, key & 7
        if not number:
            raise ModelFormatError(f"a field without a number at byte {at}")
        if kind == _NUMBER:
            value, at = _varint(data, at, end)
            yield number, kind, value, at
            continue
        if kind == _BYTES:
            size, at = _varint(data, at, end)
        elif kind in (_WIDE, _NARROW):
            size = 8 if kind == _WIDE else 4
        else:
            raise ModelFormatError(f"an unknown kind of field at byte {at}")
        if size > end - at:
            raise ModelFormatError(f"a field at byte {at} is cut off")
        yield number, kind, at, at + size
        at += size


def _varint(data: Bytes, at: int, end: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = 0
    for index in range(min(_VARINT, end - at)):
        byte = data[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    raise ModelFormatError(f"a number at byte {at} does not end")
