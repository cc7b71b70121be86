"""Whether a change of a JSON Schema would break those who read what it describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]


def breaks(old: Schema, new: Schema) -> list[str]:
    """What a reader of the old answers could not bear in the new ones, a line each.

    Keys may be added, and words of enumerations. Keys must not go away, become optional, or get
    another type.
    """
    return list(dict.fromkeys(_breaks(_Side(old, old), _Side(new, new), "", frozenset())))


class _Side:
    """A part of a schema, and the whole that its references lead into."""

    def __init__(self, part: Any, whole: Schema) -> None:
        self.part, self.whole = part, whole

    def at(self, part: Any) -> _Side:
        return _Side(part, self.whole)

    def resolved(self) -> tuple[str, Schema]:
        """The part behind references, and the name that it has there."""
        part, name = self.part, ""
        while isinstance(part, Mapping) and "$ref" in part:
            name = part["$ref"]
            found: Any = self.whole
            for step in name.removeprefix("#/").split("/"):
                found = found[step]
            part = found
        return name, part if isinstance(part, Mapping) else {}

    def kinds(self) -> dict[str, _Side]:
        """What it may be: objects by their names, the rest by type."""
        name, part = self.resolved()
        if "anyOf" in part:
            return {k: v for each in part["anyOf"] for k, v in self.at(each).kinds().items()}
        words = part.get("type", type(part["const"]).__name__ if "const" in part else "any")
        if words == "object" and "properties" in part:
            return {f"object {name or part.get('title', '')}": self.at(part)}
        return {word: self.at(part) for word in ([words] if isinstance(words, str) else words)}


Kinds = dict[str, _Side]


def _breaks(old: _Side, new: _Side, place: str, seen: frozenset[str]) -> Iterator[str]:
    was, now = _renamed(old.kinds(), new.kinds())
    for kind in was.keys() - now.keys():
        if kind.startswith("object"):
            yield f"{place or 'all'}: is no {kind} any more"
    for kind in now.keys() - was.keys():
        if place and not (kind == "integer" and "number" in was):
            yield f"{place}: may be {kind}, and was {', '.join(sorted(was))}"
    for kind in sorted(was.keys() & now.keys()):
        yield from _same_kind(was[kind], now[kind], place, seen)


def _renamed(was: Kinds, now: Kinds) -> tuple[Kinds, Kinds]:
    """One object in place of one object is the same, whatever they are called."""
    if len(was) == len(now) == 1 and all(key.startswith("object ") for key in (*was, *now)):
        return {"object": next(iter(was.values()))}, {"object": next(iter(now.values()))}
    return was, now


def _same_kind(old: _Side, new: _Side, place: str, seen: frozenset[str]) -> Iterator[str]:
    name, before = old.resolved()
    _, after = new.resolved()
    if name and name in seen:
        return
    seen = seen | ({name} if name else set())
    gone = set(before.get("enum", ())) - set(after.get("enum", before.get("enum", ())))
    if gone:
        yield f"{place}: is never {', '.join(map(repr, sorted(gone)))} any more"
    properties = after.get("properties", {})
    for key, part in before.get("properties", {}).items():
        there = f"{place}.{key}" if place else key
        if key not in properties:
            yield f"{there}: is gone"
            continue
        if key in before.get("required", ()) and key not in after.get("required", ()):
            yield f"{there}: may be left out"
        if key != "format":
            yield from _breaks(old.at(part), new.at(properties[key]), there, seen)
    for key in ("items", "additionalProperties"):
        if isinstance(before.get(key), Mapping):
            part = after.get(key, {})
            yield from _breaks(old.at(before[key]), new.at(part), f"{place}[]", seen)


def formats(schema: Schema) -> set[int]:
    """The numbers that ``format`` may have."""
    found = set()
    for side in _Side(schema, schema).kinds().values():
        _, part = side.resolved()
        said = part.get("properties", {}).get("format", {})
        found |= {said["const"]} if "const" in said else set(said.get("enum", ()))
    return found
