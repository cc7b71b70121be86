"""``epforge upgrade``: a project moves to another API of ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from epforge.cli.output import finish, print_lines, warn
from epforge.errors import UsageError
from epforge.verbs.wording import printable, quoted
from epforge.workspace.outcome import OnConflict

if TYPE_CHECKING:
    from epforge.verbs.change.upgrading import Upgrade
    from epforge.verbs.upgrade import NewerRelease


def command(
    project: Annotated[
        Path | None,
        typer.Argument(
            help="The project's directory.", metavar="DIR", autocompletion=complete.directories
        ),
    ] = None,
    ort: Annotated[
        str | None,
        typer.Option(
            "--ort",
            metavar="RELEASE",
            autocompletion=complete.releases,
            help="The release whose API to use, as 1.28; also an older one. Without it the newest "
            "whose headers this machine has or can get from Debian.",
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Upgrade this blueprint, and no project.",
            autocompletion=complete.files(*complete.BLUEPRINTS),
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Only ask pip whether there is a newer ONNX Runtime."),
    ] = False,
    dry_run: DryRunOption = False,
    on_conflict: OnConflictOption = OnConflict.STOP,
    ours: OursOption = None,
    theirs: TheirsOption = None,
    adopt: AdoptOption = None,
    discard: DiscardOption = None,
    branch: Annotated[
        str | None,
        typer.Option(
            help="Leave the work tree alone: commit the result on top of HEAD, on a new branch.",
            metavar="NAME",
        ),
    ] = None,
    trust: TrustOption = False,
    verbose: VerboseOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Moves a project to another release of ONNX Runtime, and brings it up to date.

    Sets ort.target in the blueprint, says what the new API brings this project and what is left
    for you to do, then does what 'regenerate' does. The oldest runtime that the library loads in,
    ort.min, stays. A blueprint of an older edition of the format is brought to the newest one.

    \b
        epforge upgrade my-ep --ort 1.28 --dry-run
        epforge upgrade --file blueprint.yaml
    """
    if file is not None:
        if project is not None or check or branch is not None:
            raise UsageError("--file is about a blueprint alone", "Leave the project out.")
        _upgrade_file(file, ort, dry_run=dry_run, as_json=as_json)
        return
    project = project or Path()
    if check:
        _check(project, as_json=as_json)
        return
    from epforge.cli.show.branch import show_branch
    from epforge.cli.show.outcome import show
    from epforge.verbs.upgrade import upgrade_project

    done = upgrade_project(
        project,
        ort=ort,
        dry_run=dry_run,
        on_conflict=on_conflict,
        ours=ours or (),
        theirs=theirs or (),
        adopt=adopt or (),
        discard=discard or (),
        branch=branch,
        trust=trust,
        progress=warn,
        on_planned=(lambda _: None) if as_json else _show,
    )

    def rest() -> None:
        show(
            *(project, done.outcome),
            verbose=verbose,
            would=dry_run,
            retry=done.retry,
            branch=branch,
        )
        if done.branch is not None:
            show_branch(project, done.branch)
        elif not dry_run and not done.exit_status:
            _next(project, done.upgrade)

    finish(done, rest, as_json=as_json)


def _upgrade_file(file: Path, ort: str | None, *, dry_run: bool, as_json: bool) -> None:
    from epforge.verbs.upgrade import upgrade_blueprint

    done = upgrade_blueprint(file, ort=ort, dry_run=dry_run)

    def show() -> None:
        _show(done.upgrade)
        print_lines(line.rstrip("\r\n") for line in done.diff.splitlines(keepends=True))

    finish(done, show, as_json=as_json)


def _check(project: Path, *, as_json: bool) -> None:
    from epforge.verbs.upgrade import newer_release

    found = newer_release(project)
    finish(found, lambda: typer.echo(_newer(found)), as_json=as_json)


def _newer(found: NewerRelease) -> str:
    from epforge.ort.levels import parse_level

    project = found.directory
    where = f"{project} targets ONNX Runtime {found.target}, the newest is {found.newest}"
    if found.upgrade is not None:
        return f"{where}\nNext: epforge upgrade {quoted(project)} --ort {found.upgrade}"
    if parse_level(found.newest) > parse_level(found.known):
        return f"{where}; this epforge knows none above {found.known}"
    return f"{where}: nothing to do"


def _show(upgrade: Upgrade) -> None:
    from epforge.verbs.change.upgrade_notes import upgrade_lines

    for line in upgrade_lines(upgrade):
        typer.echo(printable(line))
    typer.echo()


def _next(project: Path, upgrade: Upgrade) -> None:
    """What comes after an upgrade: the headers that a build needs, where they are not here."""
    from epforge.ort.levels import DEFAULT_TARGET, parse_level
    from epforge.verbs.change.upgrading import has_headers

    if upgrade.new > max(upgrade.old, parse_level(DEFAULT_TARGET)) and not has_headers(upgrade.new):
        release = f"1.{upgrade.new}"
        typer.echo(f"Headers of {release} are not on this machine, and Debian does not have them.")
        typer.echo(f"Next: epforge sdk install ARCHIVE --ort {release}")
    elif upgrade.new != upgrade.old:
        typer.echo(printable(f"Next: epforge validate {quoted(project)}"))
