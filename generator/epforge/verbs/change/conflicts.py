"""Conflicts in words: their places, both sides, and the commands to go on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from epforge.verbs.wording import count, one_line
from epforge.workspace.outcome import Conflict, ConflictKind, Hunk, Outcome

_FEW_CONFLICTS = 5  # with more, the commands are given once for all
_MOST_HUNKS, _MOST_LINES, _MOST_DIFF = 3, 6, 30
_EDIT = (("--adopt", "keep your edit, and merge from now on"), ("--discard", "give your edit up"))
_GONE = (("--adopt", "leave it out"), ("--discard", "write it again"))
_SIDES = (("--ours", "keep yours"), ("--theirs", "take epforge's"))
_CHOICES = {ConflictKind.EDITED: _EDIT, ConflictKind.DELETED: _GONE}


def undecided(outcome: Outcome) -> str:
    """How many files need a decision."""
    number = len({conflict.path for conflict in outcome.conflicts})
    return f"{count(number, 'file')} {'needs' if number == 1 else 'need'} a decision of yours"


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
        yield one_line(f"{directory / conflict.path}{line}: {conflict.text}")
        for hunk in conflict.hunks[:_MOST_HUNKS]:
            yield from _hunk_lines(hunk)
        if len(conflict.hunks) > _MOST_HUNKS:
            more = ", ".join(str(hunk.line) for hunk in conflict.hunks[_MOST_HUNKS:])
            yield f"    also at line {more}"
        yield from _indented(_short(conflict.diff.splitlines(), _MOST_DIFF))
        if few and retry:
            for option, meaning in _CHOICES.get(conflict.kind, _SIDES):
                yield one_line(f"  {_command(retry, option, conflict.path)}    # {meaning}")
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
        yield one_line(f"{directory / conflict.path}{line}: {conflict.text}")
        if not conflict.hunks:
            yield one_line(f"  {conflict.cure}")
    resolve = ["epforge", "resolve", *in_project(directory)]
    it = "it" if len(conflicts) == 1 else "them"
    if branch is not None:
        switch = shlex.join(["git", *_at(directory), "switch", branch])
        yield one_line(f"Go to the branch and edit {it}: {switch}")
        yield one_line(f"Then: {shlex.join(resolve)}")
        return
    yield one_line(f"Edit {it}, then: {shlex.join(resolve)}")
    yield one_line(f"Or take one side: {shlex.join([*resolve, '--theirs'])}")


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
            yield one_line(f"    {name:<8}| {line.rstrip()}")


def _short(lines: Sequence[str], most: int) -> Iterator[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"... {count(len(lines) - most, 'more line')}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (one_line(f"    {line}").rstrip() for line in lines)
