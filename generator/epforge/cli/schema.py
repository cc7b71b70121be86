"""``epforge schema``: the JSON Schema of blueprints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from epforge.errors import UsageError


def schema(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it here.", metavar="FILE"),
    ] = None,
) -> None:
    """Prints the JSON Schema of blueprints, for completion and checks in editors.

    A blueprint names the file in its first line:

    \b
        epforge schema -o epforge.schema.json
        # yaml-language-server: $schema=./epforge.schema.json
    """
    from epforge.blueprint import json_schema

    text = json.dumps(json_schema(), indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error


command = schema
