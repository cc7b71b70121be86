"""``epforge scaffold``: from a blueprint to a project, and on request to a proven library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish
from epforge.verbs.wording import quoted

if TYPE_CHECKING:
    from epforge.verbs.scaffold import ScaffoldResult


def command(
    file: Annotated[
        Path,
        typer.Argument(
            help="The blueprint, or a directory with blueprint.yaml.",
            metavar="FILE",
            autocompletion=complete.files(*complete.BLUEPRINTS),
        ),
    ],
    directory: Annotated[
        Path | None,
        typer.Argument(
            help="Where the project goes; left out, the directory with the blueprint.yaml.",
            metavar="DIR",
            autocompletion=complete.directories,
        ),
    ] = None,
    build: Annotated[bool, typer.Option("--build", help="Build the library too.")] = False,
    validate: Annotated[
        bool, typer.Option("--validate", help="Build, then prove that the library works.")
    ] = False,
    ort_sdk: Annotated[
        Path | None,
        typer.Option(
            help="ONNX Runtime's headers, for --build.",
            metavar="DIR",
            autocompletion=complete.directories,
        ),
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Let overlays run code.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Expands a blueprint into a complete project.

    Everything is rendered in memory first and published in one step: after an error, the directory
    is as it was. With --build the library is built, with --validate it is also run on real models,
    with the CPU provider switched off, and its numbers are checked.

    The directory may hold other files, such as those of `epforge init` and of git: they stay as
    they are, and where one is in the way, nothing is written. A directory that holds a project
    already is brought up to date as by `regenerate`, if the project's own blueprint.yaml is the
    one that is expanded.

    \b
        epforge scaffold my-ep --build --validate
        epforge scaffold blueprint.yaml my-ep
    """
    from epforge.cli.show.checks import show_report
    from epforge.cli.show.outcome import show
    from epforge.cli.show.proof import proving
    from epforge.verbs.scaffold import scaffold_project

    def written(result: ScaffoldResult) -> None:
        if not as_json:
            show(result.directory, result.outcome)

    with proving(quiet=as_json, validate=validate) as shown:
        done = scaffold_project(
            *(file, directory),
            build=build,
            validate=validate,
            ort_sdk=ort_sdk,
            trust=trust,
            progress=shown.progress,
            on_written=written,
            on_built=shown.on_built,
            on_check=shown.on_check,
        )

    def rest() -> None:
        if done.proof.report is not None:
            show_report(done.proof.report)
        if not done.exit_status:
            typer.echo(_next_step(done.directory, build, validate))

    finish(done, rest, as_json=as_json)


def _next_step(directory: Path, built: bool, validated: bool) -> str:
    if validated:
        return f"Next: {directory / 'README.md'} says how to use it from Python and C++."
    return f"Next: epforge {'validate' if built else 'build'} {quoted(directory)}"
