"""Archives that are no wheels: nothing in them is used, and why is said."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from epforge.validate.package.members import BadWheelError, read_members

Write = Callable[[zipfile.ZipFile], None]


def entry(name: str, mode: int = 0) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    return made


def file(name: str, mode: int = 0) -> Write:
    return lambda archive: archive.writestr(entry(name, mode), b"content")


def twice(first: str, second: str) -> Write:
    def write(archive: zipfile.ZipFile) -> None:
        archive.writestr(entry(first), b"one")
        archive.writestr(entry(second), b"two")

    return write


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (file("/etc/passwd"), "'/etc/passwd' in it is no place"),
        (file("../up.py"), "'../up.py' in it is no place"),
        (file("a/./b.py"), "'a/./b.py' in it is no place"),
        (file("a//b.py"), "'a//b.py' in it is no place"),
        (file("a\\b.py"), "no place in an environment"),
        (file("C:/a.py"), "'C:/a.py' in it is no place"),
        (file("a/b\nc.py"), "no place in an environment"),
        (file("a/b.py", stat.S_IFLNK | 0o777), "'a/b.py' in it is a link instead of a file"),
        (file("a/b.py", stat.S_IFIFO | 0o666), "'a/b.py' in it is something else instead"),
        (twice("a/b.py", "a/B.py"), "two files in it have the same name: a/B.py"),
        (twice("a/b", "a/b/"), "two files in it have the same name: a/b/"),
    ],
)
def test_what_nobody_should_unpack_is_refused(write: Write, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        write(archive)
    with pytest.raises(BadWheelError) as caught:
        read_members(path)
    assert says in str(caught.value)


def damaged(path: Path, method: int) -> None:
    """Makes what is packed in the one file of an archive something else."""
    data = bytearray(path.read_bytes())
    start = 30 + len("a.txt") + 4
    data[start : start + 24] = b"\xff" * 24
    path.write_bytes(data)


def claimed(path: Path, size: int) -> None:
    """Says of the one file of an archive that it is larger than it is."""
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\1\2") + 24, size)
    path.write_bytes(data)


def test_what_is_far_larger_unpacked_is_refused_unseen(tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"content")
    claimed(path, 300 << 20)
    with pytest.raises(BadWheelError, match="unpacked it has 314572800 bytes, packed 1"):
        read_members(path)


def with_password(path: Path, method: int) -> None:
    """Says of the one file of an archive that it is encrypted."""
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        struct.pack_into("<H", data, data.index(signature) + offset, 1)
    path.write_bytes(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("change", [damaged, with_password])
def test_what_cannot_be_unpacked_is_refused(
    change: Callable[[Path, int], None], method: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.txt", bytes(range(256)) * 40)
    change(path, method)
    with pytest.raises(BadWheelError):
        read_members(path)


def test_what_is_whole_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry("a/", stat.S_IFDIR | 0o755), b"")
        archive.writestr(entry("a/zeros.bin", stat.S_IFREG | 0o644), bytes(1 << 20))
    assert read_members(path) == {"a/": 0, "a/zeros.bin": 1 << 20}
