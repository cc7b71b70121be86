"""The paths that an owner gives to a verb, as the project's lock has them."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Collection
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from epforge.errors import UsageError
from epforge.workspace import Lock, Owner, Request
from epforge.workspace.outcome import ALL

if TYPE_CHECKING:
    from epforge.verbs.change.project import Expansion


def checked_request(directory: Path, lock: Lock, expansion: Expansion, request: Request) -> Request:
    """The request with its paths relative to the project, with forward slashes.

    Raises:
        UsageError: a path that the project does not have.
    """
    known = {*lock.files, *lock.conflicts, *(file.path for file in expansion.files)}

    def each(option: str, paths: frozenset[str]) -> frozenset[str]:
        """The paths of an option. A conflict may be in a file that its owner has renamed."""
        renamed = option in ("ours", "theirs")
        return frozenset(
            path if path == ALL else known_path(directory, path, known, option, renamed)
            for path in paths
        )

    checked = dataclasses.replace(
        request,
        ours=each("ours", request.ours),
        theirs=each("theirs", request.theirs),
        adopt=each("adopt", request.adopt),
        discard=each("discard", request.discard),
        refresh=each("refresh", request.refresh),
        restore=each("restore", request.restore),
    )
    _check_twice(checked)
    _check_owners(lock, expansion, checked)
    return checked


def known_path(
    directory: Path, given: str, known: Collection[str], option: str = "", any_file: bool = False
) -> str:
    """One path as the project has it.

    Args:
        directory: the project.
        given: relative to the project or to the current directory, or absolute.
        known: the project's files.
        option: where it was given, for the message.
        any_file: a file that lies in the project will do, too.

    Raises:
        UsageError: there is no such file; the message proposes others.
    """
    inside = _inside(directory, given)
    for path in inside:
        if path in known:
            return path
    for path in inside if any_file else ():
        if (directory / path).is_file():
            return path
    where = f"--{option} {given}" if option else given
    raise UsageError(f"{where}: the project has no such file", _proposal(given, known))


def _inside(directory: Path, given: str) -> list[str]:
    """What the path may be, relative to the project: as it is, and from the current directory."""
    root = os.path.realpath(directory)
    found = []
    for start in (root, os.getcwd()):
        place = os.path.normpath(os.path.join(start, given))
        real = os.path.join(os.path.realpath(os.path.dirname(place)), os.path.basename(place))
        relative = os.path.relpath(real, root) if _same_drive(real, root) else os.pardir
        path = PurePath(relative).as_posix()
        if path != ".." and not path.startswith("../"):
            found.append(path)
    return list(dict.fromkeys(found))


def _same_drive(one: str, other: str) -> bool:
    return os.path.splitdrive(one)[0].lower() == os.path.splitdrive(other)[0].lower()


def _proposal(given: str, known: Collection[str]) -> str:
    name = PurePath(given).name
    near = difflib.get_close_matches(given, sorted(known), n=3, cutoff=0.6)
    near += sorted(path for path in known if path.rpartition("/")[2] == name and path not in near)
    if near:
        return f"Did you mean {' or '.join(near[:3])}?"
    return "Paths are relative to the project; epforge.lock lists them."


def _check_twice(request: Request) -> None:
    """No file can be decided in two ways."""
    for one, other in (("ours", "theirs"), ("adopt", "discard")):
        for path in sorted(getattr(request, one) & getattr(request, other)):
            raise UsageError(f"{path} is given to both --{one} and --{other}", "Choose one.")


def _check_owners(lock: Lock, expansion: Expansion, request: Request) -> None:
    """No option is for a file that it does nothing to."""
    today = {file.path: file.owner for file in expansion.files}
    for option, paths in (
        ("adopt", request.adopt),
        ("discard", request.discard),
        ("refresh", request.refresh),
    ):
        wanted = Owner.YOURS if option == "refresh" else Owner.GENERATED
        for path in sorted(paths - {ALL}):
            entry = lock.files.get(path)
            owners = {today.get(path), entry.owner if entry else None} - {None}
            if wanted in owners or (entry and entry.adopted and option != "refresh"):
                continue
            owner = today.get(path) or (entry.owner if entry else None)
            if owner is not None:
                text = f"--{option} {path}: the file is {owner.value}, not {wanted.value}"
                raise UsageError(text, _INSTEAD[option, owner].format(path=path))


_INSTEAD = {
    ("adopt", Owner.SHARED): "Leave it out: your edits of it stay in any case.",
    ("adopt", Owner.YOURS): "Leave it out: your edits of it stay in any case.",
    ("discard", Owner.SHARED): "To have epforge's text alone, delete it and say --restore {path}",
    ("discard", Owner.YOURS): "To have epforge's text alone, delete it and say --restore {path}",
    ("refresh", Owner.SHARED): "Leave it out: epforge's changes are merged into it in any case.",
    ("refresh", Owner.GENERATED): "Leave it out: it is written anew in any case.",
}
