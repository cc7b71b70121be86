"""Asks the starter's questions on a terminal, by copier."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

from epforge.errors import UsageError
from epforge.starter import Answers, Rules, questions, starter_dir
from epforge.starter.compose import ANSWERS

_INTRODUCTION = (
    "Enter takes what is proposed; text in grey is an example, and is not taken.\n"
    "Arrow keys choose, Ctrl-C ends it. Nothing is written before you have seen\n"
    "what it comes to.\n"
)


def can_ask() -> bool:
    """Is there somebody to ask?"""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask(settled: Answers, proposals: Answers) -> Answers:
    """Asks what is not settled. An answer is checked at once, by epforge's rules.

    Args:
        settled: answers that are not asked for.
        proposals: defaults in place of the starter's.

    Returns:
        all answers.

    Raises:
        UsageError: the terminal has ended before all was answered.
        KeyboardInterrupt: whoever was asked has ended it.
    """
    import copier

    typer.echo(_INTRODUCTION)
    with TemporaryDirectory(prefix="epforge-init-") as place:
        data: dict[str, Any] = {**settled, "epforge": Rules(settled)}
        try:
            copier.run_copy(
                str(starter_dir()),
                Path(place) / "out",
                data=data,
                user_defaults=dict(proposals),
                settings=copier.Settings(),  # not those of whoever runs it
                quiet=True,
            )
        except (EOFError, copier.errors.InteractiveSessionError) as error:
            raise UsageError(
                "the answers ended before the questions did; nothing was written",
                "Answer by options, too: epforge init --help",
            ) from error
        yaml: Any = importlib.import_module("yaml")  # copier's own, which has written the file
        said = yaml.safe_load((Path(place) / "out" / ANSWERS).read_bytes())
    names = {each.name for each in questions()}
    return {**settled, **{name: value for name, value in said.items() if name in names}}
