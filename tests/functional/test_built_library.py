"""What the compiled library is: two symbols, no runtime in it, no warning, and small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from compilers import needed
from projects import Project, built, expanded

SHELL_LIMIT = 1200  # code lines: no blanks, no comments; at most 100 columns each


def code_lines(text: str) -> int:
    """Lines of C++ that hold anything but comment."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (re.sub(r"//.*", "", line).strip() for line in text.splitlines())
    return sum(1 for line in lines if line)


def shell(text: str) -> dict[str, str]:
    """The C++ of `src/abi` and of `src/gen` without the kernels."""
    return {
        file.path: file.content.decode()
        for file in expanded(text).files
        if file.path.startswith(("src/abi/", "src/gen/"))
        and not file.path.startswith("src/gen/kernels/")
        and file.path.endswith((".h", ".cc"))
    }


def test_the_shell_is_small(repository: Path) -> None:
    files = shell((repository / "blueprints/minimal.yaml").read_text(encoding="utf-8"))
    sizes = {path: code_lines(text) for path, text in files.items()}
    assert sum(sizes.values()) <= SHELL_LIMIT, sizes
    wide = [path for path, text in files.items() if max(map(len, text.splitlines())) > 100]
    assert wide == []


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_it_compiles_without_a_warning(repository: Path, compiler: str) -> None:
    """The project's own flags turn every warning into an error; building is the proof."""
    text = (repository / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    project = built(text, compiler=needed(compiler))
    assert project.library.is_file()
    flags = (project.root / "cmake/gen/warnings.cmake").read_text(encoding="utf-8")
    for flag in ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"):
        assert flag in flags


@pytest.mark.lab
@pytest.mark.parametrize("name", ["kernel-registry", "virtual-memory"])
def test_clang_agrees_on_the_larger_ones(repository: Path, name: str) -> None:
    text = (repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8")
    assert built(text, compiler=needed("clang++")).library.is_file()


def test_the_library_is_where_its_manifest_is(full: Project) -> None:
    manifest = full.library.with_name(full.library.name + ".manifest.json")
    assert manifest.read_bytes() == (full.root / "src/gen/manifest.json").read_bytes()
