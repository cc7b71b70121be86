"""Changing a directory in place so that a crash leaves the old files or leads to the new ones.

New content is staged in ``.epforge/next/new``, what it replaces is linked to ``.epforge/next/old``,
and then the journal is written: the point of no return. From there the changes are applied one
rename at a time. A crash before the journal leaves the old files; after it, the next command
finishes the work (`recover`). An error while applying puts the old files back.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import UsageError
from epforge.workspace.disk import current, look
from epforge.workspace.model import EditedError, File, WriteError, sha256
from epforge.workspace.paths import check_inside, check_paths

NEXT = ".epforge/next"
_JOURNAL = f"{NEXT}/journal.json"

Step = Callable[[str], None]


@dataclass(frozen=True)
class _Change:
    path: str
    before: str | None  # hash of what lies there; None: nothing
    after: str | None  # hash of what shall lie there; None: nothing


def write_file(path: Path, content: bytes, executable: bool) -> None:
    """Creates a file; its mode is what the umask leaves of rw or rwx for all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(
        path,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0),
        0o777 if executable else 0o666,
    )
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def change_in_place(
    directory: Path,
    write: Mapping[str, File],
    remove: tuple[str, ...],
    step: Step,
    expected: Mapping[str, str | None] | None = None,
) -> None:
    """Writes and removes files of ``directory``, all or none; the last of ``write`` comes last.

    Args:
        directory: the project.
        write: files to write, by path.
        remove: paths to remove.
        step: called with a name before each step.
        expected: what the decision to do so has seen at these paths: a hash, or None for nothing.

    Raises:
        OSError: the directory is then as it was.
        EditedError: a file is not what was expected: somebody has written it since.
    """
    paths = [*remove, *write]
    changes = [
        _Change(
            path,
            current(directory, path),
            sha256(write[path].content) if path in write else None,
        )
        for path in paths
    ]
    seen = {change.path: change.before for change in changes} | dict(expected or {})
    try:
        _stage(directory, write, changes, step, seen)
    except BaseException:
        _discard(directory)
        raise
    try:
        for change in changes:
            step(f"apply {change.path}")
            _apply(directory, change)
    except Exception:
        try:
            for change in changes:
                _undo(directory, change)
        except OSError as error:
            raise WriteError(
                f"cannot write {error.filename}: {error.strerror}; the change is half done",
                "Give yourself the right to write there; the next command here finishes the work.",
            ) from error
        _discard(directory)
        raise
    step("done")
    try:
        _discard(directory)
    except OSError as error:
        raise WriteError(
            f"everything is written, but {error.filename} cannot be removed: {error.strerror}",
            f"Remove {directory / NEXT}.",
        ) from error


def recover(directory: Path) -> bool:
    """Finishes or drops what a crashed command left in ``directory``.

    Returns:
        Whether there was anything to do.

    Raises:
        EditedError: files were edited since the crash.
        UsageError: the journal is damaged, or leads out of the directory.
        WriteError: the files cannot be written; the next call tries again.
    """
    check_inside(directory, [_JOURNAL])  # nothing is finished, or removed, through a link
    if not (directory / NEXT).is_dir():
        return False
    try:
        _finish(directory)
    except OSError as error:
        raise WriteError(
            f"a command crashed here, and {error.filename} cannot be written: {error.strerror}",
            "Make room or give yourself the right to write there.",
        ) from error
    return True


def _finish(directory: Path) -> None:
    journal = look(directory, _JOURNAL)
    if journal.is_absent:
        _discard(directory)  # it crashed while staging: nothing had changed yet
        return
    try:
        rows = json.loads((journal.content or b"").decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(directory) from error
    if not isinstance(rows, list):
        raise _damaged(directory)
    try:
        changes = [_Change(row["path"], row["before"], row["after"]) for row in rows]
        paths = [change.path for change in changes]
        for path in paths:  # a project may come from anywhere, and its journal with it
            check_paths([path])  # one by one: a file may change the case of its name
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(directory) from error
    staged = [f"{NEXT}/{kind}/{path}" for path in paths for kind in ("new", "old")]
    check_inside(directory, [*paths, *staged])
    for change in changes:
        # What shall lie there is staged as it was decided, or lies there already.
        if current(directory, f"{NEXT}/new/{change.path}") not in (None, change.after):
            raise _damaged(directory)
    edited = tuple(
        change.path
        for change in changes
        if current(directory, change.path) not in (change.before, change.after)
    )
    if edited:
        raise EditedError(
            edited,
            "A command crashed here and these files were edited since. Undo the edits, or remove "
            f"{directory / NEXT} to give up what the command was about to write.",
        )
    for change in changes:
        _apply(directory, change)
    _discard(directory)


def _damaged(directory: Path) -> UsageError:
    return UsageError(
        f"{directory / _JOURNAL} is damaged",
        f"Remove {directory / NEXT}, and restore the project from version control.",
    )


def _stage(
    directory: Path,
    write: Mapping[str, File],
    changes: list[_Change],
    step: Step,
    seen: Mapping[str, str | None],
) -> None:
    for file in write.values():
        step(f"stage {file.path}")
        write_file(directory / NEXT / "new" / file.path, file.content, file.executable)
    for change in changes:
        if change.before is not None:
            step(f"keep {change.path}")
            old = directory / NEXT / "old" / change.path
            old.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(directory / change.path, old)
            except OSError:  # a file system without links
                shutil.copy2(directory / change.path, old)
            if change.path in write:
                _keep_mode(directory, write[change.path])
    rows = [
        {"path": change.path, "before": change.before, "after": change.after} for change in changes
    ]
    step("write the journal")
    draft = directory / f"{_JOURNAL}.draft"
    draft.parent.mkdir(parents=True, exist_ok=True)
    draft.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    step("commit")
    late = tuple(path for path in seen if current(directory, path) != seen[path])
    if late:
        raise EditedError(late, "They were edited a moment ago: run the command again.")
    os.replace(draft, directory / _JOURNAL)


def _keep_mode(directory: Path, file: File) -> None:
    """What replaces a file is as private as its owner has made that one."""
    mode = stat.S_IMODE(os.lstat(directory / file.path).st_mode)
    if file.executable:
        mode |= (mode & 0o444) >> 2  # whoever may read it may run it
    staged = directory / NEXT / "new" / file.path
    if stat.S_IMODE(staged.stat().st_mode) != mode:
        os.chmod(staged, mode)


def _apply(directory: Path, change: _Change) -> None:
    """Does one change; does nothing if it has been done."""
    place = directory / change.path
    if change.after is None:
        place.unlink(missing_ok=True)
        _prune(directory, place.parent)
        return
    staged = directory / NEXT / "new" / change.path
    if staged.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(staged, place)


def _undo(directory: Path, change: _Change) -> None:
    """Puts the old file back."""
    place = directory / change.path
    if change.before is None:
        if current(directory, change.path) is not None:
            place.unlink(missing_ok=True)
        _prune(directory, place.parent)  # also when only its directory had been made
    elif current(directory, change.path) == change.before:
        return
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(directory / NEXT / "old" / change.path, place)


def _discard(directory: Path) -> None:
    """Removes the staging area, the journal first."""
    with contextlib.suppress(FileNotFoundError):
        (directory / _JOURNAL).unlink()
    shutil.rmtree(directory / NEXT, ignore_errors=True)
    _prune(directory, (directory / NEXT).parent)


def _prune(directory: Path, folder: Path) -> None:
    """Removes ``folder`` and its parents below ``directory`` as far as they are empty."""
    while folder != directory:
        try:
            with contextlib.suppress(FileNotFoundError):  # it could not be made; its parents were
                folder.rmdir()
        except OSError:
            return
        folder = folder.parent
