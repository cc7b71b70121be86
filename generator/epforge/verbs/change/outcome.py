"""What a change of a project comes to, for programs; one form for every verb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus
from epforge.verbs.change.diffs import diff_of
from epforge.workspace.outcome import Action, ActionKind, Conflict, Note, Outcome

#: What has happened to a file, in the order in which it is told.
WORDS = {
    ActionKind.CREATE: "created",
    ActionKind.UPDATE: "updated",
    ActionKind.MERGE: "merged",
    ActionKind.MOVE: "moved",
    ActionKind.REMOVE: "removed",
}


def outcome_data(directory: Path, outcome: Outcome, *, diffs: bool = False) -> dict[str, Any]:
    """An outcome ready for JSON. The keys are stable; ``format`` counts changes of them.

    Args:
        directory: the project, as the caller called it.
        outcome: what was, or would be, done.
        diffs: whether each action comes with its diff.
    """
    return {
        "format": 1,
        "directory": str(directory),
        "created": outcome.created,
        "unchanged": outcome.unchanged,
        "actions": [_action_data(each, outcome, diffs) for each in outcome.actions],
        "conflicts": [_conflict_data(each) for each in outcome.conflicts],
        "open": [_conflict_data(each) for each in outcome.open],
        "notes": [note_data(each) for each in outcome.notes],
    }


def _action_data(action: Action, outcome: Outcome, diffs: bool) -> dict[str, object]:
    entry = outcome.lock.files.get(action.path)
    data: dict[str, object] = {"path": action.path, "kind": action.kind.value, "why": action.why}
    if entry is not None:
        data["owner"] = entry.owner.value
    if action.source is not None:
        data["source"] = action.source
    if diffs:
        data["diff"] = diff_of(action, executable=outcome.modes.get(action.path, False))
    return data


def _conflict_data(conflict: Conflict) -> dict[str, object]:
    return {
        "path": conflict.path,
        "kind": conflict.kind.value,
        "text": conflict.text,
        "cure": conflict.cure,
        "diff": conflict.diff,
        "hunks": [
            {
                "line": hunk.line,
                "yours": list(hunk.yours),
                "base": list(hunk.base),
                "epforge": list(hunk.epforge),
            }
            for hunk in conflict.hunks
        ],
    }


def note_data(note: Note) -> dict[str, object]:
    """A note ready for JSON."""
    return {
        "path": note.path,
        "kind": note.kind.value,
        "text": note.text,
        "diff": note.diff,
        "new": note.is_new,
    }


def exit_status(outcome: Outcome) -> ExitStatus:
    """Conflicts if there are any, to be decided first or left in the files."""
    return ExitStatus.CONFLICTS if outcome.conflicts or outcome.open else ExitStatus.OK
