"""A commit that a verb has made on a branch, for people and for programs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from epforge.verbs.wording import count, printable

if TYPE_CHECKING:
    from epforge.workspace.branch import Commit

_MOST = 5


def show_branch(project: Path, commit: Commit) -> None:
    """Says which branch there is now, and what has no part in it.

    Args:
        project: the project, as the caller called it.
        commit: what was made.
    """
    if commit.branch:
        files = count(len(commit.files_changed), "file")
        typer.echo(printable(f"branch {commit.branch}: {files} in commit {commit.id[:10]}"))
        place = () if project == Path() else ("-C", str(project))
        command = shlex.join(["git", *place, "diff", "HEAD", commit.branch])
        typer.echo(printable(f"Next: {command}"))
    else:
        typer.echo("HEAD is up to date: no branch was made")
    if commit.uncommitted:
        paths = ", ".join(commit.uncommitted[:_MOST])
        more = len(commit.uncommitted) - _MOST
        rest = f" and {more} more" if more > 0 else ""
        typer.echo(printable(f"not in it, because not committed: {paths}{rest}"), err=True)
