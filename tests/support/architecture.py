"""Draws the picture of docs/architecture.md: ``python tests/support/architecture.py``

The order of the rooms, what goes through them, and who imports whom, as the sources have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from rooms import RANKS, graph

PICTURE = Path(__file__).resolve().parents[2] / "docs/architecture.svg"

#: What a room is for, and what it makes of what.
ROOMS = {
    "names": ("Names and versions in every spelling", "contoso-npu → ContosoNpu, CONTOSO_NPU"),
    "literals": ("Quoting for C++ and Python", "a text → a literal"),
    "ort": ("What each ONNX Runtime offers; its headers", "data of API levels, SDKs"),
    "ops": ("What operators are; kernel families; expressions", "data of ONNX's schemas"),
    "blueprint": ("The language: places, shape, editions, edits", "YAML → shape, errors"),
    "resolve": ("The meaning, checked against ort and ops", "shape → Blueprint, frozen"),
    "plan": ("Which files, from which template, whose", "Blueprint → Plan"),
    "render": ("Templates, overlays, formatters", "Plan → files in memory"),
    "starter": ("The questions behind init, and their template", "answers → a blueprint"),
    "workspace": ("Lock, merge, publish all or nothing", "files in memory → files on disk"),
    "build": ("Compilers, CMake, wheels", "project → library, wheels"),
    "shim": ("A plugin that stands before another one", "API levels → shim library"),
    "validate": ("The ladder of checks, on any plugin", "library → findings"),
    "report": ("Pages, JUnit, differences", "findings → report"),
    "doctor": ("What is missing, and the command that cures it", "project, model → advice"),
    "verbs": ("What each verb does, as functions", "a call → all of the above"),
    "cli": ("What each verb takes, and what it prints", "words of a user → a call"),
}
#: The rooms that hand on what they make; what the others have, is asked for.
FLOW = ("blueprint", "resolve", "plan", "render", "workspace", "build", "validate", "report")

WIDTH, TOP, ROW = 980, 96, 46
BOX_X, BOX_W, BOX_H = 46, 112, 32
TEXT_X, GRID_X, CELL = 176, 540, 29
INK, FAINT, LINE, FLOWING, DOT = "#1f2933", "#52606d", "#cbd2d9", "#0b6e99", "#b44d12"


def order() -> list[str]:
    """The rooms from left to right, here from top to bottom."""
    return [room for rank in RANKS for room in sorted(rank, reverse=True)]


def picture() -> str:
    """The picture, as SVG."""
    rooms = order()
    assert set(rooms) == set(ROOMS), "a room without words here, or the other way round"
    height = TOP + ROW * len(rooms) + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" role="img">',
        "<title>The rooms of epforge, what goes through them, and what they import</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        text(BOX_X, 34, "The rooms of generator/epforge", 19, INK, bold=True),
        text(BOX_X, 60, "blue: what one makes goes on to the next", 13, FLOWING),
        text(GRID_X + 150, 34, "imports", 19, INK, bold=True),
        *flow(rooms),
    ]
    for row, room in enumerate(rooms):
        lines += [*box(room, middle(row)), *imported(room, row, rooms)]
    note = "Every dot is on the left of its row's own square: no room imports from below."
    lines.append(text(BOX_X, height - 14, note, 13, FAINT))
    return "\n".join([*lines, "</svg>", ""])


def middle(row: int) -> int:
    """The height of a row's middle."""
    return TOP + ROW * row + ROW // 2


def box(room: str, y: int) -> Iterator[str]:
    """A room: its name, what it is for, what it makes."""
    stroke = FLOWING if room in FLOW else FAINT
    yield (
        f'<rect x="{BOX_X}" y="{y - BOX_H // 2}" width="{BOX_W}" height="{BOX_H}" rx="5" '
        f'fill="#ffffff" stroke="{stroke}" stroke-width="1.5"/>'
    )
    yield text(BOX_X + BOX_W // 2, y + 5, room, 15, INK, bold=True, anchor="middle")
    purpose, makes = ROOMS[room]
    yield text(TEXT_X, y - 4, purpose, 14, INK)
    yield text(TEXT_X, y + 13, makes, 12, FAINT)


def flow(rooms: list[str]) -> Iterator[str]:
    """Arrows from a room to the next that takes what it makes."""
    for start, end in pairwise(FLOW):
        above, below = rooms.index(start), rooms.index(end)
        x, y, to = BOX_X + BOX_W // 2, middle(above) + BOX_H // 2, middle(below) - BOX_H // 2
        path = f"M{x} {y}V{to - 6}"
        if below - above > 1:  # past the rooms between
            x, y, to = BOX_X, middle(above), middle(below)
            path = f"M{x} {y}H{x - 20}V{to}H{x - 6}"
            yield head(x, to, "right")
        else:
            yield head(x, to, "down")
        yield f'<path d="{path}" fill="none" stroke="{FLOWING}" stroke-width="2"/>'


def head(x: int, y: int, way: str) -> str:
    """The head of an arrow that ends at a point."""
    back = (
        f"{x - 5},{y - 7} {x + 5},{y - 7}" if way == "down" else f"{x - 7},{y - 5} {x - 7},{y + 5}"
    )
    return f'<polygon points="{x},{y} {back}" fill="{FLOWING}"/>'


def imported(room: str, row: int, rooms: list[str]) -> Iterator[str]:
    """A row of the table of imports: a square for itself, a dot for what it imports."""
    y, reached = middle(row), graph()[room]
    for column, other in enumerate(rooms):
        x = GRID_X + CELL * column + CELL // 2
        if row == 0:
            yield (
                f'<text x="{x}" y="{TOP - 4}" font-size="12" fill="{FAINT}" '
                f'transform="rotate(-55 {x} {TOP - 4})">{other}</text>'
            )
        if other == room:
            yield f'<rect x="{x - 7}" y="{y - 7}" width="14" height="14" fill="{LINE}"/>'
        elif other in reached:
            yield f'<circle cx="{x}" cy="{y}" r="6" fill="{DOT}"/>'
    end = GRID_X + CELL * len(rooms)
    yield f'<path d="M{BOX_X} {y + ROW // 2}H{end}" stroke="#e4e7eb"/>'


def text(
    x: int, y: int, words: str, size: int, colour: str, *, bold: bool = False, anchor: str = "start"
) -> str:
    """A line of words."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>'
        f"{words}</text>"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
