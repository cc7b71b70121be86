"""``epforge api``: what the C API of ONNX Runtime offers, level by level."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish
from epforge.ort.levels import DEFAULT_TARGET

app = typer.Typer(
    no_args_is_help=True,
    help="Shows what ONNX Runtime's C API offers: structs, members, since when, and what a "
    "null callback does.",
)

Release = Annotated[
    str,
    typer.Option(
        "--ort",
        metavar="RELEASE",
        help="The release to look at, as 1.24.",
        autocompletion=complete.releases,
    ),
]
Sdk = Annotated[
    Path | None,
    typer.Option(
        "--sdk",
        metavar="DIR",
        help="Read these headers instead of the table.",
        autocompletion=complete.directories,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def show(
    struct: Annotated[
        str | None,
        typer.Argument(
            metavar="STRUCT[.MEMBER]",
            help="As OrtEp or OrtEp.Compile.",
            autocompletion=complete.structs,
        ),
    ] = None,
    ort: Release = DEFAULT_TARGET,
    sdk: Sdk = None,
    as_json: Json = False,
) -> None:
    """Shows a release's structs, one struct, or one member with all that is known about it.

    \b
        epforge api show OrtEpFactory.CreateDataTransfer --ort 1.24
    """
    from epforge.cli.show.api import member_text, overview, struct_text
    from epforge.verbs.api import ShownLevel, ShownStruct, show_api

    found = show_api(struct, ort=ort, sdk=sdk)
    if isinstance(found, ShownLevel):
        text = overview(found.level)
    elif isinstance(found, ShownStruct):
        text = struct_text(found.struct, found.level)
    else:
        text = member_text(found.struct, found.member)
    finish(found, lambda: typer.echo(text), as_json=as_json)


@app.command()
def keys(
    scope: Annotated[
        str | None,
        typer.Argument(
            metavar="SCOPE",
            autocompletion=complete.scopes,
            help="session, run, dynamic, environment, ep-device, hardware-device or model.",
        ),
    ] = None,
    ort: Release = DEFAULT_TARGET,
    sdk: Sdk = None,
    as_json: Json = False,
) -> None:
    """Lists the well-known configuration and metadata keys of a release.

    \b
        epforge api keys ep-device --ort 1.30
    """
    from epforge.cli.show.api import key_text
    from epforge.verbs.api import api_keys

    found = api_keys(scope, ort=ort, sdk=sdk)
    text = "\n".join(key_text(key) for key in found.keys)
    finish(found, lambda: typer.echo(text), as_json=as_json)


@app.command()
def diff(
    before: Annotated[
        str,
        typer.Argument(
            metavar="FROM",
            help="The release that is left, as 1.24.",
            autocompletion=complete.releases,
        ),
    ],
    after: Annotated[
        str,
        typer.Argument(
            metavar="TO", help="The release that is gone to.", autocompletion=complete.releases
        ),
    ],
    struct: Annotated[
        str | None,
        typer.Argument(
            metavar="STRUCT", help="Only this struct, as OrtEp.", autocompletion=complete.structs
        ),
    ] = None,
    sdk_from: Annotated[
        Path | None,
        typer.Option(
            "--sdk-from",
            metavar="DIR",
            help="Read FROM in these headers.",
            autocompletion=complete.directories,
        ),
    ] = None,
    sdk_to: Annotated[
        Path | None,
        typer.Option(
            "--sdk-to",
            metavar="DIR",
            help="Read TO in these headers.",
            autocompletion=complete.directories,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Shows what a release has that another one lacks: structs, members, keys.

    From a newer release to an older one it is what gets lost.

    \b
        epforge api diff 1.24 1.27 OrtEp
    """
    from epforge.cli.show.api_diff import diff_text
    from epforge.verbs.api import diff_api

    found = diff_api(before, after, struct, sdk_from=sdk_from, sdk_to=sdk_to)
    finish(found, lambda: typer.echo(diff_text(found.diff)), as_json=as_json)
