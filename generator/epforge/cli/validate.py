"""``epforge validate``: climbs the ladder of checks on a built library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish
from epforge.cli.show.ladder import ladder


def command(
    project: Annotated[
        Path | None,
        typer.Argument(
            help="A project's directory, built.",
            metavar="PROJECT",
            autocompletion=complete.directories,
        ),
    ] = None,
    library: Annotated[
        Path | None,
        typer.Option(
            help="Any plugin library, instead of a project.",
            metavar="FILE",
            autocompletion=complete.files(*complete.LIBRARIES),
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="Which build of the project.",
            metavar="NAME",
            autocompletion=complete.words(*complete.PRESETS),
        ),
    ] = "release",
    target: Annotated[
        str | None,
        typer.Option(
            help="The build for a platform: linux-x64, linux-arm64, windows-x64 or macos-arm64. On "
            "Linux, that for Windows runs under wine, that for Arm under QEMU.",
            metavar="NAME",
            autocompletion=complete.words(*complete.TARGETS),
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            help="What the library claims; else the file beside it.",
            metavar="FILE",
            autocompletion=complete.files(".json"),
        ),
    ] = None,
    rung: Annotated[
        list[str] | None,
        typer.Option(
            help="static, load, ops, graphs, context, conformance, memory, threads, fuzz, package "
            "or matrix; may be repeated. By default all but conformance (ONNX's own tests of every "
            "op), fuzz (random graphs, spoilt compiled models), package (the project's wheel in a "
            "fresh environment) and matrix (every onnxruntime that the library promises).",
            metavar="NAME",
            autocompletion=complete.words(*complete.RUNGS),
        ),
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            help="Restrict the rungs ops and conformance to this one; may be repeated.",
            metavar="NAME",
            autocompletion=complete.operators,
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
            autocompletion=complete.files(".toml"),
        ),
    ] = None,
    runtime: Annotated[
        list[str] | None,
        typer.Option(
            help="An onnxruntime to run on: a version, fetched once, or the directory that holds "
            "its package; may be repeated. This Python's by default.",
            metavar="VERSION|DIR",
            autocompletion=complete.runtimes,
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            help="What the file should be: plugin-ep or custom-ops.",
            metavar="KIND",
            autocompletion=complete.words("plugin-ep", "custom-ops"),
        ),
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
            autocompletion=complete.directories,
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
    from epforge.cli.show.checks import show_report
    from epforge.verbs.validate import validate_library

    with ladder(quiet=as_json) as shown:
        report = validate_library(
            project,
            library=library,
            preset=preset,
            target=target,
            manifest=manifest,
            rung=rung or (),
            op=op or (),
            ep=ep,
            exclusions=exclusions,
            runtime=runtime or (),
            kind=kind,
            keep_going=keep_going,
            allow_no_devices=allow_no_devices,
            thorough=thorough,
            sanitize=sanitize,
            all=all_rungs,
            no_cache=no_cache,
            seed=seed,
            cases=cases,
            output=output,
            time_limit=time_limit,
            report=report_to or (),
            progress=shown.progress,
            on_check=shown.on_check,
        )
    finish(report, lambda: show_report(report), as_json=as_json)
