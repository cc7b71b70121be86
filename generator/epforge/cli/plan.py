"""``epforge plan``: what a blueprint would become, or what would become of a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.options import OnConflictOption, TrustOption
from epforge.cli.output import finish
from epforge.verbs.wording import printable
from epforge.workspace.outcome import OnConflict

if TYPE_CHECKING:
    from epforge.verbs.plan import BlueprintPlan, ProjectPlan


def command(
    file: Annotated[
        Path,
        typer.Argument(
            help="The blueprint, a directory with blueprint.yaml, or a project.",
            metavar="FILE|DIR",
            autocompletion=complete.files(*complete.BLUEPRINTS),
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
    from epforge.verbs.plan import BlueprintPlan, plan_project

    found = plan_project(file, paths or (), diff=diff, on_conflict=on_conflict, trust=trust)

    def show() -> None:
        if isinstance(found, BlueprintPlan):
            _show_blueprint(found)
        else:
            _show_project(found, verbose=verbose)

    finish(found, show, as_json=as_json)


def _show_project(plan: ProjectPlan, *, verbose: bool) -> None:
    from epforge.cli.show.outcome import show
    from epforge.verbs.change.conflicts import conflict_lines
    from epforge.verbs.change.diffs import diff_of

    outcome = plan.outcome
    if not plan.diff:
        show(plan.directory, outcome, verbose=verbose, would=True, retry=plan.retry)
        return
    if outcome.conflicts:
        for line in conflict_lines(outcome.conflicts, plan.directory, plan.retry):
            typer.echo(line, err=True)
    for action in outcome.actions:
        text = diff_of(action, executable=outcome.modes.get(action.path, False))
        typer.echo(printable(text), nl=False)


def _show_blueprint(plan: BlueprintPlan) -> None:
    wide = max(len(each.path) for each in plan.files)
    for each in plan.files:
        origin = each.template or "copied as it is"
        typer.echo(f"{each.owner:<9}  {each.path:<{wide}}  {each.reason} ({origin})")
