"""``epforge validate``: climbs the ladder of checks on a built library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.show.wording import quoted
from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.validate import Check, Kind, Report, Rung

_MARK = {
    "passed": ("ok", "green"),
    "failed": ("FAILED", "red"),
    "crashed": ("CRASHED", "red"),
    "timed out": ("TIMED OUT", "red"),
    "not checked": ("not checked", "yellow"),
}


def command(
    project: Annotated[
        Path | None, typer.Argument(help="A project's directory, built.", metavar="PROJECT")
    ] = None,
    library: Annotated[
        Path | None,
        typer.Option(help="Any plugin library, instead of a project.", metavar="FILE"),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Which build of the project.", metavar="NAME")
    ] = "release",
    manifest: Annotated[
        Path | None,
        typer.Option(help="What the library claims; else the file beside it.", metavar="FILE"),
    ] = None,
    rung: Annotated[
        list[str] | None,
        typer.Option(
            help="static, load, ops, graphs or context; may be repeated. All by default.",
            metavar="NAME",
        ),
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(help="Restrict rung ops to this one; may be repeated.", metavar="NAME"),
    ] = None,
    runtime: Annotated[
        list[str] | None,
        typer.Option(
            help="An onnxruntime to run on: a version, fetched once, or the directory that holds "
            "its package; may be repeated. This Python's by default.",
            metavar="VERSION|DIR",
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option(help="What the file should be: plugin-ep or custom-ops.", metavar="KIND")
    ] = "plugin-ep",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Climb on after a rung that failed.")
    ] = False,
    allow_no_devices: Annotated[
        bool, typer.Option("--allow-no-devices", help="Offering no device is no failure.")
    ] = False,
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds without progress until it hangs.", metavar="SECONDS"),
    ] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Proves that a plugin library works: its symbols, loading, every op it declares, graphs that
    have to be divided, compiled models.

    Works on any plugin library; what ours claim is in the manifest beside them, what others take
    is asked. Each check runs in a process of its own, so a crash or a hang is a result. Exit
    status 1 when a check fails; the last line names rung and check.

    \b
        epforge validate my-ep --runtime 1.24.4 --runtime 1.32.0
        epforge validate --library libother_ep.so
    """
    from epforge.cli.show.progress import progress
    from epforge.validate import THIS, Limits, find_runtime, validate

    rungs, expect = _rungs(rung or []), _kind(kind)
    target = _library(project, library, preset)
    with progress(quiet=as_json) as show:
        runtimes = [find_runtime(wanted, show) for wanted in runtime or []]
        report = validate(
            target,
            manifest,
            rungs=rungs,
            runtimes=runtimes or (THIS,),
            keep_going=keep_going,
            allow_no_devices=allow_no_devices,
            expect=expect,
            only=op or (),
            limits=Limits(stall_s=time_limit),
            progress=show,
        )
    if as_json:
        typer.echo(json.dumps(report.to_json(), indent=2))
    else:
        show_report(report)
    if not report.passed:
        raise typer.Exit(int(report.exit_status))


def show_report(report: Report) -> None:
    """Prints a report as a table, and its verdict as the last line."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    many = len({check.runtime for check in report.checks if check.runtime}) > 1
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("rung", "check", *(("runtime",) if many else ()), "result"):
        table.add_column(title, no_wrap=True)
    table.add_column("detail", overflow="fold")
    for check in report.checks:
        word, colour = _MARK[str(check.outcome)]
        place = (check.runtime,) if many else ()
        cells = (str(check.rung), check.name, *place)
        table.add_row(*map(Text, cells), Text(word, style=colour), Text(_detail(check)))
    what = f"{report.ep} " if report.ep else ""
    runtimes = (
        f" on onnxruntime {', '.join(dict.fromkeys(report.runtimes))}" if report.runtimes else ""
    )
    console.print(Text(f"{what}{report.library.name}{runtimes}"), soft_wrap=True)
    if console.is_terminal:
        console.print(table)
    else:
        _plain(report, many)
    console.print(
        Text(report.summary, style="bold green" if report.passed else "bold red"), soft_wrap=True
    )


def _plain(report: Report, many: bool) -> None:
    """The table without a terminal: one line per check, never folded."""
    widths = [
        max((len(text(check)) for check in report.checks), default=0)
        for text in (
            lambda c: c.rung,
            lambda c: c.name,
            lambda c: c.runtime,
            lambda c: _MARK[str(c.outcome)][0],
        )
    ]
    for check in report.checks:
        cells = [check.rung, check.name, check.runtime, _MARK[str(check.outcome)][0]]
        padded = [f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)]
        if not many:
            del padded[2]
        typer.echo("  ".join([*padded, _detail(check)]).rstrip())


def _detail(check: Check) -> str:
    return check.detail.replace("\n", " ")


def _library(project: Path | None, library: Path | None, preset: str) -> Path:
    if library is not None:
        if project is not None:
            raise UsageError("give a project or --library, not both")
        return library
    return library_of(project or Path(), preset)


def library_of(project: Path, preset: str) -> Path:
    """The library that a preset of a project has built. Raises UsageError if there is none."""
    from epforge.build import open_project

    opened = open_project(project)
    path = opened.library_path(preset)
    if not path.is_file():
        raise UsageError(
            f"{opened.root} is not built: there is no {path}",
            f"Run: epforge build {quoted(project)}"
            + ("" if preset == "release" else f" --preset {preset}"),
        )
    return path


def _rungs(wanted: list[str]) -> tuple[Rung, ...]:
    from epforge.validate import RUNGS

    known = {str(rung): rung for rung in RUNGS}
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"--rung {name}: there is no such rung", f"They are: {', '.join(known)}."
            )
    return tuple(rung for rung in RUNGS if not wanted or rung in wanted)


def _kind(wanted: str) -> Kind:
    from epforge.validate import Kind

    kinds = {"plugin-ep": Kind.PLUGIN_EP, "custom-ops": Kind.CUSTOM_OPS}
    if wanted not in kinds:
        raise UsageError(
            f"--kind {wanted}: there is no such kind", f"They are: {', '.join(kinds)}."
        )
    return kinds[wanted]
