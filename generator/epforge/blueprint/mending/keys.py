"""A key that there is not: what it was most likely meant by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pydantic import BaseModel, ValidationError

from epforge.blueprint.diagnostic import Fix
from epforge.blueprint.mending import words
from epforge.blueprint.mending.blocks import wrapped
from epforge.blueprint.mending.desk import Desk
from epforge.blueprint.mending.entries import entry_meant
from epforge.blueprint.mending.model import Meant, table
from epforge.blueprint.mending.wrappers import wrapper_meant
from epforge.blueprint.nodes import Node, Path, Scalar, Table, edited, key_span, lookup, plain
from epforge.blueprint.places import shape_at, spell
from epforge.blueprint.shape import BlueprintShape

_MANY = 100  # keys of a table that are moved together
#: Keys whose place is among entries that are free.
_ENTRIES = {"DeviceShape": {"os_driver_version": ("metadata",)}}


def key_meant(path: Path, root: Node, desk: Desk, model: type[BaseModel]) -> Meant | None:
    """What an unknown key was meant by; None where that cannot be told.

    Args:
        path: the key's place.
        root: the tree.
        desk: its text.
        model: the root's shape.
    """
    special = entry_meant(path, root, desk, model) or wrapper_meant(path, root, desk, model)
    if special is not None:
        return special
    candidates = [*_here(path, root, desk, model)]
    candidates += _elsewhere(path, root, desk, model, alone=not candidates)
    if len(candidates) == 1:
        return candidates[0]
    # More than one: the one whose value is right where it would be.
    judged = [(_mistakes(edited(root, meant.changes), model), meant) for meant in candidates]
    fewest = min((mistakes for mistakes, _ in judged), default=0)
    best = [meant for mistakes, meant in judged if mistakes == fewest]
    return best[0] if len(best) == 1 else None


def _here(path: Path, root: Node, desk: Desk, model: type[BaseModel]) -> Iterator[Meant]:
    """The key of the same table that is misspelt, or has another name."""
    shape = shape_at(model, path[:-1])
    span = key_span(root, path)
    if shape is None or span is None:
        return
    meant = words.key(str(path[-1]), shape.__name__, shape.model_fields)
    if meant is None:
        return
    there = lookup(root, path[:-1])[0]
    taken = isinstance(there, Table) and meant in there.entries
    if taken:
        return
    written = desk.source.slice(span)
    quote = written[:1] if written[:1] in "'\"" else ""
    fix = Fix(span, f"{quote}{meant}{quote}") if desk.at(path) is not None else None
    yield Meant(f"did you mean {meant}?", fix, _renamed(path, (*path[:-1], meant), root))


def _elsewhere(
    path: Path, root: Node, desk: Desk, model: type[BaseModel], *, alone: bool
) -> Iterator[Meant]:
    """The tables where there is a key of that name, or nearly; or that it names itself, where
    nothing else can be meant."""
    key = str(path[-1])
    shape = shape_at(model, path[:-1])
    inner = _ENTRIES.get(shape.__name__ if shape else "", {}).get(key)
    places = [(*path[:-1], *inner, key)] if inner else []
    places += _targets(path, model, words.exactly)
    if alone and not places:
        places = _targets(path, model, words.qualified)
    for target in places:
        found = _move(path, target, root, desk)
        if found is not None:
            yield found


def _targets(
    path: Path, model: type[BaseModel], named: Callable[[str, str, type[BaseModel]], str | None]
) -> list[Path]:
    """The keys of tables at, below and above a path that one is named after."""
    found: list[Path] = []
    for length in range(len(path) - 1, -1, -1):
        if length < len(path) - 1 and isinstance(path[length], int):
            continue  # a list has no keys
        for place in _tables(model, path[:length]):
            known = shape_at(model, place)
            section = str(place[-1]) if place else ""
            meant = named(str(path[-1]), section, known) if known else None
            target = (*place, meant or "")
            if meant and place != path[:-1] and target not in found:
                found.append(target)
    return found


def _tables(model: type[BaseModel], path: Path) -> Iterator[Path]:
    """The tables at and below a path that have fixed keys and are in no list further down."""
    shape = shape_at(model, path)
    if shape is None:
        return
    yield path
    for name in shape.model_fields:
        if shape_at(model, (*path, name)) is not None:
            yield from _tables(model, (*path, name))


def _move(path: Path, target: Path, root: Node, desk: Desk) -> Meant | None:
    where = f"{spell(target[:-1])}" if target[:-1] else "the top"
    hint = f"it belongs to {where}" if target[:-1] else "it belongs to the top, without an indent"
    if path[-1] != target[-1]:
        hint += f", as {target[-1]}"
    value = lookup(root, path)[0]
    over = _split(path, target, root, desk, value)
    if over is not None:
        return replace(over, hint=hint)
    for length in range(len(target)):
        above, found = lookup(root, target[: length + 1])
        if len(found) <= length:
            break
        if length == len(target) - 1 or (
            not isinstance(above, Table) and not isinstance(target[length + 1], int)
        ):
            return None  # it is there already, or what is there is no table
    return Meant(hint, _moved(path, target, root, desk), _renamed(path, target, root))


def _moved(path: Path, target: Path, root: Node, desk: Desk) -> Fix | None:
    """The move of a key to another table. All that belong to one that is not there yet are moved
    with the first of them."""
    found = lookup(root, target[:-1])[1]
    if len(found) == len(target) - 1 or path[:-1] != target[:-2]:
        return desk.moved(path, target)
    there = lookup(root, path[:-1])[0]
    shape = shape_at(BlueprintShape, target[:-1])
    known = shape_at(BlueprintShape, path[:-1])
    if not isinstance(there, Table) or len(there.entries) > _MANY or not shape or not known:
        return desk.moved(path, target)
    together = {
        key: meant
        for key in there.entries
        if key not in known.model_fields and (meant := _within(key, target, shape)) is not None
    }
    if len(together) < 2 or len(set(together.values())) < len(together):
        return desk.moved(path, target)
    if next(iter(together)) != path[-1]:
        return None
    return wrapped(desk, path[:-1], together, str(target[-2])) or desk.moved(path, target)


def _within(key: str, target: Path, shape: type[BaseModel]) -> str | None:
    section = str(target[-2])
    return words.exactly(key, section, shape) or words.qualified(key, section, shape)


def _split(path: Path, target: Path, root: Node, desk: Desk, value: Node) -> Meant | None:
    """``vendor: Contoso`` with a second key becomes ``vendor: {name: Contoso, ...}``."""
    vendor, found = lookup(root, ("vendor",))
    if target[:-1] != ("vendor",) or not found or not isinstance(vendor, Scalar):
        return None
    if not isinstance(value, Scalar) or vendor.empty:
        return None
    key = str(target[-1])
    name, written = desk.source.slice(vendor.span), desk.source.slice(value.span)
    split = desk.replaced(("vendor",), f"{{name: {name}, {key}: {written}}}")
    out = desk.deleted(path)
    fix = desk.both(split, out) if split and out else None
    both = table({"name": vendor, key: value}, vendor.span)
    return Meant("", fix, {path: None, ("vendor",): both})


def _renamed(path: Path, target: Path, root: Node) -> dict[Path, Node | None]:
    return {path: None, target: lookup(root, path)[0]}


def _mistakes(tree: Node, model: type[BaseModel]) -> int:
    try:
        model.model_validate(plain(tree))
    except ValidationError as error:
        return error.error_count()
    return 0
