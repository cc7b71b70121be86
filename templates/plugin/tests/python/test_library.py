<%= banner %>
"""The library as a file: it shows two symbols and needs no onnxruntime to be linked."""

import shutil
import subprocess
from pathlib import Path

import pytest

_EXPORTS = {"CreateEpFactories", "ReleaseEpFactory"}


def _run(tool: str, *arguments: str) -> str:
    program = shutil.which(tool)
    if program is None:
        pytest.skip(f"{tool} is not installed")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def _is_elf(library: Path) -> bool:
    with open(library, "rb") as file:
        return file.read(4) == b"\x7fELF"


def test_two_symbols_are_exported(library: Path) -> None:
    if not _is_elf(library):
        pytest.skip("reads ELF files")
    lines = _run("nm", "-D", "--defined-only", str(library)).splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines}
    sanitizer = {name for name in names if "asan" in name or "tsan" in name or "ubsan" in name}
    assert names - sanitizer == _EXPORTS


def test_no_onnxruntime_is_linked(library: Path) -> None:
    if not _is_elf(library):
        pytest.skip("reads ELF files")
    needed = [line for line in _run("readelf", "-d", str(library)).splitlines() if "NEEDED" in line]
    assert needed
    assert not [line for line in needed if "onnxruntime" in line.split("[")[-1]]
