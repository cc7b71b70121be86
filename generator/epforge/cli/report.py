"""``epforge report``: what a report of ``epforge validate`` says, and what has changed since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.main import printable
from epforge.errors import ExitStatus

if TYPE_CHECKING:
    from epforge.report import Report

app = typer.Typer(
    no_args_is_help=True,
    help="Shows reports that `epforge validate --report FILE.json` has written, turns them into "
    "pages, and compares two.",
)

Source = Annotated[Path, typer.Argument(help="A report in JSON.", metavar="REPORT")]


@app.command("show")
def show(report: Source) -> None:
    """Prints a report as `epforge validate` does.

    \b
        epforge report show report.json
    """
    from epforge.cli.validate import show_lines
    from epforge.report import read
    from epforge.validate.conformance.table import sentences

    found = read(report)
    last = (*sentences([each.model_dump() for each in found.conformance]), found.summary)
    show_lines(_title(found), found.checks, tuple(map(printable, last)), found.passed)


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
        typer.Argument(help="What to write; the suffix says how: .html, .xml.", metavar="FILE..."),
    ],
) -> None:
    """Writes a report as a page of HTML, or as JUnit XML.

    \b
        epforge report render report.json report.html
    """
    from epforge.cli.show import report_files
    from epforge.report import read

    report_files.check(files)
    report_files.write(files, read(report).model_dump(mode="json"))


@app.command("diff")
def diff(
    before: Annotated[Path, typer.Argument(help="The older report.", metavar="BEFORE")],
    after: Annotated[Path, typer.Argument(help="The newer one.", metavar="AFTER")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Says what has changed from one report of a library to another: what fails now, what passes
    now, what is not checked any more, what is gone or new, what takes notably longer or less.

    Exit status 1 when something got worse: it fails, is not checked or is gone, and was not so
    before.

    \b
        epforge report diff yesterday.json today.json
    """
    from epforge.cli.show.difference import data, lines
    from epforge.report import compare, read

    found = compare(read(before), read(after))
    if as_json:
        typer.echo(json.dumps(data(found), indent=2))
    else:
        for line in lines(found):
            typer.echo(printable(line))
    if found.worse:
        raise typer.Exit(int(ExitStatus.CHECK_FAILED))
