"""Official headers for tests, from the real provider, and archives made of them."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from epforge.ort.sdk import Sdk, damage, install, installed


@cache
def sdk_of(level: int) -> Sdk:
    """Debian's headers of exactly that level, installed on first use.

    Skips the test, saying so, when Debian's mirrors have moved past that level; any other trouble
    is an error.
    """
    for sdk in installed():
        if sdk.level == level and not damage(sdk):
            return sdk
    sdk = install(level=level)
    if sdk.level != level:
        pytest.skip(f"Debian has no headers of 1.{level} any more; the nearest is 1.{sdk.level}")
    return sdk


def copy_of(level: int, directory: Path) -> Path:
    """A copy of the headers of that level that a test may damage."""
    return Path(shutil.copytree(sdk_of(level).include, directory))


def contents(include: Path) -> dict[str, bytes]:
    """Path -> content of all headers below a directory."""
    files = sorted(path for path in include.rglob("*") if path.is_file())
    return {path.relative_to(include).as_posix(): path.read_bytes() for path in files}


def tar_of(
    files: Mapping[str, bytes], mode: str = "w:gz", extra: Iterable[tarfile.TarInfo] = ()
) -> bytes:
    """A tar archive; ``extra`` entries have no content of their own."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in extra:
            tar.addfile(info)
    return buffer.getvalue()


def tar_entry(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """A link, device or pipe."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


def zip_of(files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> bytes:
    """A zip archive; ``modes`` gives entries a Unix file type."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (modes or {}).get(name, 0o100644) << 16
            bundle.writestr(info, data)
    return buffer.getvalue()


def deb_of(data: bytes, suffix: str) -> bytes:
    """A Debian package around a ``data.tar`` that is already compressed."""

    def member(name: str, content: bytes) -> bytes:
        head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
        return head.encode() + content + b"\n" * (len(content) % 2)

    control = tar_of({"./control": b"Package: libonnxruntime-dev\n"})
    return b"!<arch>\n" + b"".join(
        (
            member("debian-binary", b"2.0\n"),
            member("control.tar.gz", control),
            member(f"data.tar{suffix}", data),
        )
    )


def zstd(data: bytes) -> bytes:
    """Compressed by the program zstd; skips the test where there is none."""
    program = shutil.which("zstd")
    if program is None:
        pytest.skip("no zstd on this machine")
    return subprocess.run([program, "-cq"], input=data, capture_output=True, check=True).stdout
