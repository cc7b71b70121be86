"""What a change of a project comes to, for people and for programs; one way for every verb."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from epforge.cli.main import printable
from epforge.cli.show.diffs import diff_of
from epforge.cli.show.wording import count
from epforge.errors import ExitStatus
from epforge.workspace.model import Owner
from epforge.workspace.outcome import (
    Action,
    ActionKind,
    Conflict,
    ConflictKind,
    Hunk,
    Note,
    NoteKind,
    Outcome,
)

_FEW = 4  # generated files of one folder that are still listed one by one
_FEW_CONFLICTS = 5  # with more, the commands are given once for all
_MOST_HUNKS, _MOST_LINES, _MOST_DIFF = 3, 6, 30
#: What has happened to a file, in the order in which it is told.
WORDS = {
    ActionKind.CREATE: "created",
    ActionKind.UPDATE: "updated",
    ActionKind.MERGE: "merged",
    ActionKind.MOVE: "moved",
    ActionKind.REMOVE: "removed",
}
_COLLAPSED = {ActionKind.CREATE, ActionKind.UPDATE, ActionKind.REMOVE}
_EDIT = (("--adopt", "keep your edit, and merge from now on"), ("--discard", "give your edit up"))
_GONE = (("--adopt", "leave it out"), ("--discard", "write it again"))
_SIDES = (("--ours", "keep yours"), ("--theirs", "take epforge's"))
_CHOICES = {ConflictKind.EDITED: _EDIT, ConflictKind.DELETED: _GONE}


# For programs


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


# For people


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


def exit_status(outcome: Outcome) -> ExitStatus:
    """Conflicts if there are any, to be decided first or left in the files."""
    return ExitStatus.CONFLICTS if outcome.conflicts or outcome.open else ExitStatus.OK


def exit_if_conflicts(outcome: Outcome) -> None:
    """Ends the process with the status of conflicts if there are any."""
    if exit_status(outcome) is not ExitStatus.OK:
        raise typer.Exit(int(exit_status(outcome)))


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
        yield _clean(f"{older}, shown by: {command}")
    line = headline(directory, outcome, would=would)
    yield line if branch is None or would else _clean(f"on branch {branch}: {line}")


def undecided(outcome: Outcome) -> str:
    """How many files need a decision."""
    number = len({conflict.path for conflict in outcome.conflicts})
    return f"{count(number, 'file')} {'needs' if number == 1 else 'need'} a decision of yours"


def headline(directory: Path, outcome: Outcome, *, would: bool = False) -> str:
    """An outcome in one line."""
    total = len(outcome.lock.files)
    if outcome.created:
        owners = Counter(entry.owner.value for entry in outcome.lock.files.values())
        parts = ", ".join(f"{number} {owner}" for owner, number in sorted(owners.items()))
        return _clean(f"{directory}: {count(total, 'file')} ({parts})")
    done = Counter(action.kind for action in outcome.actions)
    parts = ", ".join(f"{done[kind]} {word}" for kind, word in WORDS.items() if done[kind])
    if not parts:
        text = f"{directory}: up to date, {count(total, 'file')}"
        if outcome.records or outcome.forgotten:
            text += (
                f"; epforge's record of them {'would be' if would else 'was'} brought up to date"
            )
        return _clean(text)
    text = f"{directory}: {parts}, of {total} files"
    return _clean(f"preview of {text}; nothing was written" if would else text)


def action_lines(outcome: Outcome, *, verbose: bool = False) -> Iterator[str]:
    """One line per action; one per folder where many generated files are alike."""
    for kind in WORDS:
        groups: dict[str, list[Action]] = {}
        for action in outcome.actions:
            if action.kind is kind:
                groups.setdefault(_group(action, outcome), []).append(action)
        for folder, some in groups.items():
            if folder and not verbose and len(some) > _FEW:
                yield _clean(f"{kind.value:<7} {len(some)} generated files below {folder}")
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
    return _clean(f"{action.kind.value:<7} {path}{f'  ({why})' if why else ''}")


def note_lines(note: Note) -> Iterator[str]:
    """A note with the text to paste."""
    yield _clean(f"note    {note.path}: {note.text}")
    yield from _indented(note.diff.splitlines())


def _refresh_lines(directory: Path, notes: Iterable[Note]) -> Iterator[str]:
    """The command that merges into the owner's files what the notes show."""
    behind = [note.path for note in notes if note.kind is NoteKind.BEHIND]
    if behind:
        path = behind[0] if len(behind) == 1 else "all"
        command = shlex.join(["epforge", "regenerate", str(directory), "--refresh", path])
        yield _clean(f"Other files may rely on that. To merge it into yours: {command}")


def conflict_lines(
    conflicts: Sequence[Conflict], directory: Path, retry: Sequence[str] = ()
) -> Iterator[str]:
    """Conflicts with their places, both sides, and the commands to go on.

    Args:
        conflicts: at least one.
        directory: the project, as the caller called it.
        retry: the command that each way out is added to.
    """
    few = len(conflicts) <= _FEW_CONFLICTS
    for conflict in conflicts:
        line = f":{conflict.hunks[0].line}" if conflict.hunks else ""
        yield _clean(f"{directory / conflict.path}{line}: {conflict.text}")
        for hunk in conflict.hunks[:_MOST_HUNKS]:
            yield from _hunk_lines(hunk)
        if len(conflict.hunks) > _MOST_HUNKS:
            more = ", ".join(str(hunk.line) for hunk in conflict.hunks[_MOST_HUNKS:])
            yield f"    also at line {more}"
        yield from _indented(_short(conflict.diff.splitlines(), _MOST_DIFF))
        if few and retry:
            for option, meaning in _CHOICES.get(conflict.kind, _SIDES):
                yield _clean(f"  {_command(retry, option, conflict.path)}    # {meaning}")
    if retry:
        yield from _for_all(conflicts, retry)


def open_lines(
    conflicts: Sequence[Conflict], directory: Path, branch: str | None = None
) -> Iterator[str]:
    """Conflicts that are in the files now, with what to do.

    Args:
        conflicts: at least one.
        directory: the project, as the caller called it.
        branch: the branch that the files are on, if they are not in ``directory``.
    """
    for conflict in conflicts:
        line = f":{conflict.hunks[0].line}" if conflict.hunks else ""
        yield _clean(f"{directory / conflict.path}{line}: {conflict.text}")
        if not conflict.hunks:
            yield _clean(f"  {conflict.cure}")
    resolve = ["epforge", "resolve", *in_project(directory)]
    it = "it" if len(conflicts) == 1 else "them"
    if branch is not None:
        switch = shlex.join(["git", *_at(directory), "switch", branch])
        yield _clean(f"Go to the branch and edit {it}: {switch}")
        yield _clean(f"Then: {shlex.join(resolve)}")
        return
    yield _clean(f"Edit {it}, then: {shlex.join(resolve)}")
    yield _clean(f"Or take one side: {shlex.join([*resolve, '--theirs'])}")


def in_project(directory: Path) -> tuple[str, ...]:
    """The option that names the project; nothing for the current directory."""
    return () if directory == Path() else ("--project", str(directory))


def _at(directory: Path) -> tuple[str, ...]:
    return () if directory == Path() else ("-C", str(directory))


def _for_all(conflicts: Iterable[Conflict], retry: Sequence[str]) -> Iterator[str]:
    kinds = {conflict.kind for conflict in conflicts}
    if kinds & _CHOICES.keys():
        yield f"  {_command(retry, '--adopt', 'all')}    # keep every edit of a generated file"
        yield f"  {_command(retry, '--discard', 'all')}    # give all of them up"
    if kinds - _CHOICES.keys():
        yield f"  {_command(retry, '--on-conflict', 'markers')}    # both, to decide in an editor"
        yield f"  {_command(retry, '--on-conflict', 'ours')}    # or theirs: one side wins"


def _command(retry: Sequence[str], *more: str) -> str:
    return shlex.join([*retry, *more])


def _hunk_lines(hunk: Hunk) -> Iterator[str]:
    for name, lines in (("yours", hunk.yours), ("epforge", hunk.epforge)):
        for line in _short(lines, _MOST_LINES) if lines else ("(nothing)",):
            yield _clean(f"    {name:<8}| {line.rstrip()}")


def _short(lines: Sequence[str], most: int) -> Iterator[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"... {count(len(lines) - most, 'more line')}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (_clean(f"    {line}").rstrip() for line in lines)


def _clean(text: str) -> str:
    """One line that a terminal can show, whatever a path or a file's text brings along."""
    return printable(text.replace("\n", "\0")).encode(errors="replace").decode()
