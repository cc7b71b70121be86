"""``epforge upgrade --check``: is an ONNX Runtime out that is newer than a project's target?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import typer

from epforge.cli.show.wording import quoted


@dataclass(frozen=True)
class Newer:
    """What a project targets, and what there is.

    Args:
        target: the release whose API the project is made for: ``1.27``.
        newest: the newest release that pip would install: ``1.32.0``.
        known: the newest API that this epforge knows.
        upgrade: what the project could be upgraded to; None if it is there already.
    """

    target: str
    newest: str
    known: str
    upgrade: str | None


def newer(target: int, newest: str, known: int) -> Newer:
    """Compares API levels; `newest` is a release."""
    from epforge.ort.levels import parse_level

    level = min(parse_level(newest), known)
    upgrade = f"1.{level}" if level > target else None
    return Newer(f"1.{target}", newest, f"1.{known}", upgrade)


def check(project: Path, *, as_json: bool) -> None:
    """Asks pip for the newest ONNX Runtime, and says whether a project could be upgraded to it.

    Args:
        project: its directory; nothing is written.
        as_json: print ``target``, ``newest``, ``known`` and ``upgrade`` as JSON.

    Raises:
        UsageError: there is no blueprint.
        BlueprintErrors: it is not right.
        MissingError: pip cannot tell.
    """
    from epforge.cli.change.project import read
    from epforge.ort.levels import known_levels
    from epforge.ort.newest import newest_release

    _, blueprint = read(project / "blueprint.yaml")
    found = newer(blueprint.ort.target, newest_release(), known_levels()[-1])
    if as_json:
        typer.echo(json.dumps({"format": 1, "directory": str(project), **vars(found)}, indent=2))
    else:
        typer.echo(_text(project, found))


def _text(project: Path, found: Newer) -> str:
    from epforge.ort.levels import parse_level

    where = f"{project} targets ONNX Runtime {found.target}, the newest is {found.newest}"
    if found.upgrade is not None:
        return f"{where}\nNext: epforge upgrade {quoted(project)} --ort {found.upgrade}"
    if parse_level(found.newest) > parse_level(found.known):
        return f"{where}; this epforge knows none above {found.known}"
    return f"{where}: nothing to do"
