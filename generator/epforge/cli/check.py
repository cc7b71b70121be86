"""``epforge check``: is a blueprint right, and what does it mean?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import end, print_json
from epforge.errors import UsageError
from epforge.verbs.wording import count, printable

if TYPE_CHECKING:
    from epforge.verbs.check import CheckResult, Mending


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="The blueprints, or directories that hold a blueprint.yaml.",
            metavar="FILE",
            autocompletion=complete.files(*complete.BLUEPRINTS),
        ),
    ],
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Print it with every default and derived name.")
    ] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Make the fixes that there are, and show them.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "--diff", help="Show what --fix would change.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Checks blueprints; writes nothing unless --fix is given.

    All errors are shown at once, each with its place, the line, what was expected and what to
    write instead. Keys that a later version will implement are right, and shown as notes. With
    --resolved the blueprint is printed as epforge understands it. With --fix each error that has
    one sensible cure is mended, comments stay, and the change is shown.

    \b
        epforge check blueprint.yaml --resolved
        epforge check blueprint.yaml --fix --dry-run
    """
    if as_json and len(files) > 1:
        raise UsageError("--json answers about one file", "Check one file at a time.")
    from epforge.verbs.check import check_blueprint

    results = []
    for file in files:  # also after one that is wrong
        result = check_blueprint(file, resolved=resolved, fix=fix, dry_run=dry_run)
        results.append(result)
        if as_json:
            print_json(result.to_json())
        else:
            _show(result)
    for result in results:
        end(result)


def _show(result: CheckResult) -> None:
    from epforge.blueprint import Severity, render
    from epforge.resolve import resolved_yaml

    if result.mended is not None:
        _show_mended(result.mended)
    found = result.diagnostics
    if found:
        typer.echo(printable(render(found, result.text)), err=True)
    if result.resolved is not None and result.blueprint is not None:
        typer.echo(resolved_yaml(result.blueprint), nl=False)
        return
    of = Counter(each.severity for each in found)
    words = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "note"))
    what = ", ".join(count(of[severity], word) for severity, word in words if of[severity])
    if result.blueprint is None:
        typer.echo(f"\n{what}", err=True)
        return
    blueprint = result.blueprint
    verdict = f"{result.file}: {blueprint.names.ep}, {count(len(blueprint.claimed), 'operator')}"
    typer.echo(f"{verdict}: {what or 'fine'}", err=bool(of[Severity.ERROR]))


def _show_mended(mended: Mending) -> None:
    done = "fixed" if mended.written else "to be fixed"
    for each in mended.fixed:
        hint = f" ({each.hint})" if each.hint else ""
        line = f"{each.file}:{each.line}:{each.column}: {done}: {each.message}{hint}"
        typer.echo(printable(line))
    typer.echo(printable(mended.diff), nl=False)


command = check
