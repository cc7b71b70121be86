"""``epforge schema``: the JSON Schema of blueprints, and those of reports."""

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
    report: Annotated[
        bool, typer.Option("--report", help="The schema of `epforge validate --report` instead.")
    ] = False,
    inspection: Annotated[
        bool, typer.Option("--inspection", help="The schema of `epforge inspect --json` instead.")
    ] = False,
) -> None:
    """Prints the JSON Schema of blueprints, for completion and checks in editors.

    A blueprint names the file in its first line:

    \b
        epforge schema -o epforge.schema.json
        # yaml-language-server: $schema=./epforge.schema.json
    """
    if report and inspection:
        raise UsageError("give --report or --inspection, not both")
    made = _reports if report else _inspections if inspection else _blueprints
    text = json.dumps(made(), indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error


def _blueprints() -> object:
    from epforge.blueprint import json_schema

    return json_schema()


def _reports() -> object:
    from epforge.report import json_schema

    return json_schema()


def _inspections() -> object:
    from epforge.validate.inspection import json_schema

    return json_schema()


command = schema
