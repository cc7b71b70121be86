"""The base snapshot: epforge's own text of every file, which an edit is compared with.

Shared files lie below ``.epforge/base`` as they are: version control merges them well, and a
review shows what changed upstream. Generated files and those that are yours lie in
``.epforge/base.tar.xz``: they are needed only once in a while. What is read from either counts
only if its hash is the one in the lock, so damage makes a text unknown, never wrong.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from epforge.workspace.disk import OnDisk, look
from epforge.workspace.lock import Lock
from epforge.workspace.model import File, Owner, sha256

FOLDER = ".epforge/base"
ARCHIVE = ".epforge/base.tar.xz"
_MOST_BYTES = 256 << 20  # of all texts together: a damaged or hostile archive ends there
_PRESET = 1  # a project's texts in 0.05 s; the best preset takes ten times that for 13 % less


class Base:
    """The base snapshot of a project.

    Args:
        directory: the project.
        lock: which text each file is based on.
    """

    def __init__(self, directory: Path, lock: Lock) -> None:
        self._directory = directory
        self._lock = lock

    def text(self, path: str) -> bytes | None:
        """The text that the file at ``path`` is based on; None if it is not known."""
        entry = self._lock.files.get(path)
        if entry is None:
            return None
        # Git may have changed the line ends of a record when it was checked out.
        for record in (look(self._directory, f"{FOLDER}/{path}"), OnDisk(self._packed.get(path))):
            text = record.text_of(entry.sha256)
            if text is not None:
                return text
        return None

    def packed(self) -> Mapping[str, bytes]:
        """What the archive holds, unverified; empty if there is none, or it is damaged."""
        return self._packed

    @cached_property
    def _packed(self) -> dict[str, bytes]:
        content = look(self._directory, ARCHIVE).content
        return {} if content is None else _unpack(content)


def _unpack(content: bytes) -> dict[str, bytes]:
    texts: dict[str, bytes] = {}
    try:
        plain = lzma.LZMADecompressor(memlimit=_MOST_BYTES).decompress(content, _MOST_BYTES)
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            for member in archive:
                file = archive.extractfile(member) if _is_plain(member) else None
                if file is not None:
                    texts[member.name] = file.read()
    except (tarfile.TarError, lzma.LZMAError, EOFError, ValueError, OSError):
        return {}
    return texts


def _is_plain(member: tarfile.TarInfo) -> bool:
    """Is it a file that is no larger than it looks?"""
    return member.isreg() and not member.issparse()


def pack(texts: Mapping[str, bytes]) -> bytes:
    """The archive of ``texts`` by path: sorted, without times and owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(texts, key=str.encode):
            member = tarfile.TarInfo(path)
            member.size = len(texts[path])
            archive.addfile(member, io.BytesIO(texts[path]))
    return lzma.compress(buffer.getvalue(), preset=_PRESET)


def records(texts: Mapping[str, bytes], lock: Lock, *, packed: bool = True) -> dict[str, File]:
    """The files below ``.epforge`` that hold the base snapshot of ``lock``.

    Args:
        texts: by path; those whose hash is not the lock's are left out.
        packed: whether the archive is wanted too.
    """
    known = {
        path: text
        for path, text in texts.items()
        if path in lock.files and sha256(text) == lock.files[path].sha256
    }
    shared = {path for path, entry in lock.files.items() if entry.owner is Owner.SHARED}
    files = {f"{FOLDER}/{path}": known[path] for path in known if path in shared}
    others = {path: text for path, text in known.items() if path not in shared}
    if packed and others:
        files[ARCHIVE] = pack(others)
    return {path: File(path, content, Owner.GENERATED) for path, content in files.items()}


def is_packed(base: Base, texts: Mapping[str, bytes], lock: Lock) -> bool:
    """Does the archive hold these texts already, and nothing else?"""
    wanted = {
        path: text
        for path, text in texts.items()
        if path in lock.files
        and lock.files[path].owner is not Owner.SHARED
        and sha256(text) == lock.files[path].sha256
    }
    return wanted == base.packed()
