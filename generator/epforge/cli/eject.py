"""``epforge eject``: a generated kernel becomes yours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli.change.decisions import (
    AdoptOption,
    DiscardOption,
    DryRunOption,
    OnConflictOption,
    OursOption,
    TheirsOption,
    TrustOption,
    again,
    request_of,
)
from epforge.cli.main import make_app
from epforge.errors import UsageError
from epforge.workspace.outcome import OnConflict

if TYPE_CHECKING:
    from epforge.resolve.model import Blueprint, Op

app = make_app()


@app.callback()
def _group() -> None:
    """Makes a generated part of a project yours to edit.

    \b
        epforge eject op Relu --project my-ep
    """


@app.command("op")
def eject_op(
    op: Annotated[str, typer.Argument(help="Relu, or domain::Op.", metavar="OP")],
    project: Annotated[Path, typer.Option(help="The project's directory.", metavar="DIR")] = Path(),
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
    from epforge.cli.change.rewriting import rewrite
    from epforge.cli.show.outcome import exit_if_conflicts, outcome_data, show
    from epforge.workspace.outcome import ActionKind

    path = project / "blueprint.yaml"
    request = request_of(on_conflict, ours, theirs, adopt, discard)
    command = ("epforge", "eject", "op", op, "--project", str(project))
    retry = again(command, request, trust=trust)
    outcome = rewrite(
        *(project, lambda text: _ejected(text, path, op), request),
        trust=trust,
        dry_run=dry_run,
        retry=retry,
    ).outcome
    if as_json:
        typer.echo(json.dumps(outcome_data(project, outcome), indent=2))
    else:
        if not dry_run:
            made = outcome.paths(ActionKind.CREATE, ActionKind.MOVE)
            yours = [name for name in made if name.startswith("src/kernels/")]
            typer.echo(f"{op} is yours now: {', '.join(yours) or 'src/kernels/ had it already'}")
        show(project, outcome, would=dry_run, retry=retry)
    exit_if_conflicts(outcome)


def _ejected(text: str, path: Path, op: str) -> str:
    """The blueprint in which an op is yours. Raises UsageError if there is no such text."""
    from epforge.blueprint import parse
    from epforge.blueprint.edits import take_over
    from epforge.resolve import resolve_supported
    from epforge.resolve.model import KernelSource

    source = parse(text, str(path))
    found = _find(resolve_supported(source), op)
    if found.kernel is KernelSource.YOURS:
        raise UsageError(f"{op} is yours already: see src/kernels/")
    return take_over(source, found.domain, found.op)


def _find(blueprint: Blueprint, text: str) -> Op:
    domain, _, name = text.rpartition("::")
    domain = "" if domain == "ai.onnx" else domain
    for op in blueprint.ops:
        if (op.domain, op.op) == (domain, name):
            return op
    known = ", ".join(f"{op.domain}::{op.op}" if op.domain else op.op for op in blueprint.ops)
    raise UsageError(f"the blueprint does not list {text}", f"It lists {known}.")
