"""Conflicts that were left in the files are over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus, UsageError
from epforge.verbs.types import FORMAT, AnyPath, Names, names
from epforge.workspace.outcome import OnConflict


@dataclass(frozen=True)
class ResolveResult:
    """What became of conflicts.

    Args:
        directory: the project, as the caller called it.
        resolved: files that are in conflict no more.
        left: files with markers left, with the lines they are in.
        open: files that are in conflict still, also those that were not named.
    """

    directory: Path
    resolved: tuple[str, ...]
    left: Mapping[str, tuple[int, ...]]
    open: tuple[str, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.CONFLICTS if self.left else ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "resolved": list(self.resolved),
            "left": {path: list(lines) for path, lines in self.left.items()},
            "open": list(self.open),
        }


def resolve_conflicts(
    paths: Names = (), *, project: AnyPath = ".", ours: bool = False, theirs: bool = False
) -> ResolveResult:
    """Ends conflicts that were left in the files with markers; `epforge resolve`.

    Args:
        paths: these files; all of them if there are none.
        project: its directory.
        ours: the owner's lines win.
        theirs: epforge's lines win.

    Raises:
        UsageError: it is not a project, a path has no conflict, or both sides shall win.
        WriteError: the machine does not let us write.
    """
    from epforge.verbs.change.request_paths import known_path
    from epforge.verbs.change.rewriting import lock_of
    from epforge.workspace import resolve

    if ours and theirs:
        raise UsageError("--ours and --theirs exclude each other", "Choose one.")
    project = Path(project)
    side = OnConflict.OURS if ours else OnConflict.THEIRS if theirs else None
    lock = lock_of(project)
    known = {*lock.conflicts, *lock.files}
    wanted = [known_path(project, path, known) for path in names(paths)]
    done = resolve(project, wanted, side=side)
    left = tuple(sorted(lock_of(project).conflicts))
    return ResolveResult(project, done.resolved, done.left, left)
