"""Files that are no plugin EP, made or found, and what has to be said about each."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

from toys import toy


def python_extension(to: Path) -> Path:
    import numpy

    return next(Path(numpy.__file__).parent.rglob("_multiarray_umath*"))


def other_machine(to: Path) -> Path:
    data = bytearray(toy().read_bytes())
    data[18:20] = struct.pack("<H", 183 if data[18:20] != struct.pack("<H", 183) else 62)
    to.write_bytes(data)
    return to


def truncated(to: Path) -> Path:
    to.write_bytes(toy().read_bytes()[:3000])
    return to


def header_only(to: Path) -> Path:
    to.write_bytes(toy().read_bytes()[:20])
    return to


def text(to: Path) -> Path:
    to.write_text("# not a library\n")
    return to


def empty(to: Path) -> Path:
    to.touch()
    return to


def directory(to: Path) -> Path:
    to.mkdir()
    return to


def archive(to: Path) -> Path:
    with zipfile.ZipFile(to, "w") as bundle:
        bundle.writestr("a", "b")
    return to


def noise(to: Path) -> Path:
    to.write_bytes(bytes(range(256)) * 4)
    return to


def runtime(to: Path) -> Path:
    import onnxruntime

    return next(Path(onnxruntime.__file__).parent.rglob("libonnxruntime.so*"))


def other_library(to: Path) -> Path:
    return toy("FAULT_NO_ENTRY")


def damaged_tables(to: Path) -> Path:
    """Headers that describe the whole file, and nonsense in between."""
    data = bytearray(toy().read_bytes())
    data[0x40 : len(data) // 2] = b"\xa5" * (len(data) // 2 - 0x40)
    to.write_bytes(data)
    return to


def executable(to: Path) -> Path:
    return Path(shutil.which("true") or "/bin/true").resolve()


def compiled(to: Path, code: str, language: str = "c") -> Path:
    """A library of a line of code."""
    source = to.with_suffix("." + language)
    source.write_text(code + "\n", encoding="utf-8")
    compiler = "g++" if language == "cc" else "gcc"
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(to)], check=True)
    return to


def provider(to: Path) -> Path:
    """As the provider libraries that an onnxruntime build brings along."""
    return compiled(to, "void* GetProvider(void) { return 0; }")


def mangled(to: Path) -> Path:
    """The entry points, with the names that C++ gives them."""
    return compiled(to, "void CreateEpFactories() {} void ReleaseEpFactory() {}", "cc")


def object_archive(to: Path) -> Path:
    to.write_bytes(b"!<arch>\n" + b" " * 60)
    return to


def pointer(to: Path) -> Path:
    """What git leaves of a large file until it is asked for it."""
    to.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    return to


def page(to: Path) -> Path:
    to.write_text("<!DOCTYPE html><html><body>404</body></html>\n")
    return to


#: How to get each: its maker, what it has to be called, and another word of the explanation.
THINGS: dict[str, tuple[Callable[[Path], Path], str, str]] = {
    "python extension": (python_extension, "Python extension module", "PyInit_"),
    "other machine": (other_machine, "a library for", "this machine is"),
    "truncated": (truncated, "damaged ELF file", "ends after 3000 bytes"),
    "header only": (header_only, "damaged ELF file", "cut off"),
    "text": (text, "a text file", "expected a plugin EP"),
    "empty": (empty, "an empty file", "expected a plugin EP"),
    "directory": (directory, "a directory", "expected a plugin EP"),
    "archive": (archive, "an archive", "unpack"),
    "noise": (noise, "no library of any known format", "ELF"),
    "runtime": (runtime, "onnxruntime itself", "CreateEpFactories"),
    "other library": (
        other_library,
        "shared library without the entry points",
        "CreateEpFactories",
    ),
    "executable": (executable, "a program or object file", "-shared"),
    "provider": (provider, "provider library of an onnxruntime build", "CreateEpFactories"),
    "mangled": (mangled, "a C++ name", 'extern "C"'),
    "object archive": (object_archive, "a static library", "link them with -shared"),
    "pointer": (pointer, "a Git LFS pointer", "git lfs pull"),
    "page": (page, "an HTML page", "fetch it again"),
}
