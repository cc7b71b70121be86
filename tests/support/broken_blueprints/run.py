"""The command line, in this process."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from typer.testing import CliRunner

from epforge.cli.main import app


def run_here(arguments: Sequence[str], directory: Path) -> str:
    """What ``epforge`` prints for a program, run in a directory."""
    with contextlib.chdir(directory):
        result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return str(result.stdout)
