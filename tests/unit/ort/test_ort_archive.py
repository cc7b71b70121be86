"""Archives: every format is read, and nothing hostile gets out of one."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import stat
import sys
import tarfile
from pathlib import Path

import ort_sdk
import pytest
from ort_sdk import contents, deb_of, tar_entry, tar_of, zip_of

from epforge.errors import EpforgeError, ExitStatus, MissingError, UsageError
from epforge.ort.sdk import BadSdkError, archive, deb, install
from epforge.ort.sdk.archive import ArchiveError, read_headers_of, version_of
from epforge.ort.sdk.download import HashError

TOP = "onnxruntime-linux-x64-1.27.1"
BOTH = {
    "include/onnxruntime_c_api.h": b"#define ORT_API_VERSION 27\n",
    "include/onnxruntime_ep_c_api.h": b"// EP\n",
}


@pytest.fixture(scope="module")
def headers(headers27: Path) -> dict[str, bytes]:
    return contents(headers27)


def placed(headers: dict[str, bytes], directory: str) -> dict[str, bytes]:
    return {f"{directory}/{name}": data for name, data in headers.items()}


def release_archive(kind: str, headers: dict[str, bytes]) -> tuple[str, bytes]:
    """Name and bytes of a release archive with what else lies in such archives."""
    debian = placed(headers, "./usr/include/onnxruntime")
    link = tar_entry("./usr/lib/libonnxruntime.so", tarfile.SYMTYPE, "libonnxruntime.so.1.27")
    if kind == "tgz":
        files = placed(headers, f"{TOP}/include") | {f"{TOP}/lib/libonnxruntime.so.1": b"\x7fELF"}
        link = tar_entry(f"{TOP}/lib/libonnxruntime.so", tarfile.SYMTYPE, "libonnxruntime.so.1")
        return f"{TOP}.tgz", tar_of(files, extra=[link])
    if kind == "zip":
        return "onnxruntime-win-x64-1.27.1.zip", zip_of(placed(headers, f"{TOP}/include"))
    if kind == "nupkg":
        files = placed(headers, "build/native/include") | {"x.nuspec": b"<package/>"}
        return "microsoft.ml.onnxruntime.1.27.1.nupkg", zip_of(files)
    compress = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": ort_sdk.zstd}
    suffix = kind.removeprefix("deb")
    data = compress[suffix](tar_of(debian, mode="w", extra=[link]))
    return "libonnxruntime-dev_1.27.1+dfsg-1_amd64.deb", deb_of(data, suffix)


@pytest.mark.parametrize("kind", ["tgz", "zip", "nupkg", "deb", "deb.gz", "deb.xz", "deb.zst"])
def test_a_release_archive_becomes_an_sdk(
    kind: str, headers: dict[str, bytes], own_cache: Path, tmp_path: Path
) -> None:
    name, data = release_archive(kind, headers)
    file = tmp_path / name
    file.write_bytes(data)
    sdk = install(str(file), level=27, sha256=hashlib.sha256(data).hexdigest().upper())
    assert contents(sdk.include) == headers
    assert (sdk.level, sdk.version, sdk.source) == (27, "1.27.1", name)
    assert sdk.root.parent == own_cache / "sdk"
    assert sorted(path.name for path in sdk.root.iterdir()) == ["include", "sdk.json"]
    assert list((own_cache / "stage").iterdir()) == []


def test_a_url_needs_its_hash_and_is_fetched_with_it(
    headers: dict[str, bytes], own_cache: Path, tmp_path: Path
) -> None:
    name, data = release_archive("tgz", headers)
    (tmp_path / name).write_bytes(data)
    url = (tmp_path / name).as_uri()
    with pytest.raises(UsageError, match="needs the SHA-256"):
        install(url)
    with pytest.raises(HashError, match="expected was 00") as caught:
        install(url, sha256="0" * 64)
    assert caught.value.exit_status is ExitStatus.CHECK_FAILED
    assert not (own_cache / "sdk").exists()
    assert install(url, sha256=hashlib.sha256(data).hexdigest()).source == url


def test_a_path_with_the_wrong_hash_is_refused(own_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(tar_of(BOTH))
    with pytest.raises(HashError):
        install(str(tmp_path / "a.tgz"), sha256="1" * 64)
    with pytest.raises(UsageError, match="no SHA-256"):
        install(str(tmp_path / "a.tgz"), sha256="abc")
    assert not (own_cache / "sdk").exists()


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("ftp://example.invalid/a.tgz", UsageError),
        ("file:///no/such/file.tgz", MissingError),
        ("http://127.0.0.1:9/a.tgz", MissingError),
    ],
)
def test_a_url_that_gives_nothing_is_an_error_with_a_cure(
    url: str, error: type[EpforgeError], own_cache: Path
) -> None:
    with pytest.raises(error):
        install(url, sha256="0" * 64)
    assert not (own_cache / "sdk").exists()


def test_an_archive_with_a_header_missing_is_refused_by_name(
    headers: dict[str, bytes], own_cache: Path, tmp_path: Path
) -> None:
    rest = {name: data for name, data in headers.items() if name != "onnxruntime_float16.h"}
    (tmp_path / "a.tgz").write_bytes(tar_of(placed(rest, "include")))
    with pytest.raises(BadSdkError, match=r"onnxruntime_float16\.h: the file is missing") as caught:
        install(str(tmp_path / "a.tgz"))
    assert caught.value.exit_status is ExitStatus.MISSING
    assert not (own_cache / "sdk").exists()


def test_an_archive_of_an_older_release_than_asked_for_is_refused(
    headers: dict[str, bytes], own_cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.tgz").write_bytes(tar_of(placed(headers, "include")))
    with pytest.raises(BadSdkError, match="needed is at least 28"):
        install(str(tmp_path / "a.tgz"), level=28)


HOSTILE_TAR = [
    ("leads out of", tar_entry("../../evil.h", tarfile.REGTYPE)),
    ("leads out of", tar_entry("/etc/evil.h", tarfile.REGTYPE)),
    ("leads out of", tar_entry("a/../../evil.h", tarfile.DIRTYPE)),
    ("leads out of", tar_entry("..\\..\\evil.h", tarfile.REGTYPE)),
    ("leads out of", tar_entry("C:/evil.h", tarfile.REGTYPE)),
    ("the link .* leads out", tar_entry("lib", tarfile.SYMTYPE, "/etc")),
    ("the link .* leads out", tar_entry("a/lib", tarfile.SYMTYPE, "../../etc")),
    ("the link .* leads out", tar_entry("lib", tarfile.LNKTYPE, "../../etc/passwd")),
    ("is a link where", tar_entry("include/x.h", tarfile.SYMTYPE, "onnxruntime_c_api.h")),
    ("is a link where", tar_entry("include/y.h", tarfile.LNKTYPE, "include/x")),
    ("is a device", tar_entry("dev", tarfile.CHRTYPE)),
    ("is a device", tar_entry("dev", tarfile.BLKTYPE)),
    ("is a device", tar_entry("dev", tarfile.FIFOTYPE)),
    ("is in it twice", tar_entry("./include//onnxruntime_c_api.h", tarfile.REGTYPE)),
]


@pytest.mark.parametrize(("message", "entry"), HOSTILE_TAR)
@pytest.mark.parametrize("make", ["first", "last"])
def test_a_hostile_tar_is_refused_as_a_whole(
    message: str, entry: tarfile.TarInfo, make: str, tmp_path: Path
) -> None:
    data = first(entry) if make == "first" else tar_of(BOTH, extra=[entry])
    (tmp_path / "a.tgz").write_bytes(data)
    with pytest.raises(ArchiveError, match=message) as caught:
        read_headers_of(tmp_path / "a.tgz")
    assert caught.value.exit_status is ExitStatus.WRONG_INPUT
    assert [path.name for path in tmp_path.iterdir()] == ["a.tgz"]


def first(entry: tarfile.TarInfo) -> bytes:
    """An archive whose hostile entry comes before the headers."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.addfile(entry)
        for name, data in BOTH.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "mode", "content", "message"),
    [
        ("../evil.h", 0, b"x", "leads out of"),
        ("/evil.h", 0, b"x", "leads out of"),
        ("a\\..\\..\\evil.h", 0, b"x", "leads out of"),
        ("D:evil.h", 0, b"x", "leads out of"),
        ("lib", stat.S_IFLNK, b"/etc/passwd", "the link .* leads out"),
        ("include/x.h", stat.S_IFLNK, b"onnxruntime_c_api.h", "is a link where"),
        ("dev", stat.S_IFCHR, b"", "is a device"),
    ],
)
def test_a_hostile_zip_is_refused_as_a_whole(
    name: str, mode: int, content: bytes, message: str, tmp_path: Path
) -> None:
    data = zip_of(BOTH | {name: content}, {name: mode} if mode else None)
    (tmp_path / "a.nupkg").write_bytes(data)
    with pytest.raises(ArchiveError, match=message):
        read_headers_of(tmp_path / "a.nupkg")


def test_a_header_beyond_all_measure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = BOTH | {"include/bomb.h": bytes(17 << 20)}
    for name, data in (("a.tgz", tar_of(bomb)), ("a.zip", zip_of(bomb))):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ArchiveError, match="too big for a header"):
            read_headers_of(tmp_path / name)
    monkeypatch.setattr(archive, "_MAX_CONTENT", 1000)
    (tmp_path / "b.tgz").write_bytes(tar_of(BOTH | {"lib": bytes(2000)}))
    with pytest.raises(ArchiveError, match="more than any release"):
        read_headers_of(tmp_path / "b.tgz")
    monkeypatch.setattr(archive, "_MAX_ENTRIES", 1)
    (tmp_path / "c.tgz").write_bytes(tar_of(BOTH))
    with pytest.raises(ArchiveError, match="more than any release"):
        read_headers_of(tmp_path / "c.tgz")


def test_a_tar_whose_extension_header_is_a_bomb_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type = tarfile.XHDTYPE
    info.size = 2 << 20
    data = info.tobuf(tarfile.USTAR_FORMAT) + bytes(2 << 20) + bytes(1024)
    (tmp_path / "a.tgz").write_bytes(gzip.compress(data))
    with pytest.raises(ArchiveError, match="an extension header of 2097152 bytes"):
        read_headers_of(tmp_path / "a.tgz")


@pytest.mark.parametrize("kind", ["tgz", "zip", "deb.gz", "deb.xz", "deb.zst"])
@pytest.mark.parametrize("part", [0.02, 0.3, 0.9])
def test_a_cut_off_archive_is_an_error(
    kind: str, part: float, headers: dict[str, bytes], tmp_path: Path
) -> None:
    name, data = release_archive(kind, headers)
    (tmp_path / name).write_bytes(data[: int(len(data) * part)])
    with pytest.raises(UsageError):
        read_headers_of(tmp_path / name)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "none of"),
        (b"hello", "none of"),
        (tar_of({"readme": b"x"}), "holds no onnxruntime_ep_c_api.h"),
        (tar_of({"include/onnxruntime_c_api.h": b"x"}), "include has onnxruntime_c_api.h but no"),
        (tar_of(BOTH | {f"b/{k}": v + b"//" for k, v in BOTH.items()}), "two different sets"),
        (b"!<arch>\n" + b"x" * 100, "is no Debian package"),
        (deb_of(b"", ".lz9"), "are compressed as '.lz9'"),
    ],
    ids=["empty", "text", "other", "half", "two", "broken-deb", "strange-deb"],  # not the bytes
)
def test_what_is_no_archive_of_the_runtime_is_refused(
    data: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(UsageError, match=message):
        read_headers_of(tmp_path / "a")


def test_an_archive_with_the_same_headers_twice_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(tar_of(BOTH | {f"b/{k}": v for k, v in BOTH.items()}))
    assert set(read_headers_of(tmp_path / "a.tgz")) == {
        "onnxruntime_c_api.h",
        "onnxruntime_ep_c_api.h",
    }


def test_zstd_without_a_decompressor_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.deb").write_bytes(deb_of(b"(\xb5/\xfd", ".zst"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(MissingError, match="zstd") as caught:
        read_headers_of(tmp_path / "a.deb")
    assert "Install" in caught.value.cure


def test_zstd_is_read_by_whichever_program_there_is(
    headers: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, data = release_archive("deb.zst", headers)
    (tmp_path / name).write_bytes(data)
    which = deb.shutil.which
    for missing in ("dpkg-deb", "zstd"):
        monkeypatch.setattr(
            deb.shutil,
            "which",
            lambda name, missing=missing: None if name == missing else which(name),
        )
        assert read_headers_of(tmp_path / name) == headers


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("onnxruntime-linux-x64-gpu-1.28.0.tgz", "1.28.0"),
        ("microsoft.ml.onnxruntime.1.27.1.nupkg", "1.27.1"),
        ("libonnxruntime-dev_1.27.1+dfsg-1_amd64.deb", "1.27.1"),
        ("headers.zip", ""),
    ],
)
def test_the_release_is_read_from_the_name(name: str, version: str) -> None:
    assert version_of(name) == version
