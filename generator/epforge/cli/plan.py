"""``epforge plan``: what a blueprint would become, or what would become of a project."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from epforge.cli.change.decisions import OnConflictOption, TrustOption, again, request_of
from epforge.workspace.outcome import Action, Conflict, Note, OnConflict, Outcome, Request


def command(
    file: Annotated[
        Path,
        typer.Argument(
            help="The blueprint, a directory with blueprint.yaml, or a project.",
            metavar="FILE|DIR",
        ),
    ] = Path(),
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Of a project: only these files.", metavar="PATH"),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Of a project: show what would change in the files.")
    ] = False,
    on_conflict: OnConflictOption = OnConflict.STOP,
    trust: TrustOption = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Of a project: list every file and note.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Shows which files a blueprint becomes, or what `regenerate` would do to a project; writes
    nothing.

    Of each file of a blueprint: who owns it, its path, the template it comes from and why it is
    there. The owner says who may change it: generated files are replaced, shared ones are merged,
    yours are never touched again. Of a project: what would happen to which file, and with --diff
    the lines; exit status 3 if you have to decide about conflicts first.

    \b
        epforge plan blueprint.yaml
        epforge plan my-ep --diff CMakeLists.txt
    """
    file = _blueprint_in(file)
    if file.is_dir():
        request = request_of(on_conflict)
        outcome = _preview(file, request, trust, paths or [])
        retry = again(("epforge", "regenerate", str(file)), request, trust=trust)
        _show_project(file, outcome, retry, diff=diff, verbose=verbose, as_json=as_json)
        return
    if paths or diff:
        what = "--diff is" if diff else "PATH is"
        raise typer.BadParameter(f"{file} is no directory, and {what} for a project's.")
    _show_blueprint(file, trust, as_json)


def _blueprint_in(directory: Path) -> Path:
    """The blueprint in a directory that is no project yet; else what is given."""
    from epforge.cli.change.rewriting import BLUEPRINT
    from epforge.workspace import State, check_target

    if directory.is_dir() and check_target(directory) is State.OTHER:
        inside = directory / BLUEPRINT
        return inside if inside.is_file() else directory
    return directory


def _preview(project: Path, request: Request, trust: bool, paths: list[str]) -> Outcome:
    """What regenerating would come to; of these paths alone, if there are any."""
    from epforge.cli.change.request_paths import known_path
    from epforge.cli.change.rewriting import rewrite

    outcome = rewrite(project, None, request, trust=trust, dry_run=True).outcome
    if not paths:
        return outcome
    found: tuple[Sequence[Action | Conflict | Note], ...]
    found = (outcome.actions, outcome.conflicts, outcome.notes, outcome.open)
    known = {*outcome.lock.files, *(each.path for group in found for each in group)}
    wanted = {known_path(project, path, known) for path in paths}
    return dataclasses.replace(
        outcome,
        actions=tuple(each for each in outcome.actions if each.path in wanted),
        conflicts=tuple(each for each in outcome.conflicts if each.path in wanted),
        notes=tuple(each for each in outcome.notes if each.path in wanted),
        open=tuple(each for each in outcome.open if each.path in wanted),
    )


def _show_project(
    project: Path,
    outcome: Outcome,
    retry: Sequence[str],
    *,
    diff: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    from epforge.cli.main import printable
    from epforge.cli.show.diffs import diff_of
    from epforge.cli.show.outcome import conflict_lines, exit_if_conflicts, outcome_data, show

    if as_json:
        typer.echo(json.dumps(outcome_data(project, outcome, diffs=diff), indent=2))
    elif diff:
        for line in conflict_lines(outcome.conflicts, project, retry) if outcome.conflicts else ():
            typer.echo(line, err=True)
        for action in outcome.actions:
            text = diff_of(action, executable=outcome.modes.get(action.path, False))
            typer.echo(printable(text), nl=False)
    else:
        show(project, outcome, verbose=verbose, would=True, retry=retry)
    exit_if_conflicts(outcome)


def _show_blueprint(file: Path, trust: bool, as_json: bool) -> None:
    rows = _rows(file, trust)
    if as_json:
        typer.echo(json.dumps({"format": 1, "files": rows}, indent=2))
        return
    wide = max(len(row["path"]) for row in rows)
    for row in rows:
        origin = row["template"] or "copied as it is"
        typer.echo(f"{row['owner']:<9}  {row['path']:<{wide}}  {row['reason']} ({origin})")


def _rows(file: Path, trust: bool) -> list[dict[str, Any]]:
    """A row for every file that the blueprint becomes. Only overlays have to be rendered."""
    from epforge.cli.change.project import expand, read
    from epforge.plan import make_plan

    _, blueprint = read(file)
    reasons = {spec.path: spec.reason for spec in make_plan(blueprint).files}
    files: Sequence[Any] = make_plan(blueprint).files
    if blueprint.overlays:
        files = expand(blueprint, root=file.parent, trust=trust).files
    return [
        {
            "path": each.path,
            "owner": each.owner.value,
            "template": each.template or None,
            "reason": reasons.get(each.path, "of an overlay"),
            "executable": each.executable,
        }
        for each in files
    ]
