"""``epforge validate``: climbs the ladder of checks on a built library."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from epforge.cli.main import printable
from epforge.cli.show.ladder import MARKS, ladder
from epforge.cli.show.wording import quoted
from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.validate import Kind, Report, Rung, Runtime
    from epforge.validate.cross import OfTarget, Target


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
    target: Annotated[
        str | None,
        typer.Option(
            help="The build for a platform: linux-x64, linux-arm64, windows-x64 or macos-arm64. On "
            "Linux, that for Windows runs under wine, that for Arm under QEMU.",
            metavar="NAME",
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(help="What the library claims; else the file beside it.", metavar="FILE"),
    ] = None,
    rung: Annotated[
        list[str] | None,
        typer.Option(
            help="static, load, ops, graphs, context, conformance, memory, threads, fuzz, package "
            "or matrix; may be repeated. By default all but conformance (ONNX's own tests of every "
            "op), fuzz (random graphs, spoilt compiled models), package (the project's wheel in a "
            "fresh environment) and matrix (every onnxruntime that the library promises).",
            metavar="NAME",
        ),
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            help="Restrict the rungs ops and conformance to this one; may be repeated.",
            metavar="NAME",
        ),
    ] = None,
    ep: Annotated[
        str,
        typer.Option(
            help="Which execution provider, of a library that has several; the first by default.",
            metavar="NAME",
        ),
    ] = "",
    exclusions: Annotated[
        Path | None,
        typer.Option(
            help="More tests that rung conformance excludes, in TOML: [Op] test = 'reason'.",
            metavar="FILE",
        ),
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
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="Run every model of rung ops, not only those that stand for the rest, and each op "
            "in a process of its own.",
        ),
    ] = False,
    sanitize: Annotated[
        bool,
        typer.Option(
            "--sanitize",
            help="In the rungs that can use it, build the project with sanitizers and run that.",
        ),
    ] = False,
    all_rungs: Annotated[
        bool,
        typer.Option("--all", help="All rungs, and --sanitize: at most half an hour."),
    ] = False,
    no_cache: Annotated[
        bool,
        typer.Option(
            "--no-cache", help="Run also what has passed before and has not changed since."
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(help="Of rung fuzz: the same seed tries the same.", metavar="N")
    ] = 0,
    cases: Annotated[
        int,
        typer.Option(
            min=1, help="Of rung fuzz: how many graphs, and how many spoilt models.", metavar="N"
        ),
    ] = 500,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Where rung fuzz leaves the models that it finds; in epforge's cache by default.",
            metavar="DIR",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds without progress until it hangs.", metavar="SECONDS"),
    ] = 60.0,
    report_to: Annotated[
        list[Path] | None,
        typer.Option(
            "--report",
            help="Write the report, too: as JSON, as a page or as JUnit XML, by the suffix .json, "
            ".html or .xml; may be repeated.",
            metavar="FILE",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Proves that a plugin library works: its symbols, loading, every op it declares, graphs that
    have to be divided, compiled models.

    Works on any plugin library; what ours claim is in the manifest beside them, what others take
    is asked. Each check runs in a process of its own, so a crash or a hang is a result. Exit
    status 1 when a check fails; the last line names rung and check.

    \b
        epforge validate my-ep --runtime 1.24.4 --runtime 1.32.0
        epforge validate my-ep --report report.html --report report.json
        epforge validate --library libother_ep.so
    """
    from epforge.cli.instruments import instruments
    from epforge.cli.show import report_files
    from epforge.validate import RUNGS, Fuzzing, Limits, validate
    from epforge.validate.cross import find_target

    if all_rungs and rung:
        raise UsageError("give --all or --rung, not both")
    rungs, expect = tuple(RUNGS) if all_rungs else _rungs(rung or []), kind_of(kind)
    platform = find_target(target) if target else None
    report_files.check(report_to or (), "--report ")  # said before the work is done
    if platform and preset != "release":
        raise UsageError("--target has a preset of its own", "Leave --preset away.")
    path = _library(project, library, preset, target)
    with ladder(quiet=as_json) as shown:
        show = shown.progress
        report = validate(
            path,
            manifest,
            rungs=rungs,
            runtimes=_runtimes(runtime or [], platform, show),
            target=platform,
            keep_going=keep_going,
            allow_no_devices=allow_no_devices,
            expect=expect,
            only=op or (),
            ep=ep,
            more_exclusions=exclusions,
            limits=Limits(stall_s=time_limit),
            instruments=instruments(None if library else project or Path(), show),
            thorough=thorough,
            sanitize=sanitize or all_rungs,
            keep=not no_cache,
            fuzzing=Fuzzing(seed, cases, output),
            make_wheel=None if library else _wheels(project or Path(), target or preset, show),
            make_native_wheel=_native_wheels(project or Path(), target or preset, show)
            if library is None
            else None,
            progress=show,
            on_check=shown.on_check,
            blueprint=None if library else (project or Path()) / "blueprint.yaml",
        )
    data = report.to_json() if report_to or as_json else {}
    report_files.write(report_to or (), data, "--report ")
    if as_json:
        typer.echo(json.dumps(data, indent=2))
    else:
        show_report(report)
    if not report.passed:
        raise typer.Exit(int(report.exit_status))


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


def _runtimes(
    wanted: list[str], target: Target | None, progress: Callable[[str], None]
) -> Sequence[Runtime | OfTarget]:
    """The onnxruntimes to validate on: this machine's, or those of another platform."""
    from epforge.ort.sdk import find_sdk
    from epforge.validate import THIS, find_runtime
    from epforge.validate.cross import API_LEVEL, OfTarget

    if target is None or target.native:
        return [find_runtime(each, progress) for each in wanted] or [THIS]
    if target.not_run:
        return ()
    headers = find_sdk(None, API_LEVEL).include
    return [OfTarget(target, each, headers) for each in wanted or [""]]


def _library(project: Path | None, library: Path | None, preset: str, target: str | None) -> Path:
    if library is not None:
        if project is not None:
            raise UsageError("give a project or --library, not both")
        return library
    return library_of(project or Path(), preset, target)


def library_of(project: Path, preset: str, target: str | None = None) -> Path:
    """The library that a preset of a project has built. Raises UsageError if there is none.

    Args:
        target: the platform that it is for; its preset is then the target's.
    """
    from epforge.build import open_project

    opened = open_project(project)
    path = opened.library_path(target or preset)
    if not path.is_file():
        raise UsageError(
            f"{opened.root} is not built: there is no {path}",
            f"Run: epforge build {quoted(project)}"
            + (f" --target {target}" if target else "")
            + (f" --preset {preset}" if preset != "release" and not target else ""),
        )
    return path


def _wheels(project: Path, preset: str, progress: Callable[[str], None]) -> Callable[[Path], Path]:
    """What makes the project's wheel in a directory."""

    def make(output: Path) -> Path:
        from epforge.build.wheel import build_wheel

        return build_wheel(project, preset, output=output, progress=progress).wheel

    return make


def _native_wheels(
    project: Path, preset: str, progress: Callable[[str], None]
) -> Callable[[Path], Path] | None:
    """What makes the wheel of the project's kernels for NumPy; None without those."""
    from epforge.build.native_wheel import build_native_wheel, has_native

    def make(output: Path) -> Path:
        return build_native_wheel(project, preset, output=output, progress=progress).wheel

    return make if has_native(project) else None


def _rungs(wanted: list[str]) -> tuple[Rung, ...]:
    from epforge.validate import RUNGS, USUAL

    known = {str(rung): rung for rung in RUNGS}
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"--rung {name}: there is no such rung", f"They are: {', '.join(known)}."
            )
    return tuple(rung for rung in RUNGS if rung in wanted) or USUAL


def kind_of(wanted: str) -> Kind:
    """What a file should be, by the word of ``--kind``. Raises UsageError for another word."""
    from epforge.validate import Kind

    kinds = {"plugin-ep": Kind.PLUGIN_EP, "custom-ops": Kind.CUSTOM_OPS}
    if wanted not in kinds:
        raise UsageError(
            f"--kind {wanted}: there is no such kind", f"They are: {', '.join(kinds)}."
        )
    return kinds[wanted]
