"""The error of a verb that wrote nothing, because its owner has to decide first."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from epforge.errors import EpforgeError, ExitStatus
from epforge.verbs.change.conflicts import conflict_lines, in_project, undecided
from epforge.verbs.change.outcome import outcome_data
from epforge.workspace import OpenConflictsError, Outcome


class BlockedError(EpforgeError):
    """Files are in conflict; nothing was written.

    Args:
        project: the project, as the caller called it.
        outcome: what would have been done.
        retry: the command that the ways out are added to; by default ``epforge regenerate``.
    """

    exit_status = ExitStatus.CONFLICTS

    def __init__(self, project: Path, outcome: Outcome, retry: tuple[str, ...] = ()) -> None:
        super().__init__(
            f"{undecided(outcome)}; nothing was written",
            "Decide with --ours, --theirs, --adopt, --discard or --on-conflict.",
        )
        self.project = project
        self.outcome = outcome
        self.retry = retry or ("epforge", "regenerate", str(project))

    def details(self) -> Mapping[str, object]:
        data = outcome_data(self.project, self.outcome)
        del data["format"]  # the error has its own
        paths = dict.fromkeys(each.path for each in self.outcome.conflicts)
        return {"files": list(paths), **data}

    def __str__(self) -> str:
        return "\n".join(
            [self.message, *conflict_lines(self.outcome.conflicts, self.project, self.retry)]
        )


class UnresolvedError(OpenConflictsError):
    """Conflicts that an earlier command has left are not resolved yet.

    Args:
        project: the project, as the caller called it.
        paths: the files.
    """

    def __init__(self, project: Path, paths: tuple[str, ...]) -> None:
        super().__init__(project, paths)
        command = shlex.join(["epforge", "resolve", *in_project(project)])
        self.cure = f"Edit these files, then run: {command}"
