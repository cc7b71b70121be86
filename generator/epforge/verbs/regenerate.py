"""A project becomes what its blueprint and this epforge say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.change.decisions import again, request_of
from epforge.verbs.change.proving import Proof, prove
from epforge.verbs.change.result import ChangeResult, branch_data
from epforge.verbs.change.rewriting import rewrite
from epforge.verbs.types import AnyPath, Names, Progress, silent
from epforge.workspace.outcome import OnConflict

if TYPE_CHECKING:
    from epforge.build import BuildResult
    from epforge.validate import Check
    from epforge.workspace.branch import Commit


@dataclass(frozen=True, kw_only=True)
class RegenerateResult(ChangeResult):
    """A project that was brought up to date, or would be.

    Args:
        branch: the commit that was made, if it was asked for.
        proof: what was built and validated.
    """

    branch: Commit | None = None
    proof: Proof = field(default_factory=Proof)

    @property
    def exit_status(self) -> ExitStatus:
        return super().exit_status or self.proof.exit_status

    def to_json(self) -> dict[str, Any]:
        branch = {} if self.branch is None else {"branch": branch_data(self.branch)}
        return {**super().to_json(), **branch, **self.proof.to_json()}


def regenerate_project(
    project: AnyPath = ".",
    *,
    dry_run: bool = False,
    on_conflict: OnConflict | str = OnConflict.STOP,
    ours: Names = (),
    theirs: Names = (),
    adopt: Names = (),
    discard: Names = (),
    refresh: Names = (),
    restore: Names = (),
    branch: str | None = None,
    trust: bool = False,
    build: bool = False,
    validate: bool = False,
    progress: Progress = silent,
    on_written: Callable[[RegenerateResult], None] = lambda _: None,
    on_built: Callable[[BuildResult], None] = lambda _: None,
    on_check: Callable[[Check], None] = lambda _: None,
) -> RegenerateResult:
    """Brings a project up to date with its blueprint and with this epforge; `epforge regenerate`.

    Args:
        project: its directory.
        dry_run: decide, and write nothing.
        on_conflict: what to do where the owner and epforge changed the same lines.
        ours: in these files the owner's lines win.
        theirs: in these files epforge's lines win.
        adopt: generated files whose edits are kept; ``all`` for all of them.
        discard: generated files whose edits are given up; ``all`` for all of them.
        refresh: files of the owner to merge what epforge would write today into.
        restore: deleted files to write again.
        branch: leave the work tree alone; commit the result on this new branch.
        trust: overlays may run code.
        build: build the library, too.
        validate: build, then prove that the library works.
        progress: told what is being done.
        on_written: told what was written, before it is built.
        on_built: told what was built, before it is validated.
        on_check: told of each check of the validation as it is known.

    Raises:
        UsageError: it is not a project, or does not have what is named.
        BlueprintErrors: its blueprint cannot be expanded.
        BlockedError: the owner has to decide first; nothing was written.
        OpenConflictsError: conflicts of an earlier command are not resolved.
        EpforgeError: the build fails. The project is written.
    """
    if branch is not None and (build or validate):
        raise UsageError(
            "--branch leaves the work tree alone, so there is nothing to build",
            "Check the branch out and build there.",
        )
    project = Path(project)
    request = request_of(on_conflict, ours, theirs, adopt, discard, refresh, restore)
    steps = [option for option, wanted in (("--build", build), ("--validate", validate)) if wanted]
    command = ("epforge", "regenerate", str(project), *steps)
    retry = again(command, request, branch=branch, trust=trust)
    done = rewrite(
        *(project, None, request),
        trust=trust,
        dry_run=dry_run,
        branch=branch,
        retry=retry,
        notify=progress,
    )
    written = RegenerateResult(
        directory=project, outcome=done.outcome, retry=retry, branch=done.branch
    )
    on_written(written)
    ready = not dry_run and not done.outcome.conflicts and not done.outcome.open
    proof = prove(
        project,
        build=build and ready,
        validate=validate and ready,
        progress=progress,
        on_built=on_built,
        on_check=on_check,
    )
    return RegenerateResult(
        directory=project, outcome=done.outcome, retry=retry, branch=done.branch, proof=proof
    )
