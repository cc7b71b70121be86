"""The ladder while it is climbed: on a terminal a table that grows, elsewhere plain lines."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from epforge.cli.show.progress import Estimate, progress
from epforge.verbs.wording import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from epforge.validate import Check

MARKS = {
    "passed": ("ok", "green"),
    "failed": ("FAILED", "red"),
    "crashed": ("CRASHED", "red"),
    "timed out": ("TIMED OUT", "red"),
    "not checked": ("not checked", "yellow"),
}
_AROUND = 5  # lines of the screen that are not the table's


@dataclass(frozen=True)
class Shown:
    """What to tell while a ladder is climbed.

    Args:
        progress: what is being done now.
        on_check: a check that has ended.
    """

    progress: Callable[[str], None]
    on_check: Callable[[Check], None]


@contextmanager
def ladder(*, quiet: bool = False) -> Iterator[Shown]:
    """Shows the checks as they end, on stderr.

    On a terminal: a table of the latest of them and the progress below, wiped at the end. Elsewhere
    the progress alone, line by line.

    Args:
        quiet: show nothing.
    """
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "") == "dumb":
        with progress(quiet=quiet) as show:
            yield Shown(show, lambda _: None)
        return
    from rich.console import Console
    from rich.live import Live

    table = Table()
    with Live(table, console=Console(stderr=True), transient=True, refresh_per_second=4):
        yield Shown(table.tell, table.add)


@dataclass
class Table:
    """The table that grows. Rich draws it, in a thread of its own."""

    checks: list[Check] = field(default_factory=list)
    text: str = ""
    estimate: Estimate = field(default_factory=Estimate)

    def add(self, check: Check) -> None:
        """A check that has ended."""
        self.checks.append(check)

    def tell(self, text: str) -> None:
        """What is being done now."""
        self.text = printable(self.estimate.of(text))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich import table as rich_table
        from rich.text import Text

        checks = tuple(self.checks)
        room = max(options.size.height - _AROUND, 1)
        shown = rich_table.Table(box=None, pad_edge=False, header_style="bold", expand=True)
        for title in ("rung", "check", "result"):
            shown.add_column(title, no_wrap=True)
        shown.add_column("detail", no_wrap=True, overflow="ellipsis", ratio=1)
        shown.add_column("seconds", no_wrap=True, justify="right")
        for check in checks[-room:]:
            word, colour = MARKS[str(check.outcome)]
            detail = printable(" ".join(check.detail.split()))
            seconds = f"{check.seconds:.2f}" if check.seconds else ""
            cells = (str(check.rung), printable(check.name))
            shown.add_row(*map(Text, cells), Text(word, colour), Text(detail), Text(seconds))
        yield shown
        yield Text(_counted(checks), no_wrap=True, overflow="ellipsis", style="bold")
        yield Text(self.text, no_wrap=True, overflow="ellipsis")


def _counted(checks: tuple[Check, ...]) -> str:
    """ "12 checks: 10 passed, 2 failed"."""
    count = Counter(str(check.outcome) for check in checks)
    numbers = ", ".join(f"{count[word]} {word}" for word in MARKS if count[word])
    noun = "check" if len(checks) == 1 else "checks"
    return f"{len(checks)} {noun}: {numbers}" if checks else "no check has ended yet"
