"""``epforge regenerate``: a project becomes what its blueprint and this epforge say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from epforge.cli.change.decisions import (
    AdoptOption,
    DiscardOption,
    DryRunOption,
    OnConflictOption,
    OursOption,
    TheirsOption,
    TrustOption,
    VerboseOption,
    again,
    request_of,
)
from epforge.cli.show.branch import branch_data, show_branch
from epforge.errors import UsageError
from epforge.workspace.outcome import OnConflict


def command(
    project: Annotated[
        Path, typer.Argument(help="The project's directory.", metavar="DIR")
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
    from epforge.cli.change.proving import prove
    from epforge.cli.change.rewriting import rewrite
    from epforge.cli.show.outcome import exit_if_conflicts, outcome_data, show

    if branch is not None and (build or validate):
        raise UsageError(
            "--branch leaves the work tree alone, so there is nothing to build",
            "Check the branch out and build there.",
        )
    request = request_of(on_conflict, ours, theirs, adopt, discard, refresh, restore)
    steps = [option for option, wanted in (("--build", build), ("--validate", validate)) if wanted]
    command = ("epforge", "regenerate", str(project), *steps)
    retry = again(command, request, branch=branch, trust=trust)
    done = rewrite(project, None, request, trust=trust, dry_run=dry_run, branch=branch, retry=retry)
    data = outcome_data(project, done.outcome)
    if not as_json:
        show(
            *(project, done.outcome),
            verbose=verbose,
            would=dry_run,
            retry=retry,
            branch=branch,
        )
    if done.branch is not None:
        data["branch"] = branch_data(done.branch)
        if not as_json:
            show_branch(project, done.branch)
    ready = not dry_run and not done.outcome.conflicts and not done.outcome.open
    proof = prove(project, build=build and ready, validate=validate and ready, quiet=as_json)
    if as_json:
        typer.echo(json.dumps(data | proof.to_json(), indent=2))
    exit_if_conflicts(done.outcome)
    proof.check()
