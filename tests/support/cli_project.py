"""A small project to regenerate through the command line, and what may happen to one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from epforge.cli.main import app

BLUEPRINT = """\
# What Contoso's NPU computes.
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu, Add]
"""
README_LINE = "It computes 2 operators:"
GENERATED = "src/abi/ep.cc"
YOURS = "src/device/discovery.cc"

Change = Callable[[Path], None]


def call(*args: str | Path) -> Any:
    """Runs epforge in this process; the result has exit_code, stdout, stderr and output."""
    return CliRunner().invoke(app, [str(arg) for arg in args])


def asked(*args: str | Path) -> dict[str, Any]:
    """What epforge answers to ``--json``, whatever its exit status."""
    data: dict[str, Any] = json.loads(call(*args, "--json").stdout)
    return data


def scaffolded(folder: Path) -> Path:
    """A project, made from `BLUEPRINT`."""
    source = folder / "contoso.yaml"
    source.write_text(BLUEPRINT)
    result = call("scaffold", source, folder / "npu")
    assert result.exit_code == 0, result.output
    return folder / "npu"


def copied(project: Path, to: Path) -> Path:
    """A copy of a project, to be changed."""
    shutil.copytree(project, to, symlinks=True)
    return to


def tree(directory: Path) -> dict[str, bytes]:
    """Every file below a directory."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def files(directory: Path) -> dict[str, bytes]:
    """The project's files, without epforge's own records and git's."""
    return {
        path: content
        for path, content in tree(directory).items()
        if not path.startswith((".epforge/", ".git/")) and path != "epforge.lock"
    }


def replaced(path: str, old: str, new: str) -> Change:
    """Replaces text of one file."""

    def change(project: Path) -> None:
        content = (project / path).read_bytes()
        assert old.encode() in content, path
        (project / path).write_bytes(content.replace(old.encode(), new.encode(), 1))

    return change


def appended(path: str, text: str) -> Change:
    """Appends text to one file."""

    def change(project: Path) -> None:
        with open(project / path, "ab") as file:
            file.write(text.encode())

    return change


def deleted(path: str) -> Change:
    """Deletes one file."""
    return lambda project: (project / path).unlink()


def written(path: str, content: bytes) -> Change:
    """Writes one file."""

    def change(project: Path) -> None:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(content)

    return change


add_an_op = replaced("blueprint.yaml", "Add]", "Add, Mul]")
drop_an_op = replaced("blueprint.yaml", "[Relu, Add]", "[Relu]")
clash = replaced("README.md", README_LINE, "It computes two operators:")
