"""Reports as a table, and their verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import typer

from epforge.cli.show.ladder import MARKS
from epforge.verbs.wording import printable

if TYPE_CHECKING:
    from epforge.validate import Report


class Line(Protocol):
    """What a line of the table needs of a check."""

    @property
    def rung(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def detail(self) -> str: ...
    @property
    def runtime(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def cached(self) -> bool: ...


def show_report(report: Report) -> None:
    """Prints a report as a table, and its verdict as the last line."""
    from epforge.validate.conformance.table import sentences

    title = [f"{report.ep} {report.library.name}".lstrip()]
    title += [f"for {report.target}"] if report.target else []
    if report.runtimes:
        title.append(f"on onnxruntime {', '.join(dict.fromkeys(report.runtimes))}")
    last = (*sentences(report.conformance), report.summary)
    show_lines(" ".join(title), report.checks, last, report.passed)


def show_lines(title: str, lines: Sequence[Line], last: Sequence[str], passed: bool) -> None:
    """Prints checks as a table below a title.

    Args:
        last: the lines below it; the very last is the verdict.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    many = len({check.runtime for check in lines if check.runtime}) > 1
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rung", "check", *(("runtime",) if many else ()), "result"):
        table.add_column(heading, no_wrap=True)
    table.add_column("detail", overflow="fold")
    table.add_column("seconds", justify="right")
    for check in lines:
        word, colour = MARKS[str(check.outcome)]
        place = (check.runtime,) if many else ()
        cells = map(printable, (str(check.rung), check.name, *place))
        took = f"{check.seconds:.2f}" if check.seconds else ""
        known = (*map(Text, cells), Text(word, style=colour), Text(_detail(check)), Text(took))
        table.add_row(*known)
    console.print(Text(title), soft_wrap=True)
    if console.is_terminal:
        console.print(table)
    else:
        _plain(lines, many)
    for sentence in last[:-1]:
        console.print(Text(sentence), soft_wrap=True)
    console.print(Text(last[-1], style="bold green" if passed else "bold red"), soft_wrap=True)


def _plain(lines: Sequence[Line], many: bool) -> None:
    """The table without a terminal: one line per check, never folded."""
    widths = [
        max((len(text(check)) for check in lines), default=0)
        for text in (
            lambda c: c.rung,
            lambda c: c.name,
            lambda c: c.runtime,
            lambda c: MARKS[str(c.outcome)][0],
        )
    ]
    for check in lines:
        cells = [check.rung, check.name, check.runtime, MARKS[str(check.outcome)][0]]
        padded = [f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)]
        if not many:
            del padded[2]
        typer.echo(printable("  ".join([*padded, _detail(check)]).rstrip()))


def _detail(check: Line) -> str:
    return printable(check.detail.replace("\n", " ")) + (" (cached)" if check.cached else "")
