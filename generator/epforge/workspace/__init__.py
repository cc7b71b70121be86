"""Bytes <-> disk: the lock, ownership, publishing all or nothing. Knows nothing of EPs."""

from __future__ import annotations

from epforge.workspace.changes import current
from epforge.workspace.journal import recover
from epforge.workspace.lock import LOCK, Entry, Lock, read_lock
from epforge.workspace.model import EditedError, File, Owner, Tool, WriteError, sha256
from epforge.workspace.publish import Published, State, check_target, publish

__all__ = [
    "LOCK",
    "EditedError",
    "Entry",
    "File",
    "Lock",
    "Owner",
    "Published",
    "State",
    "Tool",
    "WriteError",
    "check_target",
    "current",
    "publish",
    "read_lock",
    "recover",
    "sha256",
]
