"""Bytes <-> disk: the lock, ownership, merging, publishing all or nothing. Knows nothing of EPs.

What ends conflicts is looked up on first use: it merges, which a new project has no need of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epforge.workspace.beside import Added, InTheWayError, add_files, in_the_way, preview_added
from epforge.workspace.disk import current
from epforge.workspace.exclusive import BusyError
from epforge.workspace.journal import recover
from epforge.workspace.lock import LOCK, Entry, Lock, OpenConflict, read_lock
from epforge.workspace.model import EditedError, File, Owner, Tool, WriteError, sha256
from epforge.workspace.outcome import (
    ALL,
    Action,
    ActionKind,
    Conflict,
    ConflictKind,
    Hunk,
    Note,
    NoteKind,
    OnConflict,
    Outcome,
    Request,
)
from epforge.workspace.publish import (
    ConflictsError,
    OpenConflictsError,
    PendingError,
    State,
    check_target,
    preview,
    publish,
)
from epforge.workspace.single import replace_file

if TYPE_CHECKING:
    from epforge.workspace.resolving import Resolved, open_conflicts, resolve

__all__ = [
    "ALL",
    "LOCK",
    "Action",
    "ActionKind",
    "Added",
    "BusyError",
    "Conflict",
    "ConflictKind",
    "ConflictsError",
    "EditedError",
    "Entry",
    "File",
    "Hunk",
    "InTheWayError",
    "Lock",
    "Note",
    "NoteKind",
    "OnConflict",
    "OpenConflict",
    "OpenConflictsError",
    "Outcome",
    "Owner",
    "PendingError",
    "Request",
    "Resolved",
    "State",
    "Tool",
    "WriteError",
    "add_files",
    "check_target",
    "current",
    "in_the_way",
    "open_conflicts",
    "preview",
    "preview_added",
    "publish",
    "read_lock",
    "recover",
    "replace_file",
    "resolve",
    "sha256",
]


def __getattr__(name: str) -> Any:
    if name in ("Resolved", "open_conflicts", "resolve"):
        from epforge.workspace import resolving

        return getattr(resolving, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
