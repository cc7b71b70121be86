"""Offsets in a library get their functions' names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from epforge.validate.symbols import function_at, named, short


@pytest.fixture
def library(tmp_path: Path) -> Path:
    code = "#include <cstdlib>\nnamespace acme {\nvoid* Make() {\n  return std::malloc(9);\n}\n}\n"
    (tmp_path / "lib.cc").write_text(code)
    subprocess.run(
        ["g++", "-g", "-O0", "-shared", "-fPIC", "lib.cc", "-o", "lib.so"], cwd=tmp_path, check=True
    )
    return tmp_path / "lib.so"


@pytest.mark.skipif(not shutil.which("addr2line") or not shutil.which("g++"), reason="no binutils")
def test_an_offset_is_followed_by_function_and_line(library: Path) -> None:
    symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^([0-9a-f]+) T .*Make", symbols, re.MULTILINE)
    assert found
    offset = hex(int(found[1], 16) + 6)
    text = named(f"2 blocks of 18 bytes allocated in OrtEp.Compile, {offset}; more", library)
    assert re.search(r"OrtEp\.Compile, acme::Make \(.*lib\.cc:[34]\) at 0x\w+; more$", text), text


def test_what_nobody_can_name_stays_an_offset(tmp_path: Path) -> None:
    assert function_at(tmp_path / "none.so", 16) == ""
    text = "1 block of 8 bytes allocated in OrtEp.Compile, 0x10"
    assert named(text, tmp_path / "none.so") == text


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("acme::Call<&acme::F, int>::Run(acme::F*) const", "acme::Call::Run"),
        ("main", "main"),
        ("acme::List(std::vector<int> const&)", "acme::List"),
    ],
)
def test_names_lose_templates_and_arguments(function: str, name: str) -> None:
    assert short(function) == name
