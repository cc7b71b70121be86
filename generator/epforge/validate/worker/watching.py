"""Which files appear in folders while something is done, be it for a moment."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from epforge.validate.worker.case import NotCheckedError

_CREATED = 0x100  # IN_CREATE
_EVENT = struct.Struct("iIII")
_ROOM = 1 << 16


@contextmanager
def appearing(folders: Sequence[Path]) -> Iterator[set[Path]]:
    """The files that appear in ``folders`` during the block; to be read after it.

    Raises NotCheckedError where the system does not tell.
    """
    if not sys.platform.startswith("linux"):
        raise NotCheckedError("this system does not tell which files appear for a moment")
    libc = ctypes.CDLL(None, use_errno=True)
    file = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if file < 0:
        raise NotCheckedError(f"the system does not tell: {os.strerror(ctypes.get_errno())}")
    found: set[Path] = set()
    try:
        watched = {
            libc.inotify_add_watch(file, os.fsencode(folder), _CREATED): folder
            for folder in folders
        }
        try:
            yield found
        finally:
            found.update(watched[watch] / name for watch, name in _read(file) if watch in watched)
    finally:
        os.close(file)


def _read(file: int) -> Iterator[tuple[int, str]]:
    with suppress(BlockingIOError):
        while data := os.read(file, _ROOM):
            at = 0
            while at < len(data):
                watch, _, _, size = _EVENT.unpack_from(data, at)
                name = data[at + _EVENT.size : at + _EVENT.size + size].rstrip(b"\0")
                yield watch, os.fsdecode(name)
                at += _EVENT.size + size


@contextmanager
def planted(places: Iterable[Path], victim: Path) -> Iterator[None]:
    """Links to ``victim`` at ``places`` where nothing is; gone after the block."""
    made = []
    try:
        for place in places:
            with suppress(OSError):
                place.symlink_to(victim)
                made.append(place)
        yield
    finally:
        for place in made:
            if place.is_symlink():
                place.unlink()
