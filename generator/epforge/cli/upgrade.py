"""``epforge upgrade``: a project moves to another API of ONNX Runtime."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from epforge.cli.main import printable
from epforge.cli.show.wording import quoted
from epforge.errors import UsageError
from epforge.workspace.outcome import OnConflict, Request

if TYPE_CHECKING:
    from epforge.cli.change.upgrading import Upgrade


def command(
    project: Annotated[
        Path | None, typer.Argument(help="The project's directory.", metavar="DIR")
    ] = None,
    ort: Annotated[
        str | None,
        typer.Option(
            "--ort",
            metavar="RELEASE",
            help="The release whose API to use, as 1.28; also an older one. Without it the newest "
            "whose headers this machine has or can get from Debian.",
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Upgrade this blueprint, and no project."),
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
        from epforge.cli.upgrade_check import check as ask

        ask(project, as_json=as_json)
        return
    request = request_of(on_conflict, ours, theirs, adopt, discard)
    _upgrade_project(
        *(project, ort, request),
        branch=branch,
        trust=trust,
        dry_run=dry_run,
        verbose=verbose,
        as_json=as_json,
    )


def _upgrade_project(
    project: Path,
    ort: str | None,
    request: Request,
    *,
    branch: str | None,
    trust: bool,
    dry_run: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    from epforge.cli.change.rewriting import (
        BLUEPRINT,
        check_resolved,
        finish_crashed,
        lock_of,
        rewrite,
    )
    from epforge.cli.change.upgrading import plan_upgrade, rewriter
    from epforge.cli.show.branch import branch_data, show_branch
    from epforge.cli.show.outcome import exit_if_conflicts, outcome_data, show
    from epforge.cli.show.upgrade import upgrade_data, upgrade_message

    if not dry_run and branch is None:
        finish_crashed(project)
    lock = lock_of(project)
    if branch is None:
        check_resolved(project, lock)
    upgrade = plan_upgrade(project / BLUEPRINT, ort)
    if not as_json:
        _show(upgrade)
    release = f"1.{upgrade.new}"
    command = ("epforge", "upgrade", str(project), "--ort", release)
    retry = again(command, request, branch=branch, trust=trust)
    done = rewrite(
        project,
        rewriter(upgrade.new, upgrade.file),
        request,
        trust=trust,
        dry_run=dry_run,
        branch=branch,
        message=upgrade_message(upgrade),
        retry=retry,
    )
    data: dict[str, Any] = outcome_data(project, done.outcome) | {"upgrade": upgrade_data(upgrade)}
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
    if as_json:
        typer.echo(json.dumps(data, indent=2))
    exit_if_conflicts(done.outcome)
    if not as_json and not dry_run and done.branch is None:
        _next(project, upgrade)


def _upgrade_file(file: Path, ort: str | None, *, dry_run: bool, as_json: bool) -> None:
    from epforge.cli.change.upgrading import plan_upgrade
    from epforge.cli.show.upgrade import upgrade_data

    upgrade = plan_upgrade(file, ort)
    changes = list(_diff(upgrade))
    if changes and not dry_run:
        _replace(file, upgrade.after)
    if as_json:
        data = {"format": 1, "file": str(file), "changed": bool(changes), "diff": "".join(changes)}
        typer.echo(json.dumps(data | {"upgrade": upgrade_data(upgrade)}, indent=2))
        return
    _show(upgrade)
    for line in changes:
        typer.echo(printable(line.rstrip("\r\n")))


def _replace(file: Path, text: str) -> None:
    """Writes a file at once, with the rights it has; a link stays one."""
    place = file.resolve()
    draft = place.with_name(f"{place.name}.epforge-{os.getpid()}")
    try:
        draft.write_bytes(text.encode())
        draft.chmod(place.stat().st_mode)
        os.replace(draft, place)
    finally:
        draft.unlink(missing_ok=True)


def _show(upgrade: Upgrade) -> None:
    from epforge.cli.show.upgrade import upgrade_lines

    for line in upgrade_lines(upgrade):
        typer.echo(printable(line))
    typer.echo()


def _next(project: Path, upgrade: Upgrade) -> None:
    """What comes after an upgrade: the headers that a build needs, where they are not here."""
    from epforge.cli.change.upgrading import has_headers
    from epforge.ort.levels import DEFAULT_TARGET, parse_level

    if upgrade.new > max(upgrade.old, parse_level(DEFAULT_TARGET)) and not has_headers(upgrade.new):
        release = f"1.{upgrade.new}"
        typer.echo(f"Headers of {release} are not on this machine, and Debian does not have them.")
        typer.echo(f"Next: epforge sdk install ARCHIVE --ort {release}")
    elif upgrade.new != upgrade.old:
        typer.echo(printable(f"Next: epforge validate {quoted(project)}"))


def _diff(upgrade: Upgrade) -> list[str]:
    before, after = (text.splitlines(keepends=True) for text in (upgrade.before, upgrade.after))
    return list(difflib.unified_diff(before, after, str(upgrade.file), str(upgrade.file)))
