"""``epforge compile``: models compiled ahead of time, by any plugin library that can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.show.wording import count
from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.cli.compile_worker import CompileRequest, CompileResult


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="The models; before them a project's directory, if it is not the current one.",
            metavar="[PROJECT] MODEL",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A folder; for one model also a FILE.onnx.", metavar="PATH"
        ),
    ] = None,
    embed: Annotated[
        bool, typer.Option("--embed", help="Put what was compiled into the model.")
    ] = False,
    share_weights: Annotated[
        bool, typer.Option("--share-weights", help="All models share one file of compiled data.")
    ] = False,
    provider_options: Annotated[
        list[str] | None,
        typer.Option(
            "-i", help="Options of the execution provider; may be repeated.", metavar="KEY|VALUE..."
        ),
    ] = None,
    session_options: Annotated[
        list[str] | None,
        typer.Option(
            "-C",
            help="Entries of the session's configuration; may be repeated.",
            metavar="KEY|VALUE...",
        ),
    ] = None,
    library: Annotated[
        Path | None,
        typer.Option(help="Any plugin library, instead of a project.", metavar="FILE"),
    ] = None,
    ep: Annotated[
        str, typer.Option(help="Its execution provider, if it has several.", metavar="NAME")
    ] = "",
    config: Annotated[
        Path | None,
        typer.Option(
            "-p",
            help="A plugin configuration as ONNX Runtime's tools take it, instead of a project; "
            "wins over other options.",
            metavar="FILE",
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Which build of the project.", metavar="NAME")
    ] = "release",
    device: Annotated[
        int | None, typer.Option(help="The N-th device, from 0.", metavar="N")
    ] = None,
    virtual: Annotated[
        bool | None,
        typer.Option(
            "--virtual/--no-virtual",
            help="A virtual device or a real one; by default a real one if there is one.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    allow_none: Annotated[
        bool, typer.Option("--allow-none", help="It is no failure when nothing is compiled.")
    ] = False,
    time_limit: Annotated[
        float, typer.Option(min=0.1, help="Seconds for each model.", metavar="SECONDS")
    ] = 600.0,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show all of ONNX Runtime's log.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compiles models ahead of time, so that their sessions start without compiling.

    MODEL.onnx becomes MODEL_ctx.onnx, with a file of compiled data beside it unless --embed puts
    them inside. The library works in a process of its own: a crash is reported, and leaves nothing
    half-written. Exit status 1 when a model is not compiled, also when no node of it is.

    \b
        epforge compile my-ep model.onnx
        epforge compile --library libother_ep.so -i "effort|2 mode|fast" model.onnx -o compiled
    """
    from epforge.cli.compile_worker import BrokenDownError, CompileRequest

    models, chosen = _models_and_library(paths, library, config, preset)
    request = CompileRequest(
        models=tuple(str(model.absolute()) for model in models),
        library=str(chosen.absolute()) if chosen is not None else "",
        ep=ep,
        output=str(output.absolute()) if output is not None else None,
        embed=embed,
        share_weights=share_weights,
        provider_options=tuple(provider_options or ()),
        session_options=tuple(session_options or ()),
        config=str(config.absolute()) if config is not None else None,
        device=device,
        virtual=virtual,
        force=force,
        allow_none=allow_none,
        verbose=verbose,
    )
    try:
        result = _with_progress(request, time_limit, as_json)
    except BrokenDownError as error:
        if not as_json:
            _show(error.result)
        raise
    if as_json:
        typer.echo(json.dumps(result.data, indent=2))
    else:
        _show(result)
    if result.status:
        raise typer.Exit(result.status)


def _models_and_library(
    paths: list[Path], library: Path | None, config: Path | None, preset: str
) -> tuple[list[Path], Path | None]:
    """Tells models and project apart; the library is the one that was asked for, if any was."""
    project = paths[0] if paths[0].is_dir() else None
    models = paths if project is None else paths[1:]
    if not models:
        raise UsageError(f"{project}: there is no model to compile", "Name it behind the project.")
    if library is not None and project is not None:
        raise UsageError("give a project or --library, not both")
    if config is not None:
        return models, library or project  # only to be told that the configuration wins
    if library is None:
        from epforge.cli.validate import library_of

        library = library_of(project or Path(), preset)
    return models, library


def _with_progress(request: CompileRequest, time_limit: float, quiet: bool) -> CompileResult:
    from epforge.cli.compile_worker import compile_models
    from epforge.cli.show.progress import progress

    with progress(quiet=quiet) as show:
        show(f"compiling {count(len(request.models), 'model')}")
        return compile_models(request, time_limit)


def _show(result: CompileResult) -> None:
    for line in result.log:
        typer.echo(line, err=True)
    for line in result.lines:
        typer.echo(line)
    for line in result.complaints:
        typer.echo(line, err=True)
