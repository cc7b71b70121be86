"""``epforge status``: is a project what its blueprint and this epforge say?"""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from epforge.cli.change.decisions import TrustOption, VerboseOption, again
from epforge.cli.change.rewriting import BLUEPRINT, lock_of, rewrite
from epforge.cli.main import printable
from epforge.cli.show.outcome import WORDS, action_lines, note_data
from epforge.cli.show.wording import count
from epforge.errors import ExitStatus
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
class Finding:
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
class Status:
    """How a project compares with what would be written today.

    Args:
        findings: files with markers, or files that differ.
        cure: the command to go on; empty if nothing is to do.
        outcome: what regenerating would come to; None with open conflicts, or after a crash.
    """

    exit_status: ExitStatus
    findings: tuple[Finding, ...] = ()
    cure: str = ""
    outcome: Outcome | None = field(default=None, repr=False)


def command(
    project: Annotated[
        Path, typer.Argument(help="The project's directory.", metavar="DIR")
    ] = Path(),
    trust: TrustOption = False,
    verbose: VerboseOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Says whether a project is what its blueprint says; for CI. Writes nothing.

    Everything is rendered and compared with what lies there, without the network and without
    ONNX Runtime's headers. Your own changes of shared files and of yours are no drift. Exit
    status 1: something would be written, or a generated file was edited or is gone; 3: conflicts
    are open.

    \b
        epforge status my-ep
    """
    status = find_status(project, trust=trust)
    if as_json:
        typer.echo(json.dumps(_data(project, status), indent=2))
    else:
        _show(project, status, verbose)
    if status.exit_status is not ExitStatus.OK:
        raise typer.Exit(int(status.exit_status))


def find_status(project: Path, *, trust: bool = False) -> Status:
    """Compares a project with a full render; only reads.

    Raises:
        UsageError: it is not a project.
        BlueprintErrors: its blueprint cannot be expanded.
    """
    regenerate = shlex.join(again(("epforge", "regenerate", str(project)), Request(), trust=trust))
    if (project / NEXT).is_dir():
        finding = Finding(NEXT, "a command crashed here, and its work is not finished")
        return Status(ExitStatus.CHECK_FAILED, (finding,), regenerate)
    lock = lock_of(project)
    in_conflict = tuple(_open(project, lock))
    if in_conflict:
        # Of what the lock does not list `resolve` knows nothing.
        resolve = shlex.join(["epforge", "resolve", "--project", str(project)])
        resolve = resolve if lock.conflicts else ""
        return Status(ExitStatus.CONFLICTS, in_conflict, resolve)
    outcome = rewrite(project, None, Request(), trust=trust, dry_run=True).outcome
    findings = tuple(_drift(lock, outcome))
    if not findings:
        return Status(ExitStatus.OK, outcome=outcome)
    return Status(ExitStatus.CHECK_FAILED, findings, regenerate, outcome)


def _open(project: Path, lock: Lock) -> Iterator[Finding]:
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
                yield Finding(
                    path,
                    "has conflict markers that epforge.lock does not list; edit those lines",
                    lines,
                )
    for path in sorted(lock.conflicts):
        lines = open_markers(look(project, path).content or b"", lock.conflicts[path].marker)
        text = "is in conflict" if lines else "was in conflict; no markers are left"
        yield Finding(path, text, lines)


def _drift(lock: Lock, outcome: Outcome) -> Iterator[Finding]:
    """Why the project is not in sync; nothing if it is."""
    if outcome.lock.blueprint != lock.blueprint:
        yield Finding(BLUEPRINT, "has changed since the project was written")
    for conflict in outcome.conflicts:
        yield Finding(conflict.path, conflict.text)
    for action in outcome.actions:
        yield Finding(action.path, f"would be {WORDS[action.kind]}")
    if outcome.conflicts or outcome.actions or outcome.lock.blueprint != lock.blueprint:
        return  # the records follow
    records = sorted({*outcome.records, *outcome.forgotten})
    if records or _comparable(outcome.lock) != _comparable(lock):
        record = "epforge's record of its own text is not up to date; the files are"
        yield Finding(
            *((records[0], record) if records else (LOCK, "is not what epforge would write"))
        )


def _comparable(lock: Lock) -> Lock:
    """Without what is no drift: another epforge that writes the same, and what was announced."""
    files = {
        path: dataclasses.replace(entry, seen="") for path, entry in sorted(lock.files.items())
    }
    return dataclasses.replace(lock, tool=Tool("", ""), files=files)


def _data(project: Path, status: Status) -> dict[str, Any]:
    findings = [
        {"path": each.path, "text": each.text, "lines": list(each.lines)}
        for each in status.findings
    ]
    notes = status.outcome.notes if status.outcome else ()
    return {
        "format": 1,
        "directory": str(project),
        "status": _WORDS[status.exit_status],
        "exit_status": int(status.exit_status),
        "findings": findings,
        "cure": status.cure,
        "notes": [note_data(note) for note in notes],
    }


def _show(project: Path, status: Status, verbose: bool) -> None:
    """What is the matter, summed up where many generated files are alike."""
    updated = set(status.outcome.paths()) if status.outcome else set()
    for finding in status.findings:
        if finding.path not in updated:
            line = f":{finding.lines[0]}" if finding.lines else ""
            typer.echo(printable(f"{project / finding.path}{line}: {finding.text}"))
    for text in action_lines(status.outcome, verbose=verbose) if status.outcome else ():
        typer.echo(text)
    for note in status.outcome.notes if status.outcome else ():
        if note.is_new:
            typer.echo(printable(f"note    {note.path}: {note.text}"))
    total = f", {count(len(status.outcome.lock.files), 'file')}" if status.outcome else ""
    word = _WORDS[status.exit_status]
    typer.echo(printable(f"{project}: {word}{total if not status.findings else ''}"))
    if status.cure:
        typer.echo(printable(f"Run: {status.cure}"))
