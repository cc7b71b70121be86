"""Draws the history of the benchmarks, and writes the newest figures into docs/speed.md.

    python tests/bench/plot.py

The picture is docs/speed.svg: one field for each group of figures, a line for each figure, of all
runs on the machine of the newest one. It needs nothing beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY / "tests/support"))

from bench_history import Entry, Figure, of_one_machine, read, shown  # noqa: E402

PICTURE = REPOSITORY / "docs/speed.svg"
PAGE = REPOSITORY / "docs/speed.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
#: What is drawn together, by the beginning of its names; in this order.
GROUPS = (
    *("scaffold/3/", "scaffold/40/", "scaffold/150/", "regenerate/"),
    *("build/3/", "build/40/", "inference/", ""),
)
_COLOURS = ("#1b6ac9", "#c4314b", "#2e8540", "#8a5cb5", "#b8680b", "#00818a", "#666666")
_WIDTH, _HEIGHT, _LEFT, _TOP, _PLOT = 960, 250, 60, 34, 520


def main() -> None:
    """Writes picture and page; says where."""
    entries = of_one_machine(read())
    if not entries:
        sys.exit("there is no history; run: python tests/bench/run.py")
    PICTURE.write_text(picture(entries), encoding="utf-8", newline="\n")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    text = f"{before}{BEGIN}\n{table(entries[-1])}{END}{after}"
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    print(f"{PICTURE} and {PAGE}: {len(entries)} runs")


def grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """Names of figures by group; what begins like no group is in the last."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in names:
        groups[next(group for group in GROUPS if name.startswith(group))].append(name)
    return {group: found for group, found in groups.items() if found}


def table(entry: Entry) -> str:
    """The figures of a run, as Markdown."""
    cpu, cores = entry.machine["cpu"], entry.machine["cores"]
    lines = [
        f"{entry.date[:10]}, commit `{entry.commit}`: {cpu}, {cores} cores, Python "
        f"{entry.machine['python']}, load {entry.load:.1f} before the run.",
        "",
        "| What | Median (least to most) | Runs | Beside | Limit |",
        "| --- | --- | --- | --- | --- |",
    ]
    for names in grouped(entry.figures).values():
        lines += [_row(entry.figures[name]) for name in names]
    return "\n".join(lines) + "\n"


def _row(figure: Figure) -> str:
    beside = "" if figure.ratio is None else f"{figure.ratio:.2f} x {figure.beside}"
    limits = [f"{figure.limit:g} s"] if figure.limit is not None else []
    limits += [f"{figure.ratio_limit:g} x"] if figure.ratio_limit is not None else []
    return f"| {figure.name} | {figure.times} | {figure.runs} | {beside} | {', '.join(limits)} |"


def picture(entries: Sequence[Entry]) -> str:
    """The history as SVG."""
    names = dict.fromkeys(name for entry in entries for name in entry.figures)
    groups = grouped(names)
    height = _HEIGHT * len(groups)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="11">',
        "<title>Times of epforge's benchmarks, in seconds</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (group, found) in enumerate(groups.items()):
        out.append(f'<g transform="translate(0 {number * _HEIGHT})">')
        out += _field(group.rstrip("/") or "other", group, found, entries)
        out.append("</g>")
    return "\n".join([*out, "</svg>", ""])


def _field(title: str, group: str, names: Sequence[str], entries: Sequence[Entry]) -> list[str]:
    bottom = _HEIGHT - 34
    most = max(e.figures[n].max for n in names for e in entries if n in e.figures)

    def x(index: int) -> float:
        return _LEFT + _PLOT * (index + 0.5) / len(entries)

    def y(seconds: float) -> float:
        return bottom - (bottom - _TOP) * seconds / most

    out = [f'<text x="{_LEFT}" y="20" font-size="14" font-weight="bold">{escape(title)}</text>']
    for part in (0, 0.25, 0.5, 0.75, 1):
        level = y(most * part)
        line = f'x1="{_LEFT}" x2="{_LEFT + _PLOT}" y1="{level:.1f}" y2="{level:.1f}"'
        out.append(f'<line {line} stroke="#dddddd"/>')
        label = f"{most * part:.3g} s"
        out.append(f'<text x="{_LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{label}</text>')
    step = max(1, len(entries) // 6)
    for index in range(0, len(entries), step):
        when = f"{entries[index].date[:10]} {entries[index].commit[:7]}"
        place = f'x="{x(index):.1f}" y="{bottom + 16}" text-anchor="middle" fill="#555555"'
        out.append(f"<text {place}>{escape(when)}</text>")
    for number, name in enumerate(names):
        colour = _COLOURS[number % len(_COLOURS)]
        dash = ' stroke-dasharray="5 3"' if number >= len(_COLOURS) else ""
        points = [(i, e.figures[name]) for i, e in enumerate(entries) if name in e.figures]
        line = " ".join(f"{x(i):.1f},{y(figure.median):.1f}" for i, figure in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}"{dash}/>')
        for i, figure in points:
            ends = f'y1="{y(figure.min):.1f}" y2="{y(figure.max):.1f}"'
            out.append(f'<line x1="{x(i):.1f}" x2="{x(i):.1f}" {ends} stroke="{colour}"/>')
            text = escape(f"{name}: {shown(figure.median)}")
            dot = f'cx="{x(i):.1f}" cy="{y(figure.median):.1f}" r="3" fill="{colour}"'
            out.append(f"<circle {dot}><title>{text}</title></circle>")
        level = _TOP + 6 + 17 * number
        begin = _LEFT + _PLOT + 16
        out.append(f'<rect x="{begin}" y="{level - 8}" width="10" height="10" fill="{colour}"/>')
        text = escape(f"{name.removeprefix(group)}: {shown(points[-1][1].median)}")
        out.append(f'<text x="{begin + 15}" y="{level + 1}">{text}</text>')
    return out


if __name__ == "__main__":
    main()
