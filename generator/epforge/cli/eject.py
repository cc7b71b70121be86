"""``epforge eject``: a generated kernel becomes yours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.main import make_app
from epforge.cli.options import (
    AdoptOption,
    DiscardOption,
    DryRunOption,
    OnConflictOption,
    OursOption,
    TheirsOption,
    TrustOption,
)
from epforge.cli.output import finish, warn
from epforge.workspace.outcome import OnConflict

app = make_app()


@app.callback()
def _group() -> None:
    """Makes a generated part of a project yours to edit.

    \b
        epforge eject op Relu --project my-ep
    """


@app.command("op")
def eject_op(
    op: Annotated[
        str,
        typer.Argument(help="Relu, or domain::Op.", metavar="OP", autocompletion=complete.kernels),
    ],
    project: Annotated[
        Path,
        typer.Option(
            help="The project's directory.", metavar="DIR", autocompletion=complete.directories
        ),
    ] = Path(),
    on_conflict: OnConflictOption = OnConflict.STOP,
    ours: OursOption = None,
    theirs: TheirsOption = None,
    adopt: AdoptOption = None,
    discard: DiscardOption = None,
    trust: TrustOption = False,
    dry_run: DryRunOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Moves an op's kernel from src/gen/kernels to src/kernels, where it is yours.

    blueprint.yaml gets `kernel: yours` for the op, its comments and layout stay. From then on
    epforge never touches the kernel again, and its fixes no longer reach it. If generated files
    were edited, nothing happens and they are named.

    \b
        epforge eject op Relu --project my-ep
    """
    from epforge.cli.show.outcome import show
    from epforge.verbs import eject

    done = eject.eject_op(
        op,
        project=project,
        on_conflict=on_conflict,
        ours=ours or (),
        theirs=theirs or (),
        adopt=adopt or (),
        discard=discard or (),
        trust=trust,
        dry_run=dry_run,
        progress=warn,
    )

    def shown() -> None:
        if not dry_run:
            files = ", ".join(done.yours) or "src/kernels/ had it already"
            typer.echo(f"{op} is yours now: {files}")
        show(project, done.outcome, would=dry_run, retry=done.retry)

    finish(done, shown, as_json=as_json)
