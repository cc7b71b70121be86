"""What the C API of ONNX Runtime offers, level by level."""

from __future__ import annotations

import dataclasses
import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epforge.errors import ExitStatus, UsageError
from epforge.ort.diff import ApiDiff, Changed, Slotted, StructDiff, diff_levels
from epforge.ort.levels import DEFAULT_TARGET, describe, load_level, parse_level
from epforge.ort.model import ApiLevel, Key, Member, Struct
from epforge.plain import plain
from epforge.verbs.types import FORMAT, AnyPath


@dataclass(frozen=True)
class ShownLevel:
    """A release: what it brought, and its structs."""

    level: ApiLevel

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        level = self.level
        structs = {
            each.name: {"role": each.role, "members": len(each.members), "since": each.since}
            for each in level.structs.values()
        }
        return {
            "format": FORMAT,
            "release": level.release,
            "level": level.level,
            "confidence": level.confidence,
            "source": level.source,
            "gains": list(level.gains),
            "structs": structs,
        }


@dataclass(frozen=True)
class ShownStruct:
    """A struct of a release with its members."""

    level: ApiLevel
    struct: Struct

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        struct = self.struct
        return {
            "format": FORMAT,
            "release": self.level.release,
            "level": self.level.level,
            "struct": struct.name,
            "role": struct.role,
            "header": struct.header,
            "members": [_shown_member(struct, member) for member in struct.members],
        }


@dataclass(frozen=True)
class ShownMember:
    """A member of a struct with all that is known about it."""

    struct: Struct
    member: Member

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        member = _shown_member(self.struct, self.member)
        return {"format": FORMAT, "struct": self.struct.name, **member}


@dataclass(frozen=True)
class ApiKeys:
    """The well-known configuration and metadata keys of a release."""

    level: ApiLevel
    keys: tuple[Key, ...]

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "release": self.level.release,
            "keys": [dataclasses.asdict(key) for key in self.keys],
        }


@dataclass(frozen=True)
class ApiDifference:
    """What a release has that another one lacks."""

    diff: ApiDiff

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.OK

    def to_json(self) -> dict[str, Any]:
        diff = self.diff
        return {
            "format": FORMAT,
            "from": diff.before,
            "to": diff.after,
            "direction": "loses" if diff.is_loss else "gains",
            "gains": {str(level): list(texts) for level, texts in diff.gains.items()},
            "structs": {name: _struct_data(struct) for name, struct in diff.structs.items()},
            "keys": [dataclasses.asdict(key) for key in diff.keys],
            "deprecated": [dataclasses.asdict(key) for key in diff.deprecated],
            "corrections": [dataclasses.asdict(row) for row in diff.corrections],
        }


def show_api(
    struct: str | None = None, *, ort: str = DEFAULT_TARGET, sdk: AnyPath | None = None
) -> ShownLevel | ShownStruct | ShownMember:
    """A release's structs, one struct, or one member; `epforge api show`.

    Args:
        struct: ``OrtEp`` or ``OrtEp.Compile``; None for all.
        ort: the release to look at, as ``1.24``.
        sdk: read these headers instead of the table.

    Raises:
        UsageError: there is no such release, struct or member, or no headers.
    """
    level = _level(ort, sdk)
    if struct is None:
        return ShownLevel(level)
    name, _, member_name = struct.replace("::", ".").partition(".")
    found = _pick(name, level.structs, f"ONNX Runtime {level.release} has no struct")
    if not member_name:
        return ShownStruct(level, found)
    members = {member.name: member for member in found.members}
    member = _pick(member_name, members, f"{name} at {level.release} has no member")
    return ShownMember(found, member)


def api_keys(
    scope: str | None = None, *, ort: str = DEFAULT_TARGET, sdk: AnyPath | None = None
) -> ApiKeys:
    """The well-known configuration and metadata keys of a release; `epforge api keys`.

    Args:
        scope: ``session``, ``run``, ``dynamic``, ``environment``, ``ep-device``,
            ``hardware-device`` or ``model``; None for all.
        ort: the release to look at, as ``1.24``.
        sdk: read these headers instead of the table.

    Raises:
        UsageError: there is no such release or scope, or no headers.
    """
    level = _level(ort, sdk)
    scopes = {key.scope: key for key in level.keys}
    if scope is not None:
        _pick(scope, scopes, f"ONNX Runtime {level.release} has no keys of scope")
    return ApiKeys(level, tuple(key for key in level.keys if scope in (None, key.scope)))


def diff_api(
    before: str,
    after: str,
    struct: str | None = None,
    *,
    sdk_from: AnyPath | None = None,
    sdk_to: AnyPath | None = None,
) -> ApiDifference:
    """What a release has that another one lacks: structs, members, keys; `epforge api diff`.

    Args:
        before: the release that is left, as ``1.24``.
        after: the release that is gone to; to an older one it is what gets lost.
        struct: only this one.
        sdk_from: read `before` in these headers.
        sdk_to: read `after` in these headers.

    Raises:
        UsageError: there is no such release or struct, or the headers are of another one.
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
    return ApiDifference(found)


def _shown_member(struct: Struct, member: Member) -> dict[str, Any]:
    data: dict[str, Any] = plain(dataclasses.asdict(member))
    return {"slot": struct.slot(member.name)} | data | {"signature": member.signature}


def _struct_data(diff: StructDiff) -> dict[str, Any]:
    return {
        "role": diff.struct.role,
        "whole": diff.whole,
        "members": [_member_data(slotted) for slotted in diff.members],
        "changed": [_changed_data(changed) for changed in diff.changed],
    }


def _member_data(slotted: Slotted) -> dict[str, Any]:
    member = slotted.member
    return {
        "slot": slotted.slot,
        "name": member.name,
        "since": member.since,
        "since_exact": member.since_exact,
        "signature": member.signature,
        "confidence": member.confidence,
        "need": member.need,
        "when": member.when,
        "when_null": member.when_null,
        "note": member.note,
    }


def _changed_data(changed: Changed) -> dict[str, Any]:
    return {
        "slot": changed.slot,
        "before": changed.before.signature,
        "after": changed.after.signature,
    }


def _side(argument: str, release: str, sdk: AnyPath | None) -> ApiLevel:
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


def _level(ort: str, sdk: AnyPath | None) -> ApiLevel:
    if sdk is None:
        return load_level(parse_level(ort))
    from epforge.ort.reader import read_level
    from epforge.ort.sdk.layout import locate, searched

    sdk = Path(sdk)
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
