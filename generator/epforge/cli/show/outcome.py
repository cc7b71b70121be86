"""What a change of a project comes to, for people and for programs; one way for every verb."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import typer

from epforge.verbs.change.conflicts import conflict_lines, open_lines, undecided
from epforge.verbs.change.outcome import WORDS
from epforge.verbs.wording import count, one_line
from epforge.workspace.model import Owner
from epforge.workspace.outcome import (
    Action,
    ActionKind,
    Note,
    NoteKind,
    Outcome,
)

_FEW = 4  # generated files of one folder that are still listed one by one
_COLLAPSED = {ActionKind.CREATE, ActionKind.UPDATE, ActionKind.REMOVE}


def show(
    directory: Path,
    outcome: Outcome,
    *,
    verbose: bool = False,
    would: bool = False,
    retry: Sequence[str] = (),
    branch: str | None = None,
) -> None:
    """Prints an outcome: what happens to which file, notes, conflicts, a summary.

    Args:
        directory: the project, as the caller called it.
        outcome: what was, or would be, done.
        verbose: list every file, also where many generated ones are alike.
        would: it is a preview.
        retry: the command that the ways out of a conflict are added to.
        branch: the files are on this branch; those in ``directory`` are as they were.
    """
    for line in outcome_lines(directory, outcome, verbose=verbose, would=would, branch=branch):
        typer.echo(line)
    if outcome.conflicts:
        for line in conflict_lines(outcome.conflicts, directory, retry):
            typer.echo(line)
        typer.echo(f"{undecided(outcome)}; nothing is written before that")
    if outcome.open:
        for line in open_lines(outcome.open, directory, branch):
            typer.echo(line)


def outcome_lines(
    directory: Path,
    outcome: Outcome,
    *,
    verbose: bool = False,
    would: bool = False,
    branch: str | None = None,
) -> Iterator[str]:
    """An outcome in lines: what happens to which file, then notes, then a summary.

    Args:
        directory: the project, as the caller called it.
        outcome: what was, or would be, done.
        verbose: list every file, also where many generated ones are alike.
        would: it is a preview.
        branch: the files are on this branch.
    """
    if verbose or not outcome.created:
        yield from action_lines(outcome, verbose=verbose)
    told = [note for note in outcome.notes if verbose or note.is_new]
    for note in told:
        yield from note_lines(note)
    if branch is None:
        yield from _refresh_lines(directory, told)
    if len(told) < len(outcome.notes):
        older = count(len(outcome.notes) - len(told), "earlier note")
        command = shlex.join(["epforge", "plan", str(directory), "--verbose"])
        yield one_line(f"{older}, shown by: {command}")
    line = headline(directory, outcome, would=would)
    yield line if branch is None or would else one_line(f"on branch {branch}: {line}")


def headline(directory: Path, outcome: Outcome, *, would: bool = False) -> str:
    """An outcome in one line."""
    total = len(outcome.lock.files)
    if outcome.created:
        owners = Counter(entry.owner.value for entry in outcome.lock.files.values())
        parts = ", ".join(f"{number} {owner}" for owner, number in sorted(owners.items()))
        return one_line(f"{directory}: {count(total, 'file')} ({parts})")
    done = Counter(action.kind for action in outcome.actions)
    parts = ", ".join(f"{done[kind]} {word}" for kind, word in WORDS.items() if done[kind])
    if not parts:
        text = f"{directory}: up to date, {count(total, 'file')}"
        if outcome.records or outcome.forgotten:
            text += (
                f"; epforge's record of them {'would be' if would else 'was'} brought up to date"
            )
        return one_line(text)
    text = f"{directory}: {parts}, of {total} files"
    return one_line(f"preview of {text}; nothing was written" if would else text)


def action_lines(outcome: Outcome, *, verbose: bool = False) -> Iterator[str]:
    """One line per action; one per folder where many generated files are alike."""
    for kind in WORDS:
        groups: dict[str, list[Action]] = {}
        for action in outcome.actions:
            if action.kind is kind:
                groups.setdefault(_group(action, outcome), []).append(action)
        for folder, some in groups.items():
            if folder and not verbose and len(some) > _FEW:
                yield one_line(f"{kind.value:<7} {len(some)} generated files below {folder}")
            else:
                yield from (_action_line(action, outcome) for action in some)


def _group(action: Action, outcome: Outcome) -> str:
    """The folder under which an action may be summed up; empty if it has a line of its own."""
    entry = outcome.lock.files.get(action.path)
    own = entry is not None and entry.owner is not Owner.GENERATED
    parts = action.path.split("/")
    if own or action.kind not in _COLLAPSED or len(parts) == 1:
        return ""
    return "/".join(parts[: min(2, len(parts) - 1)])


def _action_line(action: Action, outcome: Outcome) -> str:
    path = f"{action.source} -> {action.path}" if action.source else action.path
    entry = outcome.lock.files.get(action.path)
    why = action.why
    if not why and action.kind is ActionKind.CREATE and entry and entry.owner is Owner.YOURS:
        why = "yours"
    return one_line(f"{action.kind.value:<7} {path}{f'  ({why})' if why else ''}")


def note_lines(note: Note) -> Iterator[str]:
    """A note with the text to paste."""
    yield one_line(f"note    {note.path}: {note.text}")
    yield from _indented(note.diff.splitlines())


def _refresh_lines(directory: Path, notes: Iterable[Note]) -> Iterator[str]:
    """The command that merges into the owner's files what the notes show."""
    behind = [note.path for note in notes if note.kind is NoteKind.BEHIND]
    if behind:
        path = behind[0] if len(behind) == 1 else "all"
        command = shlex.join(["epforge", "regenerate", str(directory), "--refresh", path])
        yield one_line(f"Other files may rely on that. To merge it into yours: {command}")


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (one_line(f"    {line}").rstrip() for line in lines)
