"""Edits of projects as data, and the paths that they are about."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from edit_steps import Step


class Kind(StrEnum):
    """How an edit lies to what epforge changes."""

    FAR = "far"  # unchanged lines lie between the two, whatever epforge changes
    ADJACENT = "adjacent"  # beside a line that some change changes
    SAME_LINE = "same line"  # in a line that some change changes
    RENAME = "rename"
    DELETION = "deletion"
    ENCODING = "CRLF or BOM"
    REFORMAT = "reformat"
    MOVED = "moved function"
    GENERATED = "edited generated file"
    OWN = "own file"


@dataclass(frozen=True)
class Edit:
    """An edit of a project.

    Args:
        name: what it is called.
        kind: what kind it is.
        path: the file that it is about, as epforge calls it.
        steps: what the owner does.
        lines: the owner's own lines: what must not get lost.
        gone: lines that the owner has deleted: they stay away.
        renamed: where the file is afterwards, if it has another name.
        style: the project's style of C++, if it has another one.
    """

    name: str
    kind: Kind
    path: str
    steps: tuple[Step, ...]
    lines: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    renamed: str = ""
    style: str | None = field(default=None, repr=False)

    def apply(self, root: Path) -> None:
        """Does it in the project at ``root``."""
        for step in self.steps:
            step.apply(root)


CMAKE, README, CI = "CMakeLists.txt", "README.md", ".github/workflows/ci.yml"
PYPROJECT, PRESETS, STYLE = "pyproject.toml", "CMakePresets.json", ".clang-format"
SAMPLE, SAMPLE_README = "samples/cpp/CMakeLists.txt", "samples/cpp/README.md"
IGNORE, ATTRIBUTES = ".gitignore", ".gitattributes"
COMPLEX, COMPLEX_H = (f"src/kernels/com_microsoft_complex_mul.{end}" for end in ("cc", "h"))
RUNTIME, DISCOVERY = "src/device/host_runtime.cc", "src/device/discovery.cc"
WARNINGS, OPTIONS = "cmake/gen/warnings.cmake", "src/gen/options.cc"

OWN_OPTION = 'option(CONTOSO_TRACE "Contoso: trace every call" OFF)'
OWN_CI_STEP = "      - name: Contoso's licence check\n        run: ./tools/licences\n"
