"""Files beside those of others: what is in the way, and putting files there, all or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import UsageError
from epforge.workspace.disk import look
from epforge.workspace.exclusive import exclusive
from epforge.workspace.journal import Step, change_in_place, recover
from epforge.workspace.model import File
from epforge.workspace.paths import check_inside, check_paths
from epforge.workspace.staging import create, writing


class InTheWayError(UsageError):
    """Files that somebody else has made lie where new ones would go; nothing has changed.

    Args:
        directory: as the caller called it.
        paths: the files, relative to it.
    """

    def __init__(self, directory: Path, paths: tuple[str, ...]) -> None:
        listed = "".join(f"\n  {path}" for path in paths)
        super().__init__(
            f"these files in {directory} are in the way; nothing was written:{listed}",
            "Move or rename them, or choose another directory. What is the same already may stay.",
        )
        self.paths = paths

    def details(self) -> Mapping[str, object]:
        return {"files": list(self.paths)}


@dataclass(frozen=True)
class Added:
    """What became of files that were to be put into a directory.

    Args:
        written: paths of those that were not there.
        present: paths of those that were there already, with the same text.
    """

    written: tuple[str, ...]
    present: tuple[str, ...]


def in_the_way(directory: Path, files: Iterable[File]) -> tuple[str, ...]:
    """The paths at which something lies that is not the file; only reads."""
    return tuple(file.path for file in files if not _is_free(directory, file))


def check_free(directory: Path, files: Iterable[File]) -> None:
    """Raises InTheWayError unless every file is absent, or there with the same text."""
    paths = in_the_way(directory, files)
    if paths:
        raise InTheWayError(directory, paths)


def preview_added(directory: Path, files: Iterable[File]) -> Added:
    """What `add_files` would do; only reads, and raises the same errors of the call."""
    wanted = _checked(files)
    _check_directory(directory)
    if os.path.lexists(directory):
        check_inside(directory.resolve(), wanted)
    check_free(directory, wanted.values())
    return _sorted_out(directory, wanted)


def add_files(
    directory: Path,
    files: Iterable[File],
    *,
    step: Step = lambda name: None,
    notify: Callable[[str], None] = lambda text: None,
) -> Added:
    """Puts files into a directory that may hold others; all or none, and nothing is overwritten.

    A directory that is not there is staged beside its place and renamed. In one that is, files are
    staged inside and renamed under a journal: what a crash leaves is finished, or dropped, by the
    next command; after a KeyboardInterrupt nothing is left to finish.

    Args:
        directory: where to.
        files: what to put there; their owners do not matter.
        step: called with a name before each step.
        notify: called with a sentence when there is another command to wait for.

    Raises:
        UsageError: the directory is none, or a path is not portable or leads out of it.
        InTheWayError: something else lies at a path.
        EditedError: something else appeared at a path meanwhile.
        WriteError: the machine does not let us write.
    """
    wanted = _checked(files)
    target = Path(os.path.abspath(directory))
    _check_directory(directory)
    with writing(target):
        if not os.path.lexists(target):
            create(target, wanted.values(), step)
            return Added(tuple(wanted), ())
        root = target.resolve()
        with exclusive(root, notify=notify):
            check_inside(root, wanted)
            recover(root)
            check_free(directory, wanted.values())
            added = _sorted_out(root, wanted)
            if added.written:
                write = {path: wanted[path] for path in added.written}
                try:
                    change_in_place(root, write, (), step, dict.fromkeys(added.written))
                except KeyboardInterrupt:
                    recover(root)  # there are few files: all of them, or none, at once
                    raise
            return added


def _checked(files: Iterable[File]) -> dict[str, File]:
    wanted = {file.path: file for file in sorted(files, key=lambda file: file.path.encode())}
    check_paths(wanted)
    return wanted


def _check_directory(directory: Path) -> None:
    """Raises UsageError for a path at which, or above which, something else lies."""
    for place in (Path(os.path.abspath(directory)), *Path(os.path.abspath(directory)).parents):
        if os.path.lexists(place):
            if not place.is_dir():
                raise UsageError(f"{place} is not a directory", "Choose another directory.")
            return


def _sorted_out(directory: Path, files: Mapping[str, File]) -> Added:
    there = tuple(path for path in files if not look(directory, path).is_absent)
    return Added(tuple(path for path in files if path not in there), there)


def _is_free(directory: Path, file: File) -> bool:
    found = look(directory, file.path)
    return found.is_absent or found.same(file.content)
