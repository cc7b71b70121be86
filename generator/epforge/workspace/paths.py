"""Which paths may be written: those that mean the same inside the project on every system."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from epforge.errors import UsageError

_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(\..*)?", re.IGNORECASE)
_GIT = {".git", "git~1"}  # also as Windows and macOS spell it: what lies there may be run
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')


def check_paths(paths: Iterable[str]) -> None:
    """Raises UsageError unless every path is relative, portable and distinct from the others.

    Refused are absolute paths, ``.`` and ``..``, git's own directory, device names and characters
    of Windows, paths that differ only in case, and a file where another path has a directory.
    """
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        for part in parts:
            _check_part(path, part)
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            other = folders.setdefault(folder.casefold(), folder)
            if other != folder:
                raise UsageError(f"{path!r} and {other + '/'!r} differ only in case")
        key = path.casefold()
        if key in seen:
            other = seen[key]
            how = "is there twice" if other == path else f"differs from {other!r} only in case"
            raise UsageError(f"{path!r} {how}")
        seen[key] = path
    for key in seen.keys() & folders.keys():
        raise UsageError(f"{seen[key]!r} is both a file and a directory")


def _check_part(path: str, part: str) -> None:
    if part in ("", ".", ".."):
        raise UsageError(f"{path!r} is not a relative path inside the project")
    if _FORBIDDEN.search(part) or part[-1] in ". ":
        raise UsageError(f"{path!r} has a name that not every system can store")
    if part.casefold() in _GIT:
        raise UsageError(f"{path!r} lies in git's own directory")
    if _DEVICES.fullmatch(part):
        raise UsageError(f"{path!r}: {part} is a device on Windows")


def check_inside(root: Path, paths: Iterable[str]) -> None:
    """Raises UsageError if a path leads out of ``root`` through a link, or through a file."""
    checked = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder in checked:
            continue
        parts = folder.split("/")
        for depth in range(1, len(parts) + 1):
            inner = "/".join(parts[:depth])
            if inner not in checked:
                checked.add(inner)
                _check_folder(root / inner, path)


def _check_folder(place: Path, path: str) -> None:
    if place.is_symlink():
        raise UsageError(f"{place} is a symbolic link; epforge does not write through it")
    if place.exists() and not place.is_dir():
        raise UsageError(f"{place} is not a directory, but {path} lies in it")
