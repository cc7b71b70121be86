"""Changes to compiled models that somebody may have made: to the data, the model, the files."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.validate.worker.press import CACHE, SOURCE, blob_of, context_nodes, read

Chance = random.Random
_NUMBERS = (0, 1, 2, 7, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
_SPARSE = 6 << 30  # bytes of a file that takes no room
_LONG = 200_000


@dataclass(frozen=True)
class Spoilt:
    """What was done to a compiled model.

    Args:
        what: in words.
        harmful: only data was changed: whoever accepts it must still compute the right numbers.
        forbidden: the model leads to good data that is none of its own: to accept it is wrong.
    """

    what: str
    harmful: bool = False
    forbidden: bool = False


def spoil(model: Path, outside: Path, others: bytes, chance: Chance) -> Spoilt:
    """Spoils a compiled model in its folder.

    Args:
        model: with its data inside, or in a file beside it.
        outside: a good copy of that file, in a folder that is not the model's.
        others: good data of another model.
    """
    external = len(list(model.parent.iterdir())) > 1
    ways = [_data, _data, _data, _node, _node, _bytes]
    if external:
        ways += [_name, _name, _file]
    return chance.choice(ways)(model, outside, others, chance)


# ---- the data ----


def _data(model: Path, outside: Path, others: bytes, chance: Chance) -> Spoilt:
    if len(list(model.parent.iterdir())) > 1:
        place = blob_of(model)
        before = place.read_bytes()
        after = _changed(before, others, chance)
        place.write_bytes(after)
    else:
        loaded = read(model)
        (node, found), *_ = context_nodes(loaded)
        before = bytes(found.get(CACHE, b""))
        after = _changed(before, others, chance)
        _set(node, CACHE, after)
        model.write_bytes(loaded.SerializeToString())
    return Spoilt(f"{len(after)} bytes of data for {len(before)}", harmful=before != after)


def _changed(data: bytes, others: bytes, chance: Chance) -> bytes:
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        data = chance.choice(_CHANGES)(bytearray(data or b"\0"), others, chance)
    return data


def _flip(data: bytearray, others: bytes, chance: Chance) -> bytes:
    for _ in range(chance.choice((1, 1, 8, 64))):
        bit = chance.randrange(8 * min(len(data), chance.choice((64, 512, len(data)))))
        data[bit // 8] ^= 1 << bit % 8
    return bytes(data)


def _number(data: bytearray, others: bytes, chance: Chance) -> bytes:
    """What may be a length, an offset or a count is another number."""
    form = chance.choice(("<H", "<I", "<I", "<Q", "<Q", ">I", ">Q"))
    size = struct.calcsize(form)
    value = chance.choice((*_NUMBERS, len(data), len(data) - 1, len(data) + 1))
    at = chance.randrange(max(len(data) - size, 0) + 1) & ~(chance.choice((1, size)) - 1)
    data[at : at + size] = struct.pack(form, value & (1 << 8 * size) - 1)
    return bytes(data)


def _cut(data: bytearray, others: bytes, chance: Chance) -> bytes:
    return bytes(data[: chance.randrange(len(data))])


def _more(data: bytearray, others: bytes, chance: Chance) -> bytes:
    return bytes(data) + chance.randbytes(chance.choice((1, 8, 4096)))


def _splice(data: bytearray, others: bytes, chance: Chance) -> bytes:
    """A stretch of another model's data in place of this one's, where it was or elsewhere."""
    begin = chance.randrange(len(others) + 1)
    piece = others[begin : begin + chance.randrange(1, 200)]
    at = begin if chance.random() < 0.5 else chance.randrange(len(data) + 1)
    return bytes(data[:at] + piece + data[at + len(piece) :])


def _shift(data: bytearray, others: bytes, chance: Chance) -> bytes:
    """A stretch is taken out, and perhaps put in elsewhere."""
    begin, size = chance.randrange(len(data)), chance.randrange(1, 64)
    piece = data[begin : begin + size]
    rest = data[:begin] + data[begin + size :]
    at = chance.randrange(len(rest) + 1)
    return bytes(rest[:at] + piece + rest[at:] if chance.random() < 0.5 else rest)


def _other(data: bytearray, others: bytes, chance: Chance) -> bytes:
    return chance.choice((others, bytes(len(data)), chance.randbytes(len(data)), b""))


_CHANGES: tuple[Callable[[bytearray, bytes, Chance], bytes], ...] = (
    *(_flip, _flip, _number, _number, _cut, _more, _splice, _shift, _other),
)


# ---- the model ----


def _node(model: Path, outside: Path, others: bytes, chance: Chance) -> Spoilt:
    """An attribute of a node, or what goes in and out of it, is something else."""
    loaded = read(model)
    nodes = list(context_nodes(loaded))
    node, _ = chance.choice(nodes)
    name = chance.choice((*_ATTRIBUTES, "inputs", "twin", "types"))
    if name == "inputs":
        _shuffled(node.input if chance.random() < 0.5 else node.output, chance)
    elif name == "twin":
        twin = loaded.graph.node.add()
        twin.CopyFrom(node)
        twin.output[:] = [f"{each}_" for each in twin.output]
    elif name == "types":
        each = chance.choice([*loaded.graph.input, *loaded.graph.output])
        each.type.tensor_type.elem_type = chance.randrange(0, 24)
    else:
        _set(node, name, chance.choice(_ATTRIBUTES[name]), chance.random() < 0.15)
    model.write_bytes(loaded.SerializeToString())
    return Spoilt(f"{name} of {node.name or 'a node'}")


_ATTRIBUTES: Mapping[str, tuple[Any, ...]] = {
    SOURCE: (b"", b"OtherExecutionProvider", b"\xff\0", b"x" * _LONG, None),
    "embed_mode": (0, 1, 2, -1, 2**63 - 1, None),
    "main_context": (0, 1, 2, -1, None),
    CACHE: (b"", b"\0", b"x" * _LONG, None),
    "ep_sdk_version": (b"", b"9999.0", b"-1", b"%n%s", None),
    "partition_name": (b"", b"../x", b"x" * _LONG, None),
    "onnx_model_filename": (b"/etc/passwd", b"../../x", None),
    "hardware_architecture": (b"other", b"\0", None),
    "notes": (b"\xff\xfe", b"x" * _LONG),
    "unheard_of": (1, b"x"),
}


def _set(node: Any, name: str, value: Any, listed: bool = False) -> None:
    """An attribute gets a value, of whatever type; None takes it away."""
    from onnx import helper

    left = [each for each in node.attribute if each.name != name]
    del node.attribute[:]
    node.attribute.extend(left)
    if value is not None:
        node.attribute.append(helper.make_attribute(name, [value] if listed else value))


def _shuffled(names: Any, chance: Chance) -> None:
    found = list(names)
    match chance.randrange(5):
        case 0:
            found = found[:-1]
        case 1:
            found = found + found[:1]
        case 2:
            found = found[::-1]
        case 3:
            found = [""] * len(found)
        case _:
            found = found * 200
    del names[:]
    names.extend(found)


def _bytes(model: Path, outside: Path, others: bytes, chance: Chance) -> Spoilt:
    """The model's own bytes are changed."""
    before = model.read_bytes()
    model.write_bytes(_changed(before, others, chance))
    return Spoilt("bytes of the model")


# ---- the file beside it ----


def _name(model: Path, outside: Path, others: bytes, chance: Chance) -> Spoilt:
    """The model names good data that lies outside of its folder."""
    blob = blob_of(model)
    up = os.path.relpath(outside, model.parent)
    links = model.parent / "link"
    name = chance.choice(
        (
            str(outside),
            f"/{outside}",
            f"/proc/self/root{outside}",
            up,
            f"./{up}",
            f"./././{up}",
            f"{blob.name}/../{up}",
            f"sub/../{up}",
            up.replace("/", "//"),
            up.replace("/", "\\"),
            up.replace("..", "%2e%2e"),
            f"{up}/",
            f"{up}/.",
            f"{up}\0",
            f"{blob.name}\0{up}",
            f"file://{outside}",
            f"~/{up}",
            f" {up}",
            "link",
            "link/" + outside.name,
            "chain",
        )
    )
    (model.parent / "sub").mkdir()
    if name.startswith("link"):
        links.symlink_to(outside if name == "link" else outside.parent)
    if name == "chain":
        links.symlink_to(outside)
        (model.parent / "chain").symlink_to("link")
    blob.unlink()
    loaded = read(model)
    for node, found in context_nodes(loaded):
        if CACHE in found:
            _set(node, CACHE, name.encode("utf-8", "surrogateescape"))
    model.write_bytes(loaded.SerializeToString())
    return Spoilt(f"the data is named {name[:80]!r}", forbidden=True)


def _file(model: Path, outside: Path, others: bytes, chance: Chance) -> Spoilt:
    """The file beside the model is none that can be read to its end."""
    blob = blob_of(model)
    what = chance.choice(
        ("gone", "empty", "folder", "pipe", "zeros", "itself", "sparse", "longer", "random")
    )
    if what == "sparse":
        os.truncate(blob, _SPARSE)
        return Spoilt("6 GiB of a sparse file")
    if what == "longer":
        os.truncate(blob, blob.stat().st_size + chance.choice((1, 4096, 1 << 20)))
        return Spoilt("zeros at the end of the file", harmful=True)
    blob.unlink()
    if what == "empty":
        blob.touch()
    elif what == "folder":
        blob.mkdir()
    elif what == "pipe":
        os.mkfifo(blob)
    elif what != "gone":
        target = {"zeros": "/dev/zero", "random": "/dev/urandom", "itself": blob.name}[what]
        blob.symlink_to(target)
    return Spoilt(f"the file is {what}", forbidden=True)
