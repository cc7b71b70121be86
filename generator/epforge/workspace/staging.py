"""A directory that is not there yet: staged beside its place, and there in one rename."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from epforge.errors import UsageError
from epforge.workspace.journal import Step, write_file
from epforge.workspace.model import File, WriteError


@contextlib.contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turns an error of the machine into a WriteError."""
    try:
        yield
    except OSError as error:
        place = error.filename2 or error.filename or target
        raise WriteError(
            f"cannot write {place}: {error.strerror or error}",
            "Nothing was changed. Make room or give yourself the right to write there.",
        ) from error


def create(target: Path, files: Iterable[File], step: Step) -> None:
    """Makes a directory that holds files; after an error nothing is there.

    Args:
        target: the directory, which is absent; its parents are made.
        files: what it shall hold.
        step: called with a name before each step.

    Raises:
        UsageError: another command has made it meanwhile.
        OSError: the machine does not let us write.
    """
    made = _make_parents(target.parent)
    staging = target.parent / f".{target.name}.epforge-{secrets.token_hex(6)}"
    try:
        step("stage")
        staging.mkdir()
        for file in files:
            step(f"stage {file.path}")
            write_file(staging / file.path, file.content, file.executable)
        step("publish")
        os.rename(staging, target)
    except BaseException as error:
        shutil.rmtree(staging, ignore_errors=True)
        for parent in made:
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(error, FileExistsError | NotADirectoryError) or (
            isinstance(error, OSError) and error.errno == errno.ENOTEMPTY
        ):
            raise UsageError(
                f"{target} was made by another command meanwhile", "Look at it, then try again."
            ) from error
        raise


def _make_parents(parent: Path) -> list[Path]:
    """Makes a directory and its parents; returns those that were made, innermost first."""
    missing = []
    while not parent.exists():
        missing.append(parent)
        parent = parent.parent
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
    return missing
