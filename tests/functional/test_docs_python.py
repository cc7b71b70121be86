"""Every block of Python in the documents runs as it is written, one after the other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import epforge

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = ("docs/api.md",)


def blocks(document: str) -> list[str]:
    """The blocks of Python of a document."""
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_python_of_a_document_runs(document: str, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "blueprints", tmp_path / "blueprints")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "generator")}
    assert blocks(document)
    for block in blocks(document):
        done = subprocess.run(
            [sys.executable, "-c", block],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{block}\n{done.stderr[-3000:]}"


def test_the_page_lists_every_function() -> None:
    text = (REPOSITORY / "docs/api.md").read_text(encoding="utf-8")
    table = text[text.index("## All of it") : text.index("## JSON")]
    listed = set(re.findall(r"`(\w+)`", table.split("\n", 3)[3]))
    functions = {
        name for name in epforge.__all__ if name.islower() and callable(getattr(epforge, name))
    }
    assert functions - {"apply_fix"} <= listed
