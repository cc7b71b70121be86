"""``epforge resolve``: conflicts that were left in the files are over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from epforge.errors import ExitStatus, UsageError
from epforge.workspace.outcome import OnConflict


def command(
    paths: Annotated[
        list[str] | None, typer.Argument(help="These files; all by default.", metavar="PATH")
    ] = None,
    project: Annotated[Path, typer.Option(help="The project's directory.", metavar="DIR")] = Path(),
    ours: Annotated[bool, typer.Option("--ours", help="Your lines win.")] = False,
    theirs: Annotated[bool, typer.Option("--theirs", help="epforge's lines win.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ends conflicts that `--on-conflict markers` has left in the files.

    Edit the lines between the markers first, or let one side win: what both had is kept until
    then. A file with markers left stays in conflict, and its lines are named; exit status 3.

    \b
        epforge resolve CMakeLists.txt --project my-ep
        epforge resolve --theirs
    """
    from epforge.cli.change.request_paths import known_path
    from epforge.cli.change.rewriting import lock_of
    from epforge.cli.main import printable
    from epforge.cli.show.wording import count
    from epforge.workspace import resolve

    if ours and theirs:
        raise UsageError("--ours and --theirs exclude each other", "Choose one.")
    side = OnConflict.OURS if ours else OnConflict.THEIRS if theirs else None
    known = {*lock_of(project).conflicts, *lock_of(project).files}
    wanted = [known_path(project, path, known) for path in paths or ()]
    done = resolve(project, wanted, side=side)
    left = sorted(lock_of(project).conflicts)
    if as_json:
        markers = {path: list(lines) for path, lines in done.left.items()}
        data = {"format": 1, "resolved": list(done.resolved), "left": markers, "open": left}
        typer.echo(json.dumps(data, indent=2))
    else:
        for path in done.resolved:
            typer.echo(printable(f"resolved {path}"))
        for path, lines in done.left.items():
            places = ", ".join(map(str, lines))
            text = f"{project / path}:{lines[0]}: conflict markers are left, in lines {places}"
            typer.echo(printable(text), err=True)
        if not done.resolved and not done.left:
            typer.echo("nothing is in conflict")
        elif not done.left:
            text = f"{count(len(left), 'file')} left" if left else "none is left"
            typer.echo(f"{count(len(done.resolved), 'file')} resolved; {text}")
    if done.left:
        raise typer.Exit(int(ExitStatus.CONFLICTS))
