"""``epforge check``: is a blueprint right, and what does it mean?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epforge.cli.show.wording import count
from epforge.errors import ExitStatus, UsageError

if TYPE_CHECKING:
    from epforge.resolve import Analysis


def check(
    files: Annotated[list[Path], typer.Argument(help="The blueprints.", metavar="FILE")],
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Print it with every default and derived name.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Checks blueprints and writes nothing.

    All errors are shown at once, each with its place, the line, what was expected and what to
    write instead. Keys that a later version will implement are right, and shown as notes. With
    --resolved the blueprint is printed as epforge understands it.

    \b
        epforge check blueprint.yaml --resolved
    """
    if as_json and len(files) > 1:
        raise UsageError("--json answers about one file", "Check one file at a time.")
    usable = [_check(file, resolved, as_json) for file in files]  # also after one that is wrong
    if not all(usable):
        raise typer.Exit(int(ExitStatus.WRONG_INPUT))


def _check(file: Path, resolved: bool, as_json: bool) -> bool:
    """Checks one blueprint and says what there is to say; can it be used?"""
    from epforge.blueprint import BlueprintErrors, load, render
    from epforge.cli.main import report
    from epforge.resolve import analyse, resolved_yaml

    try:
        analysis = analyse(load(file))
    except BlueprintErrors as error:
        # Not even YAML: the same form of answer as for any other error.
        if as_json:
            typer.echo(_json(str(file), error.diagnostics, None, False))
        else:
            report(error, as_json=False)
        return False
    found = (*analysis.errors, *analysis.warnings, *analysis.unsupported)
    if as_json:
        typer.echo(_json(str(file), found, analysis, resolved))
    else:
        if found:
            typer.echo(render(found, analysis.source.text.text), err=True)
        if resolved and analysis.blueprint is not None:
            typer.echo(resolved_yaml(analysis.blueprint), nl=False)
        else:
            typer.echo(_verdict(file, analysis), err=bool(analysis.errors))
    return analysis.blueprint is not None


def _verdict(file: Path, analysis: Analysis) -> str:
    counts = (
        (len(analysis.errors), "error"),
        (len(analysis.warnings), "warning"),
        (len(analysis.unsupported), "note"),
    )
    what = ", ".join(count(number, word) for number, word in counts if number)
    if analysis.blueprint is None:
        return f"\n{what}"
    blueprint = analysis.blueprint
    verdict = f"{file}: {blueprint.names.ep}, {count(len(blueprint.claimed), 'operator')}"
    return f"{verdict}: {what}" if what else f"{verdict}: fine"


def _json(file: str, found: tuple[Any, ...], analysis: Analysis | None, resolved: bool) -> str:
    from epforge.blueprint import Severity, to_json
    from epforge.resolve import resolved_data

    body: dict[str, Any] = {
        "format": 1,
        "file": file,
        "ok": analysis is not None and analysis.blueprint is not None,
        "diagnostics": [to_json(diagnostic) for diagnostic in found],
        "errors": sum(diagnostic.severity is Severity.ERROR for diagnostic in found),
    }
    if resolved and analysis is not None and analysis.blueprint is not None:
        body["resolved"] = resolved_data(analysis.blueprint)
    return json.dumps(body, indent=2)


command = check
