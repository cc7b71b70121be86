"""The commands that bring a directory into git, as they can be run on this machine."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from epforge.verbs.wording import quoted


def into_git(directory: Path, message: str) -> tuple[str, ...]:
    """The commands that make a repository of a directory, and commit what is in it.

    Args:
        directory: it, as the caller called it; it may be one already, or not be there yet.
        message: of the commit.

    Returns:
        a command line each; where there is no git, the first installs it.
    """
    git = in_directory(directory)
    begun = () if (directory / ".git").exists() else (f"{git} init",)
    return (
        *_missing(),
        *begun,
        f"{git} add .",
        f"{git} commit -m {shlex.quote(message)}",
    )


def in_directory(directory: Path) -> str:
    """How git is called for a directory."""
    return "git" if directory == Path() else f"git -C {quoted(directory)}"


def _missing() -> tuple[str, ...]:
    if shutil.which("git"):
        return ()
    from epforge.doctor.machine.tools import install_git

    return (install_git(sys.platform),)
