"""``epforge regenerate``: a project becomes what its blueprint and this epforge say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.options import (
    AdoptOption,
    DiscardOption,
    DryRunOption,
    OnConflictOption,
    OursOption,
    TheirsOption,
    TrustOption,
    VerboseOption,
)
from epforge.cli.output import finish
from epforge.workspace.outcome import OnConflict


def command(
    project: Annotated[
        Path,
        typer.Argument(
            help="The project's directory.", metavar="DIR", autocompletion=complete.directories
        ),
    ] = Path(),
    dry_run: DryRunOption = False,
    on_conflict: OnConflictOption = OnConflict.STOP,
    ours: OursOption = None,
    theirs: TheirsOption = None,
    adopt: AdoptOption = None,
    discard: DiscardOption = None,
    refresh: Annotated[
        list[str] | None,
        typer.Option(
            help="Merge what epforge would write today into this file of yours; may be repeated.",
            metavar="PATH|all",
        ),
    ] = None,
    restore: Annotated[
        list[str] | None,
        typer.Option(help="Write this deleted file again; may be repeated.", metavar="PATH"),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option(
            help="Leave the work tree alone: commit the result on top of HEAD, on a new branch.",
            metavar="NAME",
        ),
    ] = None,
    trust: TrustOption = False,
    build: Annotated[bool, typer.Option("--build", help="Build the library too.")] = False,
    validate: Annotated[
        bool, typer.Option("--validate", help="Build, then prove that the library works.")
    ] = False,
    verbose: VerboseOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Brings a project up to date with its blueprint and with this epforge.

    Run it after you have edited blueprint.yaml, or got a newer epforge. Generated files are
    replaced, shared files are merged with what you made of them, yours are not touched. Where you
    and epforge changed the same lines, nothing is written until you decide; exit status 3.

    \b
        epforge regenerate my-ep --dry-run
        epforge regenerate my-ep --theirs CMakeLists.txt
    """
    from epforge.cli.show.branch import show_branch
    from epforge.cli.show.checks import show_report
    from epforge.cli.show.outcome import show
    from epforge.cli.show.proof import proving
    from epforge.verbs.regenerate import RegenerateResult, regenerate_project

    def written(result: RegenerateResult) -> None:
        if as_json:
            return
        show(
            *(project, result.outcome),
            verbose=verbose,
            would=dry_run,
            retry=result.retry,
            branch=branch,
        )
        if result.branch is not None:
            show_branch(project, result.branch)

    with proving(quiet=as_json, validate=validate) as shown:
        done = regenerate_project(
            project,
            dry_run=dry_run,
            on_conflict=on_conflict,
            ours=ours or (),
            theirs=theirs or (),
            adopt=adopt or (),
            discard=discard or (),
            refresh=refresh or (),
            restore=restore or (),
            branch=branch,
            trust=trust,
            build=build,
            validate=validate,
            progress=shown.progress,
            on_written=written,
            on_built=shown.on_built,
            on_check=shown.on_check,
        )

    def rest() -> None:
        if done.proof.report is not None:
            show_report(done.proof.report)

    finish(done, rest, as_json=as_json)
