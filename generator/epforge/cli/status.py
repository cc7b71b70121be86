"""``epforge status``: is a project what its blueprint and this epforge say?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.options import TrustOption, VerboseOption
from epforge.cli.output import finish
from epforge.cli.show.outcome import action_lines
from epforge.verbs.wording import count, printable

if TYPE_CHECKING:
    from epforge.verbs.status import StatusResult


def command(
    project: Annotated[
        Path,
        typer.Argument(
            help="The project's directory.", metavar="DIR", autocompletion=complete.directories
        ),
    ] = Path(),
    trust: TrustOption = False,
    verbose: VerboseOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Says whether a project is what its blueprint says; for CI. Writes nothing.

    Everything is rendered and compared with what lies there, without the network and without
    ONNX Runtime's headers. Your own changes of shared files and of yours are no drift. Exit
    status 1: something would be written, or a generated file was edited or is gone; 3: conflicts
    are open.

    \b
        epforge status my-ep
    """
    from epforge.verbs.status import project_status

    status = project_status(project, trust=trust)
    finish(status, lambda: _show(project, status, verbose), as_json=as_json)


def _show(project: Path, status: StatusResult, verbose: bool) -> None:
    """What is the matter, summed up where many generated files are alike."""
    updated = set(status.outcome.paths()) if status.outcome else set()
    for finding in status.findings:
        if finding.path not in updated:
            line = f":{finding.lines[0]}" if finding.lines else ""
            typer.echo(printable(f"{project / finding.path}{line}: {finding.text}"))
    for text in action_lines(status.outcome, verbose=verbose) if status.outcome else ():
        typer.echo(text)
    for note in status.outcome.notes if status.outcome else ():
        if note.is_new:
            typer.echo(printable(f"note    {note.path}: {note.text}"))
    total = f", {count(len(status.outcome.lock.files), 'file')}" if status.outcome else ""
    typer.echo(printable(f"{project}: {status.word}{total if not status.findings else ''}"))
    if status.cure:
        typer.echo(printable(f"Run: {status.cure}"))
