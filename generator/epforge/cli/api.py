"""``epforge api``: what the C API of ONNX Runtime offers, level by level."""

from __future__ import annotations

import dataclasses
import difflib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from epforge.cli.api_diff import diff_data, diff_text
from epforge.cli.show.api import (
    key_text,
    level_data,
    member_data,
    member_text,
    overview,
    struct_data,
    struct_text,
)
from epforge.errors import UsageError
from epforge.ort.diff import diff_levels
from epforge.ort.levels import DEFAULT_TARGET, describe, load_level, parse_level
from epforge.ort.model import ApiLevel

app = typer.Typer(
    no_args_is_help=True,
    help="Shows what ONNX Runtime's C API offers: structs, members, since when, and what a "
    "null callback does.",
)

Release = Annotated[
    str, typer.Option("--ort", metavar="RELEASE", help="The release to look at, as 1.24.")
]
Sdk = Annotated[
    Path | None,
    typer.Option("--sdk", metavar="DIR", help="Read these headers instead of the table."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def show(
    struct: Annotated[
        str | None,
        typer.Argument(metavar="STRUCT[.MEMBER]", help="As OrtEp or OrtEp.Compile."),
    ] = None,
    ort: Release = DEFAULT_TARGET,
    sdk: Sdk = None,
    as_json: Json = False,
) -> None:
    """Shows a release's structs, one struct, or one member with all that is known about it.

    Example: epforge api show OrtEpFactory.CreateDataTransfer --ort 1.24
    """
    level = _level(ort, sdk)
    if struct is None:
        _print(level_data(level), overview(level), as_json)
        return
    name, _, member_name = struct.replace("::", ".").partition(".")
    found = _pick(name, level.structs, f"ONNX Runtime {level.release} has no struct")
    if member_name:
        members = {member.name: member for member in found.members}
        member = _pick(member_name, members, f"{name} at {level.release} has no member")
        data = {"struct": name} | member_data(found, member)
        _print(data, member_text(found, member), as_json)
    else:
        _print(struct_data(found, level), struct_text(found, level), as_json)


@app.command()
def keys(
    scope: Annotated[
        str | None,
        typer.Argument(
            metavar="SCOPE",
            help="session, run, dynamic, environment, ep-device, hardware-device or model.",
        ),
    ] = None,
    ort: Release = DEFAULT_TARGET,
    sdk: Sdk = None,
    as_json: Json = False,
) -> None:
    """Lists the well-known configuration and metadata keys of a release.

    Example: epforge api keys ep-device --ort 1.30
    """
    level = _level(ort, sdk)
    scopes = {key.scope: key for key in level.keys}
    if scope is not None:
        _pick(scope, scopes, f"ONNX Runtime {level.release} has no keys of scope")
    chosen = [key for key in level.keys if scope in (None, key.scope)]
    text = "\n".join(key_text(key) for key in chosen)
    _print([dataclasses.asdict(key) for key in chosen], text, as_json)


@app.command()
def diff(
    before: Annotated[
        str, typer.Argument(metavar="FROM", help="The release that is left, as 1.24.")
    ],
    after: Annotated[str, typer.Argument(metavar="TO", help="The release that is gone to.")],
    struct: Annotated[
        str | None, typer.Argument(metavar="STRUCT", help="Only this struct, as OrtEp.")
    ] = None,
    sdk_from: Annotated[
        Path | None,
        typer.Option("--sdk-from", metavar="DIR", help="Read FROM in these headers."),
    ] = None,
    sdk_to: Annotated[
        Path | None, typer.Option("--sdk-to", metavar="DIR", help="Read TO in these headers.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Shows what a release has that another one lacks: structs, members, keys.

    From a newer release to an older one it is what gets lost.

    Example: epforge api diff 1.24 1.27 OrtEp
    """
    older, newer = _side("FROM", before, sdk_from), _side("TO", after, sdk_to)
    found = diff_levels(older, newer)
    if struct is not None:
        known = {**older.structs, **newer.structs}
        where = f"neither {older.release} nor {newer.release} of ONNX Runtime has a struct"
        _pick(struct, known, where)
        structs = {name: body for name, body in found.structs.items() if name == struct}
        rows = tuple(row for row in found.corrections if row.what.startswith(f"{struct}."))
        found = dataclasses.replace(
            found, structs=structs, corrections=rows, keys=(), deprecated=(), gains={}
        )
    _print(diff_data(found), diff_text(found), as_json)


def _side(argument: str, release: str, sdk: Path | None) -> ApiLevel:
    """One side of a difference; an error says which."""
    try:
        level = parse_level(release)
        found = _level(release, sdk)
    except UsageError as error:
        raise UsageError(f"{argument}: {error.message}", error.cure) from None
    if found.level != level:
        raise UsageError(
            f"{argument}: {sdk} has the headers of {found.release}, not of 1.{level}",
            f"Write {found.release}, or name other headers.",
        )
    return found


def _level(ort: str, sdk: Path | None) -> ApiLevel:
    if sdk is None:
        return load_level(parse_level(ort))
    from epforge.ort.reader import read_level
    from epforge.ort.sdk.layout import locate, searched

    include = locate(sdk)
    if include is None:
        looked = ", ".join(map(str, searched(sdk)))
        raise UsageError(f"{sdk} has no ONNX Runtime headers. Searched: {looked}")
    return describe(read_level(include))


def _pick(name: str, among: Any, message: str) -> Any:
    if name in among:
        return among[name]
    near = difflib.get_close_matches(name, among, n=3, cutoff=0.5)
    cure = f"Did you mean {' or '.join(near)}?" if near else f"It has {', '.join(among)}."
    raise UsageError(f"{message} {name}", cure)


def _print(data: Any, text: str, as_json: bool) -> None:
    typer.echo(json.dumps(data, indent=2) if as_json else text)
