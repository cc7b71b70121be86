"""Reads the payload of a Debian package without dpkg: an ar archive with a tar in it."""

from __future__ import annotations

import importlib
import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from epforge.errors import MissingError, UsageError

_HEADER = 60
_MODES = {"": "r|", ".gz": "r|gz", ".xz": "r|xz", ".bz2": "r|bz2"}


class _Section(io.RawIOBase):
    """A part of a file, read only, front to back."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        super().__init__()
        self._file = file
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(min(len(buffer), self._left))
        if not data and self._left:
            raise EOFError("the package is cut off")
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def data_of_deb(package: Path) -> Iterator[tuple[IO[bytes], str]]:
    """The tar of the files in a package, as a stream and the tarfile mode to read it with.

    Raises UsageError when the package is damaged, MissingError when it is compressed in a way
    this machine cannot undo.
    """
    with package.open("rb") as file:
        name, size = _find_data(package, file)
        section = io.BufferedReader(_Section(file, size))
        compression = name.removeprefix("data.tar")
        if compression in _MODES:
            yield section, _MODES[compression]
        elif compression == ".zst":
            with _zstd(package, section) as stream:
                yield stream, "r|"
        else:
            raise UsageError(f"{package}: its files are compressed as {compression!r}")


def _find_data(package: Path, file: IO[bytes]) -> tuple[str, int]:
    """Move to the member ``data.tar*`` of an ar archive; its name and size."""
    file.seek(8)
    while len(header := file.read(_HEADER)) == _HEADER and header[58:] == b"`\n":
        name = header[:16].decode("ascii", "replace").rstrip().rstrip("/")
        digits = header[48:58].strip()
        if not digits.isdigit():
            break
        size = int(digits)
        if name.startswith("data.tar"):
            return name, size
        file.seek(size + size % 2, io.SEEK_CUR)
    raise UsageError(f"{package}: is no Debian package: no data.tar in it, or it is cut off")


@contextmanager
def _zstd(package: Path, compressed: IO[bytes]) -> Iterator[IO[bytes]]:
    """The decompressed stream, by what this machine has: a module of Python or a program."""
    for module in ("compression.zstd", "zstandard"):
        try:
            opener = importlib.import_module(module).open
        except ImportError:
            continue
        with opener(compressed, "rb") as stream:
            yield cast("IO[bytes]", stream)
        return
    if program := shutil.which("dpkg-deb"):
        with _output([program, "--fsys-tarfile", str(package)], None) as stream:
            yield stream
    elif program := shutil.which("zstd"):
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(compressed, copy)
            copy.seek(0)
            with _output([program, "-dcq"], copy) as stream:
                yield stream
    else:
        raise MissingError(
            f"{package}: its files are compressed with zstd, which Python before 3.14 cannot read",
            "Install the program zstd (apt-get install zstd), or the Python package zstandard.",
        )


@contextmanager
def _output(command: list[str], source: IO[bytes] | None) -> Iterator[IO[bytes]]:
    """What a program writes, as it writes it; the program ends with the context."""
    running = subprocess.Popen(
        command,
        stdin=source or subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert running.stdout is not None
    try:
        yield running.stdout
    finally:
        running.kill()
        running.communicate()
