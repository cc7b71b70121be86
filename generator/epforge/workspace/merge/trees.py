"""Merging trees: what becomes of each file, moved, deleted or changed by either side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from epforge.workspace.merge.layout import is_binary, same_text
from epforge.workspace.merge.model import Engine, Fate, Merged
from epforge.workspace.merge.renames import moves
from epforge.workspace.merge.text import Job, merge_texts

Tree = Mapping[str, bytes]


@dataclass(frozen=True)
class _Row:
    """One file on its way: its paths in the three trees and what it holds there."""

    old: str | None
    source: str | None
    new: str | None
    base: bytes | None
    ours: bytes | None
    theirs: bytes | None

    @property
    def path(self) -> str:
        """Where the result lies: where a side moved it; where the user did, if both did."""
        if self.source is not None and (self.source != self.old or self.new is None):
            return self.source
        return self.new or self.source or self.old or ""

    def merged(self, fate: Fate, content: bytes | None, path: str | None = None) -> Merged:
        where = self.path if path is None else path
        return Merged(where, self.source, self.new, self.old, fate, content)


def merge_trees(
    base: Tree,
    ours: Tree,
    theirs: Tree,
    *,
    engine: Engine | None = None,
    moved: Mapping[str, str] = {},
) -> tuple[Merged, ...]:
    """Merges two trees that come from ``base``.

    Args:
        base: path -> content of what both come from.
        ours: the user's files; those that are no part of the other trees are where a file may have
            been moved to, and else stay out of the result.
        theirs: epforge's files.
        engine: what merges lines; None: the best there is.
        moved: old path -> new path of files that epforge is known to have moved.

    Returns:
        A row for each path of ``base`` and ``theirs``, sorted by path; a file that was moved has
        one row for both its paths.

    Raises:
        GitError: git fails or hangs.
        UsageError: ``EPFORGE_MERGE`` names no engine.
    """
    rows = list(_rows(base, ours, theirs, moved))
    found: list[Merged | None] = [_without_lines(row) for row in rows]
    rest = [index for index, merged in enumerate(found) if merged is None]
    jobs = [_job(rows[index]) for index in rest]
    for index, text in zip(rest, merge_texts(jobs, engine), strict=True):
        row = rows[index]
        fate = Fate.MERGED if text.clean else Fate.CONTENT if row.old else Fate.ADD_ADD
        merged = row.merged(fate, text.content)
        found[index] = replace(merged, hunks=text.hunks, marker=text.marker)
    done = [_placed(row, merged) for row, merged in zip(rows, found, strict=True) if merged]
    return tuple(sorted(done, key=lambda merged: (merged.path, merged.old or "")))


def _rows(base: Tree, ours: Tree, theirs: Tree, moved: Mapping[str, str]) -> Iterator[_Row]:
    """Joins the paths of the three trees that are one file."""
    here, there = _moves(base, ours, theirs, moved)
    joined = set()
    for old in base:
        source = old if old in ours else here.get(old)
        new = old if old in theirs else there.get(old)
        joined.add(new)
        yield _row(old, source, new, base, ours, theirs)
    for new in theirs:
        if new not in joined:
            source = new if new in ours else None
            yield _row(None, source, new, base, ours, theirs)


def _row(
    old: str | None, source: str | None, new: str | None,
    base: Tree, ours: Tree, theirs: Tree,
) -> _Row:  # fmt: skip
    def content(tree: Tree, path: str | None) -> bytes | None:
        return None if path is None else tree[path]

    return _Row(old, source, new, content(base, old), content(ours, source), content(theirs, new))


def _moves(
    base: Tree, ours: Tree, theirs: Tree, moved: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Old path -> new path, of the user's moves and of epforge's.

    A path at which the user has another file already is no place for epforge to move one to, and a
    path at which epforge has another file is no place where the user's is followed to: there the
    two that meet are a conflict.
    """
    there = {
        old: new
        for old, new in moved.items()
        if old in base and old not in theirs and new in theirs and new not in base
    }
    gone = {path: text for path, text in base.items() if path not in theirs and path not in there}
    fresh = {path: text for path, text in theirs.items() if path not in base}
    taken = set(there.values())
    there |= moves(gone, {path: text for path, text in fresh.items() if path not in taken})

    lost = {path: text for path, text in base.items() if path not in ours}
    own = {path: text for path, text in ours.items() if path not in base}
    here: dict[str, str] = {}
    for old, new in list(there.items()):
        if new not in own:
            continue
        if old in lost and moves({old: lost[old]}, {new: own[new]}):
            here[old] = new  # both moved it, to the same place
        else:
            del there[old]
    free = {path: text for path, text in own.items() if path not in theirs}
    left = {path: text for path, text in lost.items() if path not in here}
    return here | moves(left, free), there


def _without_lines(row: _Row) -> Merged | None:
    """What becomes of a file, if its lines need not be merged; else None."""
    base, ours, theirs = row.base, row.ours, row.theirs
    if ours is None:
        if row.old is None:
            return row.merged(Fate.MERGED, theirs)
        return row.merged(Fate.STAYS_DELETED, None)
    if theirs is None:
        return _deleted_upstream(row, base or b"", ours)
    if same_text(ours, theirs) or theirs == base:
        return row.merged(Fate.MERGED, ours)
    if any(is_binary(content) for content in (base or b"", ours, theirs)):
        return _binary(row, ours, theirs)
    return None


def _deleted_upstream(row: _Row, base: bytes, ours: bytes) -> Merged:
    edited = row.source != row.old or not same_text(base, ours)
    if not edited:
        return row.merged(Fate.REMOVED, None)
    return row.merged(Fate.MODIFY_DELETE, ours)


def _binary(row: _Row, ours: bytes, theirs: bytes) -> Merged:
    if row.base == ours:
        return row.merged(Fate.MERGED, theirs)
    return row.merged(Fate.BINARY if row.old else Fate.ADD_ADD, ours)


def _job(row: _Row) -> Job:
    return Job(row.base, row.ours or b"", row.theirs or b"")


def _placed(row: _Row, merged: Merged) -> Merged:
    """Where both sides moved the file to different places, that is the conflict."""
    if None in (row.old, row.source, row.new) or len({row.old, row.source, row.new}) < 3:
        return merged
    return replace(merged, fate=Fate.RENAMED_TWICE)
