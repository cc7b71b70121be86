"""``epforge sdk``: the ONNX Runtime headers that plugins are built against."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish, print_lines, warn
from epforge.ort.levels import DEFAULT_TARGET
from epforge.verbs.wording import count

app = typer.Typer(
    no_args_is_help=True,
    help="Finds, installs and checks the official ONNX Runtime headers that a build needs.",
)

Release = Annotated[
    str,
    typer.Option(
        "--ort",
        metavar="RELEASE",
        help="The lowest release that will do, as 1.27.",
        autocompletion=complete.releases,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Lists the SDKs that a build could use, in the order they are looked for.

    \b
        epforge sdk list
    """
    from epforge.verbs.sdk import list_sdks

    found = list_sdks()

    def show() -> None:
        if not found.sdks:
            typer.echo("No ONNX Runtime headers on this machine. Run: epforge sdk install")
        for each in found.sdks:
            state = count(len(each.problems), "problem") if each.problems else "good"
            release = f"1.{each.level}" if each.level else "?"
            typer.echo(f"{release:6} {state:10} {each.include}  ({each.source})")

    finish(found, show, as_json=as_json)


@app.command()
def install(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="ARCHIVE",
            autocompletion=complete.files(*complete.ARCHIVES),
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

    \b
        epforge sdk install onnxruntime-linux-x64-1.27.0.tgz --ort 1.27
    """
    from epforge.verbs.sdk import install_sdk

    done = install_sdk(source, sha256=sha256, ort=ort, progress=warn)
    finish(done, lambda: typer.echo(str(done.sdk.include)), as_json=as_json)


@app.command()
def path(
    ort: Release = DEFAULT_TARGET,
    explicit: Annotated[
        Path | None,
        typer.Option(
            "--ort-sdk",
            metavar="DIR",
            help="Look here instead of searching.",
            autocompletion=complete.directories,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prints the include directory that a build would use. Nothing is installed.

    \b
        g++ -I"$(epforge sdk path)" -c ep.cc
    """
    from epforge.verbs.sdk import find_sdk

    found = find_sdk(ort=ort, ort_sdk=explicit)
    finish(found, lambda: typer.echo(str(found.sdk.include)), as_json=as_json)


@app.command()
def verify(
    directory: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="An SDK; without it the one a build would use.",
            autocompletion=complete.directories,
        ),
    ] = None,
    ort: Annotated[
        str | None,
        typer.Option(
            "--ort",
            metavar="RELEASE",
            help="The lowest release that will do.",
            autocompletion=complete.releases,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Checks headers file by file: missing, cut off, of mixed releases, too old.

    Exit status 1 when something is wrong.

    \b
        epforge sdk verify onnxruntime-linux-x64-1.27.0 --ort 1.27
    """
    from epforge.verbs.sdk import verify_sdk

    found = verify_sdk(directory, ort=ort)

    def show() -> None:
        print_lines(map(str, found.problems))
        if not found.problems:
            typer.echo(f"{found.directory}: good")

    finish(found, show, as_json=as_json)
