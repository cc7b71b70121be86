"""``epforge sdk``: the ONNX Runtime headers that plugins are built against."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from epforge.cli.show.wording import count
from epforge.errors import ExitStatus, MissingError
from epforge.ort.levels import DEFAULT_TARGET, parse_level

app = typer.Typer(
    no_args_is_help=True,
    help="Finds, installs and checks the official ONNX Runtime headers that a build needs.",
)

Release = Annotated[
    str,
    typer.Option("--ort", metavar="RELEASE", help="The lowest release that will do, as 1.27."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Lists the SDKs that a build could use, in the order they are looked for.

    Example: epforge sdk list
    """
    rows = _rows()
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    if not rows:
        typer.echo("No ONNX Runtime headers on this machine. Run: epforge sdk install")
    for row in rows:
        state = count(len(row["problems"]), "problem") if row["problems"] else "good"
        release = f"1.{row['level']}" if row["level"] else "?"
        typer.echo(f"{release:6} {state:10} {row['include']}  ({row['source']})")


@app.command()
def install(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="ARCHIVE",
            help="Path or URL of a release archive: .tgz, .zip, .nupkg or .deb. Without it the "
            "headers come from Debian's package.",
        ),
    ] = None,
    sha256: Annotated[
        str | None,
        typer.Option("--sha256", metavar="HASH", help="What the archive must hash to."),
    ] = None,
    ort: Release = DEFAULT_TARGET,
    as_json: Json = False,
) -> None:
    """Puts headers into epforge's cache: from Debian without root, or from an archive.

    A URL needs --sha256. Nothing else on the machine changes.

    Example: epforge sdk install onnxruntime-linux-x64-1.28.0.tgz --ort 1.28
    """
    from epforge.ort.sdk import install as install_sdk

    sdk = install_sdk(source, level=parse_level(ort), sha256=sha256, report=_progress)
    _print_sdk(sdk, as_json)


@app.command()
def path(
    ort: Release = DEFAULT_TARGET,
    explicit: Annotated[
        Path | None,
        typer.Option("--ort-sdk", metavar="DIR", help="Look here instead of searching."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prints the include directory that a build would use. Nothing is installed.

    Example: g++ -I"$(epforge sdk path)" -c ep.cc
    """
    from epforge.ort.sdk import find_sdk

    sdk = find_sdk(explicit, parse_level(ort), install_missing=False)
    _print_sdk(sdk, as_json)


@app.command()
def verify(
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="An SDK; without it the one a build would use."),
    ] = None,
    ort: Annotated[
        str | None,
        typer.Option("--ort", metavar="RELEASE", help="The lowest release that will do."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Checks headers file by file: missing, cut off, of mixed releases, too old.

    Exit status 1 when something is wrong.

    Example: epforge sdk verify /opt/onnxruntime --ort 1.27
    """
    from epforge.ort.sdk import find_sdk
    from epforge.ort.sdk import verify as verify_sdk

    level = parse_level(ort) if ort else None
    if directory is None:
        level = level or parse_level(DEFAULT_TARGET)
        directory = find_sdk(None, level, install_missing=False).root
    elif not directory.exists():
        raise MissingError(f"{directory} does not exist", "Name a directory of headers.")
    problems = verify_sdk(directory, level)
    if as_json:
        rows = [problem.to_json() for problem in problems]
        data = {"directory": str(directory), "ok": not rows, "problems": rows}
        typer.echo(json.dumps(data, indent=2))
    else:
        for problem in problems:
            typer.echo(str(problem))
        if not problems:
            typer.echo(f"{directory}: good")
    if problems:
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _progress(line: str) -> None:
    typer.echo(line, err=True)


def _print_sdk(sdk: Any, as_json: bool) -> None:
    if as_json:
        data = {
            "include": str(sdk.include),
            "root": str(sdk.root),
            "level": sdk.level,
            "version": sdk.version,
            "source": sdk.source,
        }
        typer.echo(json.dumps(data, indent=2))
    else:
        typer.echo(str(sdk.include))


def _rows() -> list[dict[str, Any]]:
    """One row per SDK on this machine."""
    from epforge.ort.reader import HeaderError, read_level_number
    from epforge.ort.sdk import ENVIRONMENT, damage, installed
    from epforge.ort.sdk import verify as verify_sdk
    from epforge.ort.sdk.layout import locate, system_roots

    rows: list[dict[str, Any]] = []

    def add(root: Path, source: str, problems: list[Any]) -> None:
        include = locate(root)
        try:
            level = read_level_number(include) if include else None
        except HeaderError:
            level = None
        rows.append(
            {
                "level": level,
                "root": str(root),
                "include": str(include or root),
                "source": source,
                "problems": [str(problem) for problem in problems],
            }
        )

    for variable in ENVIRONMENT:
        if value := os.environ.get(variable):
            root = Path(os.path.expanduser(value))
            add(root, variable, verify_sdk(root))
    for sdk in installed():
        add(sdk.root, sdk.source, damage(sdk))
    for root in system_roots():
        if include := locate(root):
            add(root, "system", verify_sdk(include))
    return rows
