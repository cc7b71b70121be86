"""``epforge plan``: what a blueprint would become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(help="The blueprint.", metavar="FILE")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Shows which files a blueprint becomes, and writes nothing.

    Of each file: who owns it, its path, the template it comes from and why it is there. The owner
    says who may change it: generated files are replaced, shared ones are merged, yours are never
    touched again.

    \b
        epforge plan blueprint.yaml
    """
    from epforge.cli.project import read
    from epforge.plan import make_plan

    _, blueprint = read(file)
    plan = make_plan(blueprint)
    if as_json:
        rows = [
            {
                "path": spec.path,
                "owner": spec.owner.value,
                "template": spec.template or None,
                "reason": spec.reason,
                "executable": spec.executable,
            }
            for spec in plan.files
        ]
        typer.echo(json.dumps({"format": 1, "files": rows}, indent=2))
        return
    wide = max(len(spec.path) for spec in plan.files)
    for spec in plan.files:
        origin = spec.template or "copied as it is"
        typer.echo(f"{spec.owner.value:<9}  {spec.path:<{wide}}  {spec.reason} ({origin})")
