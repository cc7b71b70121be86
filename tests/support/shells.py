"""Shells that complete what is typed, by the script that epforge prints."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import epforge

# What bash cuts words at, beside blanks; cuts in a row are one word.
_CUTS = re.compile(r"([:=]+)")


def environment(place: Path) -> dict[str, str]:
    """An `epforge` on the path that is this one, and an empty home."""
    tools, home = place / "bin", place / "home"
    for folder in (tools, home):
        folder.mkdir(exist_ok=True)
    tool = tools / "epforge"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m epforge "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(epforge.__file__).parents[1]),
        "HOME": str(home),
    }


def run(shell: str, script: str, place: Path) -> str:
    """Runs a script in a shell that has read no file of anybody's."""
    plain = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}
    done = subprocess.run(
        [shutil.which(shell) or shell, *plain[shell], "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
        env=environment(place),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def bash(typed: str, place: Path) -> list[str]:
    """What bash offers when TAB is pressed behind what was typed."""
    words = [cut for word in typed.split(" ") for cut in (_cut(word) or [""])]
    script = f"""
        eval "$(epforge --show-completion)"
        COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}
        $(complete -p epforge | sed 's/.*-F \\([^ ]*\\) .*/\\1/') epforge
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return run("bash", script, place).splitlines()


def _cut(word: str) -> list[str]:
    return [part for part in _CUTS.split(word) if part]
