"""Where the owner, or a template set, has moved a file to."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from epforge.errors import UsageError
from epforge.workspace.disk import look
from epforge.workspace.merge import moves
from epforge.workspace.model import File
from epforge.workspace.paths import check_paths

# Where a file that its owner renamed is not looked for.
_NOT_SOURCES = {".git", ".hg", ".svn", ".epforge", ".venv", "venv", "node_modules", "__pycache__"}
_MOST_BYTES = 1 << 20
_MOST_FILES = 5000


def planned_moves(
    directory: Path, files: Mapping[str, File], gone: Collection[str], known: Collection[str]
) -> dict[str, File]:
    """Old path -> the file that the plan has made of it.

    Where something lies already, or another file is known, nothing is moved to.

    Args:
        directory: the project.
        files: what we would write, by path.
        gone: paths that the project has no longer.
        known: all paths that it had.
    """
    found: dict[str, File] = {}
    for path, file in files.items():
        olds = [old for old in file.was if old in gone and old not in found]
        if olds and path not in known and look(directory, path).is_absent:
            there = (old for old in olds if not look(directory, old).is_absent)
            found[next(there, olds[0])] = file
    return found


def moved_here(directory: Path, path: str, content: bytes, gone: Mapping[str, bytes]) -> str | None:
    """Which file of ``gone``, by path, its owner has moved to where we move it to; None: none."""
    away = {old: text for old, text in gone.items() if look(directory, old).is_absent}
    return next(iter(moves(away, {path: content})), None)


def others(directory: Path, known: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Files of the owner's own, one of which may be a file of ours under another name."""
    left = _MOST_FILES
    for folder, folders, names in os.walk(directory):
        if "CMakeCache.txt" in names:
            folders.clear()  # a build
            continue
        folders[:] = sorted(set(folders) - _NOT_SOURCES)
        for name in sorted(names):
            path = Path(folder, name).relative_to(directory).as_posix()
            if path in known or not _is_candidate(directory, path):
                continue
            content = look(directory, path).content
            if content is None:
                continue
            left -= 1
            if left < 0:
                return
            yield path, content


def _is_candidate(directory: Path, path: str) -> bool:
    """Is it a file of usual size, with a name that we may write?"""
    try:
        path.encode()
        check_paths([path])
        found = os.lstat(directory / path)
    except (UsageError, OSError, UnicodeError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES
