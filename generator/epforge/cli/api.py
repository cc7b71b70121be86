"""``epforge api``: what the C API of ONNX Runtime offers, level by level."""

from __future__ import annotations

import dataclasses
import difflib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from epforge.errors import UsageError
from epforge.ort.levels import DEFAULT_TARGET, describe, load_level, parse_level
from epforge.ort.model import ApiLevel, Key, Member, Need, Struct

app = typer.Typer(
    no_args_is_help=True,
    help="Look up what ONNX Runtime's C API offers: structs, members, since when, and what a "
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

_SHORT_NEED = {
    Need.REQUIRED: "required",
    Need.CRASHES: "required!",
    Need.CONDITIONAL: "if ...",
    Need.OPTIONAL: "optional",
    Need.UNKNOWN: "",
}
_LONG_NEED = {
    Need.REQUIRED: "yes",
    Need.CRASHES: "yes in practice, though the API does not say so",
    Need.CONDITIONAL: "under a condition",
    Need.OPTIONAL: "no",
    Need.UNKNOWN: "",
}


@app.command()
def show(
    struct: Annotated[
        str | None,
        typer.Argument(metavar="[STRUCT[.MEMBER]]", help="As OrtEp or OrtEp.Compile."),
    ] = None,
    ort: Release = DEFAULT_TARGET,
    sdk: Sdk = None,
    as_json: Json = False,
) -> None:
    """Show a release's structs, one struct, or one member with all that is known about it.

    Example: epforge api show OrtEpFactory.CreateDataTransfer --ort 1.24
    """
    level = _level(ort, sdk)
    if struct is None:
        _print(_level_data(level), _overview(level), as_json)
        return
    name, _, member_name = struct.replace("::", ".").partition(".")
    found = _pick(name, level.structs, f"ONNX Runtime {level.release} has no struct")
    if member_name:
        members = {member.name: member for member in found.members}
        member = _pick(member_name, members, f"{name} at {level.release} has no member")
        data = {"struct": name} | _member_data(found, member)
        _print(data, _member_text(found, member), as_json)
    else:
        _print(_struct_data(found, level), _struct_text(found, level), as_json)


@app.command()
def keys(
    scope: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCOPE]",
            help="session, run, dynamic, environment, ep-device, hardware-device or model.",
        ),
    ] = None,
    ort: Release = DEFAULT_TARGET,
    sdk: Sdk = None,
    as_json: Json = False,
) -> None:
    """List the well-known configuration and metadata keys of a release.

    Example: epforge api keys ep-device --ort 1.30
    """
    level = _level(ort, sdk)
    scopes = {key.scope: key for key in level.keys}
    if scope is not None:
        _pick(scope, scopes, f"ONNX Runtime {level.release} has no keys of scope")
    chosen = [key for key in level.keys if scope in (None, key.scope)]
    text = "\n".join(_key_text(key) for key in chosen)
    _print([dataclasses.asdict(key) for key in chosen], text, as_json)


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


def _since(since: int, exact: bool) -> str:
    return f"1.{since}" if exact else f"<=1.{since}"


def _overview(level: ApiLevel) -> str:
    lines = [f"ONNX Runtime {level.release} ({level.source})"]
    lines += [f"  new: {gain}" for gain in level.gains]
    lines.append(f"\n  {'struct':32} {'members':>7}  {'since':7} role")
    for struct in level.structs.values():
        first = min(struct.members, key=lambda member: member.since)
        since = _since(first.since, first.since_exact)
        lines.append(f"  {struct.name:32} {len(struct.members):7}  {since:7} {_role(struct)}")
    return "\n".join(lines)


def _role(struct: Struct) -> str:
    texts = {"implements": "you implement", "calls": "you call", "passes": "plain values"}
    return texts[struct.role]


def _struct_text(struct: Struct, level: ApiLevel) -> str:
    head = f"{struct.name} at {level.release}: {len(struct.members)} members, {_role(struct)}"
    lines = [head, f"  {'slot':>4} {'since':7} {'null?':9} declaration"]
    for slot, member in enumerate(struct.members):
        since = _since(member.since, member.since_exact)
        doubt = "" if member.confidence == "header" else f"   [{member.confidence}]"
        need = _SHORT_NEED[member.need]
        lines.append(f"  {slot:4} {since:7} {need:9} {member.signature}{doubt}")
    return "\n".join(lines)


def _member_text(struct: Struct, member: Member) -> str:
    since = _since(member.since, member.since_exact)
    lines = [
        f"{struct.name}.{member.name}: slot {struct.slot(member.name)}, since {since}",
        f"  {member.signature}",
        f"  known from: {member.source} ({member.confidence})",
    ]
    need = f"when {member.when}" if member.when else _LONG_NEED[member.need]
    facts = (("needed", need), ("if null", member.when_null), ("note", member.note))
    lines += [f"  {label}: {text}" for label, text in facts if text]
    if member.fact_source:
        lines.append(f"  facts from: {member.fact_source}")
    return "\n".join(lines)


def _key_text(key: Key) -> str:
    until = f", deprecated since 1.{key.until}" if key.until else ""
    head = f"{key.key}  ({key.scope}, since {_since(key.since, key.exact)}{until})"
    return f"{head}\n    {key.note}" if key.note else head


def _member_data(struct: Struct, member: Member) -> dict[str, Any]:
    data = dataclasses.asdict(member)
    return {"slot": struct.slot(member.name)} | data | {"signature": member.signature}


def _struct_data(struct: Struct, level: ApiLevel) -> dict[str, Any]:
    members = [_member_data(struct, member) for member in struct.members]
    return {
        "release": level.release,
        "level": level.level,
        "struct": struct.name,
        "role": struct.role,
        "header": struct.header,
        "members": members,
    }


def _level_data(level: ApiLevel) -> dict[str, Any]:
    structs = {
        struct.name: {"role": struct.role, "members": len(struct.members), "since": struct.since}
        for struct in level.structs.values()
    }
    return {
        "release": level.release,
        "level": level.level,
        "confidence": level.confidence,
        "source": level.source,
        "gains": list(level.gains),
        "structs": structs,
    }
