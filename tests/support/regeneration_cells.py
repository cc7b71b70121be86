"""One edit meets one change: what has to come of it, and what did."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest
import regeneration
from edit_model import Edit, Kind
from regeneration import Tree

from epforge.errors import ExitStatus
from epforge.workspace import (
    Conflict,
    ConflictKind,
    ConflictsError,
    NoteKind,
    OnConflict,
    OpenConflictsError,
    Outcome,
    Owner,
    Request,
    read_lock,
)

_NOTHING = Request()
_REFUSALS = (ConflictKind.EDITED, ConflictKind.DELETED, ConflictKind.IN_THE_WAY)


class Relation(StrEnum):
    """How the owner's lines of a file lie to epforge's."""

    UNTOUCHED = "untouched"  # epforge changes nothing in the file
    FAR = "far"
    ADJACENT = "adjacent"
    SAME = "same"
    DROPPED = "dropped"  # epforge does not write the file any more


class Verdict(StrEnum):
    """Whether the owner has to be asked."""

    CLEAN = "clean"
    EITHER = "either"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Cell:
    """What came of an edit and a change.

    Args:
        relation: of the two.
        verdict: what has to come of them.
        conflicts: what was reported.
        kept: the owner's lines that are in the tree, or in a reported conflict.
        lost: the owner's lines that are in neither.
    """

    relation: Relation
    verdict: Verdict
    conflicts: tuple[Conflict, ...]
    kept: int
    lost: tuple[str, ...]


def _plain(content: bytes) -> str:
    return content.decode("utf-8-sig").replace("\r\n", "\n")


def relation(base: str, edited: str, new: str | None) -> Relation:
    """How the lines that the owner changed lie to those that epforge changed."""
    if new is None:
        return Relation.DROPPED
    if new == base:
        return Relation.UNTOUCHED
    found = Relation.FAR
    for first in _regions(base, edited):
        for second in _regions(base, new):
            if _overlap(first, second):
                return Relation.SAME
            if max(first[0], second[0]) == min(first[1], second[1]):
                found = Relation.ADJACENT
    return found


def _regions(base: str, other: str) -> Iterator[tuple[int, int]]:
    """The lines of ``base`` that are others in ``other``; empty where there are only more."""
    matcher = difflib.SequenceMatcher(None, base.split("\n"), other.split("\n"), autojunk=False)
    for kind, begin, end, _, _ in matcher.get_opcodes():
        if kind != "equal":
            yield begin, end


def _overlap(first: tuple[int, int], second: tuple[int, int]) -> bool:
    if first == second:
        return True
    return max(first[0], second[0]) < min(first[1], second[1])


def is_plain(edit: Edit) -> bool:
    """Is it an edit of lines of a shared file?"""
    file = regeneration.before().files.get(edit.path)
    return file is not None and file.owner is Owner.SHARED and edit.style is None


def relation_of(edit: Edit, change: str, project: Path) -> Relation:
    """How an edit, made in ``project``, lies to a change."""
    place = project / (edit.renamed or edit.path)
    if not is_plain(edit) or not place.is_file():
        return Relation.UNTOUCHED
    base, edited = regeneration.before().text(edit.path), _plain(place.read_bytes())
    assert base is not None
    return relation(base, edited, regeneration.after(change).text(edit.path))


def verdict_of(edit: Edit, change: str, how: Relation) -> Verdict:
    """Whether the owner has to be asked, by the rules."""
    tree = regeneration.after(change)
    if edit.kind is Kind.GENERATED:
        return Verdict.CONFLICT
    if edit.kind is Kind.OWN:
        return Verdict.CONFLICT if edit.path in tree.files else Verdict.CLEAN
    if edit.kind is Kind.DELETION or not is_plain(edit):
        return Verdict.CLEAN
    if edit.kind is Kind.RENAME and edit.path in tree.renamed:
        return Verdict.EITHER  # both have renamed it
    if edit.kind is Kind.RENAME and how is Relation.DROPPED:
        return Verdict.EITHER
    if how in (Relation.SAME, Relation.DROPPED):
        return Verdict.CONFLICT
    return Verdict.EITHER if how is Relation.ADJACENT else Verdict.CLEAN


def meet(edit: Edit, change: str, project: Path) -> Cell:
    """Makes the change in a project where the edit has been made, and checks what comes of it."""
    tree = regeneration.after(change, edit.style)
    how = relation_of(edit, change, project)
    verdict = verdict_of(edit, change, how)
    regeneration.rewrite_blueprint(project, tree)
    before = regeneration.contents(project)
    lock = (project / "epforge.lock").read_bytes()
    outcome, blocked = _applied(project, tree)
    if outcome is None:
        assert verdict is not Verdict.CLEAN, [each.text for each in blocked]
        assert regeneration.contents(project) == before
        assert (project / "epforge.lock").read_bytes() == lock
        lost = tuple(_missing(edit.lines, [*before.values(), *_reported(blocked)]))
        _check_reported(edit, how, blocked, before)
    else:
        assert verdict is not Verdict.CONFLICT
        lost = tuple(_missing(edit.lines, regeneration.contents(project).values()))
        _check_clean(edit, tree, project, outcome, before)
        _check_again(project, tree)
    return Cell(how, verdict, blocked, len(edit.lines) - len(lost), lost)


def _applied(
    project: Path, tree: Tree, request: Request = _NOTHING
) -> tuple[Outcome | None, tuple[Conflict, ...]]:
    """Makes a change; returns what was done, or the conflicts that it did not go past."""
    try:
        return regeneration.apply(project, tree, request), ()
    except ConflictsError as error:
        if error.exit_status != ExitStatus.CONFLICTS:
            raise
        return None, error.outcome.conflicts


def _missing(lines: Iterable[str], contents: Iterable[bytes | str]) -> Iterator[str]:
    present: set[str] = set()
    for content in contents:
        text = content if isinstance(content, str) else content.decode("utf-8-sig", "replace")
        present.update(text.splitlines())
    return (line for line in lines if line not in present)


def _reported(conflicts: Iterable[Conflict]) -> Iterator[str]:
    for conflict in conflicts:
        yield "\n".join(line for hunk in conflict.hunks for line in hunk.yours)
        yield "\n".join(line[1:] for line in conflict.diff.splitlines() if line[:1] in "+-")


def _check_reported(
    edit: Edit, how: Relation, conflicts: tuple[Conflict, ...], before: dict[str, bytes]
) -> None:
    """The report is about the edited file; it shows the lines that are in dispute."""
    names = {edit.path, edit.renamed}
    assert {each.path for each in conflicts} <= names
    if edit.kind is Kind.SAME_LINE and how is Relation.SAME:
        assert conflicts[0].kind is ConflictKind.CONTENT
        shown = [line for hunk in conflicts[0].hunks for line in hunk.yours]
        assert set(edit.lines) <= {line.rstrip("\r\n") for line in shown}
        for hunk in conflicts[0].hunks:
            lines = _plain(before[conflicts[0].path]).split("\n")
            end = hunk.line - 1 + len(hunk.yours)
            assert lines[hunk.line - 1 : end] == [each.rstrip("\r\n") for each in hunk.yours]


def _check_clean(
    edit: Edit, tree: Tree, project: Path, outcome: Outcome, before: dict[str, bytes]
) -> None:
    new_path = tree.renamed.get(edit.path, edit.path)
    after = regeneration.contents(project)
    if edit.kind is Kind.DELETION:
        assert edit.path not in after
        assert new_path not in after
        if new_path in tree.files:
            noted = {n.path for n in outcome.notes if n.kind is NoteKind.STAYS_DELETED}
            assert noted & {edit.path, new_path}
        return
    path = edit.renamed if edit.renamed in after else new_path
    if edit.renamed:
        assert edit.path not in after
    if edit.renamed and path == edit.renamed:
        assert new_path not in after
    if not is_plain(edit):
        _check_untouched(edit, tree, before, after)
        return
    assert not set(edit.gone) & set(_plain(after.get(path, b"")).split("\n"))
    if edit.kind is not Kind.REFORMAT and new_path in tree.files:
        base, new = regeneration.before().text(edit.path), tree.text(edit.path)
        assert base is not None
        assert new is not None
        theirs = set(new.split("\n")) - set(base.split("\n"))
        assert theirs <= set(_plain(after[path]).split("\n"))
    if edit.kind is Kind.ENCODING:
        was, now = before[edit.path], after[path]
        assert now.startswith(b"\xef\xbb\xbf") == was.startswith(b"\xef\xbb\xbf")
        assert (b"\r\n" in now) == (b"\r\n" in was)
        assert now.count(b"\r\n") in (0, now.count(b"\n"))


def _check_untouched(
    edit: Edit, tree: Tree, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    """Files that are the owner's have every byte that they had, wherever they are now."""
    theirs = {path for path, file in tree.files.items() if file.owner is not Owner.YOURS}
    for path, content in before.items():
        file = regeneration.before().files.get(path)
        if file is None or file.owner is Owner.YOURS:
            now = tree.renamed.get(path, path)
            assert now not in theirs
            assert after[now if now in after else path] == content, path


def _check_again(project: Path, tree: Tree) -> None:
    """A second time, nothing is to be done, and nothing is news."""
    lock = (project / "epforge.lock").read_bytes()
    again = regeneration.apply(project, tree)
    assert not again.actions
    assert not [note for note in again.notes if note.is_new]
    assert (project / "epforge.lock").read_bytes() == lock


def decide(edit: Edit, change: str, project: Path, mode: OnConflict) -> Outcome | None:
    """Makes a change that is in conflict with an edit, the conflict decided beforehand.

    Returns:
        What was done; None where the decision is not one that ends it: nothing is changed then.
    """
    tree = regeneration.after(change, edit.style)
    regeneration.rewrite_blueprint(project, tree)
    before = regeneration.contents(project)
    outcome, blocked = _applied(project, tree, Request(on_conflict=mode))
    if outcome is None:
        assert {each.kind for each in blocked} <= set(_REFUSALS)
        assert regeneration.contents(project) == before
        return None
    shown = [note.diff for note in outcome.notes]
    sides = ["\n".join(row[1:] for row in diff.splitlines()) for diff in shown]
    after = list(regeneration.contents(project).values())
    if mode is OnConflict.THEIRS:
        assert not list(_missing(edit.lines, [*after, *sides]))
    else:
        assert not list(_missing(edit.lines, after))
    _check_open(project, tree, outcome, mode)
    return outcome


def _check_open(project: Path, tree: Tree, outcome: Outcome, mode: OnConflict) -> None:
    """Markers are for the owner to edit: until then no command writes."""
    lock = read_lock(project)
    assert lock is not None
    assert set(lock.conflicts) == {each.path for each in outcome.open}
    if not lock.conflicts:
        _check_again(project, tree)
        return
    assert mode is OnConflict.MARKERS
    for path in lock.conflicts:
        text = (project / path).read_bytes()
        assert b"<<<<<<<" in text or b"\0" in text or lock.conflicts[path].marker == 0
    with pytest.raises(OpenConflictsError) as refused:
        regeneration.apply(project, tree)
    assert refused.value.exit_status == ExitStatus.CONFLICTS
