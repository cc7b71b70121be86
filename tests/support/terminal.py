"""A place where commands are typed as a user would, with the epforge and the Python under test."""

from __future__ import annotations

import json
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


def environment(place: Path) -> dict[str, str]:
    """Variables with which ``epforge`` and ``python`` are those of the tests.

    Args:
        place: where a directory for the two is made.
    """
    tools = place / ".tools"
    tools.mkdir(exist_ok=True)
    for name, module in (("epforge", "-m epforge "), ("python", ""), ("python3", "")):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module}"$@"\n', encoding="utf-8")
        tool.chmod(0o755)
    # cookiecutter keeps what was answered; it is not for the home of whoever runs the tests.
    config = tools / "cookiecutter.yaml"
    config.write_text(json.dumps({"replay_dir": str(tools / "replay")}), encoding="utf-8")
    return {
        **os.environ,
        "COOKIECUTTER_CONFIG": str(config),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "generator"),
    }


def typed(line: str, place: Path, **variables: str) -> Said:
    """Runs a line of bash in ``place``."""
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=place,
        env={**environment(place), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return Said(result.stdout, result.returncode)
