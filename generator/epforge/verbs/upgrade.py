"""A project moves to another API of ONNX Runtime."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus
from epforge.verbs.change.decisions import again, request_of
from epforge.verbs.change.result import ChangeResult, branch_data
from epforge.verbs.change.rewriting import (
    BLUEPRINT,
    check_resolved,
    finish_crashed,
    lock_of,
    rewrite,
)
from epforge.verbs.change.upgrade_notes import upgrade_data, upgrade_message
from epforge.verbs.change.upgrading import Upgrade, plan_upgrade, rewriter
from epforge.verbs.types import FORMAT, AnyPath, Names, Progress, silent
from epforge.workspace.outcome import OnConflict

if TYPE_CHECKING:
    from epforge.workspace.branch import Commit


@dataclass(frozen=True, kw_only=True)
class UpgradeResult(ChangeResult):
    """A project that was upgraded, or would be.

    Args:
        upgrade: what became of the blueprint, and what it means for the project.
        branch: the commit that was made, if it was asked for.
    """

    upgrade: Upgrade
    branch: Commit | None = None

    def to_json(self) -> dict[str, Any]:
        data = super().to_json() | {"upgrade": upgrade_data(self.upgrade)}
        return data if self.branch is None else data | {"branch": branch_data(self.branch)}


@dataclass(frozen=True)
class FileUpgradeResult:
    """A blueprint without a project that was upgraded, or would be.

    Args:
        file: the blueprint, as the caller called it.
        upgrade: what became of it.
        diff: the change; empty if there is none.
    """

    file: Path
    upgrade: Upgrade
    diff: str

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "file": str(self.file),
            "changed": bool(self.diff),
            "diff": self.diff,
            "upgrade": upgrade_data(self.upgrade),
        }


@dataclass(frozen=True)
class NewerRelease:
    """What a project targets, and what there is.

    Args:
        directory: the project, as the caller called it.
        target: the release whose API the project is made for: ``1.27``.
        newest: the newest release that pip would install: ``1.32.0``.
        known: the newest API that this epforge knows.
        upgrade: what the project could be upgraded to; None if it is there already.
    """

    directory: Path
    target: str
    newest: str
    known: str
    upgrade: str | None

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **vars(self), "directory": str(self.directory)}


def upgrade_project(
    project: AnyPath = ".",
    *,
    ort: str | None = None,
    dry_run: bool = False,
    on_conflict: OnConflict | str = OnConflict.STOP,
    ours: Names = (),
    theirs: Names = (),
    adopt: Names = (),
    discard: Names = (),
    branch: str | None = None,
    trust: bool = False,
    progress: Progress = silent,
    on_planned: Callable[[Upgrade], None] = lambda _: None,
) -> UpgradeResult:
    """Moves a project to another release of ONNX Runtime, and brings it up to date;
    `epforge upgrade`.

    Args:
        project: its directory.
        ort: the release whose API to use; None for the newest whose headers can be had.
        dry_run: decide, and write nothing.
        on_conflict: what to do where the owner and epforge changed the same lines.
        ours: in these files the owner's lines win.
        theirs: in these files epforge's lines win.
        adopt: generated files whose edits are kept; ``all`` for all of them.
        discard: generated files whose edits are given up; ``all`` for all of them.
        branch: leave the work tree alone; commit the result on this new branch.
        trust: overlays may run code.
        progress: told when another command works there, and is waited for.
        on_planned: told what the upgrade means, before anything is written.

    Raises:
        UsageError: it is not a project, or the release is no target.
        BlueprintErrors: the blueprint asks for what the target does not have.
        BlockedError: the owner has to decide first; nothing was written.
        OpenConflictsError: conflicts of an earlier command are not resolved.
    """
    project = Path(project)
    request = request_of(on_conflict, ours, theirs, adopt, discard)
    if not dry_run and branch is None:
        finish_crashed(project, progress)
    lock = lock_of(project)
    if branch is None:
        check_resolved(project, lock)
    upgrade = plan_upgrade(project / BLUEPRINT, ort)
    on_planned(upgrade)
    command = ("epforge", "upgrade", str(project), "--ort", f"1.{upgrade.new}")
    retry = again(command, request, branch=branch, trust=trust)
    done = rewrite(
        *(project, rewriter(upgrade.new, upgrade.file), request),
        trust=trust,
        dry_run=dry_run,
        branch=branch,
        message=upgrade_message(upgrade),
        retry=retry,
        notify=progress,
    )
    return UpgradeResult(
        directory=project,
        outcome=done.outcome,
        retry=retry,
        upgrade=upgrade,
        branch=done.branch,
    )


def upgrade_blueprint(
    file: AnyPath, *, ort: str | None = None, dry_run: bool = False
) -> FileUpgradeResult:
    """Moves a blueprint that has no project to another release; `epforge upgrade --file`.

    Args:
        file: the blueprint.
        ort: the release whose API to use; None for the newest whose headers can be had.
        dry_run: decide, and write nothing.

    Raises:
        UsageError: the file cannot be read, or the release is no target.
        BlueprintErrors: the blueprint asks for what the target does not have.
    """
    file = Path(file)
    upgrade = plan_upgrade(file, ort)
    diff = "".join(_diff(upgrade))
    if diff and not dry_run:
        from epforge.workspace import replace_file

        replace_file(file, upgrade.before.encode(), upgrade.after.encode())
    return FileUpgradeResult(file, upgrade, diff)


def newer_release(project: AnyPath = ".") -> NewerRelease:
    """Asks pip whether there is an ONNX Runtime that is newer than a project's target; writes
    nothing; `epforge upgrade --check`.

    Args:
        project: its directory.

    Raises:
        UsageError: there is no blueprint.
        BlueprintErrors: it is not right.
        MissingError: pip cannot tell.
    """
    from epforge.ort.levels import known_levels
    from epforge.ort.newest import newest_release
    from epforge.verbs.change.project import read

    project = Path(project)
    _, blueprint = read(project / BLUEPRINT)
    return newer(project, blueprint.ort.target, newest_release(), known_levels()[-1])


def newer(project: Path, target: int, newest: str, known: int) -> NewerRelease:
    """Compares API levels; `newest` is a release."""
    from epforge.ort.levels import parse_level

    level = min(parse_level(newest), known)
    upgrade = f"1.{level}" if level > target else None
    return NewerRelease(project, f"1.{target}", newest, f"1.{known}", upgrade)


def _diff(upgrade: Upgrade) -> list[str]:
    before, after = (text.splitlines(keepends=True) for text in (upgrade.before, upgrade.after))
    return list(difflib.unified_diff(before, after, str(upgrade.file), str(upgrade.file)))
