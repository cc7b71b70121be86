"""After every change, a project with its owner's work in it builds and validates as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import regeneration
from edits_of_files import MOVES, OWN
from edits_of_lines import FAR
from projects import built_copy

_WORK = (
    *FAR,
    *(edit for edit in MOVES if edit.name.endswith("to a file of its own")),
    *(edit for edit in OWN if edit.path.startswith(("contoso/", "docs/board"))),
)


@pytest.mark.lab
@pytest.mark.parametrize("change", regeneration.CHANGES)
def test_a_project_builds_and_validates_after_a_change(change: str, tmp_path: Path) -> None:
    project = regeneration.scaffolded(tmp_path / "project")
    for edit in _WORK:
        edit.apply(project)
    regeneration.apply(project, regeneration.after(change))
    command = [sys.executable, "-m", "epforge", "validate", str(built_copy(project))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ComplexMul" in (project / "src/gen/kernel_table.cc").read_text(encoding="utf-8")
