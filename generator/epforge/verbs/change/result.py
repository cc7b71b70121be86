"""What the functions return that change a project."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epforge.errors import ExitStatus
from epforge.verbs.change.outcome import exit_status, outcome_data
from epforge.workspace.outcome import Outcome

if TYPE_CHECKING:
    from epforge.workspace.branch import Commit


@dataclass(frozen=True, kw_only=True)
class ChangeResult:
    """What was, or in a dry run would be, done to a project.

    Args:
        directory: the project, as the caller called it.
        outcome: actions, conflicts, notes.
        retry: the command that the ways out of a conflict are added to.
    """

    directory: Path
    outcome: Outcome
    retry: tuple[str, ...] = field(default=(), repr=False)

    @property
    def exit_status(self) -> ExitStatus:
        """`ExitStatus.CONFLICTS` if there is something to decide first, or left in the files."""
        return exit_status(self.outcome)

    def to_json(self) -> dict[str, Any]:
        """The change for programs; the keys are stable."""
        return outcome_data(self.directory, self.outcome)


def branch_data(commit: Commit) -> dict[str, Any]:
    """The commit, ready for JSON; ``name`` is empty if nothing changed and none was made."""
    return {
        "name": commit.branch,
        "commit": commit.id,
        "files": list(commit.files_changed),
        "uncommitted": list(commit.uncommitted),
    }
