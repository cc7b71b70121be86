"""Takes single files out of archives that others made: nothing else, and nothing without end."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from epforge.errors import EpforgeError

_MOST_MEMBERS = 100_000
_CHUNK = 1 << 20
_Member = tuple[str, Callable[[], IO[bytes]]]  # its path, and how to read it


class BadArchiveError(EpforgeError):
    """An archive that is damaged, or that is not what it should be."""


def unpack(archive: Path, pattern: str, into: Path, most_bytes: int = 1 << 30) -> list[Path]:
    """Takes the files whose path in the archive matches ``pattern`` out of it, without their
    directories.

    Args:
        archive: a wheel or another zip file, or a tar file however it is compressed.
        pattern: of the whole path.
        into: an existing directory.
        most_bytes: that all of them together may have.

    Raises:
        BadArchiveError: it cannot be read, it has a path that leads out of it, a file that is
            wanted is no plain file or comes twice, or there is too much.
    """
    found: dict[str, Path] = {}
    left = most_bytes
    try:
        with _members(archive) as members:
            for name, content in members:
                _check(archive, name)
                if not re.fullmatch(pattern, name):
                    continue
                place = into / PurePosixPath(name).name
                if place.name in found:
                    raise BadArchiveError(f"{archive.name} has {place.name} twice")
                with content() as source, place.open("xb") as file:
                    left -= _copy(archive, source, file, left)
                found[place.name] = place
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, RuntimeError) as error:
        raise BadArchiveError(f"{archive.name} cannot be unpacked: {error}") from error
    return sorted(found.values())


def _check(archive: Path, name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise BadArchiveError(f"{archive.name} has a path that leads out of it: {name!r}")


def _copy(archive: Path, source: IO[bytes], to: IO[bytes], most: int) -> int:
    """Copies to the end; what the archive says of its sizes is not believed."""
    size = 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > most:
            raise BadArchiveError(f"{archive.name} unpacks to more than is sensible")
        to.write(chunk)
    return size


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[_Member]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            infos = opened.infolist()
            if len(infos) > _MOST_MEMBERS:
                raise BadArchiveError(f"{archive.name} has {len(infos)} members")
            yield ((i.filename, partial(opened.open, i)) for i in infos if not i.is_dir())
        return
    with tarfile.open(archive) as tar:
        yield _of_tar(archive, tar)


def _of_tar(archive: Path, tar: tarfile.TarFile) -> Iterator[_Member]:
    for number, member in enumerate(tar):
        if number > _MOST_MEMBERS:
            raise BadArchiveError(f"{archive.name} has too many members")
        if not member.isdir():
            yield member.name, partial(_read, archive, tar, member)


def _read(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member) if member.isreg() else None
    if content is None:
        raise BadArchiveError(f"{archive.name} has {member.name}, which is no plain file")
    return content
