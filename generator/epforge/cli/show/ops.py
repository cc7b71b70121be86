"""What ``epforge ops list`` and ``show`` print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from epforge.ops.model import OpSchema, Parameter, SchemaVersion
from epforge.resolve.catalogue import Entry, Status, Version

_MARKS = {"optional": "?", "variadic": "*"}
_MOST_TYPES = 6


def table(entries: Iterable[Entry]) -> Iterator[str]:
    """One line per operator."""
    rows = [_row(entry) for entry in entries]
    if not rows:
        yield "none"
        return
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True))
        yield "  ".join((*cells, row[3])).rstrip()


def _row(entry: Entry) -> tuple[str, str, str, str]:
    if entry.status is not Status.IMPLEMENTED:
        return entry.name, entry.status.value, "", entry.reason
    newest = [version for version in entry.versions if version.done][-1]
    since = " ".join(map(str, entry.done))
    return entry.name, entry.family, since, _short(newest)


def _short(version: Version) -> str:
    """The types of a version's first constraint, the usual ones first."""
    types = next(iter(version.types.values()), ())
    shown = ", ".join(dtype.text for dtype in types[:_MOST_TYPES])
    return shown + (f" +{len(types) - _MOST_TYPES}" if len(types) > _MOST_TYPES else "")


def details(entry: Entry, schema: OpSchema) -> Iterator[str]:
    """An operator in full."""
    yield f"{entry.name}: {entry.status}" + (f", {entry.reason}" if entry.reason else "")
    if entry.family:
        where = "host and CUDA" if entry.device else "host"
        yield f"  kernel family {entry.family}, for the {where}"
    by_since = {version.since: version for version in schema.versions}
    for version in entry.versions:
        yield f"since {version.since}" + ("" if version.done else ": no kernel")
        yield from _version(version, by_since[version.since])


def _version(version: Version, schema: SchemaVersion) -> Iterator[str]:
    yield f"  ({_parameters(schema.inputs)}) -> ({_parameters(schema.outputs)})"
    for attribute in schema.attributes:
        default = "" if attribute.default is None else f" = {attribute.default}"
        needed = ", required" if attribute.required else ""
        yield f"  {attribute.name}: {attribute.kind}{default}{needed}"
    for constraint, types in version.types.items():
        lacking = version.lacking.get(constraint, ())
        without = f"; not {', '.join(d.text for d in lacking)}" if lacking else ""
        yield f"  {constraint}: {', '.join(d.text for d in types) or 'nothing'}{without}"


def _parameters(parameters: Iterable[Parameter]) -> str:
    return ", ".join(f"{p.name}{_MARKS.get(p.option, '')}: {p.type_str}" for p in parameters)
