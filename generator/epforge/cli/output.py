"""What a verb says at its end: its result in words or as JSON, and its exit status."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import typer

from epforge.verbs.types import Result
from epforge.verbs.wording import printable


def finish(result: Result, show: Callable[[], None], *, as_json: bool) -> None:
    """Prints a result, and ends the process with its status unless that is 0.

    Args:
        result: what the verb has come to.
        show: prints it in words.
        as_json: print JSON instead.
    """
    if as_json:
        print_json(result.to_json())
    else:
        show()
    end(result)


def end(result: Result) -> None:
    """Ends the process with a result's status unless that is 0."""
    if result.exit_status:
        raise typer.Exit(int(result.exit_status))


def print_json(data: dict[str, Any]) -> None:
    """Prints what a program asked for."""
    typer.echo(json.dumps(data, indent=2))


def print_lines(lines: Iterable[str]) -> None:
    """Prints lines, whatever names of files or models are in them."""
    for line in lines:
        typer.echo(printable(line))


def warn(text: str) -> None:
    """Prints a line to stderr."""
    typer.echo(text, err=True)
