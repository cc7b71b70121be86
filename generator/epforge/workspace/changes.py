"""What publishing would do to a project that is already there, by the rules of ownership."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.workspace.lock import LOCK, Lock
from epforge.workspace.model import EditedError, File, Owner, sha256

BASE = ".epforge/base"


@dataclass(frozen=True)
class Changes:
    """The difference between what lies on disk and what shall.

    Args:
        write: files to write or replace; without the lock.
        remove: paths to remove.
        kept: files of the plan that stay as their owner has them.
    """

    write: Mapping[str, File]
    remove: tuple[str, ...]
    kept: tuple[str, ...]


def current(directory: Path, path: str) -> str | None:
    """The hash of a file on disk; None if nothing is there; "" if it is no regular file."""
    place = directory / path
    if place.is_symlink():
        return ""
    try:
        return sha256(place.read_bytes())
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def find_changes(
    directory: Path, files: Mapping[str, File], lock: Lock, edits: Collection[str]
) -> Changes:
    """Compares the project in ``directory`` with ``files``.

    * ``yours``: written only if the lock has never had it and nothing lies there, or if it is one
      of ``edits``.
    * ``generated``: replaced, unless it was edited.
    * ``shared``: replaced, unless it was edited; an edited one stays if ours has not changed.
    * no longer in ``files``: removed, unless it is yours; then it stays.

    Raises:
        EditedError: a file that would be replaced or removed is not as it was written.
    """
    write: dict[str, File] = {}
    kept: list[str] = []
    edited: list[str] = []
    for path, file in files.items():
        here = current(directory, path)
        new = sha256(file.content)
        entry = lock.files.get(path)
        written = entry.sha256 if entry else None
        if here == new:
            continue
        if file.owner is Owner.YOURS and path not in edits:
            if here is None and entry is None:
                write[path] = file
            else:
                kept.append(path)
        elif here is None or here == written or path in edits:
            write[path] = file
        elif file.owner is Owner.SHARED and new == written:
            kept.append(path)
        else:
            edited.append(path)
    remove: list[str] = []
    for path, entry in lock.files.items():
        if path in files or entry.owner is Owner.YOURS:
            continue
        here = current(directory, path)
        if here is not None:
            (remove if here == entry.sha256 else edited).append(path)
    if edited:
        raise EditedError(
            tuple(sorted(edited)),
            "Undo the edits (or move them to a file of your own), then try again.",
        )
    return Changes(write, tuple(remove), tuple(kept))


def with_base(directory: Path, files: Mapping[str, File], changes: Changes) -> Changes:
    """Adds what has to happen to the pristine text of the shared files."""
    base = base_files(files)
    write = {
        path: file
        for path, file in base.items()
        if current(directory, path) != sha256(file.content)
    }
    root = directory / BASE
    there = {
        path.relative_to(directory).as_posix()
        for path in (root.rglob("*") if root.is_dir() else ())
        if not path.is_dir()
    }
    remove = tuple(sorted(there - base.keys()))
    return Changes({**changes.write, **write}, changes.remove + remove, changes.kept)


def base_files(files: Mapping[str, File]) -> dict[str, File]:
    """The pristine text of the shared files, as files below ``.epforge/base``."""
    return {
        f"{BASE}/{path}": File(f"{BASE}/{path}", file.content, Owner.GENERATED)
        for path, file in files.items()
        if file.owner is Owner.SHARED
    }


def lock_file(lock: Lock) -> File:
    """The lock as a file."""
    return File(LOCK, lock.dump(), Owner.GENERATED)
