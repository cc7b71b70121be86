"""Projects of a few files, published and looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from epforge.workspace import (
    LOCK,
    ConflictKind,
    ConflictsError,
    File,
    NoteKind,
    OnConflict,
    Outcome,
    Owner,
    Request,
    Tool,
    preview,
    publish,
    read_lock,
)
from epforge.workspace.lock import Lock

TOOL = Tool("0.1.0", "f" * 64)
NOTHING = Request()
MARKERS = Request(on_conflict=OnConflict.MARKERS)
OURS = Request(on_conflict=OnConflict.OURS)
THEIRS = Request(on_conflict=OnConflict.THEIRS)


def lines(**changes: str) -> str:
    """Twenty lines, some of them replaced: ``lines(_3="three")``."""
    text = [f"line {number}\n" for number in range(1, 21)]
    for name, line in changes.items():
        text[int(name[1:]) - 1] = f"{line}\n"
    return "".join(text)


def file(
    text: str | bytes, path: str = "README.md", owner: str = "shared", was: tuple[str, ...] = ()
) -> File:
    content = text.encode() if isinstance(text, str) else text
    return File(path, content, Owner(owner), was=was)


def put(directory: Path, *files: File, request: Request = NOTHING) -> Outcome:
    """Publishes what was previewed, and looks that a second run has nothing to do."""
    seen = preview(directory, files, tool=TOOL, blueprint=b"b", request=request)
    done = publish(directory, files, tool=TOOL, blueprint=b"b", request=request)
    assert seen == done
    if not done.open:
        again = preview(directory, files, tool=TOOL, blueprint=b"b")
        assert (again.actions, again.conflicts, again.lock) == ((), (), done.lock)
        assert not any(note.is_new for note in again.notes if note.kind in _KEPT)
    return done


_KEPT = (NoteKind.STAYS_DELETED, NoteKind.BEHIND)


def kinds(directory: Path, *files: File, request: Request = NOTHING) -> list[ConflictKind]:
    """The conflicts for which nothing is written."""
    with pytest.raises(ConflictsError) as caught:
        publish(directory, files, tool=TOOL, blueprint=b"b", request=request)
    return [conflict.kind for conflict in caught.value.outcome.conflicts]


def own(directory: Path) -> dict[str, str]:
    """The project's files, without epforge's records."""
    paths = (path for path in sorted(directory.rglob("*")) if path.is_file())
    names = {path.relative_to(directory).as_posix(): path for path in paths}
    return {
        name: path.read_text()
        for name, path in names.items()
        if name != LOCK and not name.startswith(".epforge/")
    }


def lock_of(directory: Path) -> Lock:
    lock = read_lock(directory)
    assert lock is not None
    return lock
