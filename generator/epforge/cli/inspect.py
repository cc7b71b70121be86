"""``epforge inspect``: what a library is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from epforge.validate.inspection import Slot

# Which of ONNX Runtime's structs are looked at.
_STRUCTS = ("OrtApi", "OrtEpApi", "OrtEpFactory", "OrtEp", "OrtAllocator", "OrtDataTransferImpl")


def command(
    library: Annotated[Path, typer.Argument(help="Any file.", metavar="LIB")],
    runtime: Annotated[
        str | None,
        typer.Option(
            help="The onnxruntime to ask it in: a version, fetched once, or the directory that "
            "holds its package. This Python's by default.",
            metavar="VERSION|DIR",
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
        str, typer.Option(help="What the file should be: plugin-ep or custom-ops.", metavar="KIND")
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
    from epforge.cli.main import printable
    from epforge.cli.show.card import card
    from epforge.cli.show.progress import progress
    from epforge.cli.validate import kind_of
    from epforge.validate import THIS, Limits, find_runtime, read_binary
    from epforge.validate.inspection import inspect
    from epforge.validate.inspection.hardware import parse

    devices, expect = parse(hardware or ()), kind_of(kind)
    path = library.absolute()
    with progress(quiet=as_json) as show:
        limits = Limits(stall_s=time_limit)
        found = inspect(
            path,
            layouts(),
            binary=read_binary(path, limits),
            runtime=find_runtime(runtime, show) if runtime else THIS,
            hardware=devices,
            expect=expect,
            limits=limits,
            progress=show,
        )
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        for line in card(found):
            typer.echo(printable(line))
    if not found.fine:
        raise typer.Exit(1)


def layouts() -> Mapping[str, Sequence[Slot]]:
    """The structs that are looked at, out of the tables of all levels."""
    from epforge.ort.levels import known_levels, load_level
    from epforge.validate.inspection import Slot

    newest = load_level(known_levels()[-1])
    return {
        name: [Slot(m.name, m.since, str(m.need)) for m in newest.struct(name).members]
        for name in _STRUCTS
    }
