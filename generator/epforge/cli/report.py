"""``epforge report``: what a report of ``epforge validate`` says, and what has changed since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish, print_lines
from epforge.verbs.wording import printable

if TYPE_CHECKING:
    from epforge.report import Report

app = typer.Typer(
    no_args_is_help=True,
    help="Shows reports that `epforge validate --report FILE.json` has written, turns them into "
    "pages, and compares two.",
)

Source = Annotated[
    Path,
    typer.Argument(
        help="A report in JSON.", metavar="REPORT", autocompletion=complete.files(".json")
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("show")
def show(report: Source, as_json: Json = False) -> None:
    """Prints a report as `epforge validate` does.

    \b
        epforge report show report.json
    """
    from epforge.cli.show.checks import show_lines
    from epforge.validate.conformance.table import sentences
    from epforge.verbs.report import read_report

    found = read_report(report)

    def shown() -> None:
        read = found.report
        last = (*sentences([each.model_dump() for each in read.conformance]), read.summary)
        show_lines(_title(read), read.checks, tuple(map(printable, last)), read.passed)

    finish(found, shown, as_json=as_json)


def _title(report: Report) -> str:
    words = [report.ep, report.file]
    words += [f"for {report.target}"] if report.target else []
    words += [f"on onnxruntime {', '.join(report.runtimes)}"] if report.runtimes else []
    words += [f"at {report.started}"] if report.started else []
    return printable(" ".join(filter(None, words)))


@app.command("render")
def render(
    report: Source,
    files: Annotated[
        list[Path],
        typer.Argument(
            help="What to write; the suffix says how: .html, .xml.",
            metavar="FILE...",
            autocompletion=complete.files(".html", ".xml"),
        ),
    ],
    as_json: Json = False,
) -> None:
    """Writes a report as a page of HTML, or as JUnit XML.

    \b
        epforge report render report.json report.html
    """
    from epforge.verbs.report import render_report

    finish(render_report(report, files), lambda: None, as_json=as_json)


@app.command("diff")
def diff(
    before: Annotated[
        Path,
        typer.Argument(
            help="The older report.", metavar="BEFORE", autocompletion=complete.files(".json")
        ),
    ],
    after: Annotated[
        Path,
        typer.Argument(
            help="The newer one.", metavar="AFTER", autocompletion=complete.files(".json")
        ),
    ],
    as_json: Json = False,
) -> None:
    """Says what has changed from one report of a library to another: what fails now, what passes
    now, what is not checked any more, what is gone or new, what takes notably longer or less.

    Exit status 1 when something got worse: it fails, is not checked or is gone, and was not so
    before.

    \b
        epforge report diff yesterday.json today.json
    """
    from epforge.cli.show.difference import lines
    from epforge.verbs.report import diff_reports

    found = diff_reports(before, after)
    finish(found, lambda: print_lines(lines(found.difference)), as_json=as_json)
