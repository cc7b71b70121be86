"""``epforge resolve``: conflicts that were left in the files are over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish
from epforge.verbs.wording import count, printable

if TYPE_CHECKING:
    from epforge.verbs.resolve import ResolveResult


def command(
    paths: Annotated[
        list[str] | None, typer.Argument(help="These files; all by default.", metavar="PATH")
    ] = None,
    project: Annotated[
        Path,
        typer.Option(
            help="The project's directory.", metavar="DIR", autocompletion=complete.directories
        ),
    ] = Path(),
    ours: Annotated[bool, typer.Option("--ours", help="Your lines win.")] = False,
    theirs: Annotated[bool, typer.Option("--theirs", help="epforge's lines win.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ends conflicts that `--on-conflict markers` has left in the files.

    Edit the lines between the markers first, or let one side win: what both had is kept until
    then. A file with markers left stays in conflict, and its lines are named; exit status 3.

    \b
        epforge resolve README.md --project my-ep
        epforge resolve --theirs
    """
    from epforge.verbs.resolve import resolve_conflicts

    done = resolve_conflicts(paths or (), project=project, ours=ours, theirs=theirs)
    finish(done, lambda: _show(done), as_json=as_json)


def _show(done: ResolveResult) -> None:
    for path in done.resolved:
        typer.echo(printable(f"resolved {path}"))
    for path, lines in done.left.items():
        places = ", ".join(map(str, lines))
        text = f"{done.directory / path}:{lines[0]}: conflict markers are left, in lines {places}"
        typer.echo(printable(text), err=True)
    if not done.resolved and not done.left:
        typer.echo("nothing is in conflict")
    elif not done.left:
        text = f"{count(len(done.open), 'file')} left" if done.open else "none is left"
        typer.echo(f"{count(len(done.resolved), 'file')} resolved; {text}")
