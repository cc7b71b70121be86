"""Is a project what its blueprint and this epforge say?"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus
from epforge.verbs.change.decisions import again
from epforge.verbs.change.outcome import WORDS, note_data
from epforge.verbs.change.rewriting import BLUEPRINT, lock_of, rewrite
from epforge.verbs.types import FORMAT, AnyPath
from epforge.workspace import LOCK, Lock, Owner, Request, Tool
from epforge.workspace.disk import look
from epforge.workspace.journal import NEXT
from epforge.workspace.ledger import ASIDE
from epforge.workspace.merge import open_markers
from epforge.workspace.outcome import Outcome

_WORDS = {
    ExitStatus.OK: "in sync",
    ExitStatus.CHECK_FAILED: "drift",
    ExitStatus.CONFLICTS: "conflicts",
}


@dataclass(frozen=True)
class Drift:
    """Something that is not in sync.

    Args:
        path: the file.
        text: what is the matter.
        lines: where, if that can be said.
    """

    path: str
    text: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class StatusResult:
    """How a project compares with what would be written today.

    Args:
        directory: the project, as the caller called it.
        findings: files with markers, or files that differ.
        cure: the command to go on; empty if nothing is to do.
        outcome: what regenerating would come to; None with open conflicts, or after a crash.
    """

    directory: Path
    exit_status: ExitStatus
    findings: tuple[Drift, ...] = ()
    cure: str = ""
    outcome: Outcome | None = field(default=None, repr=False)

    @property
    def word(self) -> str:
        """``in sync``, ``drift`` or ``conflicts``."""
        return _WORDS[self.exit_status]

    def to_json(self) -> dict[str, Any]:
        findings = [
            {"path": each.path, "text": each.text, "lines": list(each.lines)}
            for each in self.findings
        ]
        notes = self.outcome.notes if self.outcome else ()
        return {
            "format": FORMAT,
            "directory": str(self.directory),
            "status": self.word,
            "exit_status": int(self.exit_status),
            "findings": findings,
            "cure": self.cure,
            "notes": [note_data(note) for note in notes],
        }


def project_status(project: AnyPath = ".", *, trust: bool = False) -> StatusResult:
    """Compares a project with a full render; only reads; `epforge status`.

    Args:
        project: its directory.
        trust: overlays may run code.

    Raises:
        UsageError: it is not a project.
        BlueprintErrors: its blueprint cannot be expanded.
    """
    project = Path(project)
    regenerate = shlex.join(again(("epforge", "regenerate", str(project)), Request(), trust=trust))
    if (project / NEXT).is_dir():
        finding = Drift(NEXT, "a command crashed here, and its work is not finished")
        return StatusResult(project, ExitStatus.CHECK_FAILED, (finding,), regenerate)
    lock = lock_of(project)
    in_conflict = tuple(_open(project, lock))
    if in_conflict:
        # Of what the lock does not list `resolve` knows nothing.
        resolve = shlex.join(["epforge", "resolve", "--project", str(project)])
        resolve = resolve if lock.conflicts else ""
        return StatusResult(project, ExitStatus.CONFLICTS, in_conflict, resolve)
    outcome = rewrite(project, None, Request(), trust=trust, dry_run=True).outcome
    findings = tuple(_drift(lock, outcome))
    if not findings:
        return StatusResult(project, ExitStatus.OK, outcome=outcome)
    return StatusResult(project, ExitStatus.CHECK_FAILED, findings, regenerate, outcome)


def _open(project: Path, lock: Lock) -> Iterator[Drift]:
    """Conflicts that are in the files: those that the lock lists, and those that it has lost.

    A lock that was restored from version control does not list them; what both sides had still
    lies beside. Markers alone say nothing: a file may well be about them.
    """
    for path, entry in lock.files.items():
        if path not in lock.conflicts and entry.owner is not Owner.GENERATED:
            aside = look(project, f"{ASIDE}/epforge/{path}")
            content = None if aside.is_absent else look(project, path).content
            lines = () if content is None else open_markers(content)
            if lines:
                yield Drift(
                    path,
                    "has conflict markers that epforge.lock does not list; edit those lines",
                    lines,
                )
    for path in sorted(lock.conflicts):
        lines = open_markers(look(project, path).content or b"", lock.conflicts[path].marker)
        text = "is in conflict" if lines else "was in conflict; no markers are left"
        yield Drift(path, text, lines)


def _drift(lock: Lock, outcome: Outcome) -> Iterator[Drift]:
    """Why the project is not in sync; nothing if it is."""
    if outcome.lock.blueprint != lock.blueprint:
        yield Drift(BLUEPRINT, "has changed since the project was written")
    for conflict in outcome.conflicts:
        yield Drift(conflict.path, conflict.text)
    for action in outcome.actions:
        yield Drift(action.path, f"would be {WORDS[action.kind]}")
    if outcome.conflicts or outcome.actions or outcome.lock.blueprint != lock.blueprint:
        return  # the records follow
    records = sorted({*outcome.records, *outcome.forgotten})
    if records or _comparable(outcome.lock) != _comparable(lock):
        record = "epforge's record of its own text is not up to date; the files are"
        yield Drift(
            *((records[0], record) if records else (LOCK, "is not what epforge would write"))
        )


def _comparable(lock: Lock) -> Lock:
    """Without what is no drift: another epforge that writes the same, and what was announced."""
    files = {
        path: dataclasses.replace(entry, seen="") for path, entry in sorted(lock.files.items())
    }
    return dataclasses.replace(lock, tool=Tool("", ""), files=files)
