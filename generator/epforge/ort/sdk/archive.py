"""Takes the headers out of an archive of ONNX Runtime: .tgz, .zip, .nupkg or .deb.

Nothing is unpacked to disk. Entries are read in memory, with bounds, and only headers are kept. An
archive with an entry that would leave the directory it is unpacked in is refused as a whole.
"""

from __future__ import annotations

import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from epforge.errors import EpforgeError, UsageError
from epforge.ort.reader import C_API, EP_API
from epforge.ort.sdk.deb import data_of_deb

_HEADER_SUFFIXES = (".h", ".hpp", ".inc")
_MAX_HEADER = 16 << 20
_MAX_HEADERS = 64 << 20
_MAX_CONTENT = 8 << 30
_MAX_ENTRIES = 200_000
_MAX_TAR_EXTENSION = 1 << 20

Reader = Callable[[int], bytes]


class ArchiveError(UsageError):
    """An archive that cannot be read or must not be trusted."""

    def __init__(self, archive: Path, message: str) -> None:
        super().__init__(
            f"{archive}: {message}",
            "Give an official release archive (.tgz, .zip, .nupkg or .deb) of ONNX Runtime.",
        )


@dataclass(frozen=True)
class Entry:
    """One entry of an archive.

    Args:
        name: as stored.
        size: bytes, as stated.
        kind: file, directory, link or special.
        target: where a link points, from the top of the archive.
        read: gives up to so many bytes of a file.
    """

    name: str
    size: int
    kind: str
    target: str
    read: Reader


class _CheckedTarInfo(tarfile.TarInfo):
    """Refuses extension headers of a size that only an attack has, before they are read."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        extensions = (b"x", b"g", b"X", b"L", b"K")
        if self.type in extensions and self.size > _MAX_TAR_EXTENSION:
            raise tarfile.ReadError(f"an extension header of {self.size} bytes")
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError("a sparse file")
        return super()._proc_member(archive)  # type: ignore[misc,no-any-return]


def read_headers_of(archive: Path) -> dict[str, bytes]:
    """The headers of ONNX Runtime in an archive: path below their directory -> content.

    Raises ArchiveError when the archive is damaged, hostile, too big or holds no such headers;
    MissingError when this machine cannot decompress it.
    """
    found: dict[str, bytes] = {}
    total = content = 0
    try:
        for number, entry in enumerate(_entries(archive)):
            name = _safe_name(archive, entry.name)
            content += entry.size
            if number >= _MAX_ENTRIES or content > _MAX_CONTENT:
                raise ArchiveError(archive, "holds more than any release of ONNX Runtime")
            if entry.kind == "special":
                raise ArchiveError(archive, f"{entry.name!r} is a device, a pipe or a socket")
            if entry.kind == "link":
                _check_link(archive, entry, name)
            elif entry.kind == "file" and name.endswith(_HEADER_SUFFIXES):
                if name in found:
                    raise ArchiveError(archive, f"{entry.name!r} is in it twice")
                data = entry.read(_MAX_HEADER + 1)
                total += len(data)
                if len(data) > _MAX_HEADER or total > _MAX_HEADERS:
                    raise ArchiveError(archive, f"{entry.name!r} is too big for a header")
                found[name] = data
    except EpforgeError:
        raise
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise ArchiveError(archive, f"cannot be read: {error}") from error
    return _below_include(archive, found)


def version_of(name: str) -> str:
    """The release that an archive's file name states, ``1.27.1``; empty if it states none."""
    match = re.search(r"(?<!\d)(?<!\d\.)(1\.\d+\.\d+)(?!\d)", name)
    return match[1] if match else ""


def _entries(archive: Path) -> Iterator[Entry]:
    try:
        with archive.open("rb") as file:
            magic = file.read(8)
    except OSError as error:
        raise ArchiveError(archive, f"cannot be opened: {error.strerror}") from None
    if magic.startswith(b"PK"):
        yield from _zip_entries(archive)
    elif magic.startswith(b"!<arch>\n"):
        with data_of_deb(archive) as (stream, mode):
            yield from _tar_entries(stream, mode)
    elif magic.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ")):
        with archive.open("rb") as file:
            yield from _tar_entries(file, "r|*")
    else:
        raise ArchiveError(archive, "is none of .tgz, .zip, .nupkg and .deb")


def _tar_entries(stream: IO[bytes], mode: str) -> Iterator[Entry]:
    with tarfile.open(fileobj=stream, mode=mode, tarinfo=_CheckedTarInfo) as tar:  # type: ignore[call-overload]
        for member in tar:
            target = ""
            if member.isreg():
                kind = "file"
            elif member.isdir():
                kind = "directory"
            elif member.issym():
                kind = "link"
                absolute = member.linkname.startswith("/")
                parent = PurePosixPath(member.name).parent
                target = member.linkname if absolute else str(parent / member.linkname)
            elif member.islnk():
                kind, target = "link", member.linkname
            else:
                kind = "special"
            yield Entry(member.name, member.size, kind, target, _tar_reader(tar, member))


def _tar_reader(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Reader:
    def read(limit: int) -> bytes:
        source = tar.extractfile(member)
        if source is None:
            raise tarfile.ReadError(f"{member.name} has no content")
        data = source.read(limit)
        if len(data) < min(limit, member.size):
            raise tarfile.ReadError(f"{member.name} is cut off")
        return data

    return read


def _zip_entries(archive: Path) -> Iterator[Entry]:
    with zipfile.ZipFile(archive) as bundle:
        for info in bundle.infolist():
            mode = info.external_attr >> 16
            if info.is_dir():
                kind = "directory"
            elif stat.S_ISLNK(mode):
                kind = "link"
            elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                kind = "file"
            else:
                kind = "special"
            target = ""
            if kind == "link":
                text = bundle.open(info).read(4096).decode("utf-8", "replace")
                parent = PurePosixPath(info.filename).parent
                target = text if text.startswith("/") else str(parent / text)
            name = info.orig_filename if "\0" in info.orig_filename else info.filename
            yield Entry(name, info.file_size, kind, target, _zip_reader(bundle, info))


def _zip_reader(bundle: zipfile.ZipFile, info: zipfile.ZipInfo) -> Reader:
    def read(limit: int) -> bytes:
        with bundle.open(info) as source:
            return source.read(limit)

    return read


def _safe_name(archive: Path, name: str) -> str:
    """The name without ``./``; an ArchiveError when it leads out of the archive."""
    parts = name.replace("\\", "/").split("/")
    hostile = ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in name
    if hostile:
        raise ArchiveError(archive, f"the entry {name!r} leads out of the archive")
    return "/".join(part for part in parts if part not in ("", "."))


def _check_link(archive: Path, entry: Entry, name: str) -> None:
    """Links are never made; one that points outside or poses as a header is still refused."""
    depth = 0
    for part in entry.target.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            break
    if depth < 0 or entry.target.startswith(("/", "\\")) or ":" in entry.target.split("/")[0]:
        raise ArchiveError(archive, f"the link {entry.name!r} leads out of the archive")
    if name.endswith(_HEADER_SUFFIXES):
        raise ArchiveError(archive, f"{entry.name!r} is a link where a header is expected")


def _below_include(archive: Path, headers: Mapping[str, bytes]) -> dict[str, bytes]:
    """The headers below the directory that holds the EP header, relative to it."""
    by_directory: dict[str, set[str]] = {}
    for name in headers:
        directory, _, base = name.rpartition("/")
        by_directory.setdefault(directory, set()).add(base)
    whole = [path for path, names in by_directory.items() if {C_API, EP_API} <= names]
    if not whole:
        partial = sorted(path for path, names in by_directory.items() if names & {C_API, EP_API})
        if partial:
            has = next(name for name in (C_API, EP_API) if name in by_directory[partial[0]])
            lacks = EP_API if has == C_API else C_API
            raise ArchiveError(archive, f"{partial[0] or 'its top'} has {has} but no {lacks}")
        raise ArchiveError(archive, f"holds no {EP_API}: no headers of ONNX Runtime 1.22 or later")
    whole.sort(key=lambda path: (path.count("/"), path))
    taken = [_relative(headers, directory) for directory in whole]
    for directory, other in zip(whole[1:], taken[1:], strict=True):
        if other[EP_API] != taken[0][EP_API]:
            raise ArchiveError(archive, f"has two different sets: {whole[0]} and {directory}")
    return taken[0]


def _relative(headers: Mapping[str, bytes], directory: str) -> dict[str, bytes]:
    prefix = f"{directory}/" if directory else ""
    return {name[len(prefix) :]: data for name, data in headers.items() if name.startswith(prefix)}
