"""``epforge build``: compiles a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.show.wording import count

if TYPE_CHECKING:
    from epforge.build import BuildResult


def command(
    project: Annotated[
        Path, typer.Argument(help="The project's directory.", metavar="PROJECT")
    ] = Path(),
    preset: Annotated[
        str, typer.Option(help="What to build: release, debug, asan or tsan.", metavar="NAME")
    ] = "release",
    ort_sdk: Annotated[
        Path | None, typer.Option(help="ONNX Runtime's headers.", metavar="DIR")
    ] = None,
    compiler: Annotated[
        str | None,
        typer.Option(help="The C++ compiler; else CXX, then g++, clang++.", metavar="COMMAND"),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Compilers at a time.", metavar="N")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Builds a project's library with CMake, Ninja and the system's compiler.

    Only what changed is built again. When the build fails, you get its first error, and whose file
    it is in; the whole output is in the log that the message names.

    \b
        epforge build my-ep --preset debug
    """
    from epforge.build import build
    from epforge.cli.show.blocked import UnresolvedError
    from epforge.cli.show.progress import progress
    from epforge.workspace import OpenConflictsError

    try:
        with progress(quiet=as_json) as show:
            built = build(project, preset, ort_sdk, compiler, jobs, show)
    except OpenConflictsError as error:
        raise UnresolvedError(project, error.paths) from error
    if as_json:
        typer.echo(json.dumps(built.to_json(), indent=2))
        return
    typer.echo(summary_of(built))


def summary_of(built: BuildResult) -> str:
    """What a build did, in one line."""
    what = f"{count(built.compiled, 'file')} compiled" if built.compiled else "up to date"
    warnings = f", {count(built.warnings, 'warning')} (see {built.log})" if built.warnings else ""
    return f"{built.library}: {what}{warnings}, {built.seconds:.1f} s"
