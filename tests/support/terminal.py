"""A place where commands are typed as a user would, with the epforge and the Python under test."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Said:
    """What a command has printed, stdout and stderr as they came, and how it ended."""

    text: str
    status: int


def typed(line: str, place: Path, **environment: str) -> Said:
    """Runs a line of bash in ``place``, or in a directory below it."""
    tools = place / ".tools"
    if not tools.is_dir():
        tools.mkdir()
        for name, module in (("epforge", "-m epforge "), ("python", ""), ("python3", "")):
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module}"$@"\n')
            (tools / name).chmod(0o755)
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=place,
        env={
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY / "generator"),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return Said(result.stdout, result.returncode)
