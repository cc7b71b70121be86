"""``epforge inspect``: what a library is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epforge.cli import complete
from epforge.cli.output import finish, print_lines


def command(
    library: Annotated[
        Path,
        typer.Argument(
            help="Any file.", metavar="LIB", autocompletion=complete.files(*complete.LIBRARIES)
        ),
    ],
    runtime: Annotated[
        str | None,
        typer.Option(
            help="The onnxruntime to ask it in: a version, fetched once, or the directory that "
            "holds its package. This Python's by default.",
            metavar="VERSION|DIR",
            autocompletion=complete.runtimes,
        ),
    ] = None,
    hardware: Annotated[
        list[str] | None,
        typer.Option(
            help="A made-up device to offer it, TYPE:VENDOR:DEVICE,KEY=VALUE, such as gpu:0x10de "
            "or npu; or usual, for those of the usual vendors. May be repeated.",
            metavar="DEVICE",
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            help="What the file should be: plugin-ep or custom-ops.",
            metavar="KIND",
            autocompletion=complete.words("plugin-ep", "custom-ops"),
        ),
    ] = "plugin-ep",
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds without progress until it hangs.", metavar="SECONDS"),
    ] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Says what a library is: its format, what it exports and needs, which ONNX Runtime it asks
    for, its execution providers, devices, options and callbacks - and what its users will meet.

    Works on any file, and says of a wrong one what it is. What is foreign runs in processes of its
    own: a crash is a line of the report. Exit status 1 when the file is not what it should be here,
    or does not survive being asked.

    \b
        epforge inspect libother_ep.so
        epforge inspect libother_ep.so --hardware gpu:0x10de --hardware npu --json
    """
    from epforge.cli.show.card import card
    from epforge.cli.show.progress import progress
    from epforge.verbs.inspect import inspect_library

    with progress(quiet=as_json) as show:
        found = inspect_library(
            library,
            runtime=runtime,
            hardware=hardware or (),
            kind=kind,
            time_limit=time_limit,
            progress=show,
        )
    finish(found, lambda: print_lines(card(found)), as_json=as_json)
