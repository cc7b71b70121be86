"""A key that is missing: the value that it can only have."""

from __future__ import annotations

import re

from pydantic import BaseModel

from epforge.blueprint.mending.blocks import undashed
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.model import Meant, text
from epforge.blueprint.mending.shapes import attribute_type
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table, lookup
from epforge.blueprint.places import shape_at
from epforge.blueprint.shape import EDITION
from epforge.blueprint.words import DEVICE_TYPES

_MANY = 200  # entries of a list that are looked through


def missing_meant(path: Path, root: Node, desk: Desk, model: type[BaseModel]) -> Meant | None:
    """The value of a missing key, where there is one that follows from the rest.

    Args:
        path: where the key should be.
        root: the tree.
        desk: its text.
        model: the root's shape.
    """
    shape = shape_at(model, path[:-1])
    there, found = lookup(root, path[:-1])
    if shape is None or not isinstance(there, Table) or found != path[:-1]:
        return None
    joined = _joined(path, root, desk)
    if joined is not None:
        return joined
    value = _value(shape.__name__, str(path[-1]), there, root)
    if value is None:
        return None
    changes: dict[Path, Node | None] = {path: text(value, there.span)}
    return Meant(f"write {path[-1]}: {value}", desk.put(path, value), changes)


def _joined(path: Path, root: Node, desk: Desk) -> Meant | None:
    """An entry whose keys have a dash each: one dash is enough."""
    box = lookup(root, path[:-2])[0] if len(path) > 2 else None
    index = path[-2] if len(path) > 1 else None
    if not isinstance(box, Sequence) or not isinstance(index, int):
        return None
    if len(box.items) > _MANY:
        return None
    naming = "op" if path[0] in ("ops", "custom_ops") else "name"
    tables = [item for item in box.items if isinstance(item, Table)]
    if len(tables) < len(box.items):
        return None
    first = max((i for i in range(index + 1) if naming in tables[i].entries), default=None)
    if first is None:
        return None
    last = first
    entries, keys = dict(tables[first].entries), dict(tables[first].keys)
    for place in range(first + 1, len(tables)):
        if naming in tables[place].entries:
            break
        if set(entries) & set(tables[place].entries):
            return None
        entries |= tables[place].entries
        keys |= tables[place].keys
        last = place
    if last == first or not first <= index <= last:
        return None
    changes: dict[Path, Node | None] = {(*path[:-2], i): None for i in range(first + 1, last + 1)}
    changes[(*path[:-2], first)] = Table(entries, keys, tables[first].span)
    places = [(*path[:-2], i) for i in range(first + 1, last + 1)]
    return Meant("an entry has one dash, before its first key", undashed(desk, places), changes)


def _value(shape: str, key: str, there: Table, root: Node) -> str | None:
    if (shape, key) == ("BlueprintShape", "epforge"):
        return str(EDITION)
    if shape == "DeviceShape":
        return _device(key, there, root)
    if (shape, key) == ("CustomAttributeShape", "type"):
        default = there.entries.get("default")
        return attribute_type(default) if isinstance(default, Scalar) else None
    if (shape, key) == ("PatternShape", "name"):
        chain = there.entries.get("match")
        ops = chain.items if isinstance(chain, Sequence) else ()
        names = [op.text.rpartition("::")[2] for op in ops if isinstance(op, Scalar)]
        name = "".join(names)
        return name if re.fullmatch(r"[A-Z][A-Za-z0-9]{2,63}", name) else None
    return None


def _device(key: str, there: Table, root: Node) -> str | None:
    """A device of one kind is called by it, and the other way round."""
    other = there.entries.get("type" if key == "name" else "name")
    if not isinstance(other, Scalar) or other.text not in DEVICE_TYPES:
        return None
    devices = getattr(lookup(root, ("devices",))[0], "items", ())
    if len(devices) > _MANY:
        return None
    tables = [device for device in devices if isinstance(device, Table)]
    names = [getattr(device.entries.get("name"), "text", "") for device in tables]
    return None if key == "name" and other.text in names else other.text
