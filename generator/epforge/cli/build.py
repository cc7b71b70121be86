"""``epforge build``: compiles a project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish


def command(
    project: Annotated[
        Path,
        typer.Argument(
            help="The project's directory.", metavar="PROJECT", autocompletion=complete.directories
        ),
    ] = Path(),
    preset: Annotated[
        str | None,
        typer.Option(
            help="What to build: release, debug, asan or tsan.",
            metavar="NAME",
            autocompletion=complete.words(*complete.PRESETS),
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="The platform to build for, one of the blueprint's.",
            metavar="TARGET",
            autocompletion=complete.words(*complete.TARGETS),
        ),
    ] = None,
    ort_sdk: Annotated[
        Path | None,
        typer.Option(
            help="ONNX Runtime's headers.", metavar="DIR", autocompletion=complete.directories
        ),
    ] = None,
    compiler: Annotated[
        str | None,
        typer.Option(
            help="The C++ compiler; else CXX, g++, clang++, zig. With --target: gcc or zig.",
            metavar="COMMAND",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Compilers at a time.", metavar="N")
    ] = None,
    wheel: Annotated[bool, typer.Option("--wheel", help="Make its Python wheels, too.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Where the wheel goes; else PROJECT/dist.",
            metavar="DIR",
            autocompletion=complete.directories,
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option(help="The wheel's version; else the blueprint's.", metavar="VERSION"),
    ] = None,
    package_name: Annotated[
        str | None,
        typer.Option(help="Which of the blueprint's distributions the wheel is.", metavar="NAME"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Builds a project's library with CMake, Ninja and the system's compiler.

    Only what changed is built again. When the build fails, exit status 1, you get its first error,
    and whose file it is in; the whole output is in the log that the message names.

    \b
        epforge build my-ep --preset debug
        epforge build my-ep --target windows-x64
        epforge build my-ep --wheel --output dist
    """
    from epforge.cli.show.build import summary_of
    from epforge.cli.show.progress import progress
    from epforge.verbs.build import build_project

    with progress(quiet=as_json) as shown:
        done = build_project(
            project,
            preset=preset,
            target=target,
            ort_sdk=ort_sdk,
            compiler=compiler,
            jobs=jobs,
            wheel=wheel,
            output=output,
            version=version,
            package_name=package_name,
            progress=shown,
        )

    def show() -> None:
        typer.echo(summary_of(done.built))
        for each in filter(None, (done.wheel, done.native_wheel)):
            typer.echo(f"{each.wheel}: {each.size / 1e6:.2f} MB, {each.seconds:.1f} s")

    finish(done, show, as_json=as_json)
