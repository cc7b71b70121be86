"""What a blueprint would become, or what would become of a project."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.change.decisions import again, request_of
from epforge.verbs.change.outcome import outcome_data
from epforge.verbs.change.result import ChangeResult
from epforge.verbs.types import FORMAT, AnyPath, Names, names
from epforge.workspace.outcome import Action, Conflict, Note, OnConflict, Outcome, Request


@dataclass(frozen=True)
class PlannedFile:
    """A file that a blueprint becomes.

    Args:
        path: where it goes, with forward slashes.
        owner: ``generated``, ``shared`` or ``yours``: who may change it.
        template: what it is made from; None if it is copied as it is.
        reason: why it is there.
        executable: has it the x bits?
    """

    path: str
    owner: str
    template: str | None
    reason: str
    executable: bool


@dataclass(frozen=True)
class BlueprintPlan:
    """The files that a blueprint becomes."""

    files: tuple[PlannedFile, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "files": [dataclasses.asdict(each) for each in self.files]}


@dataclass(frozen=True, kw_only=True)
class ProjectPlan(ChangeResult):
    """What regenerating a project would come to.

    Args:
        diff: whether JSON has what would change in the files.
    """

    diff: bool = False

    def to_json(self) -> dict[str, Any]:
        return outcome_data(self.directory, self.outcome, diffs=self.diff)


def plan_project(
    file: AnyPath = ".",
    paths: Names = (),
    *,
    diff: bool = False,
    on_conflict: OnConflict | str = OnConflict.STOP,
    trust: bool = False,
) -> BlueprintPlan | ProjectPlan:
    """Says which files a blueprint becomes, or what regenerating a project would do; writes
    nothing; `epforge plan`.

    Args:
        file: the blueprint, a directory with ``blueprint.yaml``, or a project.
        paths: of a project: only these files.
        diff: of a project: JSON has what would change in the files.
        on_conflict: of a project: what would be done about conflicts.
        trust: overlays may run code.

    Returns:
        a `BlueprintPlan` of a blueprint, a `ProjectPlan` of a project.

    Raises:
        UsageError: it is neither, or a path is not the project's.
        BlueprintErrors: the blueprint cannot be expanded.
    """
    file, paths = _blueprint_in(Path(file)), names(paths)
    if file.is_dir():
        request = request_of(on_conflict)
        outcome = _preview(file, request, trust, paths)
        retry = again(("epforge", "regenerate", str(file)), request, trust=trust)
        return ProjectPlan(directory=file, outcome=outcome, retry=retry, diff=diff)
    if paths or diff:
        what = "--diff" if diff else "PATH"
        raise UsageError(
            f"{file} is not the directory of a project, and {what} is for a project",
            f"Leave {what} out.",
        )
    return BlueprintPlan(tuple(_files(file, trust)))


def _blueprint_in(directory: Path) -> Path:
    """The blueprint in a directory that is no project yet; else what is given."""
    from epforge.verbs.change.rewriting import BLUEPRINT
    from epforge.workspace import State, check_target

    if directory.is_dir() and check_target(directory) is State.OTHER:
        inside = directory / BLUEPRINT
        return inside if inside.is_file() else directory
    return directory


def _preview(project: Path, request: Request, trust: bool, paths: Sequence[str]) -> Outcome:
    """What regenerating would come to; of these paths alone, if there are any."""
    from epforge.verbs.change.request_paths import known_path
    from epforge.verbs.change.rewriting import rewrite

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


def _files(file: Path, trust: bool) -> list[PlannedFile]:
    """Every file that the blueprint becomes. Only overlays have to be rendered."""
    from epforge.plan import make_plan
    from epforge.verbs.change.project import expand, read

    _, blueprint = read(file)
    specs = make_plan(blueprint).files
    reasons = {spec.path: spec.reason for spec in specs}
    files: Sequence[Any] = specs
    if blueprint.overlays:
        files = expand(blueprint, root=file.parent, trust=trust).files
    return [
        PlannedFile(
            path=each.path,
            owner=each.owner.value,
            template=each.template or None,
            reason=reasons.get(each.path, "of an overlay"),
            executable=each.executable,
        )
        for each in files
    ]
