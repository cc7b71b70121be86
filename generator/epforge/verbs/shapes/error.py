"""What every verb prints with ``--json`` when it cannot answer."""

from __future__ import annotations

from typing import Any, Literal

from epforge.verbs.shapes.base import Answer
from epforge.verbs.shapes.blueprints import Diagnostic
from epforge.verbs.shapes.projects import PerhapsChange


class ErrorBody(PerhapsChange):
    """What is wrong. Some kinds of errors have more keys, which are listed here, too; those about
    a project are there when its owner has to decide before anything is written."""

    message: str
    """What is wrong, in one line or few."""
    cure: str
    """What to do about it; empty if the message says it all."""
    exit_status: Literal[1, 2, 3, 4, 130]
    """1: a check failed; 2: the blueprint or the call is wrong; 3: conflicts; 4: something is
    missing on this machine; 130: interrupted."""
    diagnostics: list[Diagnostic] | None = None
    """Of a wrong blueprint: everything that is wrong with it."""
    files: list[str] | None = None
    """Of files in conflict, edited or in the way: which."""
    problems: list[dict[str, str]] | None = None
    """Of headers that are not whole: file and message of each problem."""
    before: dict[str, Any] | None = None
    """Of a library that crashed while it compiled: what was compiled before."""
    file: str | None = None
    """Of a build that failed: the file with the first error; may be empty."""
    line: int | None = None
    column: int | None = None
    owner: str | None = None
    """Of a build that failed: who may change that file; empty if the project does not own it."""
    log: str | None = None
    """Of a build that failed: the whole output."""


class Error(Answer):
    """An error, of any verb with `--json`."""

    error: ErrorBody
