"""The files in an archive that may be anything: what is no wheel's is refused before it is used."""

from __future__ import annotations

import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

_MOST_BYTES = 4 << 30  # of all files, unpacked; a wheel on an index may have far less
_UNSUSPICIOUS = 256 << 20  # so much is unpacked however well it was packed
_MOST_RATIO = 200  # libraries are packed to a fifth, no file of a package to a hundredth
_MOST_FILES = 100_000
_UNUSABLE = re.compile(r"[\\:\0-\x1f\x7f]")
_DAMAGED = (
    *(OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError),
    RuntimeError,  # among others of files that need a password or an unknown method
)


class BadWheelError(Exception):
    """A file that cannot be read as a wheel; the text says why."""


def read_members(path: Path) -> Mapping[str, int]:
    """The sizes of an archive's files, by name. All of them are whole.

    Raises BadWheelError for what nobody should unpack.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            files = archive.infolist()
            if len(files) > _MOST_FILES:
                raise BadWheelError(f"it has {len(files)} files")
            names = set[str]()  # on some systems the case of letters makes no difference
            for file in files:
                _check_place(file)
                if (name := file.filename.rstrip("/").lower()) in names:
                    raise BadWheelError(f"two files in it have the same name: {file.filename}")
                names.add(name)
            _check_size(sum(file.file_size for file in files), path.stat().st_size)
            if damaged := archive.testzip():
                raise BadWheelError(f"{damaged} in it is damaged")
    except _DAMAGED as error:
        raise BadWheelError(f"it cannot be unpacked: {error}") from error
    return {file.filename: file.file_size for file in files}


def _check_place(file: zipfile.ZipInfo) -> None:
    name = file.filename
    parts = name.removesuffix("/").split("/")
    if _UNUSABLE.search(file.orig_filename) or not {"", ".", ".."}.isdisjoint(parts):
        raise BadWheelError(f"{file.orig_filename!r} in it is no place in an environment")
    mode = stat.S_IFMT(file.external_attr >> 16)
    if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
        kind = "a link" if stat.S_ISLNK(mode) else "something else"
        raise BadWheelError(f"{name!r} in it is {kind} instead of a file")


def _check_size(unpacked: int, packed: int) -> None:
    suspicious = unpacked > _UNSUSPICIOUS and unpacked > _MOST_RATIO * packed
    if unpacked > _MOST_BYTES or suspicious:
        raise BadWheelError(f"unpacked it has {unpacked} bytes, packed {packed}")
