"""TAB in the shells of people: on a terminal, after `epforge --install-completion`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from shutil import which

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
if sys.platform != "win32":
    import typing_shells

FILES = (
    "one.yaml",
    "deep/er/three.yaml",
    "empty/notes.txt",
    "it's.yaml",
    "\\$(touch ran).yaml",
)
PROJECT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu, {op: Reshape, kernel: yours}, ImageDecoder]
"""
#: What is typed, and the last word of the line after that.
TYPED = {
    "epforge val": "validate",
    "epforge validate --rung=me": "--rung=memory",
    "epforge eject op --project npu Re": "Relu",
    "epforge scaffold de": "deep/er/three.yaml",
    "epforge check it": "it's.yaml",
    r"epforge check \\\$": r"\$(touch ran).yaml",
}


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_what_is_offered_is_put_on_the_line_as_the_shell_reads_it(
    name: str, tmp_path: Path
) -> None:
    if which(name) is None:
        pytest.skip(f"{name} is not there")
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "npu").mkdir()
    (tmp_path / "npu/blueprint.yaml").write_text(PROJECT)
    with typing_shells.shell(name, tmp_path) as typed:
        # The first in a new shell, too.
        found = {line: typed(line) for line in TYPED}
        folder = typed("epforge check em")
    assert {line: shlex.split(after)[-1] for line, after in found.items()} == TYPED
    assert folder == "epforge check empty/"
    assert not list(tmp_path.rglob("ran"))
