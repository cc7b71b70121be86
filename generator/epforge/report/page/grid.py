"""The grid of operators as the page has it: a row per since-version, a column per element type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from epforge.report.shape import Row

# What a cell says: letters first, the colour only stresses them. The worst first.
WORDS = {
    "crashed": "CRASH",
    "timed out": "HANG",
    "failed": "FAIL",
    "passed": "ok",
    "refused": "no",
    "left alone": "\N{EN DASH}",
    "not checked": "?",
    "claimed": "said",
}
LEGEND = {
    "passed": "taken, and right in all cases; with their number",
    "failed": "wrong, or not taken although it is declared; wrong cases of all",
    "crashed": "the process crashed",
    "timed out": "no progress",
    "refused": "asked for, and left to others",
    "left alone": "not declared, and left to others, as it should be",
    "not checked": "could not be checked",
    "claimed": "declared, and not run",
}
_BAD = ("crashed", "timed out", "failed")
_MOST_ROWS = 3000
_ORDER = (
    *("float32", "float16", "bfloat16", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "string", "int4", "uint4"),
)


@dataclass(frozen=True)
class GridCell:
    """A cell.

    Args:
        status: its class; empty for a type of which nothing is known.
        text: what it says.
    """

    status: str = ""
    text: str = ""


@dataclass(frozen=True)
class GridRow:
    """An operator in a since-version; ``span`` rows of the operator begin here, or none."""

    op: str
    since: int
    span: int
    cells: tuple[GridCell, ...]


@dataclass(frozen=True)
class Grid:
    """All of it; several runtimes in one, of which the worst is shown.

    Args:
        types: the columns.
        left_out: rows that are too many for a page.
    """

    types: tuple[str, ...]
    rows: tuple[GridRow, ...]
    runtimes: tuple[str, ...]
    used: tuple[str, ...]
    left_out: int


def grid(rows: Sequence[Row]) -> Grid:
    """The grid of a report."""
    cells: dict[tuple[str, int], dict[str, tuple[str, Counter[str]]]] = {}
    for row in rows:
        merged = cells.setdefault((row.op, row.since), {})
        for type_, cell in row.types.items():
            status, count = merged.get(type_, ("claimed", Counter()))
            worst = min(status, cell.status, key=list(WORDS).index)
            merged[type_] = worst, count + Counter(cell.cases)
    keys = sorted(cells, key=lambda key: (key[0].lower(), key[0], key[1]))
    shown = keys[:_MOST_ROWS]
    types = _sorted({type_ for key in shown for type_ in cells[key]})
    spans = Counter(op for op, _ in shown)
    found = []
    for op, since in shown:
        row_cells = tuple(_cell(cells[op, since].get(type_)) for type_ in types)
        found.append(GridRow(op, since, spans.pop(op, 0), row_cells))
    used = {cell.status for row in found for cell in row.cells}
    return Grid(
        types=tuple(types),
        rows=tuple(found),
        runtimes=tuple(dict.fromkeys(row.runtime for row in rows if row.runtime)),
        used=tuple(word for word in LEGEND if word in used),
        left_out=len(keys) - len(shown),
    )


def _sorted(types: set[str]) -> list[str]:
    """The usual types first, operators as a whole last."""
    known = [type_ for type_ in _ORDER if type_ in types]
    return [*known, *sorted(types.difference(known, ("",))), *types.intersection(("",))]


def _cell(found: tuple[str, Counter[str]] | None) -> GridCell:
    if found is None:
        return GridCell()
    status, count = found
    word = WORDS[status]
    if status in _BAD:
        bad = sum(count[each] for each in _BAD)
        return GridCell(status, f"{word} {bad}/{count.total()}")
    return GridCell(status, f"{word} {count['passed']}" if status == "passed" else word)
