"""The oldest system that a file runs on, from what its parser says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from epforge.validate.binary import _macos, _needed_versions, _windows, read


def elf(*names: str) -> SimpleNamespace:
    versions = [SimpleNamespace(name=name) for name in names]
    one = SimpleNamespace(get_auxiliary_symbols=lambda: versions)
    return SimpleNamespace(symbols_version_requirement=[one])


@pytest.mark.parametrize(
    ("names", "floors"),
    [
        (("GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.4"), ("GLIBC 2.34",)),  # numbers, not texts
        (("CXXABI_1.3.9", "GLIBCXX_3.4.30"), ("CXXABI 1.3.9", "GLIBCXX 3.4.30")),
        (("GLIBC_2.17", "GLIBC_ABI_DT_RELR"), ("GLIBC 2.36",)),
        (("GLIBC_PRIVATE", "odd"), ()),
        ((), ()),
    ],
)
def test_the_highest_version_of_each_set(names: tuple[str, ...], floors: tuple[str, ...]) -> None:
    assert _needed_versions(elf(*names)) == floors


def test_macos() -> None:
    nothing = SimpleNamespace(has_build_version=False, has_version_min=False)
    assert _macos(nothing) == ()
    built = SimpleNamespace(minos=[11, 0, 0])
    assert _macos(SimpleNamespace(has_build_version=True, build_version=built)) == ("macOS 11.0",)
    older = SimpleNamespace(version=[10, 15, 0])
    found = SimpleNamespace(has_build_version=False, has_version_min=True, version_min=older)
    assert _macos(found) == ("macOS 10.15",)


def test_windows_and_its_c_runtimes() -> None:
    header = SimpleNamespace(major_subsystem_version=6, minor_subsystem_version=2)
    names = ("KERNEL32.dll", "api-ms-win-crt-heap-l1-1-0.dll", "ucrtbase.dll", "VCRUNTIME140.dll")
    pe = SimpleNamespace(optional_header=header, imports=[SimpleNamespace(name=n) for n in names])
    assert _windows(pe) == ("Windows 6.2", "ucrt", "vcruntime")


@pytest.mark.parametrize(
    ("content", "remark"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"\n <!DOCTYPE html>\n", "an HTML page"),
        (b"#!/bin/sh\n", "a script"),
        (b"/* GNU ld script */\nINPUT(libreal.so.1)\n", "a linker script"),
        (b"hello\n", ""),
        (b"!<arch>\nrest", "a static library"),
        (b"PK\x03\x04rest", ""),
    ],
)
def test_texts_and_archives_in_a_library_s_place(
    content: bytes, remark: str, tmp_path: Path
) -> None:
    (tmp_path / "x.so").write_bytes(content)
    assert read(tmp_path / "x.so").remark == remark
