"""``epforge schema``: the JSON Schemas of blueprints and of what verbs print with ``--json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish, print_lines
from epforge.errors import UsageError


def schema(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it here.", metavar="FILE"),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            help="Of what this verb prints with --json instead, such as check or 'ops list'; or of "
            "error, which all of them print when they fail.",
            metavar="VERB",
            autocompletion=complete.schemas,
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List what --of takes.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="The schema of `epforge validate --report` instead.")
    ] = False,
    inspection: Annotated[
        bool, typer.Option("--inspection", help="The schema of `epforge inspect --json` instead.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print it within JSON that has a format.")
    ] = False,
) -> None:
    """Prints the JSON Schema of blueprints, for completion and checks in editors.

    A blueprint names the file in its first line:

    \b
        epforge schema -o epforge.schema.json
        # yaml-language-server: $schema=./epforge.schema.json
        epforge schema --of "ops list"
    """
    from epforge.verbs.schema import BLUEPRINT, json_schema, list_schemas

    asked = {"--of": of is not None, "--list": listed, "--report": report}
    given = [
        option for option, is_given in (asked | {"--inspection": inspection}).items() if is_given
    ]
    if len(given) > 1:
        raise UsageError(f"give {' or '.join(given)}, not {'both' if len(given) == 2 else 'all'}")
    if listed:
        names = list_schemas()
        finish(names, lambda: print_lines(names.schemas), as_json=as_json)
        return
    found = json_schema("validate" if report else "inspect" if inspection else of or BLUEPRINT)
    text = json.dumps(found.schema, indent=2) + "\n"
    if output is not None:
        try:
            output.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"cannot write {output}: {error.strerror}") from error
    printed = text if output is None else ""
    finish(found, lambda: typer.echo(printed, nl=False), as_json=as_json)


command = schema
