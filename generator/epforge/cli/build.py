"""``epforge build``: compiles a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.show.wording import count
from epforge.errors import UsageError

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.build.wheel import WheelResult

_NOT_HERE = "an extension module is built where it runs"


def command(
    project: Annotated[
        Path, typer.Argument(help="The project's directory.", metavar="PROJECT")
    ] = Path(),
    preset: Annotated[
        str | None,
        typer.Option(help="What to build: release, debug, asan or tsan.", metavar="NAME"),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="The platform to build for, one of the blueprint's.", metavar="TARGET"),
    ] = None,
    ort_sdk: Annotated[
        Path | None, typer.Option(help="ONNX Runtime's headers.", metavar="DIR")
    ] = None,
    compiler: Annotated[
        str | None,
        typer.Option(
            help="The C++ compiler; else CXX, then g++, clang++. With --target: gcc or zig.",
            metavar="COMMAND",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Compilers at a time.", metavar="N")
    ] = None,
    wheel: Annotated[bool, typer.Option("--wheel", help="Make its Python wheels, too.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(help="Where the wheel goes; else PROJECT/dist.", metavar="DIR"),
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

    Only what changed is built again. When the build fails, you get its first error, and whose file
    it is in; the whole output is in the log that the message names.

    \b
        epforge build my-ep --preset debug
        epforge build my-ep --target windows-x64
        epforge build my-ep --wheel --output dist
    """
    from epforge.build import build, open_project
    from epforge.build.native_wheel import build_native_wheel, has_native
    from epforge.build.targets import find_target, is_foreign, wheel_tag
    from epforge.build.wheel import build_wheel
    from epforge.cli.show.blocked import UnresolvedError
    from epforge.cli.show.progress import progress
    from epforge.workspace import OpenConflictsError

    _check_wheel_options(wheel, output=output, version=version, package_name=package_name)
    if target is not None:
        if preset is not None:
            raise UsageError("--target has a preset of its own", "Leave --preset away.")
        preset = find_target(open_project(project), target).name
    preset = preset or "release"
    made: WheelResult | None = None
    native: WheelResult | None = None
    try:
        with progress(quiet=as_json) as show:
            built = build(project, preset, ort_sdk, compiler, jobs, show)
            if wheel:
                made = build_wheel(
                    project,
                    preset,
                    version=version,
                    package_name=package_name,
                    platform_tag=wheel_tag(built.target),
                    output=output,
                    progress=show,
                )
                if has_native(project) and not is_foreign(built.target):
                    native = build_native_wheel(
                        project, preset, version=version, output=output, progress=show
                    )
                elif has_native(project):
                    show(f"note: the kernels for NumPy are not built for {target}: {_NOT_HERE}")
    except OpenConflictsError as error:
        raise UnresolvedError(project, error.paths) from error
    if as_json:
        wheels = {"wheel": made, "native_wheel": native} if made else {}
        more = {name: each.to_json() if each else None for name, each in wheels.items()}
        typer.echo(json.dumps({**built.to_json(), **more}, indent=2))
        return
    typer.echo(summary_of(built))
    for each in filter(None, (made, native)):
        typer.echo(f"{each.wheel}: {each.size / 1e6:.2f} MB, {each.seconds:.1f} s")


def _check_wheel_options(wheel: bool, **options: object) -> None:
    for name, value in options.items():
        if value is not None and not wheel:
            raise UsageError(f"--{name.replace('_', '-')} is about the wheel", "Add --wheel.")


def summary_of(built: BuildResult) -> str:
    """What a build did, in one line."""
    what = f"{count(built.compiled, 'file')} compiled" if built.compiled else "up to date"
    warnings = f", {count(built.warnings, 'warning')} (see {built.log})" if built.warnings else ""
    return f"{built.library}: {what}{warnings}, {built.seconds:.1f} s"
