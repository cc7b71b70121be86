"""``epforge compile``: models compiled ahead of time, by any plugin library that can."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish

if TYPE_CHECKING:
    from epforge.verbs.compile_worker import CompileResult


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="The models; before them a project's directory, if it is not the current one.",
            metavar="[PROJECT] MODEL",
            autocompletion=complete.files(*complete.MODELS),
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
        typer.Option(
            help="Any plugin library, instead of a project.",
            metavar="FILE",
            autocompletion=complete.files(*complete.LIBRARIES),
        ),
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
            autocompletion=complete.files(".json"),
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
    from epforge.cli.show.progress import progress
    from epforge.verbs.compile import compile_models
    from epforge.verbs.compile_worker import BrokenDownError

    project = paths[0] if paths[0].is_dir() else None
    try:
        with progress(quiet=as_json) as show:
            result = compile_models(
                paths if project is None else paths[1:],
                project=project,
                output=output,
                embed=embed,
                share_weights=share_weights,
                provider_options=provider_options or (),
                session_options=session_options or (),
                library=library,
                ep=ep,
                config=config,
                preset=preset,
                device=device,
                virtual=virtual,
                force=force,
                allow_none=allow_none,
                time_limit=time_limit,
                verbose=verbose,
                progress=show,
            )
    except BrokenDownError as error:
        if not as_json:
            _show(error.result)
        raise
    finish(result, lambda: _show(result), as_json=as_json)


def _show(result: CompileResult) -> None:
    for line in result.log:
        typer.echo(line, err=True)
    for line in result.lines:
        typer.echo(line)
    for line in result.complaints:
        typer.echo(line, err=True)
